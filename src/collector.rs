//! The collector: tries in, a file in buffers out.
//!
//! As XRay's `profileCollectorService`: tries are posted, `serialize` starts a
//! file, `next_buffer` hands out its header and then block after block. Unlike
//! XRay's, nothing is copied at `serialize`: each block is written when it is
//! asked for, into one fixed buffer, so that a profile of any size takes no
//! memory of its own.
//!
//! The one lock is only ever tried. On WebAssembly a trap could leave it held
//! and nobody could wait for it; so a caller that comes at a bad moment is told
//! ([`Refused::Busy`]), and counted.

use core::fmt;
use core::ops::Deref;
use core::sync::atomic::{AtomicU32, Ordering};

use spin::Mutex;

use crate::arena::Storage;
use crate::nodes::Cursor;
use crate::record::{Full, Layout, Writer};
use crate::trie::Trie;

/// Size in bytes of the shipped runtime's buffer, and so the most that a block has.
pub const BUFFER_SIZE: usize = 64 << 10;

/// Collects up to `TRIES` tries, one a thread, owned or referred to by a `T`,
/// and gives them out in pieces of up to `BUFFER` bytes, at least 64.
pub struct Collector<T, const TRIES: usize, const BUFFER: usize = BUFFER_SIZE> {
    state: Mutex<State<T, TRIES, BUFFER>>,
    busy: AtomicU32,
    oversized: AtomicU32,
}

/// What the file header says besides the layout. Zeros where the output has to
/// be the same on every run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Time of the file, in ns since 1970.
    pub timestamp_ns: u64,
    /// Process id.
    pub process: u64,
}

/// Why the collector did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Another call is inside: try again.
    Busy,
    /// As many tries as there is room for are posted.
    TooManyTries,
    /// A thread id of 0, which XRay's format does not have.
    ThreadZero,
    /// A posted trie was reset since `serialize`: serialize again.
    TrieReset,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Busy => "the collector is busy: try again",
            Refused::TooManyTries => {
                "no room for another trie: serialize and reset the collector first"
            }
            Refused::ThreadZero => "thread id 0: count threads from 1",
            Refused::TrieReset => "a trie was reset while it was read: serialize again",
        })
    }
}

impl core::error::Error for Refused {}

struct Posted<T> {
    trie: T,
    thread: u64,
}

/// What the next buffer is.
enum Next {
    Nothing,
    FileHeader(Header),
    /// A block of this trie, from its cursor on.
    Block(usize, Option<Cursor>),
}

struct State<T, const TRIES: usize, const BUFFER: usize> {
    posted: [Option<Posted<T>>; TRIES],
    layout: Layout,
    /// How many of `posted` are in the file.
    tries: usize,
    next: Next,
    block_number: u32,
    buffer: [u8; BUFFER],
}

impl<S, T, const TRIES: usize, const BUFFER: usize> Collector<T, TRIES, BUFFER>
where
    S: Storage,
    T: Deref<Target = Trie<S>>,
{
    /// A collector without tries. Usable as a static.
    pub const fn new() -> Self {
        const {
            assert!(
                BUFFER >= 64,
                "headers and a compact record must fit the buffer"
            )
        };
        Collector {
            state: Mutex::new(State {
                posted: [const { None }; TRIES],
                layout: Layout::Compact,
                tries: 0,
                next: Next::Nothing,
                block_number: 0,
                buffer: [0; BUFFER],
            }),
            busy: AtomicU32::new(0),
            oversized: AtomicU32::new(0),
        }
    }

    /// Adds the trie of a thread. `thread` is its id in the blocks, not 0.
    /// A file that was started before is without it.
    pub fn post(&self, thread: u64, trie: T) -> Result<(), Refused> {
        if thread == 0 {
            return Err(Refused::ThreadZero);
        }
        self.with(|state| {
            let room = state.posted.iter_mut().find(|posted| posted.is_none());
            *room.ok_or(Refused::TooManyTries)? = Some(Posted { trie, thread });
            Ok(())
        })
    }

    /// Starts a file of everything posted, from its header; a file that was
    /// being read ends. Nodes made later are not in it, but counts are read when
    /// their block is.
    pub fn serialize(&self, layout: Layout, header: Header) -> Result<(), Refused> {
        self.with(|state| {
            state.restore_costs();
            self.oversized.store(0, Ordering::Relaxed);
            state.layout = layout;
            state.block_number = 0;
            state.tries = state.posted.iter().flatten().count();
            state.next = match state.tries {
                0 => Next::Nothing,
                _ => Next::FileHeader(header),
            };
            Ok(())
        })
    }

    /// Gives the file's next piece to `read`: the 32-byte header, then blocks
    /// of whole records. `None` at its end, and when no file was started.
    ///
    /// The bytes lie in the collector's one buffer: a view made of them shows
    /// the next piece after the next call.
    pub fn next_buffer<R>(&self, read: impl FnOnce(&[u8]) -> R) -> Result<Option<R>, Refused> {
        self.with(|state| {
            let len = state.fill(&self.oversized)?;
            Ok(len.and_then(|len| state.buffer.get(..len)).map(read))
        })
    }

    /// Forgets file and tries; the tries themselves stay as they are.
    pub fn reset(&self) -> Result<(), Refused> {
        self.with(|state| {
            state.restore_costs();
            state.next = Next::Nothing;
            state.posted = [const { None }; TRIES];
            Ok(())
        })
    }

    /// Calls answered with [`Refused::Busy`] since the start.
    pub fn busy(&self) -> u32 {
        self.busy.load(Ordering::Relaxed)
    }

    /// Records left out of the current file because their path alone is longer
    /// than the buffer: XRay's layout only, more than 16,375 frames in 64 KiB.
    pub fn oversized(&self) -> u32 {
        self.oversized.load(Ordering::Relaxed)
    }

    /// Where every piece is written. What is there may be read only where no
    /// other call can be inside, as on the one thread of a WebAssembly instance.
    pub fn buffer_address(&self) -> Result<*const u8, Refused> {
        self.with(|state| Ok(state.buffer.as_ptr()))
    }

    fn with<R>(
        &self,
        act: impl FnOnce(&mut State<T, TRIES, BUFFER>) -> Result<R, Refused>,
    ) -> Result<R, Refused> {
        match self.state.try_lock() {
            Some(mut state) => act(&mut state),
            None => {
                self.busy.fetch_add(1, Ordering::Relaxed);
                Err(Refused::Busy)
            }
        }
    }
}

