//! Leaves: functions that call nothing. A call of one needs no node of its own, as
//! no call needs it for a parent; it adds 1 to a counter in the caller's node, where
//! a slot would be. What is counted there is a path like any other: readers get it
//! after the caller's node.
//!
//! A leaf can have nodes all the same, since it can be called through a table, by the
//! host or by a tail call. Then a counter of the same path is added to the node.

use core::cell::Cell;

use wasm_xray_abi::layout::*;

use crate::arena::Storage;
use crate::ids::{FunctionId, NodeId, SlotOffset};
use crate::modules::ModuleError;
use crate::nodes::Cursor;
use crate::probe::slot_node;
use crate::trie::Trie;

/// The calls of a leaf from one node, as one of its counters has them.
pub(crate) struct Leaf {
    pub parent: NodeId,
    pub function: FunctionId,
    pub calls: u64,
    /// Self cost of all the calls.
    pub cost: u64,
    /// Offset in the arena of the counter: a number that no node has.
    pub number: u32,
}

/// What has a record in the compact layout.
pub(crate) enum Record {
    Node(NodeId),
    Leaf(Leaf),
}

/// Counters. The ids given to the unsafe methods must be this trie's, see [`Trie`].
impl<S: Storage> Trie<S> {
    /// Says what the next counter of the function added last counts: calls of
    /// `leaf`, a function of the same module, each of which costs `cost`.
    pub fn add_counted(&self, leaf: FunctionId, cost: u32) -> Result<(), ModuleError> {
        let left = self.uncounted.get();
        if left == 0 || leaf.get() > self.reserved.get() {
            return Err(ModuleError::TooManyFunctions);
        }
        // SAFETY: the function was added, so its overflow node and what is behind it are there.
        unsafe {
            let function = FunctionId::new_unchecked(self.functions.get());
            let at = self.counted(function, self.counters_of(function) - left);
            self.arena.u32_at(at).set(leaf.get());
            self.arena.u32_at(at + 4).set(cost);
        }
        self.uncounted.set(left - 1);
        Ok(())
    }

    /// Counts a call of a leaf in its caller's node.
    ///
    /// # Safety
    ///
    /// The node is this trie's, and the counter one of its.
    #[inline]
    pub unsafe fn count_leaf(&self, node: NodeId, counter: SlotOffset) {
        // SAFETY: a counter is in its node, 8-byte aligned.
        let word = unsafe { self.arena.u64_at(node.offset() + counter.0) };
        word.set(word.get() + 1);
    }

    /// Where the arena says what counter `index` of the function's nodes counts.
    ///
    /// # Safety
    ///
    /// The function is this trie's, and has that counter.
    unsafe fn counted(&self, function: FunctionId, index: u32) -> u32 {
        // SAFETY: the caller says so.
        unsafe { self.overflow_word(function).get() + self.size(function) + COUNTED_SIZE * index }
    }

    /// Copies to `target` what the function's counters count.
    ///
    /// # Safety
    ///
    /// The function is this trie's; at `target`, which is not behind where it is,
    /// nothing else is needed.
    pub(crate) unsafe fn move_counted(&self, function: FunctionId, target: u32) {
        // SAFETY: the caller says so; both places are in the arena.
        unsafe {
            let words = self.counters_of(function) * (COUNTED_SIZE / 4);
            let from = self.counted(function, 0);
            for offset in (0..words).map(|word| 4 * word) {
                let word = self.arena.u32_at(from + offset).get();
                self.arena.u32_at(target + offset).set(word);
            }
        }
    }

    /// Counter `index` of the node, if it counted anything.
    ///
    /// # Safety
    ///
    /// The node is this trie's, not its root, and has that counter.
    #[inline(never)]
    unsafe fn leaf(&self, node: NodeId, index: u32) -> Option<(&Cell<u64>, Leaf)> {
        // SAFETY: a counter is in its node, 8-byte aligned. One that is not 0 is
        // a running module's, of which everything is registered.
        unsafe {
            let number = node.offset() + counter_offset(index);
            let word = self.arena.u64_at(number);
            let calls = word.get();
            let caller = self.function(node).filter(|_| calls > 0)?;
            let counted = self.counted(caller, index);
            let cost = self.arena.u32_at(counted + 4).get();
            let leaf = Leaf {
                parent: node,
                function: FunctionId::new_unchecked(self.arena.u32_at(counted).get()),
                calls,
                cost: calls.wrapping_mul(cost.into()),
                number,
            };
            Some((word, leaf))
        }
    }

    /// What the node's counters counted.
    ///
    /// # Safety
    ///
    /// The node is this trie's, and not its root.
    unsafe fn leaves_of(&self, node: NodeId) -> impl Iterator<Item = (&Cell<u64>, Leaf)> {
        // SAFETY: the caller says so.
        let counters = unsafe { self.function(node).map_or(0, |f| self.counters_of(f)) };
        // SAFETY: as above.
        (0..counters).filter_map(move |index| unsafe { self.leaf(node, index) })
    }

