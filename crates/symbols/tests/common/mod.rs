//! A module that the compiler makes while the tests run, and surgery on modules.

#![allow(dead_code)] // each test file uses its part

use std::process::Command;

pub const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/shapes.rs");

/// `shapes.rs` as a module, with more options for the compiler.
pub fn compile(name: &str, options: &[&str]) -> Vec<u8> {
    let out = format!("{}/{name}.wasm", env!("CARGO_TARGET_TMPDIR"));
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let done = Command::new(rustc)
        .args(["--edition=2024", "--target=wasm32-unknown-unknown"])
        .args(["-Cpanic=abort", "-Cdebuginfo=2", "-o", &out, SOURCE])
        .args(options)
        .output()
        .expect("there is a compiler");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    std::fs::read(out).unwrap()
}

/// Sections of a module: id, offset of its contents, contents.
pub fn sections(module: &[u8]) -> Vec<(u8, usize, &[u8])> {
    let mut found = Vec::new();
    let mut at = 8;
    while at < module.len() {
        let id = module[at];
        let (size, start) = leb(module, at + 1);
        found.push((id, start, &module[start..start + size]));
        at = start + size;
    }
    found
}

pub fn leb(bytes: &[u8], mut at: usize) -> (usize, usize) {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = bytes[at];
        at += 1;
        value |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return (value, at);
        }
    }
}

/// Name and data of a custom section.
pub fn custom(contents: &[u8]) -> (&str, &[u8]) {
    let (length, at) = leb(contents, 0);
    let name = std::str::from_utf8(&contents[at..at + length]).unwrap();
    (name, &contents[at + length..])
}

pub fn section(id: u8, contents: &[u8]) -> Vec<u8> {
    let size = contents.len() as u32;
    let mut bytes = vec![id];
    bytes.extend([0, 7, 14, 21].map(|shift| (size >> shift) as u8 | 0x80));
    bytes.push((size >> 28) as u8);
    bytes.extend(contents);
    bytes
}

pub fn custom_section(name: &str, data: &[u8]) -> Vec<u8> {
    let contents = [&[name.len() as u8], name.as_bytes(), data].concat();
    section(0, &contents)
}

/// The module with custom sections changed; `None` takes one away.
pub fn with_custom(
    module: &[u8],
    mut change: impl FnMut(&str, &[u8]) -> Option<Vec<u8>>,
) -> Vec<u8> {
    let mut bytes = module[..8].to_vec();
    for (id, _, contents) in sections(module) {
        if id != 0 {
            bytes.extend(section(id, contents));
            continue;
        }
        let (name, data) = custom(contents);
        if let Some(data) = change(name, data) {
            bytes.extend(custom_section(name, &data));
        }
    }
    bytes
}
