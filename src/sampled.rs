//! Probes of clock `sampled`: besides counting, they say which node runs.
//!
//! A sampler on another thread reads that word of the arena's state and adds the time since
//! it last looked to the node's self cost; nobody else adds costs with this clock. An aligned
//! word is read and written whole, so neither side waits for the other.

use wasm_xray_abi::layout::*;

use crate::arena::Storage;
use crate::ids::{FunctionId, NodeId, SlotOffset};
use crate::trie::Trie;

/// The same contract as in [`probe`](crate::probe), and the counting of their namesakes there.
#[allow(
    clippy::missing_safety_doc,
    reason = "one contract for all of them, above"
)]
impl<S: Storage> Trie<S> {
    /// `node` runs from now on: a call came back to it, or an exception.
    #[inline]
    pub unsafe fn resume(&self, node: NodeId) {
        // SAFETY: the state is at the arena's start.
        unsafe { self.arena.u32_at(STATE_RUNNING).set(node.offset()) };
    }

    /// A tail call leaves `node`: its caller runs.
    #[inline]
    pub unsafe fn sampled_exit(&self, node: NodeId) {
        // SAFETY: the caller keeps the contract; only the root has no parent, and no probe
        // runs in it.
        unsafe { self.resume(self.parent(node).unwrap_or(node)) };
    }

    /// Control goes back to the host.
    #[inline]
    pub unsafe fn leave(&self) {
        // SAFETY: CURRENT is a node.
        unsafe { self.resume(self.current()) };
    }

    /// What waits for the function called next; it stays. None: the host calls.
    #[inline]
    pub unsafe fn passed(&self) -> Option<NodeId> {
        // SAFETY: the state is at the arena's start.
        NodeId::new(unsafe { self.arena.u32_at(STATE_PASS).get() })
    }

    /// [`call`](Trie::call)
    #[inline]
    pub unsafe fn sampled_call(
        &self,
        parent: NodeId,
        slot: SlotOffset,
        callee: FunctionId,
    ) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let node = self.call(parent, slot, callee);
            self.resume(node);
            node
        }
    }

    /// [`call_tail`](Trie::call_tail)
    #[inline]
    pub unsafe fn sampled_call_tail(
        &self,
        node: NodeId,
        slot: SlotOffset,
        callee: FunctionId,
    ) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let child = self.call_tail(node, slot, callee);
            self.resume(child);
            child
        }
    }

    /// [`enter`](Trie::enter)
    #[inline]
    pub unsafe fn sampled_enter(&self, function: FunctionId) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let node = self.enter(function);
            self.resume(node);
            node
        }
    }
}
