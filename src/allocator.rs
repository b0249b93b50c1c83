//! Blocks of one type out of a fixed piece of storage, as XRay's `Allocator`.
//!
//! XRay maps memory when a block is asked for; here the storage is given at the
//! start, by a static ([`TakeOnce`](crate::TakeOnce)) or by a borrow. Being
//! typed, it is aligned by construction.

use core::cell::Cell;
use core::fmt;
use core::mem::{self, MaybeUninit};

/// Hands out each block of its storage once. A block comes back with the
/// storage: who wants to reuse blocks keeps a freelist, as
/// [`SegmentedArray`](crate::SegmentedArray) does.
pub struct Allocator<'a, B> {
    /// What was not handed out yet.
    rest: Cell<&'a mut [MaybeUninit<B>]>,
}

impl<'a, B> Allocator<'a, B> {
    /// An allocator of `blocks.len()` blocks; what they hold is forgotten.
    pub const fn new(blocks: &'a mut [MaybeUninit<B>]) -> Allocator<'a, B> {
        Allocator {
            rest: Cell::new(blocks),
        }
    }

    /// An allocator of as many blocks as fit, aligned, into `words` of 8 bytes
    /// that belong to somebody else.
    pub fn in_words(words: &'a mut [MaybeUninit<u64>]) -> Allocator<'a, B> {
        const {
            assert!(mem::size_of::<B>() > 0, "a block has a size");
        }
        // SAFETY: neither of the two types says anything about the bytes it
        // holds, so every value of one is a value of the other.
        let (_, blocks, _) = unsafe { words.align_to_mut::<MaybeUninit<B>>() };
        Allocator::new(blocks)
    }

    /// The next block, not initialized; none when all are handed out.
    pub fn allocate(&self) -> Option<&'a mut MaybeUninit<B>> {
        let (block, rest) = self.rest.take().split_first_mut()?;
        self.rest.set(rest);
        Some(block)
    }

    /// Blocks that can still be handed out.
    pub fn remaining(&self) -> usize {
        let rest = self.rest.take();
        let remaining = rest.len();
        self.rest.set(rest);
        remaining
    }
}

impl<B> fmt::Debug for Allocator<'_, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Allocator")
            .field("remaining", &self.remaining())
            .finish_non_exhaustive()
    }
}
