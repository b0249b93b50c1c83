//! The function call trie: a node for every call path.
//!
//! Everything that a probe or a reader can see lies in the arena, laid out as
//! `wasm_xray_abi::layout` says; the words here are what only the runtime needs.

use core::cell::Cell;
use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

use wasm_xray_abi::layout::*;

use crate::arena::{Arena, Part, Storage};
use crate::ids::{FunctionId, NodeId};

/// A function call trie in one storage.
///
/// Methods take `&self`: probes of one thread take turns, some of them while a
/// reader is between two buffers. Several threads have a trie each.
///
/// The unsafe methods share one contract: **every node and function id was
/// handed out by this trie since its last successful [`reset`](Trie::reset) or
/// [`init`](Trie::init)**, of which there was one. Probes run without a bounds check, so what a check
/// would find is the rewriter's and the loader's duty.
pub struct Trie<S> {
    pub(crate) arena: Arena<S>,
    /// Bytes of the storage in use, a multiple of 8; 0 before `init`.
    pub(crate) len: Cell<u32>,
    /// The first node; behind it come the others.
    root: Cell<NodeId>,
    /// Where the next node goes.
    pub(crate) nodes_end: Cell<u32>,
    /// Nodes that are neither the root nor an overflow node.
    pub(crate) paths: Cell<u32>,
    /// Hash table entries that may still be taken.
    hash_free: Cell<u32>,
    /// Function ids handed out to modules; their descriptors are reserved.
    pub(crate) reserved: Cell<u32>,
    /// Functions added; behind `reserved` while a module is being registered.
    pub(crate) functions: Cell<u32>,
    /// Slots and counters that one node of each function has in total.
    pub(crate) places: Cell<u32>,
    /// Counters of the last function of which nobody said yet what they count.
    pub(crate) uncounted: Cell<u32>,
    pub(crate) dropped_paths: Cell<u64>,
    /// Another number, unlike that of any other trie, after each `init` and
    /// `reset`, so that a reader notices. 0 before the first.
    pub(crate) generation: Cell<u32>,
    /// Free bytes from here on are lent to a [`fold`](crate::fold); `u32::MAX` if none are.
    pub(crate) lent_from: Cell<u32>,
    /// The number of that loan, unlike any other's; another one after it was taken back.
    pub(crate) loan: Cell<u32>,
    /// Costs are inclusive for the time being, see [`Trie::set_costs_inclusive`].
    pub(crate) inclusive: Cell<bool>,
}

/// Why [`Trie::init`] refused a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitError {
    /// Less than [`ARENA_MIN`].
    TooSmall,
    /// More than [`ARENA_MAX`].
    TooLarge,
    /// More than the storage has.
    BeyondStorage,
}

impl fmt::Display for InitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InitError::TooSmall => write!(f, "arena too small: give at least {ARENA_MIN} bytes"),
            InitError::TooLarge => write!(f, "arena too large: give at most {ARENA_MAX} bytes"),
            InitError::BeyondStorage => f.write_str(
                "arena larger than its storage: give a larger memory or a smaller arena",
            ),
        }
    }
}

impl core::error::Error for InitError {}

/// Why [`Trie::reset`] refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetError {
    /// A call of an imported function is live, so instrumented frames hold nodes.
    Running,
    /// There was no [`Trie::init`].
    NotInitialized,
}

impl fmt::Display for ResetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ResetError::Running => "instrumented code is running: reset after it has returned",
            ResetError::NotInitialized => "there is no arena yet: initialize it first",
        })
    }
}

impl core::error::Error for ResetError {}

/// A number that nobody else got lately: whoever keeps one finds out whether a
/// trie is still the one, and in the state, that it was.
pub(crate) fn unique() -> u32 {
    static LAST: AtomicU32 = AtomicU32::new(0);
    LAST.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
}

impl<S: Storage> Trie<S> {
    /// A trie that holds nothing until [`init`](Trie::init). Usable as a static.
    pub const fn new(storage: S) -> Trie<S> {
        Trie {
            arena: Arena::new(storage),
            len: Cell::new(0),
            // SAFETY: not 0. Used before `init` by nobody who keeps the contract.
            root: Cell::new(unsafe { NodeId::new_unchecked(HASH_TABLE) }),
            nodes_end: Cell::new(0),
            paths: Cell::new(0),
            hash_free: Cell::new(0),
            reserved: Cell::new(0),
            functions: Cell::new(0),
            places: Cell::new(0),
            uncounted: Cell::new(0),
            dropped_paths: Cell::new(0),
            generation: Cell::new(0),
            lent_from: Cell::new(u32::MAX),
            loan: Cell::new(0),
            inclusive: Cell::new(false),
        }
    }

