//! A view of the storage that holds a trie.
//!
//! XRay's allocator maps memory as it needs it; an arena has one piece from the
//! start, so a JavaScript view of it never detaches and running out is a
//! comparison. Everything in it is named by its offset.

use core::cell::Cell;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// Memory for one arena.
///
/// # Safety
///
/// `base` always returns the same pointer, 8-byte aligned, to `capacity` bytes
/// of initialized memory that nothing but the holder of this value touches
/// while it lives. Capacity never shrinks. With `STARTS_ZEROED`, every byte is
/// 0 until its first use.
pub unsafe trait Storage {
    /// Whether a first use can rely on zeros. Clearing the hash table of a
    /// large arena would otherwise touch an eighth of it at the start.
    const STARTS_ZEROED: bool;

    /// Where the arena starts.
    fn base(&self) -> *mut u8;

    /// How many bytes there are at most.
    fn capacity(&self) -> u32;
}

/// Storage given by the caller, for any lifetime.
pub struct Buffer<'a> {
    base: NonNull<u64>,
    capacity: u32,
    borrowed: PhantomData<&'a mut [u64]>,
}

impl<'a> Buffer<'a> {
    /// Storage in `words`; what it holds is overwritten. Of more than 4 GiB
    /// only the first 4 GiB less 8 bytes are used.
    pub fn new(words: &'a mut [u64]) -> Buffer<'a> {
        let capacity = words.len().saturating_mul(8).min(u32::MAX as usize & !7);
        Buffer {
            base: NonNull::from(words).cast(),
            capacity: capacity as u32,
            borrowed: PhantomData,
        }
    }
}

// SAFETY: the exclusive borrow keeps memory alive, in place, initialized and
// out of other hands; u64 makes it 8-byte aligned.
unsafe impl Storage for Buffer<'_> {
    const STARTS_ZEROED: bool = false;

    #[inline]
    fn base(&self) -> *mut u8 {
        self.base.as_ptr().cast()
    }

    fn capacity(&self) -> u32 {
        self.capacity
    }
}

// SAFETY: as for the `&mut [u64]` that it stands for.
unsafe impl Send for Buffer<'_> {}

/// A part of another storage, see [`Arena::part`].
pub(crate) struct Part {
    base: *mut u8,
    bytes: u32,
}

// SAFETY: what it is a part of is aligned, stays in place and is initialized;
// that nobody is in the way is the contract of `Arena::part`.
unsafe impl Storage for Part {
    const STARTS_ZEROED: bool = false;

    #[inline]
    fn base(&self) -> *mut u8 {
        self.base
    }

    fn capacity(&self) -> u32 {
        self.bytes
    }
}

// SAFETY: it is used on the thread of what it is a part of, as `Arena::part` says.
unsafe impl Send for Part {}

/// Typed access to a storage by offset. Cells, because probes and a reader that
/// stream from the same trie take turns on one thread.
pub(crate) struct Arena<S> {
    storage: S,
}

impl<S: Storage> Arena<S> {
    pub(crate) const fn new(storage: S) -> Arena<S> {
        Arena { storage }
    }

    pub(crate) fn capacity(&self) -> u32 {
        self.storage.capacity()
    }

    /// `bytes` bytes from `offset` on as a storage of their own.
    ///
    /// # Safety
    ///
    /// `offset` is 8-byte aligned and `offset + bytes` at most the capacity. While
    /// the part is used, the arena's owner, on the same thread, only reads it, or
    /// leaves it alone if the user of the part writes to it.
    pub(crate) unsafe fn part(&self, offset: u32, bytes: u32) -> Part {
        debug_assert!(offset.is_multiple_of(8) && offset <= self.capacity());
        debug_assert!(bytes <= self.capacity() - offset);
        Part {
            // SAFETY: in bounds as the caller says.
            base: unsafe { self.storage.base().add(offset as usize) },
            bytes,
        }
    }

    /// # Safety
    ///
    /// `offset` is 4-byte aligned and `offset + 4` at most the capacity.
    #[inline]
    pub(crate) unsafe fn u32_at(&self, offset: u32) -> &Cell<u32> {
        debug_assert!(offset.is_multiple_of(4) && offset <= self.capacity() - 4);
        // SAFETY: in bounds and aligned as the caller says; initialized and ours
        // alone as `Storage` says; only cells and the exclusive `clear` touch it.
        unsafe { &*self.storage.base().add(offset as usize).cast() }
    }

    /// # Safety
    ///
    /// `offset` is 8-byte aligned and `offset + 8` at most the capacity.
    #[inline]
    pub(crate) unsafe fn u64_at(&self, offset: u32) -> &Cell<u64> {
        debug_assert!(offset.is_multiple_of(8) && offset <= self.capacity() - 8);
        // SAFETY: as in `u32_at`.
        unsafe { &*self.storage.base().add(offset as usize).cast() }
    }

    /// Writes zeros.
    ///
    /// # Safety
    ///
    /// `offset + len` is at most the capacity.
    #[inline]
    pub(crate) unsafe fn clear(&self, offset: u32, len: u32) {
        debug_assert!(offset <= self.capacity() && len <= self.capacity() - offset);
        // SAFETY: in bounds as the caller says; cells allow writes through `&self`.
        unsafe {
            self.storage
                .base()
                .add(offset as usize)
                .write_bytes(0, len as usize)
        }
    }
}
