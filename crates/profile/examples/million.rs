//! Times reading, reporting and exporting a made-up profile:
//! `cargo run --release -p wasm-xray-profile --example million [paths]`.

use std::time::Instant;

use wasm_xray_abi::block::{MAGIC, VERSION_COMPACT};
use wasm_xray_profile::{Format, Profile, ReportFormat, ReportOptions, SortBy};

/// Functions in the module, as in SQLite's.
const FUNCTIONS: u32 = 2000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let paths: u32 = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |arg| arg.parse())?;
    let (file, map) = (file(paths), map());
    println!("{paths} paths, {} MB", file.len() / 1_000_000);

    let profile = time("read", || Profile::read(&file, &map))?;
    let text = ReportOptions {
        format: ReportFormat::Text,
        ..ReportOptions::default()
    };
    time("report", || profile.report(&text))?;
    time("report --json", || {
        profile.report(&ReportOptions::default())
    })?;
    time("report --tree", || {
        profile.report(&ReportOptions {
            tree: true,
            ..text.clone()
        })
    })?;
    let function = profile.find_functions("function_7")?[0];
    time("callers", || profile.callers(function, SortBy::Total));
    time("callees", || profile.callees(function, SortBy::Total));
    for (name, format) in Format::ALL {
        let bytes = time(name, || profile.convert(format))?;
        println!("{:>20} MB", bytes.len() / 1_000_000);
    }
    Ok(())
}

fn time<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = run();
    println!(
        "{what:>14} {:8.1} ms",
        start.elapsed().as_secs_f64() * 1000.0
    );
    result
}

/// Paths in the order in which a program would take them first: mostly near the
/// last one, now and then from any earlier one.
fn file(paths: u32) -> Vec<u8> {
    let header = [MAGIC, VERSION_COMPACT, 0, 1];
    let mut file: Vec<u8> = header
        .iter()
        .flat_map(|field| field.to_le_bytes())
        .collect();
    file.extend((16 + paths * 32).to_le_bytes());
    file.extend([0; 4]);
    file.extend(1u64.to_le_bytes());
    let mut parents = vec![0u32];
    let mut callees = vec![0u32];
    let mut random = 1u32;
    let mut next_random = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((u64::from(random) * u64::from(below)) >> 32) as u32
    };
    for node in 1..=paths {
        let mut parent = node - 1;
        if next_random(16) == 0 {
            parent = next_random(node);
        }
        for _ in 0..next_random(4) {
            parent = parents[parent as usize];
        }
        // Each callee of a path is another function.
        if callees[parent as usize] == FUNCTIONS || parent == 0 {
            parent = node - 1;
        }
        let callee = &mut callees[parent as usize];
        let function = 1 + (parent.wrapping_mul(31) + *callee) % FUNCTIONS;
        *callee += 1;
        parents.push(parent);
        callees.push(0);
        // Node numbers as in an arena.
        for field in [node * 64, parent * 64, function, 0] {
            file.extend(field.to_le_bytes());
        }
        file.extend(u64::from(next_random(1000)).to_le_bytes());
        file.extend(u64::from(next_random(1_000_000)).to_le_bytes());
    }
    file
}

fn map() -> String {
    let names: Vec<String> = (0..FUNCTIONS)
        .map(|index| format!("function_{index}"))
        .collect();
    let map = serde_json::json!({"name": "app", "hash": "0", "imports": 10, "names": names});
    serde_json::json!({
        "version": 1, "clock": "wall", "threads": [], "modules": [{"base": 1, "map": map}],
    })
    .to_string()
}
