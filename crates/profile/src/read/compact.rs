//! The compact layout: one record per node, parents first.

use wasm_xray_abi::block::{COMPACT_RECORD_SIZE, FLAG_OVERFLOW};

use super::bytes::Bytes;
use super::node_numbers::NodeNumbers;
use crate::error::{Error, Result};
use crate::functions::FunctionTable;
use crate::model::Trie;

#[derive(Default)]
pub(super) struct CompactThread {
    trie: Trie,
    /// From the file's node numbers, which are any numbers but 0.
    nodes: NodeNumbers,
}

impl CompactThread {
    pub fn read(&mut self, mut records: Bytes, functions: &mut FunctionTable) -> Result<()> {
        let nodes = records.len() / COMPACT_RECORD_SIZE;
        self.nodes.reserve(nodes);
        self.trie.reserve(nodes);
        while !records.is_empty() {
            self.read_record(&mut records, functions)?;
        }
        Ok(())
    }

    fn read_record(&mut self, records: &mut Bytes, functions: &mut FunctionTable) -> Result<()> {
        let start = records.offset();
        records.need(COMPACT_RECORD_SIZE, "a record")?;
        let number = records.u32("the node")?;
        let parent = records.u32("the parent")?;
        let function = records.u32("the function id")?;
        let flags = records.u32("the flags")?;
        let calls = records.u64("the call count")?;
        let self_cost = records.u64("the self cost")?;

        if number == 0 {
            return Err(Error::at(start, "a record is for node 0; nodes start at 1"));
        }
        let parent = match parent {
            0 => None,
            _ => Some(self.nodes.get(parent).ok_or_else(|| {
                let message = if parent == number {
                    format!("node {number} is its own parent")
                } else {
                    format!("node {number} has parent {parent}, which does not come before it")
                };
                Error::at(start + 4, message)
            })?),
        };
        if function == 0 || function > i32::MAX as u32 {
            let id = function as i32;
            return Err(Error::at(
                start + 8,
                format!("node {number} has function id {id}; ids start at 1"),
            ));
        }
        if flags & !FLAG_OVERFLOW != 0 {
            return Err(Error::at(
                start + 12,
                format!("node {number} has flags {flags:#x}, which this reader does not know"),
            ));
        }
        let is_overflow = flags & FLAG_OVERFLOW != 0;
        if parent.is_some_and(|parent| is_overflow || self.trie.is_overflow(parent)) {
            return Err(Error::at(
                start + 4,
                format!(
                    "node {number} has a parent, but one of the two is an overflow node, which has no place in the trie"
                ),
            ));
        }
        let node = self.trie.push(parent, functions.intern(function))?;
        if !self.nodes.insert(number, node) {
            return Err(Error::at(
                start,
                format!("node {number} occurs twice in its thread"),
            ));
        }
        if is_overflow {
            self.trie.overflow.push(node);
        }
        self.trie.add(node, calls, self_cost);
        Ok(())
    }

    pub fn finish(self) -> Trie {
        self.trie
    }
}
