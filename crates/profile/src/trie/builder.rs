//! Tries whose nodes are named by caller and function, in any order of callers.

use std::collections::HashMap;

use crate::error::Result;
use crate::model::{FunctionId, NodeId, Trie};

/// Caller, function, whether the path above was dropped.
type Key = (Option<NodeId>, FunctionId, bool);

/// Makes each path once, whoever asks for it.
#[derive(Default)]
pub(crate) struct Builder {
    trie: Trie,
    known: HashMap<Key, NodeId>,
}

impl Builder {
    /// The node of a function below a caller; `overflow` is for roots only.
    pub fn node(
        &mut self,
        parent: Option<NodeId>,
        function: FunctionId,
        overflow: bool,
    ) -> Result<NodeId> {
        let key = (parent, function, overflow);
        if let Some(node) = self.known.get(&key) {
            return Ok(*node);
        }
        let node = self.trie.push(parent, function)?;
        if overflow {
            self.trie.overflow.push(node);
        }
        self.known.insert(key, node);
        Ok(node)
    }

    pub fn add(&mut self, node: NodeId, calls: u64, self_cost: u64) {
        self.trie.add(node, calls, self_cost);
    }

    pub fn function(&self, node: NodeId) -> FunctionId {
        self.trie.function(node)
    }

    /// The trie in the order that [`Trie`] promises.
    pub fn finish(mut self) -> Result<Trie> {
        drop(self.known);
        self.trie.order_depth_first()?;
        Ok(self.trie)
    }
}
