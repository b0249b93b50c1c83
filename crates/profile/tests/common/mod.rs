//! Small profiles written by hand, and golden files.

#![allow(dead_code)] // each test file uses its part

pub mod any;

use wasm_xray_abi::block::{FLAG_OVERFLOW, MAGIC, VERSION_COMPACT, VERSION_XRAY};
use wasm_xray_profile::Profile;

/// Node, parent, function, flags, calls, self cost.
pub type CompactRecord = (u32, u32, u32, u32, u64, u64);

pub const OVERFLOW: u32 = FLAG_OVERFLOW;

pub fn header(version: u64) -> Vec<u8> {
    let fields = [MAGIC, version, 7, 42];
    fields
        .iter()
        .flat_map(|field| field.to_le_bytes())
        .collect()
}

pub fn block(thread: u64, records: &[u8]) -> Vec<u8> {
    let mut block = (records.len() as u32 + 16).to_le_bytes().to_vec();
    block.extend(0u32.to_le_bytes());
    block.extend(thread.to_le_bytes());
    block.extend(records);
    block
}

pub fn compact_records(records: &[CompactRecord]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (node, parent, function, flags, calls, cost) in records {
        for field in [node, parent, function, flags] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend(calls.to_le_bytes());
        bytes.extend(cost.to_le_bytes());
    }
    bytes
}

/// A compact file with one block for each entry.
pub fn compact(blocks: &[(u64, &[CompactRecord])]) -> Vec<u8> {
    let mut file = header(VERSION_COMPACT);
    for (thread, records) in blocks {
        file.extend(block(*thread, &compact_records(records)));
    }
    file
}

/// Path from leaf to root, calls, inclusive cost.
pub type XrayRecord<'a> = (&'a [u32], u64, u64);

/// A file in XRay's layout with one block for each entry.
pub fn xray(blocks: &[(u64, &[XrayRecord])]) -> Vec<u8> {
    let mut file = header(VERSION_XRAY);
    for (thread, records) in blocks {
        let mut bytes = Vec::new();
        for (path, calls, cost) in *records {
            path.iter()
                .chain([&0])
                .for_each(|id| bytes.extend(id.to_le_bytes()));
            bytes.extend(calls.to_le_bytes());
            bytes.extend(cost.to_le_bytes());
        }
        file.extend(block(*thread, &bytes));
    }
    file
}

/// The map of a module `app` with the names, of which `imports` are imported.
pub fn map(clock: &str, threads: &[(u64, &str)], imports: u32, names: &[Option<&str>]) -> String {
    let threads: Vec<_> = threads
        .iter()
        .map(|(id, name)| serde_json::json!({"id": id, "name": name}))
        .collect();
    let module = serde_json::json!({
        "base": 1,
        "map": {"name": "app", "hash": "0123456789abcdef", "imports": imports, "names": names},
    });
    serde_json::json!({"version": 1, "clock": clock, "threads": threads, "modules": [module]})
        .to_string()
}

pub const NAMES: [Option<&str>; 5] = [
    Some("env.now"),
    Some("_ZN3app4main17h0123456789abcdefE"),
    Some("fib"),
    None,
    Some("_Z4leafi"),
];

/// Two threads with clock `wall`; ids: 1 env.now, 2 app::main, 3 fib, 4 func[3], 5 leaf(int).
///
/// ```text
/// main      app::main ×1 100   fib ×1 10   fib ×2 20   fib ×4 40
///                                                      leaf ×3 5
///                              env.now ×2 30
///           leaf ×9 0 (path dropped)
/// worker 2  func[3] ×6 600
/// ```
pub fn wall() -> (Vec<u8>, String) {
    let file = compact(&[
        (
            1,
            &[
                (8, 0, 5, OVERFLOW, 9, 0),
                (16, 0, 2, 0, 1, 100),
                (24, 16, 3, 0, 1, 10),
                (32, 24, 3, 0, 2, 20),
            ],
        ),
        (2, &[(8, 0, 4, 0, 6, 600)]),
        (
            1,
            &[
                (40, 32, 3, 0, 4, 40),
                (48, 32, 5, 0, 3, 5),
                (56, 16, 1, 0, 2, 30),
            ],
        ),
    ]);
    let mut map: serde_json::Value =
        serde_json::from_str(&map("wall", &[(1, "main"), (2, "worker 2")], 1, &NAMES)).unwrap();
    map["dropped"] = serde_json::json!({"paths": 2, "calls": 9});
    map["skipped"] = serde_json::json!([{"module": "big.wasm", "reason": "a component"}]);
    map["unseen"] = serde_json::json!(["process 17 left no profile"]);
    map["modules"][0]["map"]["skipped"] =
        serde_json::json!([{"index": 3, "reason": "50,000 locals"}]);
    map["modules"][0]["map"]["warnings"] = serde_json::json!(["the name section is malformed"]);
    (file, map.to_string())
}

/// The same calls in one thread with clock `calls` and a name that is an attack.
pub fn calls() -> (Vec<u8>, String) {
    let file = compact(&[(
        1,
        &[
            (1, 0, 2, 0, 1, 0),
            (2, 1, 3, 0, 1, 0),
            (3, 2, 3, 0, 2, 0),
            (4, 3, 3, 0, 4, 0),
            (5, 3, 5, 0, 3, 0),
            (6, 1, 1, 0, 2, 0),
        ],
    )]);
    let mut names = NAMES;
    names[2] = Some("<b onload=\"x\">;]]>\u{1b}[2J\n&é");
    (file, map("calls", &[(1, "main")], 1, &names))
}

pub fn read((file, map): &(Vec<u8>, String)) -> Profile {
    Profile::read(file, map).expect("the profile is valid")
}

/// Compares with `tests/golden/NAME`; with `BLESS=1` in the environment writes it.
pub fn golden(name: &str, actual: &[u8]) {
    let path = format!("{}/tests/golden/{name}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, actual).expect("the golden file can be written");
        return;
    }
    let expected =
        std::fs::read(&path).unwrap_or_else(|_| panic!("{path} is missing: run with BLESS=1"));
    assert!(
        expected == actual,
        "{path} differs: run with BLESS=1 and look at the difference.\n{}",
        String::from_utf8_lossy(actual)
    );
}