    /// The trie as it is now, for reading, of a type that does not depend on the
    /// storage: so readers are compiled once. A node made later is not in it.
    ///
    /// # Safety
    ///
    /// It is used before this trie is reset, initialized or dropped, on the same
    /// thread, and its costs and nodes are left as they are.
    pub(crate) unsafe fn view(&self) -> Trie<Part> {
        Trie {
            // SAFETY: all of it, and only read.
            arena: Arena::new(unsafe { self.arena.part(0, self.arena.capacity()) }),
            len: self.len.clone(),
            root: self.root.clone(),
            nodes_end: self.nodes_end.clone(),
            paths: self.paths.clone(),
            hash_free: self.hash_free.clone(),
            reserved: self.reserved.clone(),
            functions: self.functions.clone(),
            places: self.places.clone(),
            uncounted: self.uncounted.clone(),
            dropped_paths: self.dropped_paths.clone(),
            generation: self.generation.clone(),
            lent_from: self.lent_from.clone(),
            loan: self.loan.clone(),
            inclusive: self.inclusive.clone(),
        }
    }

    /// Takes the first `len` bytes of the storage (rounded down to a multiple
    /// of 8) and forgets everything, registered modules included.
    pub fn init(&self, len: u32) -> Result<(), InitError> {
        if len < ARENA_MIN {
            return Err(InitError::TooSmall);
        }
        if len > ARENA_MAX {
            return Err(InitError::TooLarge);
        }
        if len > self.arena.capacity() {
            return Err(InitError::BeyondStorage);
        }
        self.take_storage(len);
        Ok(())
    }

    /// As `init`, with a length that is large enough for a table and some nodes,
    /// and that the storage has.
    pub(crate) fn take_storage(&self, len: u32) {
        let used_before = self.len.get() != 0;
        self.len.set(len & !7);
        self.reserved.set(0);
        self.functions.set(0);
        self.places.set(0);
        self.uncounted.set(0);
        self.start(used_before || !S::STARTS_ZEROED);
    }

    /// Drops every path and count; registered modules stay, with the same ids.
    /// State, hash table and slots are cleared, and of the nodes only the root
    /// and the overflow nodes are left (the latter may have moved).
    ///
    /// Refused while `CURRENT` is not the root, because a live frame would go
    /// on using its node. Frames of a suspended stack (JSPI) are not seen: the
    /// caller must not reset while there are any.
    pub fn reset(&self) -> Result<(), ResetError> {
        if self.len.get() == 0 {
            return Err(ResetError::NotInitialized);
        }
        // SAFETY: initialized, so the state is there.
        if unsafe { self.arena.u32_at(STATE_CURRENT).get() } != self.root().offset() {
            return Err(ResetError::Running);
        }
        self.start(true);
        for id in 1..=self.functions.get() {
            // SAFETY: added functions have a descriptor and an overflow node, and
            // those of earlier functions were in front of it: what is written so
            // far ends before it.
            unsafe {
                let function = FunctionId::new_unchecked(id);
                let size = self.size(function);
                let counted = self.nodes_end.get() + size;
                self.move_counted(function, counted);
                let node = self.push_node(None, Some(function), size);
                self.overflow_word(function).set(node.offset());
                self.push(COUNTED_SIZE * self.counters_of(function));
            }
        }
        Ok(())
    }

    /// Lays out state, hash table and root.
    fn start(&self, clear: bool) {
        let len = self.len.get();
        let table_bytes = 1 << (len / 8).ilog2();
        if clear {
            // SAFETY: state and table take little more than an eighth of the arena.
            unsafe { self.arena.clear(0, HASH_TABLE + table_bytes) };
        }
        let entries = table_bytes / 4;
        self.hash_free.set(entries - entries / 8);
        self.nodes_end.set(HASH_TABLE + table_bytes);
        self.paths.set(0);
        self.dropped_paths.set(0);
        self.take_back();
        self.inclusive.set(false);
        self.generation.set(unique());
        // SAFETY: the state is inside the smallest arena, and so is a root behind the table.
        unsafe {
            self.arena
                .u32_at(STATE_HASH_SHIFT)
                .set(32 - entries.ilog2());
            let root = self.push_node(None, None, node_size(0, 0));
            self.root.set(root);
            self.arena.u32_at(STATE_CURRENT).set(root.offset());
            self.arena.u32_at(STATE_RUNNING).set(root.offset());
        }
    }

    /// The node of `function` called from `parent`, made if there is none.
    /// If it does not fit, or the parent is an overflow node, it is the
    /// function's overflow node: the call is counted, its path is dropped.
    ///
    /// # Safety
    ///
    /// Both ids are this trie's, see [`Trie`].
    #[inline]
    pub unsafe fn child(&self, parent: NodeId, function: FunctionId) -> NodeId {
        // SAFETY: the caller says so.
        unsafe {
            match self.known_child(parent, function) {
                Ok(node) => node,
                Err(entry) => self.create(parent, function, entry),
            }
        }
    }