    /// The leaves that were called from the node, but for those whose calls it
    /// did not count itself.
    ///
    /// # Safety
    ///
    /// The node is this trie's, and not its root.
    pub(crate) unsafe fn leaves(&self, node: NodeId) -> impl Iterator<Item = Leaf> {
        // SAFETY: the caller says so.
        unsafe { self.leaves_of(node).map(|(_, leaf)| leaf) }
    }

    /// Moves a counter to `node`, which stands for the same path.
    ///
    /// # Safety
    ///
    /// The node is this trie's.
    #[inline(never)]
    unsafe fn settle_in(&self, node: NodeId, word: &Cell<u64>, leaf: &Leaf) {
        word.set(0);
        // SAFETY: the caller says so.
        unsafe {
            self.add_calls(node, leaf.calls);
            self.charge(node, leaf.cost);
        }
    }

    /// Makes nodes of all counters: what needs a place for inclusive costs.
    pub(crate) fn settle(&self) {
        if self.places.get() == 0 {
            return;
        }
        self.settle_counts();
        for node in self.nodes() {
            // SAFETY: a node of this trie, and so is what it counts.
            unsafe {
                for (word, leaf) in self.leaves_of(node) {
                    let child = self.child(node, leaf.function);
                    self.settle_in(child, word, &leaf);
                }
            }
        }
    }

    /// Counts on nodes what was counted elsewhere, but for counters of leaves that
    /// have a path to keep.
    pub(crate) fn settle_counts(&self) {
        if self.places.get() == 0 {
            return;
        }
        for node in self.nodes() {
            // SAFETY: a node of this trie, and so is what it counts.
            unsafe {
                for word in self.slot_words(node) {
                    self.settle_slot(word);
                }
                if self.is_overflow(node) {
                    for (word, leaf) in self.leaves_of(node) {
                        self.settle_in(self.overflow_node(leaf.function), word, &leaf);
                    }
                }
            }
        }
    }

    /// The slots of the node.
    ///
    /// # Safety
    ///
    /// The node is this trie's, and not its root.
    unsafe fn slot_words(&self, node: NodeId) -> impl Iterator<Item = &Cell<u64>> {
        // SAFETY: the caller says so; slots are in their node, 8-byte aligned.
        unsafe {
            let function = self.function(node);
            let (counters, slots) = function.map_or((0, 0), |function| {
                (self.counters_of(function), self.slots(function))
            });
            (0..slots).map(move |slot| {
                self.arena
                    .u64_at(node.offset() + slot_offset(counters, slot))
            })
        }
    }

    /// Counts on its node what a slot counted; false if it is empty.
    ///
    /// # Safety
    ///
    /// It is a slot of this trie.
    #[inline]
    pub(crate) unsafe fn settle_slot(&self, word: &Cell<u64>) -> bool {
        let Some(node) = slot_node(word.get()) else {
            return false;
        };
        let calls = word.get().wrapping_sub(SLOT_READY) >> 32;
        word.set(SLOT_READY | u64::from(node.offset()));
        // SAFETY: what is in a slot is a node.
        unsafe { self.add_calls(node, calls) };
        true
    }

    /// Paths of which there is only a counter.
    pub(crate) fn counted_paths(&self) -> u32 {
        if self.places.get() == 0 {
            return 0;
        }
        let only_counted = |node| {
            // SAFETY: a node of this trie, and so is what it counts.
            unsafe {
                if self.is_overflow(node) {
                    return 0;
                }
                let leaves = self.leaves(node);
                leaves
                    .filter(|leaf| self.known_child(node, leaf.function).is_err())
                    .count() as u32
            }
        };
        self.nodes().map(only_counted).sum()
    }

    /// What comes next in a file: a node, or a leaf that the node before counted.
    /// The cursor must be this trie's.
    pub(crate) fn next_record(&self, cursor: &mut Cursor) -> Option<Record> {
        if cursor.is_stale(self) {
            return None;
        }
        while let Some((node, index)) = cursor.counters {
            // SAFETY: the cursor's node is this trie's and not its root.
            unsafe {
                let counters = self.function(node).map_or(0, |f| self.counters_of(f));
                if index == counters || self.is_overflow(node) {
                    cursor.counters = None;
                    break;
                }
                cursor.counters = Some((node, index + 1));
                let Some((word, leaf)) = self.leaf(node, index) else {
                    continue;
                };
                match self.known_child(node, leaf.function) {
                    // It is younger than its parent, so it comes yet.
                    Ok(child) if cursor.reaches(child) => self.settle_in(child, word, &leaf),
                    _ => return Some(Record::Leaf(leaf)),
                }
            }
        }
        let node = self.advance(cursor)?;
        cursor.counters = Some((node, 0));
        Some(Record::Node(node))
    }
}
