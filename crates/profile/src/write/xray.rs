//! XRay's layout: each path from leaf to root, with inclusive cost.
//!
//! It cannot mark overflow nodes; they are written as roots.

use std::io::Write;

use wasm_xray_abi::block::{BLOCK_HEADER_SIZE, VERSION_XRAY};

use super::compact::{write_block_header, write_file_header};
use crate::error::Result;
use crate::model::{NodeId, Profile, Trie, Weight};

/// A block ends with the record that passes this many bytes.
const BLOCK_SIZE: usize = 1 << 20;

pub(super) fn write(profile: &Profile, out: &mut impl Write) -> Result<()> {
    write_file_header(VERSION_XRAY, profile.origin, out)?;
    let mut block_number = 0;
    for thread in &profile.threads {
        let trie = &thread.trie;
        let inclusive = trie.totals(Weight::Cost);
        let mut records = Vec::new();
        for node in trie.nodes() {
            push_record(profile, trie, node, inclusive[node.index()], &mut records);
            if records.len() >= BLOCK_SIZE {
                flush(&mut records, &mut block_number, thread.id, out)?;
            }
        }
        if !records.is_empty() {
            flush(&mut records, &mut block_number, thread.id, out)?;
        }
    }
    Ok(())
}

/// Size of the records in bytes, without writing them: it can be a thousand times the profile's.
pub(super) fn size(profile: &Profile) -> u64 {
    let mut size = 0u64;
    for trie in profile.threads.iter().map(|thread| &thread.trie) {
        // Frames on each path; fewer than nodes, so fewer than 2^32.
        let mut depths: Vec<u32> = Vec::with_capacity(trie.len());
        for node in trie.nodes() {
            let depth = trie.parent(node).map_or(0, |parent| depths[parent.index()]) + 1;
            depths.push(depth);
            size = size.saturating_add(4 * (u64::from(depth) + 1) + 16);
        }
    }
    size
}

fn push_record(
    profile: &Profile,
    trie: &Trie,
    node: NodeId,
    inclusive: u64,
    records: &mut Vec<u8>,
) {
    let path = std::iter::successors(Some(node), |node| trie.parent(*node));
    for node in path {
        let id = profile.function(trie.function(node)).id.0;
        records.extend_from_slice(&id.to_le_bytes());
    }
    records.extend_from_slice(&0u32.to_le_bytes());
    records.extend_from_slice(&trie.calls(node).to_le_bytes());
    records.extend_from_slice(&inclusive.to_le_bytes());
}

fn flush(
    records: &mut Vec<u8>,
    number: &mut u32,
    thread_id: u64,
    out: &mut impl Write,
) -> Result<()> {
    write_block_header(BLOCK_HEADER_SIZE + records.len(), *number, thread_id, out)?;
    out.write_all(records)?;
    records.clear();
    *number += 1;
    Ok(())
}
