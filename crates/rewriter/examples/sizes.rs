//! `sizes [FILE...]`: time and memory for modules at the sizes that real ones reach, and for files.
//!
//! Each is measured in a process of its own: the processor's time, best of five, and
//! what the process needed beyond the module itself, the output included. Linux only.

#[path = "../tests/support/large.rs"]
mod large;

use large::Large;
use std::process::Command;
use wasm_xray_rewriter::{Options, instrument};
use wasmparser::{Validator, WasmFeatures};

const CASES: [(&str, Large); 7] = [
    ("620,000 functions", Large::Functions(620_000)),
    ("a body of 1.5 MB", Large::Body(1_500_000)),
    ("nesting of 3,000", Large::Nesting(3_000)),
    ("49,996 locals", Large::Locals(49_996)),
    ("40,000 imports", Large::Imports(40_000)),
    ("br_table of 5,000", Large::Targets(5_000)),
    ("45 MB", Large::Bytes(45_000_000)),
];

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, what] = &args[..]
        && flag == "--one"
    {
        return measure(what);
    }
    println!(
        "{:<36} {:>9} {:>8} {:>8} {:>9} {:>8}",
        "module", "MB", "ms", "MB/s", "growth", "memory"
    );
    let cases = CASES.iter().map(|(name, _)| *name);
    for what in cases.chain(args.iter().map(String::as_str)) {
        let me = std::env::current_exe().expect("this program has a path");
        let status = Command::new(me).args(["--one", what]).status();
        assert!(status.is_ok_and(|status| status.success()), "{what}");
    }
}

fn measure(what: &str) {
    let case = CASES.iter().find(|(name, _)| *name == what);
    let bytes = match case {
        Some((_, case)) => case.module(),
        None => std::fs::read(what).expect("the file can be read"),
    };
    let before = peak_kb();
    let output = instrument(&bytes, &Options::default()).expect("instruments");
    let used = peak_kb().saturating_sub(before) as f64 * 1024.0;
    let mut best = f64::INFINITY;
    // The clock of a thread has steps of some ms.
    let times = 1 + 10_000_000 / bytes.len();
    for _ in 0..5 {
        let start = busy_seconds();
        for _ in 0..times {
            instrument(&bytes, &Options::default()).expect("instruments");
        }
        best = best.min((busy_seconds() - start) / times as f64);
    }
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(&output.bytes)
        .expect("valid output");
    let size = bytes.len() as f64;
    let name = what.rsplit('/').next().unwrap_or(what);
    println!(
        "{name:<36} {:>9.3} {:>8.1} {:>8.1} {:>8.2} × {:>6.1} ×",
        size / 1e6,
        best * 1e3,
        size / 1e6 / best,
        output.bytes.len() as f64 / size,
        used / size,
    );
}

/// Time that the processor spent on this thread, in seconds: other programs do not count.
fn busy_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").expect("this is Linux");
    let ns = stat
        .split_whitespace()
        .next()
        .and_then(|ns| ns.parse().ok());
    ns.map_or(f64::NAN, |ns: f64| ns / 1e9)
}

/// Most memory that this process ever had, in KiB .
fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.unwrap_or_default()
}
