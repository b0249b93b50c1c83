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

/// A tree in which most paths are about 30 calls deep, like that of a real program.
fn file(paths: u32) -> Vec<u8> {
    let mut file: Vec<u8> = [MAGIC, VERSION_COMPACT, 0, 1]
        .iter()
        .flat_map(|field| field.to_le_bytes())
        .collect();
    file.extend((16 + paths * 32).to_le_bytes());
    file.extend([0; 4]);
    file.extend(1u64.to_le_bytes());
    let mut random = 1u32;
    for node in 1..=paths {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let back = 1 + (random >> 4) % (node * 2 / 3 + 1);
        let parent = node.saturating_sub(back);
        let function = 1 + (random >> 12) % FUNCTIONS;
        for field in [node, parent, function, 0] {
            file.extend(field.to_le_bytes());
        }
        file.extend(u64::from(random >> 20).to_le_bytes());
        file.extend(u64::from(random >> 10).to_le_bytes());
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
