//! The wall clock: self times from one clock read an event.
//!
//! At each event the time since the last one belongs to the node that was
//! current. So self times are never negative, need no time of entry, and add up
//! to the whole, the root's share (time outside WebAssembly) included.

use core::cell::Cell;

use crate::arena::Storage;
use crate::ids::{FunctionId, NodeId, SlotOffset};
use crate::trie::Trie;

/// A clock that may be coarse or step back; the accounting copes.
pub trait Clock {
    /// Time since some fixed moment, in ns.
    fn now_ns(&self) -> u64;
}

/// The node whose time it is, and since when.
pub struct Wall<C> {
    clock: C,
    /// Latest time seen, in ns; never goes back. 0 until the first event.
    last_ns: Cell<u64>,
    /// None until the first event.
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
    unsafe fn event<S: Storage>(&self, trie: &Trie<S>, owner: Option<NodeId>) {
        let now = self.clock.now_ns();
        let last = self.last_ns.get();
        if now > last {
            self.last_ns.set(now);
            if let Some(owner) = owner {
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
            self.event(trie, self.current.get());
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
            self.event(trie, self.current.get());
            let child = trie.call_tail(node, slot, callee);
            self.current.set(Some(child));
            child
        }
    }

    /// A function was reached through a table, a reference or the host. If it
    /// was the host and the node that was current is not the one that the host
    /// runs under, a throw or a trap unwound frames without a word, and the time
    /// since then is the host's.
    #[inline]
    pub unsafe fn enter<S: Storage>(&self, trie: &Trie<S>, function: FunctionId) -> NodeId {
        // SAFETY: the caller keeps the contract.
        unsafe {
            let parent = match trie.take_pass() {
                Some(caller) => {
                    self.event(trie, self.current.get());
                    caller
                }
                None => {
                    let host = trie.current();
                    self.event(trie, self.current.get().map(|_| host));
                    host
                }
            };
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
            self.event(trie, self.current.get());
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
        // SAFETY: the caller keeps the contract.
        unsafe { self.event(trie, self.current.get()) };
        self.current.set(Some(node));
    }
}
