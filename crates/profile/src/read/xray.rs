//! XRay's layout: one record per path, from leaf to root, with inclusive cost.

use std::collections::HashMap;

use super::blocks::Lost;
use super::bytes::Bytes;
use crate::error::{Error, Result};
use crate::functions::FunctionTable;
use crate::model::{FunctionId, NodeId, Trie};

#[derive(Default)]
pub(super) struct XrayThread {
    trie: Trie,
    /// Cost with callees, by node, as recorded.
    inclusive: Vec<u64>,
    children: HashMap<(Option<NodeId>, FunctionId), NodeId>,
    /// The last record's path from the root. The next one mostly shares its
    /// start, as XRay writes the trie depth first.
    last_path: Vec<(u32, NodeId)>,
    /// The record's file ids from leaf to root; kept to reuse its memory.
    path: Vec<u32>,
}

impl XrayThread {
    pub fn read(
        &mut self,
        mut records: Bytes,
        functions: &mut FunctionTable,
        lost: &mut Lost,
    ) -> Result<()> {
        while !records.is_empty() {
            self.read_path(&mut records)?;
            let calls = records.u64("the call count of a record")?;
            let inclusive = records.u64("the time of a record")?;
            match self.find_or_create(functions)? {
                Some(node) => {
                    self.trie.add(node, calls, 0);
                    let sum = &mut self.inclusive[node.index()];
                    *sum = sum.saturating_add(inclusive);
                }
                None => {
                    lost.paths = lost.paths.saturating_add(1);
                    lost.calls = lost.calls.saturating_add(calls);
                }
            }
        }
        Ok(())
    }

    fn read_path(&mut self, records: &mut Bytes) -> Result<()> {
        self.path.clear();
        loop {
            let offset = records.offset();
            match records.u32("the path of a record")? {
                0 => return Ok(()),
                id if id > i32::MAX as u32 => {
                    let id = id as i32;
                    return Err(Error::at(
                        offset,
                        format!("a path has function id {id}; ids start at 1"),
                    ));
                }
                id => self.path.push(id),
            }
        }
    }

    /// The node of `self.path`, or `None` if that is empty.
    fn find_or_create(&mut self, functions: &mut FunctionTable) -> Result<Option<NodeId>> {
        let shared = self
            .last_path
            .iter()
            .zip(self.path.iter().rev())
            .take_while(|((last, _), id)| last == *id)
            .count();
        self.last_path.truncate(shared);
        let mut node = self.last_path.last().map(|(_, node)| *node);
        for id in self.path.iter().rev().skip(shared) {
            let function = functions.intern(*id);
            let child = match self.children.get(&(node, function)) {
                Some(child) => *child,
                None => {
                    let child = self.trie.push(node, function)?;
                    self.inclusive.push(0);
                    self.children.insert((node, function), child);
                    child
                }
            };
            self.last_path.push((*id, child));
            node = Some(child);
        }
        Ok(node)
    }

    /// Self cost is what the callees do not account for. A path without a
    /// finished call has no cost of its own: its callees' goes to its caller.
    pub fn finish(mut self) -> Trie {
        let mut of_callees = vec![0u64; self.trie.len()];
        for node in self.trie.nodes().rev() {
            let callees = of_callees[node.index()];
            let mut inclusive = self.inclusive[node.index()];
            if self.trie.calls(node) == 0 {
                inclusive = inclusive.max(callees);
            }
            self.trie.self_costs[node.index()] = inclusive.saturating_sub(callees);
            if let Some(parent) = self.trie.parent(node) {
                let sum = &mut of_callees[parent.index()];
                *sum = sum.saturating_add(inclusive);
            }
        }
        self.trie
    }
}
