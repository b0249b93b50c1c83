//! How much heap a reader takes.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Heap that any input may take, in bytes: tables of fixed size, messages.
pub const ALLOWANCE: usize = 256 << 10;

/// The system's allocator, with the bytes that each thread holds.
struct Measured;

#[global_allocator]
static ALLOCATOR: Measured = Measured;

thread_local! {
    /// Bytes that this thread took and did not give back. (Negative if it gives
    /// back what others took.)
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn note(change: isize) {
    let held = HELD.get() + change;
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
}

// SAFETY: as good as the system's. A size is at most `isize::MAX`, and the cells
// have neither a destructor nor an initializer that would allocate.
unsafe impl GlobalAlloc for Measured {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size() as isize);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note(-(layout.size() as isize));
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note(size as isize - layout.size() as isize);
        // SAFETY: the caller's contract is the same.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What `act` returns, and how many bytes more than before this thread held at
/// some moment of it.
pub fn peak_of<R>(act: impl FnOnce() -> R) -> (R, usize) {
    let before = HELD.get();
    PEAK.set(before);
    let result = act();
    (result, (PEAK.get() - before).unsigned_abs())
}
