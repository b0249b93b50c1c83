//! The collector: tries in, a file in buffers out.
//!
//! As XRay's `profileCollectorService`: tries are posted, `serialize` starts a
//! file, `next_buffer` hands out its header and then block after block. Unlike
//! XRay's, nothing is copied at `serialize`: each block is written when it is
//! asked for, into the caller's buffer, so that a profile of any size takes no
//! memory of its own.
//!
//! The one lock is only ever tried. On WebAssembly a trap could leave it held
//! and nobody could wait for it; so a caller that comes at a bad moment is told
//! ([`Refused::Busy`]), and counted. While it is held nothing of the caller's
//! runs but `deref` of a trie: buffers are handed back and tries are dropped
//! after it.

use core::fmt;
use core::mem;
use core::ops::Deref;
use core::sync::atomic::{AtomicU32, Ordering};

use spin::Mutex;

use crate::arena::{Part, Storage};
use crate::fold::Folded;
use crate::leaves::Record;
use crate::nodes::Cursor;
use crate::record::{Full, Layout, Writer};
use crate::trie::Trie;

/// Size in bytes of the shipped runtime's buffer, and so the most that a block has.
pub const BUFFER_SIZE: usize = 64 << 10;

/// Size in bytes of the smallest buffer: block header and compact record fit.
pub const BUFFER_MIN: usize = 64;