    /// The node of `function` called from `parent`, or the empty entry of the
    /// hash table where it belongs.
    ///
    /// # Safety
    ///
    /// Both ids are this trie's, see [`Trie`].
    #[inline]
    pub(crate) unsafe fn known_child(
        &self,
        parent: NodeId,
        function: FunctionId,
    ) -> Result<NodeId, &Cell<u32>> {
        let key = u64::from(parent.offset()) << 32 | u64::from(function.get());
        // SAFETY: an index below the table's size is in the arena, and every entry
        // is 0 or a node. The loop ends, since an eighth of the table stays empty.
        unsafe {
            let shift = self.arena.u32_at(STATE_HASH_SHIFT).get();
            let mut index = child_hash(parent.offset(), function.get()) >> shift;
            loop {
                let entry = self.arena.u32_at(HASH_TABLE + index * 4);
                let Some(node) = NodeId::new(entry.get()) else {
                    return Err(entry);
                };
                if self.arena.u64_at(node.offset() + NODE_KEY).get() == key {
                    return Ok(node);
                }
                index = (index + 1) & (u32::MAX >> shift);
            }
        }
    }

    /// # Safety
    ///
    /// As for `child`; `entry` is the empty entry where the key belongs.
    #[cold]
    #[inline(never)]
    unsafe fn create(&self, parent: NodeId, function: FunctionId, entry: &Cell<u32>) -> NodeId {
        // SAFETY: the caller's ids are this trie's; the node fits, as tested.
        unsafe {
            let size = self.size(function);
            if self.hash_free.get() == 0 || size > self.free() || self.is_overflow(parent) {
                self.dropped_paths.set(self.dropped_paths.get() + 1);
                return NodeId::new_unchecked(self.overflow_word(function).get());
            }
            self.hash_free.set(self.hash_free.get() - 1);
            self.paths.set(self.paths.get() + 1);
            let node = self.push_node(Some(parent), Some(function), size);
            entry.set(node.offset());
            node
        }
    }

    /// Appends a node. Without a function it is the root; without a parent, an
    /// overflow node, which is its own parent: whoever asks for its caller, be
    /// it a tail call, gets a node whose path is lost as well.
    ///
    /// # Safety
    ///
    /// `size` is that of nodes of the function and at most `free()`, or it is the root's.
    pub(crate) unsafe fn push_node(
        &self,
        parent: Option<NodeId>,
        function: Option<FunctionId>,
        size: u32,
    ) -> NodeId {
        // SAFETY: the node fits and lies behind the table, so not at 0.
        unsafe {
            let at = self.push(size);
            self.arena.clear(at, size);
            if let Some(function) = function {
                self.arena.u32_at(at + NODE_FUNCTION).set(function.get());
                self.arena
                    .u32_at(at + NODE_PARENT)
                    .set(parent.map_or(at, NodeId::offset));
            }
            NodeId::new_unchecked(at)
        }
    }

    /// Takes the next `size` bytes of the nodes' row; they are at most `free()`.
    pub(crate) fn push(&self, size: u32) -> u32 {
        let at = self.nodes_end.get();
        if at + size > self.lent_from.get() {
            self.take_back();
        }
        self.nodes_end.set(at + size);
        at
    }

    /// The node under which everything hangs that the host calls. It stands for
    /// no function and is in no profile. Meaningful after `init` only.
    #[inline]
    pub fn root(&self) -> NodeId {
        self.root.get()
    }

    /// Bytes between the nodes and the reserved descriptors, lent or not.
    pub(crate) fn free(&self) -> u32 {
        self.nodes_limit(self.reserved.get()) - self.nodes_end.get()
    }

    /// Where nodes have to end, a multiple of 8, if `functions` have descriptors
    /// that fit into the arena.
    fn nodes_limit(&self, functions: u32) -> u32 {
        (self.len.get() - functions * DESCRIPTOR_SIZE) & !7
    }

    pub(crate) fn descriptor(&self, function: FunctionId) -> u32 {
        debug_assert!(function.get() <= self.functions.get());
        self.len.get() - function.get() * DESCRIPTOR_SIZE
    }

    /// # Safety
    ///
    /// The function is this trie's.
    pub(crate) unsafe fn slots(&self, function: FunctionId) -> u32 {
        // SAFETY: an added function has a descriptor in the arena.
        unsafe { self.arena.u32_at(self.descriptor(function)).get() }
    }

    /// # Safety
    ///
    /// The function is this trie's.
    pub(crate) unsafe fn counters_of(&self, function: FunctionId) -> u32 {
        // SAFETY: an added function has a descriptor in the arena.
        unsafe { self.arena.u32_at(self.descriptor(function) + 8).get() }
    }

    /// Size in bytes of each node of the function.
    ///
    /// # Safety
    ///
    /// The function is this trie's.
    pub(crate) unsafe fn size(&self, function: FunctionId) -> u32 {
        // SAFETY: the caller says so.
        unsafe { node_size(self.counters_of(function), self.slots(function)) }
    }

    /// # Safety
    ///
    /// The function is this trie's.
    pub(crate) unsafe fn overflow_word(&self, function: FunctionId) -> &Cell<u32> {
        // SAFETY: an added function has a descriptor in the arena.
        unsafe { self.arena.u32_at(self.descriptor(function) + 4) }
    }
}
