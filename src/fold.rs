//! A trie with its recursion folded, for as long as it takes to write it.
//!
//! [`Trie::fold_into`] wants a second trie. There is no memory for one but in
//! the trie's own arena, behind its nodes: that end of it is lent to the folded
//! trie, and taken back as soon as the program needs it for a new path. Then the
//! file ends early, which its reader is told; nothing of what is recorded
//! depends on whether it is being read.

use crate::arena::{Part, Storage};
use crate::trie::{Trie, unique};

/// Least bytes that a folded trie is tried in.
const ROOM_MIN: u32 = 4 << 10;

/// A folded trie in what its original lent it.
pub(crate) struct Folded {
    trie: Trie<Part>,
    loan: u32,
}

impl Folded {
    /// Folds `trie` as it is now; none if there is no room for it.
    pub(crate) fn of<S: Storage>(trie: &Trie<S>) -> Option<Folded> {
        let (from, bytes) = trie.rest()?;
        // A path takes 24 bytes, and 50 more make the hash table large enough
        // whatever power of two it is; a function takes 36.
        let enough = 74 * u64::from(trie.paths()) + 42 * u64::from(trie.functions()) + 4096;
        let bytes = u64::from(bytes).min(enough.next_multiple_of(8)) as u32;
        if bytes < ROOM_MIN {
            return None;
        }
        let from = from - bytes;
        let loan = trie.lend(from);
        // SAFETY: the part is free, and `trie` leaves it alone until it takes the
        // loan back; `Folded::trie` lets nobody at it after that.
        let room = unsafe { trie.arena.part(from, bytes) };
        let folded = Folded {
            trie: Trie::new(room),
            loan,
        };
        if folded.fill(trie).is_none() {
            trie.take_back();
            return None;
        }
        Some(folded)
    }

    fn fill<S: Storage>(&self, trie: &Trie<S>) -> Option<()> {
        let folded = &self.trie;
        folded.take_storage(folded.arena.capacity());
        folded.begin_module(trie.functions(), 0).ok()?;
        for _ in 0..trie.functions() {
            folded.add_function(0).ok()?;
        }
        trie.fold_into(folded).ok()?;
        // Whether all of it fitted.
        (folded.dropped_paths() == trie.dropped_paths()).then_some(())
    }

    /// The folded trie, if `original`, whose it is, has not taken the room back.
    pub(crate) fn trie<S>(&self, original: &Trie<S>) -> Option<&Trie<Part>> {
        (original.loan.get() == self.loan).then_some(&self.trie)
    }
}

impl<S: Storage> Trie<S> {
    /// Where nodes have to end, and how many bytes are free before that; none
    /// before `init`.
    fn rest(&self) -> Option<(u32, u32)> {
        let bytes = self.free();
        (self.functions() > 0).then(|| (self.nodes_end.get() + bytes, bytes))
    }

    /// Lends what is between `from` and the descriptors: the number of the loan.
    fn lend(&self, from: u32) -> u32 {
        self.take_back();
        self.lent_from.set(from);
        self.loan.get()
    }
}

impl<S> Trie<S> {
    /// Ends a loan, if there is one.
    pub(crate) fn take_back(&self) {
        self.lent_from.set(u32::MAX);
        self.loan.set(unique());
    }
}