/// Collects up to `TRIES` tries, one a thread, owned or referred to by a `T`,
/// and gives them out as a file in pieces.
pub struct Collector<T, const TRIES: usize> {
    state: Mutex<State<T, TRIES>>,
    busy: AtomicU32,
    oversized: AtomicU32,
    unfolded: AtomicU32,
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

impl Header {
    /// With a time as JavaScript has it, in ms since 1970.
    pub fn from_ms(timestamp_ms: f64, process: u32) -> Header {
        Header {
            timestamp_ns: (timestamp_ms * 1e6) as u64,
            process: process.into(),
        }
    }
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
    /// A posted trie was reset since `serialize`, or needed the part of its arena
    /// in which it was folded: serialize again.
    TrieReset,
    /// A buffer of less than [`BUFFER_MIN`] bytes.
    BufferTooSmall,
    /// No session takes tries now, see [`Log`](crate::Log).
    NotRecording,
}

impl Refused {
    /// What is wrong, and what to do.
    pub const fn text(self) -> &'static str {
        match self {
            Refused::Busy => "the collector is busy: try again",
            Refused::TooManyTries => {
                "no room for another trie: serialize and reset the collector first"
            }
            Refused::ThreadZero => "thread id 0: count threads from 1",
            Refused::TrieReset => {
                "a trie was reset, or ran out of room for folding, while it was read: serialize again"
            }
            Refused::BufferTooSmall => {
                "the buffer is too small for a block: give at least 64 bytes"
            }
            Refused::NotRecording => {
                "no session takes tries now: init one, after a flush of the one before"
            }
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl core::error::Error for Refused {}

/// A trie that [`Collector::post`] did not take, and why. Nothing is lost.
pub struct NotPosted<T> {
    /// Why.
    pub reason: Refused,
    /// The trie as it was given.
    pub trie: T,
}

impl<T> From<NotPosted<T>> for Refused {
    fn from(not_posted: NotPosted<T>) -> Refused {
        not_posted.reason
    }
}

impl<T> fmt::Debug for NotPosted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotPosted")
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Display for NotPosted<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl<T> core::error::Error for NotPosted<T> {}

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

struct State<T, const TRIES: usize> {
    posted: [Option<Posted<T>>; TRIES],
    layout: Layout,
    /// Recursion is folded.
    fold: bool,
    /// The trie of `next`, folded; none if it is written as it is.
    folded: Option<Folded>,
    /// How many of `posted` are in the file.
    tries: usize,
    next: Next,
    block_number: u32,
}

impl<S, T, const TRIES: usize> Collector<T, TRIES>
where
    S: Storage,
    T: Deref<Target = Trie<S>>,
{
    /// A collector without tries. Usable as a static.
    pub const fn new() -> Self {
        Collector {
            state: Mutex::new(State {
                posted: [const { None }; TRIES],
                layout: Layout::Compact,
                fold: false,
                folded: None,
                tries: 0,
                next: Next::Nothing,
                block_number: 0,
            }),
            busy: AtomicU32::new(0),
            oversized: AtomicU32::new(0),
            unfolded: AtomicU32::new(0),
        }
    }

    /// Adds the trie of a thread. `thread` is its id in the blocks, not 0.
    /// A file that was started before is without it.
    pub fn post(&self, thread: u64, trie: T) -> Result<(), NotPosted<T>> {
        self.post_if(thread, trie, |_| Ok(()))
    }

    /// As `post`, if `allowed` says so when the lock is held; it is told the
    /// number of posted tries.
    pub(crate) fn post_if(
        &self,
        thread: u64,
        trie: T,
        allowed: impl FnOnce(usize) -> Result<(), Refused>,
    ) -> Result<(), NotPosted<T>> {
        let mut posted = Some(Posted { trie, thread });
        let answer = if thread == 0 {
            Err(Refused::ThreadZero)
        } else {
            self.with(|state| {
                allowed(state.posted.iter().flatten().count())?;
                let room = state
                    .posted
                    .iter_mut()
                    .find(|posted| posted.is_none())
                    .ok_or(Refused::TooManyTries)?;
                *room = posted.take();
                Ok(())
            })
        };
        match (answer, posted) {
            (Err(reason), Some(Posted { trie, .. })) => Err(NotPosted { reason, trie }),
            _ => Ok(()),
        }
    }

    /// Starts a file of everything posted, from its header; a file that was
    /// being read ends. Nodes made later are not in it, but counts are read when
    /// their block is.
    pub fn serialize(&self, layout: Layout, header: Header) -> Result<(), Refused> {
        self.start_file(layout, false, header)
    }

    /// As [`serialize`](Collector::serialize), with recursion folded, see
    /// [`Trie::fold_into`].
    ///
    /// A trie is folded, with its counts as they are then, when its first block
    /// is asked for, in free memory of its own arena: 74 bytes a path and 42 a
    /// function are enough. One that has less may be written as it is, see
    /// [`unfolded`](Collector::unfolded). While its blocks are read the program
    /// may go on; if it needs that memory, the rest of the file is refused
    /// ([`Refused::TrieReset`]).
    pub fn serialize_folded(&self, layout: Layout, header: Header) -> Result<(), Refused> {
        self.start_file(layout, true, header)
    }

    pub(crate) fn start_file(
        &self,
        layout: Layout,
        fold: bool,
        header: Header,
    ) -> Result<(), Refused> {
        self.with(|state| {
            state.restore();
            self.oversized.store(0, Ordering::Relaxed);
            self.unfolded.store(0, Ordering::Relaxed);
            state.layout = layout;
            state.fold = fold;
            state.block_number = 0;
            state.tries = state.posted.iter().flatten().count();
            state.next = match state.tries {
                0 => Next::Nothing,
                _ => Next::FileHeader(header),
            };
            Ok(())
        })
    }

    /// Writes the file's next piece to the front of `buffer` and returns it: the
    /// 32-byte header, then blocks of whole records, each as long as fits into
    /// the buffer of this call. `None` at its end, and when no file was started.
    pub fn next_buffer<'b>(&self, buffer: &'b mut [u8]) -> Result<Option<&'b [u8]>, Refused> {
        if buffer.len() < BUFFER_MIN {
            return Err(Refused::BufferTooSmall);
        }
        let len = self.with(|state| state.fill(buffer, &self.oversized, &self.unfolded))?;
        Ok(len.and_then(|len| buffer.get(..len)))
    }

    /// Forgets file and tries; the tries themselves stay as they are.
    pub fn reset(&self) -> Result<(), Refused> {
        // Dropped here, when the lock is free again.
        let _posted = self.with(|state| {
            state.restore();
            state.next = Next::Nothing;
            Ok(mem::replace(&mut state.posted, [const { None }; TRIES]))
        })?;
        Ok(())
    }

    /// Calls answered with [`Refused::Busy`] since the start.
    pub fn busy(&self) -> u32 {
        self.busy.load(Ordering::Relaxed)
    }

