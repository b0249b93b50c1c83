//! What the probes of an instrumented module do to the trie.
//!
//! The names are those of the imports; `exports` gives them to the module.

use wasm_xray_abi::layout::*;

use crate::arena::Storage;
use crate::ids::{FunctionId, NodeId, SlotOffset};
use crate::trie::Trie;

/// Probes. All ids must be this trie's, see [`Trie`]; a slot must lie in its
/// node, that is, the rewriter's slot count for the function is what was given
/// to [`Trie::add_function`].
#[allow(
    clippy::missing_safety_doc,
    reason = "one contract for all of them, above"
)]
impl<S: Storage> Trie<S> {
    /// A direct call found its slot empty, or its count at the end: finds or
    /// creates the callee's node, counts on it what the slot had counted, and
    /// makes the slot ready. What is in it then.
    #[inline]
    pub unsafe fn slot(&self, parent: NodeId, slot: SlotOffset, callee: FunctionId) -> u64 {
        // SAFETY: the caller keeps the contract.
        unsafe { self.fill(parent, slot, || self.child(parent, callee)) }
    }

    /// As [`slot`](Trie::slot) for a tail call, which leaves `node` first: the
    /// callee is a child of `node`'s caller.
    #[inline]
    pub unsafe fn slot_tail(&self, node: NodeId, slot: SlotOffset, callee: FunctionId) -> u64 {
        // SAFETY: as in `slot`; only the root has no parent, and no probe runs in it.
        unsafe {
            self.fill(node, slot, || {
                self.child(self.parent(node).unwrap_or(node), callee)
            })
        }
    }

    #[inline]
    unsafe fn fill(&self, node: NodeId, slot: SlotOffset, callee: impl Fn() -> NodeId) -> u64 {
        // SAFETY: the caller keeps the contract; a slot is 8-byte aligned and in its node.
        unsafe {
            self.debug_check_slot(node, slot);
            let word = self.arena.u64_at(node.offset() + slot.0);
            if !self.settle_slot(word) {
                word.set(SLOT_READY | u64::from(callee().offset()));
            }
            word.get()
        }
    }

    /// Counts a call of the node.
    #[inline]
    pub unsafe fn count(&self, node: NodeId) {
        // SAFETY: a node is in the arena, 8-byte aligned.
        let word = unsafe { self.arena.u64_at(node.offset() + NODE_CALLS) };
        word.set(word.get() + 1);
    }

    /// Takes a call of the node back that was counted but only rewinds the stack.
    #[inline]
    pub unsafe fn uncount(&self, node: NodeId) {
        // SAFETY: a node is in the arena, 8-byte aligned.
        let word = unsafe { self.arena.u64_at(node.offset() + NODE_CALLS) };
        word.set(word.get().wrapping_sub(1));
    }

    /// Counts `calls` calls of the node at once.
    pub(crate) unsafe fn add_calls(&self, node: NodeId, calls: u64) {
        // SAFETY: a node is in the arena, 8-byte aligned.
        let word = unsafe { self.arena.u64_at(node.offset() + NODE_CALLS) };
        word.set(word.get().wrapping_add(calls));
    }

    /// A direct call: the callee's node, counted.
    #[inline]
    pub unsafe fn call(&self, parent: NodeId, slot: SlotOffset, callee: FunctionId) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let node = slot_node(self.slot_word(parent, slot))
                .or_else(|| slot_node(self.slot(parent, slot, callee)))
                .unwrap_or_else(|| self.overflow_node(callee));
            self.count(node);
            node
        }
    }

    /// A direct tail call: the callee's node, counted.
    #[inline]
    pub unsafe fn call_tail(&self, node: NodeId, slot: SlotOffset, callee: FunctionId) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let child = slot_node(self.slot_word(node, slot))
                .or_else(|| slot_node(self.slot_tail(node, slot, callee)))
                .unwrap_or_else(|| self.overflow_node(callee));
            self.count(child);
            child
        }
    }

    /// A function was reached through a table, a reference or the host: takes
    /// [`PASS`](STATE_PASS), or `CURRENT` if there is none, as its parent. The
    /// function's node, counted.
    #[inline]
    pub unsafe fn enter(&self, function: FunctionId) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let parent = self.take();
            let node = self.child(parent, function);
            self.count(node);
            node
        }
    }

    /// The caller of a function that was reached through a table, a reference or
    /// the host: takes [`PASS`](STATE_PASS), or is `CURRENT` if there is none.
    #[inline]
    pub unsafe fn take(&self) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe { self.take_pass().unwrap_or_else(|| self.current()) }
    }

    /// Takes the caller's node that waits for the function called next.
    #[inline]
    pub unsafe fn take_pass(&self) -> Option<NodeId> {
        // SAFETY: the state is at the arena's start.
        NodeId::new(unsafe { self.arena.u32_at(STATE_PASS).replace(0) })
    }

    /// Leaves `node`, or nothing, for the function called next.
    #[inline]
    pub unsafe fn pass(&self, node: Option<NodeId>) {
        // SAFETY: the state is at the arena's start.
        unsafe {
            self.arena
                .u32_at(STATE_PASS)
                .set(node.map_or(0, NodeId::offset))
        };
    }

    /// Leaves `node`'s caller for the function that `node` tail-calls.
    #[inline]
    pub unsafe fn pass_parent(&self, node: NodeId) {
        // SAFETY: the caller keeps the contract.
        unsafe { self.pass(self.parent(node)) };
    }

    /// The node under which calls from the host hang.
    #[inline]
    pub unsafe fn current(&self) -> NodeId {
        // SAFETY: the state is at the arena's start; CURRENT is a node since `init`.
        unsafe { NodeId::new_unchecked(self.arena.u32_at(STATE_CURRENT).get()) }
    }

    /// Makes `node` the one under which calls from the host hang; returns the previous one.
    #[inline]
    pub unsafe fn swap_current(&self, node: NodeId) -> NodeId {
        // SAFETY: as in `current`.
        unsafe { NodeId::new_unchecked(self.arena.u32_at(STATE_CURRENT).replace(node.offset())) }
    }

    #[inline]
    unsafe fn slot_word(&self, node: NodeId, slot: SlotOffset) -> u64 {
        // SAFETY: the caller keeps the contract; a slot is 8-byte aligned and in its node.
        unsafe {
            self.debug_check_slot(node, slot);
            self.arena.u64_at(node.offset() + slot.0).get()
        }
    }

    #[inline]
    unsafe fn debug_check_slot(&self, node: NodeId, slot: SlotOffset) {
        debug_assert!(
            slot.0.is_multiple_of(8)
                // SAFETY: the caller's node is this trie's.
                && unsafe { self.function(node) }.is_some_and(|function| {
                    // SAFETY: a node's function is registered.
                    let (counters, slots) =
                        unsafe { (self.counters_of(function), self.slots(function)) };
                    (slot_offset(counters, 0)..slot_offset(counters, slots)).contains(&slot.0)
                }),
            "the rewriter and the runtime disagree about slots"
        );
    }
}

/// The node in a slot's word; none if the slot is empty.
#[inline]
pub(crate) fn slot_node(word: u64) -> Option<NodeId> {
    NodeId::new(word as u32)
}
