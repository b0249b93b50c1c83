//! The wall clock: self times from one clock read an event.
//!
//! At each event the time since the last one belongs to one node. So self times
//! are never negative, need no time of entry, and add up to the whole, the root's
//! share (time outside WebAssembly) included.
//!
//! That node is the one whose function the event comes from: the caller of a
//! call, the function that exits. So time after an exception or a trap unwound
//! frames without an event is that of the frame where control went on.

use core::cell::Cell;

use crate::arena::Storage;
use crate::ids::{FunctionId, NodeId, SlotOffset};
use crate::trie::Trie;

/// A clock that may be coarse or step back; the accounting copes.
pub trait Clock {
    /// Time since some fixed moment, in ns.
    fn now_ns(&self) -> u64;
}

/// The time of the last event, and in which node it left control.
pub struct Wall<C> {
    clock: C,
    /// Latest time seen, in ns; never goes back. 0 until the first event.
    last_ns: Cell<u64>,
    /// Where the last event left control; only `resume` asks. None until the first event.
    current: Cell<Option<NodeId>>,
}

impl<C: Clock> Wall<C> {
    /// A clock that starts with the first event.
    pub const fn new(clock: C) -> Wall<C> {
        Wall {
            clock,
            last_ns: Cell::new(0),
            current: Cell::new(None),
        }
    }

    /// Forgets node and time; needed whenever the trie is reset.
    pub fn reset(&self) {
        self.last_ns.set(0);
        self.current.set(None);
    }

    /// An event: what has passed belongs to `owner`.
    ///
    /// # Safety
    ///
    /// The nodes are the trie's.
    #[inline]
    unsafe fn event<S: Storage>(&self, trie: &Trie<S>, owner: NodeId) {
        let now = self.clock.now_ns();
        let last = self.last_ns.get();
        if now > last {
            self.last_ns.set(now);
            if self.current.get().is_some() {
                // SAFETY: the caller says so.
                unsafe { trie.charge(owner, now - last) };
            }
        }
    }
}

/// Probes of clock `wall`, with the counting of their namesakes in
/// [`probe`](crate::probe) and the same contract.
#[allow(
    clippy::missing_safety_doc,
    reason = "one contract for all of them, above"
)]
impl<C: Clock> Wall<C> {
    /// A direct call: the time until now is the caller's.
    #[inline]
    pub unsafe fn call<S: Storage>(
        &self,
        trie: &Trie<S>,
        parent: NodeId,
        slot: SlotOffset,
        callee: FunctionId,
    ) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            self.event(trie, parent);
            let node = trie.call(parent, slot, callee);
            self.current.set(Some(node));
            node
        }
    }

    /// A direct tail call: `node` ends, the callee takes its place.
    #[inline]
    pub unsafe fn call_tail<S: Storage>(
        &self,
        trie: &Trie<S>,
        node: NodeId,
        slot: SlotOffset,
        callee: FunctionId,
    ) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            self.event(trie, node);
            let child = trie.call_tail(node, slot, callee);
            self.current.set(Some(child));
            child
        }
    }

    /// A function was reached through a table, a reference or the host: the time
    /// until now is that of the node it hangs under.
    #[inline]
    pub unsafe fn enter<S: Storage>(&self, trie: &Trie<S>, function: FunctionId) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let parent = trie.take();
            self.event(trie, parent);
            let node = trie.child(parent, function);
            trie.count(node);
            self.current.set(Some(node));
            node
        }
    }

    /// The node's function returns to its caller. An overflow node does not know
    /// its caller; until the next event the time is then the host's.
    #[inline]
    pub unsafe fn exit<S: Storage>(&self, trie: &Trie<S>, node: NodeId) {
        // SAFETY: the caller keeps the contract.
        unsafe {
            self.event(trie, node);
            let caller = trie.parent(node).filter(|&parent| parent != node);
            self.current
                .set(Some(caller.unwrap_or_else(|| trie.current())));
        }
    }

    /// Control is back in the node: after an import call, in a catch.
    #[inline]
    pub unsafe fn resume<S: Storage>(&self, trie: &Trie<S>, node: NodeId) {
        if self.current.get() == Some(node) {
            return;
        }
        let owner = self.current.get().unwrap_or(node);
        // SAFETY: the caller keeps the contract, and what was current is a node of the trie.
        unsafe { self.event(trie, owner) };
        self.current.set(Some(node));
    }
}
