//! The one session of a WebAssembly instance: its trie, clock and collector,
//! all of them static.
//!
//! An instance belongs to one thread (`atomics` is off), so what is here needs
//! no lock: exports run to their end before another starts, but for the clock,
//! which is read before anything is touched.

use core::cell::UnsafeCell;
use core::ops::Deref;

use crate::arena::Storage;
use crate::collector::{BUFFER_SIZE, Collector, Header, Refused};
use crate::log::{FlushStatus, Log, LogStatus};
use crate::options::Options;
use crate::record::Layout;
use crate::trie::{ResetError, Trie};
use crate::wall::Wall;

#[cfg(target_feature = "atomics")]
compile_error!(
    "the session is for one thread: build the runtime without `atomics`, one instance a thread"
);

/// A static that only one thread sees.
struct OneThread<T>(T);

// SAFETY: without `atomics` an instance has one thread.
unsafe impl<T> Sync for OneThread<T> {}

/// The session's storage.
pub struct Memory(());

#[cfg(wasm_xray_shipped)]
mod memory {
    //! The rest of the memory that the loader made, behind the runtime's own data.

    use wasm_xray_abi::layout::ARENA_BASE;

    const PAGE: u32 = 64 << 10;

    #[inline]
    pub(super) fn base() -> *mut u8 {
        core::ptr::with_exposed_provenance_mut(ARENA_BASE as usize)
    }

    pub(super) fn capacity() -> u32 {
        let pages = core::arch::wasm32::memory_size::<0>() as u32;
        pages.saturating_sub(ARENA_BASE / PAGE) * PAGE
    }
}

#[cfg(not(wasm_xray_shipped))]
mod memory {
    //! A static array: the memory belongs to somebody's test.

    use core::cell::UnsafeCell;

    const WORDS: usize = 1 << 20 >> 3;

    struct Array(UnsafeCell<[u64; WORDS]>);
    // SAFETY: handed out through `Memory` only, of which there is one.
    unsafe impl Sync for Array {}
    static ARRAY: Array = Array(UnsafeCell::new([0; WORDS]));

    pub(super) fn base() -> *mut u8 {
        ARRAY.0.get().cast()
    }

    pub(super) fn capacity() -> u32 {
        (WORDS * 8) as u32
    }
}

// SAFETY: aligned; `build-runtime` checks that static data ends below
// `ARENA_BASE`, and `capacity` is what the memory has (it never shrinks) or the
// array's size. The only `Memory` is the one in `TRIE`. A fresh memory and a
// static array hold zeros.
unsafe impl Storage for Memory {
    const STARTS_ZEROED: bool = true;

    #[inline]
    fn base(&self) -> *mut u8 {
        memory::base()
    }

    fn capacity(&self) -> u32 {
        memory::capacity()
    }
}

pub use crate::performance::Performance;

/// Stands for the session's trie.
#[derive(Clone, Copy)]
pub struct SessionTrie;

impl Deref for SessionTrie {
    type Target = Trie<Memory>;

    #[inline]
    fn deref(&self) -> &Trie<Memory> {
        &TRIE.0
    }
}

static TRIE: OneThread<Trie<Memory>> = OneThread(Trie::new(Memory(())));
static WALL: OneThread<Wall<Performance>> = OneThread(Wall::new(Performance));
static COLLECTOR: Collector<SessionTrie, 1> = Collector::new();
static LOG: Log<SessionTrie, 1> = Log::new();
static BUFFER: OneThread<UnsafeCell<[u8; BUFFER_SIZE]>> =
    OneThread(UnsafeCell::new([0; BUFFER_SIZE]));

/// The session's trie.
#[inline]
pub fn trie() -> &'static Trie<Memory> {
    &TRIE.0
}

/// The session's wall clock.
#[inline]
pub fn wall() -> &'static Wall<Performance> {
    &WALL.0
}

/// The session's collector.
pub fn collector() -> &'static Collector<SessionTrie, 1> {
    &COLLECTOR
}

/// Starts a file of the session's trie, with its recursion folded or as it is.
pub fn serialize(layout: Layout, fold: bool, thread: u64, header: Header) -> Result<(), Refused> {
    let collector = collector();
    collector.reset()?;
    collector.post(thread, SessionTrie)?;
    collector.start_file(layout, fold, header)
}

/// Writes the file's next piece to the session's one buffer; its length in bytes.
pub fn next_buffer() -> Result<Option<usize>, Refused> {
    if LOG.flush_status() == FlushStatus::Flushing {
        return Err(Refused::Busy);
    }
    // SAFETY: one thread, nothing is being flushed, and no reference outlives this function. What
    // JavaScript looks at through a view is this buffer, and it knows.
    let buffer = unsafe { &mut *BUFFER.0.get() };
    Ok(COLLECTOR.next_buffer(buffer)?.map(<[u8]>::len))
}

/// The session with XRay's states, whose file is not that of [`collector`].
pub fn log() -> &'static Log<SessionTrie, 1> {
    &LOG
}

/// Starts a session with nothing counted, see [`Log::init`]. If there is one, it goes on.
pub fn init_log(
    thread: u64,
    layout: Layout,
    fold_recursion: bool,
    no_flush: bool,
) -> Result<LogStatus, ResetError> {
    if LOG.status() != LogStatus::Uninitialized {
        return Ok(LOG.status());
    }
    reset()?;
    let options = Options {
        per_thread_allocator_max: trie().len.get(),
        buffers_max: 1,
        layout,
        fold_recursion,
        no_flush,
        ..Options::DEFAULT
    };
    // The arena has a size within bounds, so it has, too; and the one trie has room.
    let status = LOG.init(&options).unwrap_or(LogStatus::Uninitialized);
    let _ = LOG.post(thread, SessionTrie);
    Ok(status)
}

/// Ends the session and starts its file, see [`Log::finalize`].
pub fn finalize_log(header: Header) -> LogStatus {
    LOG.finalize(header)
}

/// Gives the session's file out, see [`Log::try_flush`].
pub fn flush_log<E: From<Refused>>(
    write: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<FlushStatus, E> {
    if LOG.flush_status() == FlushStatus::Flushing {
        return Ok(FlushStatus::Flushing);
    }
    // SAFETY: one thread, and until this flush ends no other one, and no
    // `next_buffer`, touches the buffer, whatever `write` calls.
    let buffer = unsafe { &mut *BUFFER.0.get() };
    LOG.try_flush(buffer, write)
}

/// Where [`next_buffer`] writes, always the same.
pub fn buffer_address() -> *const u8 {
    BUFFER.0.get().cast()
}

/// Drops what was counted, see [`Trie::reset`], and a file that was being read.
pub fn reset() -> Result<(), ResetError> {
    trie().reset()?;
    wall().reset();
    // A busy collector finds out by itself that its file is stale.
    let _ = collector().reset();
    Ok(())
}
