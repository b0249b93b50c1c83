//! Static storage that one owner takes, instead of memory mapped at run time.

use core::cell::UnsafeCell;
use core::sync::atomic::{AtomicBool, Ordering};

/// A static's value, handed out once. Nothing runs before main, and taking it
/// is one exchange of a flag, which no thread waits for.
///
/// ```
/// use wasm_xray::{Buffer, TakeOnce, Trie};
///
/// static ARENA: TakeOnce<[u64; 8192]> = TakeOnce::new([0; 8192]);
///
/// let trie = Trie::new(Buffer::new(ARENA.take().expect("nobody else took it")));
/// trie.init(64 << 10)?;
/// assert!(ARENA.take().is_none());
/// # Ok::<(), wasm_xray::InitError>(())
/// ```
pub struct TakeOnce<T> {
    taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: whoever finds `taken` false, one thread at most, has the only
// reference to the value from then on. So the value changes hands, once.
unsafe impl<T: Send> Sync for TakeOnce<T> {}

impl<T> TakeOnce<T> {
    /// A value that was not taken yet.
    pub const fn new(value: T) -> TakeOnce<T> {
        TakeOnce {
            taken: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// The value, for the first one who asks.
    #[allow(clippy::mut_from_ref, reason = "handed out once")]
    pub fn take(&'static self) -> Option<&'static mut T> {
        if self.taken.swap(true, Ordering::AcqRel) {
            return None;
        }
        // SAFETY: this is the first take, so there is no other reference, and
        // there will not be one.
        Some(unsafe { &mut *self.value.get() })
    }
}
