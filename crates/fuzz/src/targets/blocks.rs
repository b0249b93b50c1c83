//! Profile files: the header and blocks of both layouts.

use wasm_xray_abi::block::{
    BLOCK_HEADER_SIZE, FILE_HEADER_SIZE, MAGIC, VERSION_COMPACT, VERSION_XRAY,
};
use wasm_xray_profile::{Format, Profile, ReportOptions};

use crate::Target;

pub(super) static BLOCKS: Target = Target {
    name: "blocks",
    seeds,
    words: &[
        &MAGIC.to_le_bytes(),
        &VERSION_COMPACT.to_le_bytes(),
        &VERSION_XRAY.to_le_bytes(),
    ],
    mend: Some(mend),
    run,
    bytes_per_byte: 100,
    max_len: 8 << 10,
};

fn header(version: u64) -> Vec<u8> {
    [MAGIC, version, 1, 2].map(u64::to_le_bytes).concat()
}

fn block(number: u32, thread: u64, records: &[u8]) -> Vec<u8> {
    let size = (BLOCK_HEADER_SIZE + records.len()) as u32;
    let mut block = [size, number].map(u32::to_le_bytes).concat();
    block.extend(thread.to_le_bytes());
    block.extend(records);
    block
}

/// Node, parent, function, flags, calls, self cost.
fn compact(node: u32, parent: u32, function: u32, flags: u32, calls: u64, cost: u64) -> Vec<u8> {
    let mut record = [node, parent, function, flags]
        .map(u32::to_le_bytes)
        .concat();
    record.extend([calls, cost].map(u64::to_le_bytes).concat());
    record
}

/// Leaf first, calls, inclusive time.
fn xray(path: &[u32], calls: u64, time: u64) -> Vec<u8> {
    let mut record: Vec<u8> = path.iter().flat_map(|id| id.to_le_bytes()).collect();
    record.extend([0; 4]);
    record.extend([calls, time].map(u64::to_le_bytes).concat());
    record
}

fn seeds() -> Vec<Vec<u8>> {
    let tree = [
        compact(8, 0, 1, 0, 1, 5),
        compact(16, 8, 2, 0, 10, 30),
        compact(24, 8, 3, 0, 2, 0),
        compact(32, 16, 1, 0, 7, 1),
    ]
    .concat();
    let dropped = [compact(64, 0, 2, 1, 3, 4), compact(72, 0, 5, 0, 1, 1)].concat();
    let paths = [
        xray(&[1], 1, 42),
        xray(&[2, 1], 2, 30),
        xray(&[1, 2, 1], 1, 7),
        xray(&[3, 1], 1, 0),
    ]
    .concat();
    let again = [xray(&[1], 1, 1), xray(&[9, 8, 7, 6, 5], 2, 2)].concat();
    vec![
        header(VERSION_COMPACT),
        [
            header(VERSION_COMPACT),
            block(0, 1, &tree),
            block(1, 1, &dropped),
            block(2, 7, &tree),
        ]
        .concat(),
        [
            header(VERSION_XRAY),
            block(0, 1, &paths),
            block(1, 2, &again),
            block(2, 1, &again),
        ]
        .concat(),
        // What LLVM's own runtime wrote.
        include_bytes!("../../../profile/tests/data/two-functions.xray").to_vec(),
        include_bytes!("../../../profile/tests/data/threads.xray")[..2000].to_vec(),
    ]
}

/// Blocks follow each other to the end of the file: one that would not end within
/// it, or has no header of its own, ends where the file does.
fn mend(file: &mut Vec<u8>) {
    let mut at = FILE_HEADER_SIZE;
    while file.len() >= at + BLOCK_HEADER_SIZE {
        let rest = file.len() - at;
        let size = &mut file[at..at + 4];
        let mut len = u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize;
        if !(BLOCK_HEADER_SIZE..=rest).contains(&len) {
            len = rest;
            size.copy_from_slice(&(len as u32).to_le_bytes());
        }
        at += len;
    }
    file.truncate(at.max(FILE_HEADER_SIZE));
}

fn run(input: &[u8]) -> String {
    let profile = match Profile::read(input, "") {
        Ok(profile) => profile,
        Err(error) => {
            let at = error.offset().expect("an error in a file has an offset");
            assert!(at <= input.len() as u64, "an error at {at}: {error}");
            return error.to_string();
        }
    };
    // Written and read again it is the same.
    let file = profile.convert(Format::Compact).expect("compact");
    let again = Profile::read(&file, &profile.map_json()).expect("our own file");
    assert_eq!(again, profile);
    // It may be nonsense, but it can be shown.
    profile
        .report(&ReportOptions::default())
        .expect("a profile has a report");
    format!(
        "{} threads, {:?}, {:?}",
        "t".repeat(profile.threads.len().min(4)),
        profile.clock,
        profile.dropped,
    )
}
