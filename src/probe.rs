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
    /// A direct call found its slot empty: finds or creates the callee's node
    /// and fills the slot.
    #[inline]
    pub unsafe fn slot(&self, parent: NodeId, slot: SlotOffset, callee: FunctionId) -> NodeId {
        // SAFETY: the caller keeps the contract; a slot is 4-byte aligned and in its node.
        unsafe {
            self.debug_check_slot(parent, slot);
            let word = self.arena.u32_at(parent.offset() + slot.0);
            match NodeId::new(word.get()) {
                Some(node) => node,
                None => {
                    let node = self.child(parent, callee);
                    word.set(node.offset());
                    node
                }
            }
        }
    }

    /// As [`slot`](Trie::slot) for a tail call, which leaves `node` first: the
    /// callee is a child of `node`'s caller.
    #[inline]
    pub unsafe fn slot_tail(&self, node: NodeId, slot: SlotOffset, callee: FunctionId) -> NodeId {
        // SAFETY: as in `slot`; only the root has no parent, and no probe runs in it.
        unsafe {
            self.debug_check_slot(node, slot);
            let word = self.arena.u32_at(node.offset() + slot.0);
            match NodeId::new(word.get()) {
                Some(child) => child,
                None => {
                    let parent = self.parent(node).unwrap_or(node);
                    let child = self.child(parent, callee);
                    word.set(child.offset());
                    child
                }
            }
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
            let node = self.slot(parent, slot, callee);
            self.count(node);
            node
        }
    }

    /// A direct tail call: the callee's node, counted.
    #[inline]
    pub unsafe fn call_tail(&self, node: NodeId, slot: SlotOffset, callee: FunctionId) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let child = self.slot_tail(node, slot, callee);
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
    unsafe fn debug_check_slot(&self, node: NodeId, slot: SlotOffset) {
        debug_assert!(
            slot.0.is_multiple_of(4)
                && slot.0 >= NODE_SLOTS
                // SAFETY: the caller's node is this trie's.
                && unsafe { self.function(node) }.is_some_and(|function| {
                    // SAFETY: a node's function is registered.
                    slot.0 < NODE_SLOTS + 4 * unsafe { self.slots(function) }
                }),
            "the rewriter and the runtime disagree about slots"
        );
    }
}