impl<S, T, const TRIES: usize, const BUFFER: usize> Default for Collector<T, TRIES, BUFFER>
where
    S: Storage,
    T: Deref<Target = Trie<S>>,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<S, T, const TRIES: usize, const BUFFER: usize> State<T, TRIES, BUFFER>
where
    S: Storage,
    T: Deref<Target = Trie<S>>,
{
    /// Writes the next piece and returns its length.
    fn fill(&mut self, oversized: &AtomicU32) -> Result<Option<usize>, Refused> {
        loop {
            match self.next {
                Next::Nothing => return Ok(None),
                Next::FileHeader(header) => {
                    let mut writer = Writer::new(&mut self.buffer);
                    // It fits.
                    let _ = writer.file_header(self.layout, header.timestamp_ns, header.process);
                    self.next = Next::Block(0, None);
                    return Ok(Some(writer.len()));
                }
                Next::Block(index, cursor) => {
                    let Some(Posted { trie, thread }) =
                        self.posted.iter().flatten().take(self.tries).nth(index)
                    else {
                        self.next = Next::Nothing;
                        return Ok(None);
                    };
                    let mut cursor = match cursor {
                        Some(cursor) => cursor,
                        None => {
                            trie.set_costs_inclusive(self.layout == Layout::Xray);
                            trie.cursor()
                        }
                    };
                    if cursor.is_stale(trie) {
                        self.next = Next::Nothing;
                        return Err(Refused::TrieReset);
                    }
                    let mut writer = Writer::new(&mut self.buffer);
                    // It fits.
                    let _ = writer.block_header(self.block_number, *thread);
                    let ended = write_block(&mut writer, self.layout, trie, &mut cursor, oversized);
                    if ended {
                        trie.set_costs_inclusive(false);
                        self.next = Next::Block(index + 1, None);
                    } else {
                        self.next = Next::Block(index, Some(cursor));
                    }
                    if writer.len() > wasm_xray_abi::block::BLOCK_HEADER_SIZE {
                        writer.end_block();
                        self.block_number += 1;
                        return Ok(Some(writer.len()));
                    }
                }
            }
        }
    }

    /// Undoes what an unfinished file in XRay's layout did to a trie.
    fn restore_costs(&self) {
        for posted in self.posted.iter().flatten() {
            posted.trie.set_costs_inclusive(false);
        }
    }
}

/// Appends records until the block is full or the trie is at its end (true).
fn write_block<S: Storage>(
    writer: &mut Writer<'_>,
    layout: Layout,
    trie: &Trie<S>,
    cursor: &mut Cursor,
    oversized: &AtomicU32,
) -> bool {
    let empty = writer.len();
    loop {
        let before = *cursor;
        let Some(node) = trie.advance(cursor) else {
            return true;
        };
        // SAFETY: the cursor is this trie's, and fresh, so the node is; and it passes the root.
        let written = unsafe {
            if trie.is_overflow(node) && trie.calls(node) == 0 {
                continue;
            }
            writer.record(layout, trie, node)
        };
        match written {
            Ok(()) => {}
            Err(Full) if writer.len() == empty => {
                oversized.fetch_add(1, Ordering::Relaxed);
            }
            Err(Full) => {
                *cursor = before;
                return false;
            }
        }
    }
}