    /// Records left out of the current file because their path alone is longer
    /// than their buffer: XRay's layout only, more than 16,375 frames in 64 KiB.
    pub fn oversized(&self) -> u32 {
        self.oversized.load(Ordering::Relaxed)
    }

    /// Tries of the current file so far that had no room to be folded, and are in
    /// it as they are.
    pub fn unfolded(&self) -> u32 {
        self.unfolded.load(Ordering::Relaxed)
    }

    fn with<R>(
        &self,
        act: impl FnOnce(&mut State<T, TRIES>) -> Result<R, Refused>,
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

impl<S, T, const TRIES: usize> Default for Collector<T, TRIES>
where
    S: Storage,
    T: Deref<Target = Trie<S>>,
{
    fn default() -> Self {
        Self::new()
    }
}

impl<S, T, const TRIES: usize> State<T, TRIES>
where
    S: Storage,
    T: Deref<Target = Trie<S>>,
{
    /// Writes the next piece and returns its length.
    fn fill(
        &mut self,
        buffer: &mut [u8],
        oversized: &AtomicU32,
        unfolded: &AtomicU32,
    ) -> Result<Option<usize>, Refused> {
        loop {
            match self.next {
                Next::Nothing => return Ok(None),
                Next::FileHeader(header) => {
                    let mut writer = Writer::new(buffer);
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
                    // Once, as it may be anything.
                    let trie: &Trie<S> = trie;
                    if cursor.is_none() {
                        trie.settle_counts();
                        self.folded = self.fold.then(|| Folded::of(trie)).flatten();
                        if self.fold && self.folded.is_none() && trie.functions() > 0 {
                            unfolded.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    let mut writer = Writer::new(buffer);
                    // It fits.
                    let _ = writer.block_header(self.block_number, *thread);
                    let inclusive = self.layout == Layout::Xray;
                    let view;
                    let source = match &self.folded {
                        Some(folded) => folded.trie(trie).ok_or(Refused::TrieReset),
                        None => {
                            trie.set_costs_inclusive(inclusive);
                            // SAFETY: used up before anything else happens to the trie.
                            view = unsafe { trie.view() };
                            Ok(&view)
                        }
                    };
                    let ended = source.and_then(|trie| {
                        trie.set_costs_inclusive(inclusive);
                        let mut cursor = cursor.unwrap_or_else(|| trie.cursor());
                        if cursor.is_stale(trie) {
                            return Err(Refused::TrieReset);
                        }
                        let ended =
                            write_block(&mut writer, self.layout, trie, &mut cursor, oversized);
                        Ok((ended, cursor))
                    });
                    match ended {
                        Err(refused) => {
                            self.restore();
                            self.next = Next::Nothing;
                            return Err(refused);
                        }
                        Ok((true, _)) => {
                            self.restore();
                            self.next = Next::Block(index + 1, None);
                        }
                        Ok((false, cursor)) => self.next = Next::Block(index, Some(cursor)),
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

    /// Undoes what reading did to the tries.
    fn restore(&mut self) {
        let folded = self.folded.take();
        for posted in self.posted.iter().flatten() {
            let trie: &Trie<S> = &posted.trie;
            trie.set_costs_inclusive(false);
            if folded
                .as_ref()
                .is_some_and(|folded| folded.trie(trie).is_some())
            {
                trie.take_back();
            }
        }
    }
}

/// Appends records until the block is full or the trie is at its end (true).
fn write_block(
    writer: &mut Writer<'_>,
    layout: Layout,
    trie: &Trie<Part>,
    cursor: &mut Cursor,
    oversized: &AtomicU32,
) -> bool {
    let empty = writer.len();
    loop {
        let before = *cursor;
        let next = match layout {
            Layout::Compact => trie.next_record(cursor),
            // Counters became nodes when costs became inclusive.
            Layout::Xray => trie.advance(cursor).map(Record::Node),
        };
        let written = match next {
            None => return true,
            Some(Record::Leaf(leaf)) => writer.leaf_record(&leaf),
            // SAFETY: the cursor is this trie's, and fresh, so the node is; and it passes the root.
            Some(Record::Node(node)) => unsafe {
                if trie.is_overflow(node) && trie.calls(node) == 0 {
                    continue;
                }
                writer.record(layout, trie, node)
            },
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
