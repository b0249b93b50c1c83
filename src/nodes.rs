//! Reading a trie: what is in a node, which nodes there are, what was dropped.

use wasm_xray_abi::layout::*;

use crate::arena::Storage;
use crate::ids::{FunctionId, NodeId};
use crate::trie::Trie;

/// A place in the arena's row of nodes. It ends where the nodes ended when it
/// was made, and a reset ends it at once.
#[derive(Clone, Copy)]
pub(crate) struct Cursor {
    at: u32,
    end: u32,
    generation: u32,
    /// The last node, and which of its counters comes next.
    pub(crate) counters: Option<(NodeId, u32)>,
}

impl Cursor {
    /// Whether the trie was reset since.
    pub(crate) fn is_stale<S>(&self, trie: &Trie<S>) -> bool {
        self.generation != trie.generation.get()
    }

    /// Whether the node was there when the cursor was made.
    pub(crate) fn reaches(&self, node: NodeId) -> bool {
        node.offset() < self.end
    }
}

/// All nodes in creation order, parents before children, overflow nodes
/// included, the root not. See [`Trie::nodes`].
pub struct Nodes<'a, S> {
    trie: &'a Trie<S>,
    cursor: Cursor,
}

impl<S: Storage> Iterator for Nodes<'_, S> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        self.trie.advance(&mut self.cursor)
    }
}

