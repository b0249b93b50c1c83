//! `sizes [instructions | offsets] [FILE...]`: time and memory for modules at the sizes
//! that real ones reach, and for files; with the clock `instructions`, or with a map of code offsets.
//!
//! Each is measured in a process of its own: the processor's time, best of five, and
//! what the process needed beyond the module itself, the output included. Linux only.

#[path = "../tests/support/large.rs"]
mod large;

use large::Large;
use std::path::Path;
use std::process::Command;
use wasm_xray_rewriter::{Clock, Options, instrument};
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
    if let [flag, mode, file, name] = &args[..]
        && flag == "--one"
    {
        return measure(mode, file, name);
    }
    let (mode, files) = match args.split_first() {
        Some((mode, files)) if ["instructions", "offsets"].contains(&mode.as_str()) => {
            (mode.as_str(), files)
        }
        _ => ("calls", &args[..]),
    };
    println!(
        "{:<28} {:>8} {:>8} {:>7} {:>9} {:>10}",
        "module", "MB", "ms", "MB/s", "output", "memory"
    );
    let me = std::env::current_exe().expect("this program has a path");
    let one = |file: &Path, name: &str| {
        let mut command = Command::new(&me);
        command.args(["--one", mode]).arg(file).arg(name);
        assert!(command.status().is_ok_and(|s| s.success()), "{name}");
    };
    // What making a module takes must not count, so it is made here.
    let made = std::env::temp_dir().join(format!("wasm-xray-sizes-{}.wasm", std::process::id()));
    for (name, case) in CASES {
        std::fs::write(&made, case.module()).expect("the temporary folder can be written");
        one(&made, name);
        std::fs::remove_file(&made).expect("just written");
    }
    for file in files {
        let name = file.rsplit('/').next().unwrap_or(file);
        one(Path::new(file), name);
    }
}

fn measure(mode: &str, file: &str, name: &str) {
    let options = Options {
        clock: match mode {
            "instructions" => Clock::Instructions,
            _ => Clock::Calls,
        },
        offsets: mode == "offsets",
        ..Options::default()
    };
    let bytes = std::fs::read(file).expect("the file can be read");
    let before = peak_kb();
    let output = instrument(&bytes, &options).expect("instruments");
    let used = peak_kb().saturating_sub(before) as f64 * 1024.0;
    let mut best = f64::INFINITY;
    // The clock of a thread has steps of some ms.
    let times = 1 + 10_000_000 / bytes.len();
    for _ in 0..5 {
        let start = busy_seconds();
        for _ in 0..times {
            instrument(&bytes, &options).expect("instruments");
        }
        best = best.min((busy_seconds() - start) / times as f64);
    }
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(&output.bytes)
        .expect("valid output");
    let size = bytes.len() as f64;
    let memory = if size < 100e3 {
        format!("{:.1} MB", used / 1e6)
    } else {
        format!("{:.1} ×", used / size)
    };
    println!(
        "{name:<28} {:>8.3} {:>8.1} {:>7.1} {:>7.2} × {memory:>10}",
        size / 1e6,
        best * 1e3,
        size / 1e6 / best,
        output.bytes.len() as f64 / size,
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
