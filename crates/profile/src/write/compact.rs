//! The compact layout: one record of fixed size for each node.

use std::io::Write;

use wasm_xray_abi::block::{
    BLOCK_HEADER_SIZE, COMPACT_RECORD_SIZE, FILE_HEADER_SIZE, FLAG_OVERFLOW, MAGIC, VERSION_COMPACT,
};

use crate::error::Result;
use crate::model::{NodeId, Origin, Profile, Trie};

/// Records in a block, so that a reader may take one block at a time: 1 MiB.
const RECORDS_PER_BLOCK: usize = (1 << 20) / COMPACT_RECORD_SIZE;

pub(super) fn write(profile: &Profile, out: &mut impl Write) -> Result<()> {
    write_file_header(VERSION_COMPACT, profile.origin, out)?;
    let mut block_number = 0;
    for thread in &profile.threads {
        let nodes: Vec<NodeId> = thread.trie.nodes().collect();
        for nodes in nodes.chunks(RECORDS_PER_BLOCK) {
            let size = BLOCK_HEADER_SIZE + nodes.len() * COMPACT_RECORD_SIZE;
            write_block_header(size, block_number, thread.id, out)?;
            block_number += 1;
            for node in nodes {
                write_record(profile, &thread.trie, *node, out)?;
            }
        }
    }
    Ok(())
}

fn write_record(profile: &Profile, trie: &Trie, node: NodeId, out: &mut impl Write) -> Result<()> {
    let number = |node: NodeId| node.0 + 1;
    let flags = if trie.is_overflow(node) {
        FLAG_OVERFLOW
    } else {
        0
    };
    let mut record = [0; COMPACT_RECORD_SIZE];
    record[..4].copy_from_slice(&number(node).to_le_bytes());
    record[4..8].copy_from_slice(&trie.parent(node).map_or(0, number).to_le_bytes());
    record[8..12].copy_from_slice(&profile.function(trie.function(node)).id.0.to_le_bytes());
    record[12..16].copy_from_slice(&flags.to_le_bytes());
    record[16..24].copy_from_slice(&trie.calls(node).to_le_bytes());
    record[24..].copy_from_slice(&trie.self_cost(node).to_le_bytes());
    out.write_all(&record)?;
    Ok(())
}

pub(super) fn write_file_header(version: u64, origin: Origin, out: &mut impl Write) -> Result<()> {
    let mut header = [0; FILE_HEADER_SIZE];
    let fields = [MAGIC, version, origin.timestamp_ns, origin.process_id];
    for (bytes, field) in header.chunks_exact_mut(8).zip(fields) {
        bytes.copy_from_slice(&field.to_le_bytes());
    }
    out.write_all(&header)?;
    Ok(())
}

/// `size` is in bytes and includes this header; blocks are far smaller than 4 GiB.
pub(super) fn write_block_header(
    size: usize,
    number: u32,
    thread_id: u64,
    out: &mut impl Write,
) -> Result<()> {
    let mut header = [0; BLOCK_HEADER_SIZE];
    header[..4].copy_from_slice(&(size as u32).to_le_bytes());
    header[4..8].copy_from_slice(&number.to_le_bytes());
    header[8..].copy_from_slice(&thread_id.to_le_bytes());
    out.write_all(&header)?;
    Ok(())
}
