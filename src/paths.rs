//! Paths of a trie: its roots, who is called from where, and whole tries at once.

use core::fmt;

use crate::arena::Storage;
use crate::ids::{FunctionId, NodeId};
use crate::trie::Trie;
use crate::twins::Twins;

/// Why [`Trie::merge_into`] or [`Trie::deep_copy_into`] did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// The target has fewer functions than the trie.
    UnknownFunction,
    /// The target of a copy holds paths or calls.
    NotEmpty,
}

impl fmt::Display for MergeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MergeError::UnknownFunction => {
                "the target does not know all functions: register the same modules there"
            }
            MergeError::NotEmpty => {
                "the target of a copy is not empty: reset it first, or merge into it"
            }
        })
    }
}

impl core::error::Error for MergeError {}

/// Paths. The ids given to the unsafe methods must be this trie's, see [`Trie`].
impl<S: Storage> Trie<S> {
    /// The functions that the host called, in the order of their first call.
    /// Takes a step for every node of the trie.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes_below(self.root())
    }

    /// The nodes called from `node`, in the order of their first call. Takes a
    /// step for every node of the trie.
    ///
    /// # Safety
    ///
    /// The node is this trie's.
    pub unsafe fn callees(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes_below(node)
    }

    fn nodes_below(&self, parent: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.nodes().filter(move |&node| {
            // SAFETY: a node of this trie. (An overflow node is its own parent.)
            node != parent && unsafe { self.parent(node) } == Some(parent)
        })
    }

    /// The function's node for all of its calls whose path was dropped.
    ///
    /// # Safety
    ///
    /// The function is this trie's.
    pub unsafe fn overflow_node(&self, function: FunctionId) -> NodeId {
        // SAFETY: an added function has an overflow node.
        unsafe { NodeId::new_unchecked(self.overflow_word(function).get()) }
    }

    /// Makes `target`, which holds nothing, hold what this trie holds; what does
    /// not fit is dropped there as usual.
    pub fn deep_copy_into<T: Storage>(&self, target: &Trie<T>) -> Result<(), MergeError> {
        if target.paths() > 0 || target.dropped_calls() > 0 {
            return Err(MergeError::NotEmpty);
        }
        self.merge_into(target)
    }

    /// Adds every path of this trie, with its calls and cost, to `target`, which
    /// must have the same functions under the same ids. What does not fit there
    /// is counted on overflow nodes, as if it had been called there.
    ///
    /// Counts and costs add up, so the order in which tries are merged makes no
    /// difference, as long as everything fits.
    pub fn merge_into<T: Storage>(&self, target: &Trie<T>) -> Result<(), MergeError> {
        self.add_to(target, false)
    }

    /// As [`merge_into`](Trie::merge_into), with recursion folded: a function
    /// called below itself is counted on the outermost call's node, and so are
    /// the calls that it makes. Paths are then as long as there are functions, at
    /// most, and times add up as before.
    ///
    /// For files in XRay's layout, which are otherwise quadratic in the depth of
    /// a recursion. [`Collector::serialize_folded`](crate::Collector::serialize_folded)
    /// does it on the way.
    pub fn fold_into<T: Storage>(&self, target: &Trie<T>) -> Result<(), MergeError> {
        self.add_to(target, true)
    }

    fn add_to<T: Storage>(&self, target: &Trie<T>, fold: bool) -> Result<(), MergeError> {
        if target.functions() < self.functions() {
            return Err(MergeError::UnknownFunction);
        }
        let inclusive = self.inclusive.get();
        self.set_costs_inclusive(false);
        let mut twins = Twins::new(self, target, fold);
        self.settle_counts();
        for node in self.nodes() {
            // SAFETY: a node of this trie, and its twin is the target's.
            unsafe {
                let twin = twins.find(node);
                target.add_calls(twin, self.calls(node));
                target.charge(twin, self.cost(node));
                for leaf in self.leaves(node) {
                    let twin = twins.below(twin, leaf.function);
                    target.add_calls(twin, leaf.calls);
                    target.charge(twin, leaf.cost);
                }
            }
        }
        target
            .dropped_paths
            .set(target.dropped_paths() + self.dropped_paths());
        self.set_costs_inclusive(inclusive);
        Ok(())
    }
}
