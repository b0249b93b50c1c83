//! Memory for a thread's trie and shadow stack: static on WebAssembly, where
//! there is one thread; the heap's elsewhere, as long as the thread's slot lives.

use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::accounting::{FunctionCallTrie, StackSegment};
use crate::arena::Storage;
use crate::options::Options;
use crate::trie::Trie;

/// The arena of one thread.
pub(super) struct ThreadArena {
    base: NonNull<u64>,
    words: usize,
}

// SAFETY: whoever made it gave it memory that is zeroed, u64-aligned, its own,
// and outlives it.
unsafe impl Storage for ThreadArena {
    const STARTS_ZEROED: bool = true;

    #[inline]
    fn base(&self) -> *mut u8 {
        self.base.as_ptr().cast()
    }

    fn capacity(&self) -> u32 {
        (self.words * 8) as u32
    }
}

// SAFETY: it is the only way to its memory.
unsafe impl Send for ThreadArena {}

/// A trie with a shadow stack, and what it lives in.
pub(super) struct Recording {
    // Before its storage, so that it is dropped first.
    pub(super) trie: FunctionCallTrie<'static, ThreadArena>,
    storage: memory::Owned,
}

impl Recording {
    /// A trie that is not initialized, in storage for `options`; none if it is
    /// not to be had.
    pub(super) fn new(options: &Options) -> Option<Recording> {
        let mut storage = memory::Owned::take(options)?;
        let (base, words) = storage.arena();
        // SAFETY: `storage` owns the segments until it is dropped, which is after
        // the trie, and hands them out here only.
        let segments: &'static mut [MaybeUninit<StackSegment>] =
            unsafe { &mut *storage.segments() };
        Some(Recording {
            trie: FunctionCallTrie::new(Trie::new(ThreadArena { base, words }), segments),
            storage,
        })
    }

    /// Whether `options` ask for no more than there is.
    pub(super) fn has_room_for(&self, options: &Options) -> bool {
        self.storage.has_room_for(options)
    }
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub(super) mod memory {
    use core::mem::MaybeUninit;
    use core::ptr::NonNull;
    use core::sync::atomic::{AtomicBool, Ordering};

    use wasm_xray_abi::layout::{ARENA_MAX, ARENA_MIN};

    use crate::accounting::StackSegment;
    use crate::options::Options;
    use crate::statics::TakeOnce;

    /// Size in bytes of the static arena: `WASM_XRAY_ARENA_BYTES` when the crate is
    /// compiled, else 16 MiB.
    pub(in crate::program) const ARENA_BYTES: u32 = match option_env!("WASM_XRAY_ARENA_BYTES") {
        None => 16 << 20,
        Some(text) => parse(text),
    };
    /// Size in bytes of the static shadow stack.
    pub(in crate::program) const STACK_BYTES: u32 = Options::DEFAULT.shadow_stack_max;

    const WORDS: usize = ARENA_BYTES as usize / 8;
    const SEGMENTS: usize = Options::DEFAULT.shadow_stack_segments();

    const fn parse(text: &str) -> u32 {
        match u32::from_str_radix(text, 10) {
            Ok(bytes) if bytes >= ARENA_MIN && bytes <= ARENA_MAX => bytes & !7,
            _ => panic!("WASM_XRAY_ARENA_BYTES must be a number of bytes from 65536 to 4294639616"),
        }
    }

    static ARENA: TakeOnce<[u64; WORDS]> = TakeOnce::new([0; WORDS]);
    static STACK: TakeOnce<[MaybeUninit<StackSegment>; SEGMENTS]> =
        TakeOnce::new([const { MaybeUninit::uninit() }; SEGMENTS]);
    static TAKEN: AtomicBool = AtomicBool::new(false);

    /// The statics, which belong to one recording for ever.
    pub(in crate::program) struct Owned {
        arena: NonNull<u64>,
        segments: *mut [MaybeUninit<StackSegment>],
    }

    // SAFETY: it is the only way to its memory.
    unsafe impl Send for Owned {}

    impl Owned {
        pub(in crate::program) fn take(_: &Options) -> Option<Owned> {
            if TAKEN.swap(true, Ordering::Relaxed) {
                return None;
            }
            Some(Owned {
                arena: NonNull::from(ARENA.take()?).cast(),
                segments: STACK.take()?,
            })
        }

        pub(in crate::program) fn arena(&self) -> (NonNull<u64>, usize) {
            (self.arena, WORDS)
        }

        pub(in crate::program) fn segments(&mut self) -> *mut [MaybeUninit<StackSegment>] {
            self.segments
        }

        /// What does not fit was refused at the start of the session.
        pub(in crate::program) fn has_room_for(&self, _: &Options) -> bool {
            true
        }
    }
}

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub(super) mod memory {
    use core::mem::MaybeUninit;
    use core::ptr::NonNull;
    use std::alloc::{Layout, alloc_zeroed, dealloc};
    use std::vec::Vec;

    use crate::accounting::StackSegment;
    use crate::options::Options;

    /// Blocks of the heap. The system's memory is taken page by page as it is used.
    pub(in crate::program) struct Owned {
        arena: NonNull<u64>,
        words: usize,
        segments: Vec<MaybeUninit<StackSegment>>,
    }

    // SAFETY: it is the only way to its memory.
    unsafe impl Send for Owned {}

    impl Owned {
        pub(in crate::program) fn take(options: &Options) -> Option<Owned> {
            let words = options.per_thread_allocator_max as usize / 8;
            let mut segments = Vec::new();
            segments
                .try_reserve_exact(options.shadow_stack_segments())
                .ok()?;
            // SAFETY: reserved, and uninitialized is what `MaybeUninit` allows.
            unsafe { segments.set_len(options.shadow_stack_segments()) };
            let layout = Layout::array::<u64>(words).ok()?;
            // SAFETY: options are checked, so the size is not 0.
            let arena = unsafe { alloc_zeroed(layout) };
            Some(Owned {
                arena: NonNull::new(arena.cast())?,
                words,
                segments,
            })
        }

        pub(in crate::program) fn arena(&self) -> (NonNull<u64>, usize) {
            (self.arena, self.words)
        }

        pub(in crate::program) fn segments(&mut self) -> *mut [MaybeUninit<StackSegment>] {
            self.segments.as_mut_slice()
        }

        pub(in crate::program) fn has_room_for(&self, options: &Options) -> bool {
            options.per_thread_allocator_max as usize / 8 <= self.words
                && options.shadow_stack_segments() == self.segments.len()
        }
    }

    impl Drop for Owned {
        fn drop(&mut self) {
            if let Ok(layout) = Layout::array::<u64>(self.words) {
                // SAFETY: allocated with this layout, and the trie in it is gone.
                unsafe { dealloc(self.arena.as_ptr().cast(), layout) };
            }
        }
    }
}