/// Reading. The ids given to the unsafe methods must be this trie's, see [`Trie`].
impl<S: Storage> Trie<S> {
    /// The nodes that there are now.
    pub fn nodes(&self) -> Nodes<'_, S> {
        Nodes {
            trie: self,
            cursor: self.cursor(),
        }
    }

    pub(crate) fn cursor(&self) -> Cursor {
        let end = self.nodes_end.get();
        let at = if end == 0 {
            0
        } else {
            self.root().offset() + node_size(0, 0)
        };
        Cursor {
            at,
            end,
            generation: self.generation.get(),
            counters: None,
        }
    }

    /// The cursor must be this trie's.
    pub(crate) fn advance(&self, cursor: &mut Cursor) -> Option<NodeId> {
        if cursor.at >= cursor.end || cursor.is_stale(self) {
            return None;
        }
        let node = NodeId::new(cursor.at)?;
        // SAFETY: nodes lie without gaps between the root and the end, and each
        // of them but the root has a function.
        cursor.at += unsafe {
            self.function(node).map_or(0, |function| {
                let counted = COUNTED_SIZE * self.counters_of(function);
                let behind = if self.is_overflow(node) { counted } else { 0 };
                self.size(function) + behind
            })
        };
        Some(node)
    }

    /// How often the node was called.
    ///
    /// # Safety
    ///
    /// The node is this trie's.
    #[inline]
    pub unsafe fn calls(&self, node: NodeId) -> u64 {
        // SAFETY: a node is in the arena, 8-byte aligned.
        unsafe { self.arena.u64_at(node.offset() + NODE_CALLS).get() }
    }

    /// Self cost of the node, in the clock's unit: ns, or always 0. Modulo 2⁶⁴
    /// if calls are entered and exited by hand, see [`accounting`](crate::accounting).
    ///
    /// # Safety
    ///
    /// The node is this trie's.
    #[inline]
    pub unsafe fn cost(&self, node: NodeId) -> u64 {
        // SAFETY: a node is in the arena, 8-byte aligned.
        unsafe { self.arena.u64_at(node.offset() + NODE_COST).get() }
    }

    /// The node's function; none for the root.
    ///
    /// # Safety
    ///
    /// The node is this trie's.
    #[inline]
    pub unsafe fn function(&self, node: NodeId) -> Option<FunctionId> {
        // SAFETY: a node is in the arena, 8-byte aligned.
        FunctionId::new(unsafe { self.arena.u32_at(node.offset() + NODE_FUNCTION).get() })
    }

    /// The node's caller; the root for what the host called, none for the root.
    /// An overflow node is its own parent.
    ///
    /// # Safety
    ///
    /// The node is this trie's.
    #[inline]
    pub unsafe fn parent(&self, node: NodeId) -> Option<NodeId> {
        // SAFETY: a node is in the arena, 8-byte aligned.
        NodeId::new(unsafe { self.arena.u32_at(node.offset() + NODE_PARENT).get() })
    }

    /// Whether the node stands for all paths to its function that were dropped.
    ///
    /// # Safety
    ///
    /// The node is this trie's.
    #[inline]
    pub unsafe fn is_overflow(&self, node: NodeId) -> bool {
        // SAFETY: the caller's node is this trie's.
        unsafe { self.parent(node) == Some(node) }
    }

    /// Paths: nodes that are neither root nor overflow node, and calls of leaves
    /// that have no node. Takes a step for every node if there are counters.
    pub fn paths(&self) -> u32 {
        self.paths.get() + self.counted_paths()
    }

    /// Functions registered.
    pub fn functions(&self) -> u32 {
        self.functions.get()
    }

    /// How often a path could not be created. One path counts several times if
    /// its call goes through the hash table (a table, the host) rather than a slot.
    pub fn dropped_paths(&self) -> u64 {
        self.dropped_paths.get()
    }

    /// Calls on overflow nodes: counted for their function, not for their path.
    pub fn dropped_calls(&self) -> u64 {
        self.settle_counts();
        (1..=self.functions.get())
            .map(|id| {
                // SAFETY: added functions have an overflow node.
                unsafe {
                    let function = FunctionId::new_unchecked(id);
                    self.calls(NodeId::new_unchecked(self.overflow_word(function).get()))
                }
            })
            .sum()
    }

    /// Bytes of the arena that are taken, hash table included.
    pub fn used(&self) -> u32 {
        self.nodes_end.get() + self.reserved.get() * DESCRIPTOR_SIZE
    }

    /// Adds `cost` to a node's self cost.
    ///
    /// # Safety
    ///
    /// The node is this trie's.
    #[inline]
    pub unsafe fn charge(&self, node: NodeId, cost: u64) {
        // SAFETY: the caller's node is this trie's.
        unsafe {
            self.add_cost(node, cost);
            if self.inclusive.get() {
                self.charge_callers(node, cost);
            }
        }
    }

    /// Turns self costs into inclusive ones in place, or back, in no memory of
    /// its own; XRay's layout is written from the former. [`charge`](Trie::charge)
    /// heeds it, so the program may go on in between.
    ///
    /// Callers come before callees, so a node that the walk reaches has its own
    /// cost still (or, on the way back, its inclusive cost still).
    pub(crate) fn set_costs_inclusive(&self, inclusive: bool) {
        if self.inclusive.get() == inclusive {
            return;
        }
        if inclusive {
            self.settle();
        }
        self.inclusive.set(inclusive);
        for node in self.nodes() {
            // SAFETY: a node of this trie, and so is its parent.
            unsafe {
                let cost = self.cost(node);
                if cost == 0 || self.is_overflow(node) {
                    continue;
                }
                if inclusive {
                    self.charge_callers(node, cost);
                } else if let Some(parent) = self.parent(node) {
                    self.add_cost(parent, cost.wrapping_neg());
                }
            }
        }
    }

    /// # Safety
    ///
    /// The node is this trie's.
    unsafe fn add_cost(&self, node: NodeId, cost: u64) {
        // SAFETY: a node is in the arena, 8-byte aligned.
        let word = unsafe { self.arena.u64_at(node.offset() + NODE_COST) };
        word.set(word.get().wrapping_add(cost));
    }

    /// # Safety
    ///
    /// The node is this trie's.
    #[cold]
    unsafe fn charge_callers(&self, node: NodeId, cost: u64) {
        let mut node = node;
        // SAFETY: the caller's node is this trie's, and so are its ancestors.
        unsafe {
            while let Some(parent) = self.parent(node)
                && parent != node
            {
                self.add_cost(parent, cost);
                node = parent;
            }
        }
    }
}
