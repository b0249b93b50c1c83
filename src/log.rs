//! A session from init to flush, with the states and answers of XRay's log
//! interface (`__xray_log_init_mode`, `__xray_log_finalize`, `__xray_log_flushLog`).
//!
//! ```text
//! Uninitialized → init → Initialized → finalize → Finalized → flush → Uninitialized
//! ```
//!
//! A call at another time changes nothing and answers with the state it found.
//! The states in between are what another thread sees meanwhile.

use core::ops::Deref;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use crate::arena::Storage;
use crate::collector::{Collector, Header, NotPosted, Refused};
use crate::options::{OptionError, Options};
use crate::record::Layout;
use crate::trie::Trie;

/// `XRayLogInitStatus`, with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LogStatus {
    /// There is no session: init one.
    Uninitialized = 0,
    /// Another call is initializing it.
    Initializing = 1,
    /// Tries can be posted.
    Initialized = 2,
    /// Another call is finalizing it.
    Finalizing = 3,
    /// Its file can be flushed.
    Finalized = 4,
}

impl LogStatus {
    const ALL: [LogStatus; 5] = [
        LogStatus::Uninitialized,
        LogStatus::Initializing,
        LogStatus::Initialized,
        LogStatus::Finalizing,
        LogStatus::Finalized,
    ];
}

/// `XRayLogFlushStatus`, with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FlushStatus {
    /// Nothing is flushed: the session is not finalized.
    NotFlushing = 0,
    /// Another call is flushing.
    Flushing = 1,
    /// The file was given out to its end, and the session is over.
    Flushed = 2,
}

impl FlushStatus {
    const ALL: [FlushStatus; 3] = [
        FlushStatus::NotFlushing,
        FlushStatus::Flushing,
        FlushStatus::Flushed,
    ];
}

/// One of `ALL` in a byte.
struct Atomic(AtomicU8);

impl Atomic {
    fn get<S: Copy, const N: usize>(&self, all: &[S; N]) -> S {
        // Only indices of `ALL` are stored.
        all[usize::from(self.0.load(Ordering::Acquire)).min(N - 1)]
    }
}

/// Options, states and collector of a session of up to `TRIES` threads, one
/// after another in the same static storage.
pub struct Log<T, const TRIES: usize> {
    status: Atomic,
    flush_status: Atomic,
    options: AtomicOptions,
    collector: Collector<T, TRIES>,
}

impl<S, T, const TRIES: usize> Log<T, TRIES>
where
    S: Storage,
    T: Deref<Target = Trie<S>>,
{
    /// No session yet. Usable as a static.
    pub const fn new() -> Self {
        Log {
            status: Atomic(AtomicU8::new(LogStatus::Uninitialized as u8)),
            flush_status: Atomic(AtomicU8::new(FlushStatus::NotFlushing as u8)),
            options: AtomicOptions::new(Options::DEFAULT),
            collector: Collector::new(),
        }
    }

    /// The state that the session is in.
    pub fn status(&self) -> LogStatus {
        self.status.get(&LogStatus::ALL)
    }

    /// How the last flush went, of this session or one before.
    pub fn flush_status(&self) -> FlushStatus {
        self.flush_status.get(&FlushStatus::ALL)
    }

    /// The options of the session, or the last one's.
    pub fn options(&self) -> Options {
        self.options.get()
    }

    /// Starts a session: [`Initialized`](LogStatus::Initialized), or the state
    /// of the one that there is. After an error there is none.
    pub fn init(&self, options: &Options) -> Result<LogStatus, OptionError<'static>> {
        self.init_with(|| options.check().map(|()| *options))
    }

    /// As [`init`](Log::init), with the options in `text`, see [`Options::parse`].
    pub fn init_from_str<'t>(&self, text: &'t str) -> Result<LogStatus, OptionError<'t>> {
        self.init_with(|| Options::parse(text))
    }

    fn init_with<E>(&self, options: impl FnOnce() -> Result<Options, E>) -> Result<LogStatus, E> {
        if let Err(found) = self.step(LogStatus::Uninitialized, LogStatus::Initializing) {
            return Ok(found);
        }
        let initialized = options().map(|options| {
            self.options.set(options);
            patiently(|| self.collector.reset()).is_ok()
        });
        let status = match initialized {
            Ok(true) => LogStatus::Initialized,
            _ => LogStatus::Uninitialized,
        };
        self.set(status);
        initialized.map(|_| status)
    }

    /// Adds the trie of a thread, see [`Collector::post`]. Given back when no
    /// session takes tries, or as many as `buffers_max` are there.
    pub fn post(&self, thread: u64, trie: T) -> Result<(), NotPosted<T>> {
        let max = self.options().buffers_max as usize;
        // The state is looked at under the collector's lock: a trie that is taken
        // is there before `finalize` starts the file.
        self.collector.post_if(thread, trie, |posted| {
            if self.status() != LogStatus::Initialized {
                return Err(Refused::NotRecording);
            }
            if posted >= max {
                return Err(Refused::TooManyTries);
            }
            Ok(())
        })
    }

    /// Ends the session's recording and starts its file:
    /// [`Finalized`](LogStatus::Finalized), or the state found if there is
    /// nothing to finalize. [`Initialized`](LogStatus::Initialized) means that
    /// the collector was busy: try again.
    pub fn finalize(&self, header: Header) -> LogStatus {
        if let Err(found) = self.step(LogStatus::Initialized, LogStatus::Finalizing) {
            return found;
        }
        let Options {
            layout,
            fold_recursion,
            ..
        } = self.options();
        let start = || self.collector.start_file(layout, fold_recursion, header);
        let status = match patiently(start) {
            Ok(()) => LogStatus::Finalized,
            Err(_) => LogStatus::Initialized,
        };
        self.set(status);
        status
    }

    /// Gives the file out, a piece of up to `buffer.len()` bytes at a time (at
    /// least 64), and ends the session. Under `no_flush` nothing is given out.
    ///
    /// No lock is held while `write` runs. After an error, and if `write`
    /// panics, the session is finalized still; the next flush goes on from there.
    pub fn flush(
        &self,
        buffer: &mut [u8],
        mut write: impl FnMut(&[u8]),
    ) -> Result<FlushStatus, Refused> {
        self.try_flush(buffer, |piece| {
            write(piece);
            Ok(())
        })
    }

    /// As [`flush`](Log::flush), with a `write` that may fail; the flush ends with
    /// its error then. The piece that it failed with is not given out again.
    pub fn try_flush<E: From<Refused>>(
        &self,
        buffer: &mut [u8],
        mut write: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<FlushStatus, E> {
        if self.status() != LogStatus::Finalized {
            return Ok(FlushStatus::NotFlushing);
        }
        let flushing = FlushStatus::Flushing as u8;
        let before = self.flush_status.0.swap(flushing, Ordering::AcqRel);
        if before == flushing {
            return Ok(FlushStatus::Flushing);
        }
        let mut end = FlushEnd {
            status: &self.flush_status,
            answer: FlushStatus::NotFlushing,
        };
        // Another flush may have come to its end in between.
        if self.status() != LogStatus::Finalized {
            return Ok(end.answer);
        }
        if !self.options().no_flush {
            while let Some(len) =
                patiently(|| Ok(self.collector.next_buffer(buffer)?.map(<[u8]>::len)))?
            {
                write(buffer.get(..len).unwrap_or_default())?;
            }
        }
        patiently(|| self.collector.reset())?;
        end.answer = FlushStatus::Flushed;
        self.set(LogStatus::Uninitialized);
        Ok(end.answer)
    }

    /// Records that the session's file leaves out, or the last one's, see
    /// [`Collector::oversized`].
    pub fn oversized(&self) -> u32 {
        self.collector.oversized()
    }

    /// Tries that are in that file as they are, although `fold_recursion` was
    /// asked for, see [`Collector::unfolded`].
    pub fn unfolded(&self) -> u32 {
        self.collector.unfolded()
    }

    /// As [`flush`](Log::flush), a piece at a time: the next one of a finalized
    /// session's file, or `None` at its end. [`end`](Log::end) then ends the session.
    pub fn next_buffer<'b>(&self, buffer: &'b mut [u8]) -> Result<Option<&'b [u8]>, Refused> {
        if self.status() != LogStatus::Finalized || self.options().no_flush {
            return Ok(None);
        }
        let len = patiently(|| Ok(self.collector.next_buffer(buffer)?.map(<[u8]>::len)))?;
        Ok(len.and_then(|len| buffer.get(..len)))
    }

    /// Ends a finalized session without giving out what is left of its file: the
    /// state that follows, or the state found.
    pub fn end(&self) -> Result<LogStatus, Refused> {
        if self.status() == LogStatus::Finalized {
            patiently(|| self.collector.reset())?;
            self.set(LogStatus::Uninitialized);
        }
        Ok(self.status())
    }

    /// From one state to another, or the state found instead.
    fn step(&self, from: LogStatus, to: LogStatus) -> Result<(), LogStatus> {
        let step = self.status.0.compare_exchange(
            from as u8,
            to as u8,
            Ordering::AcqRel,
            Ordering::Acquire,
        );
        step.map(drop)
            .map_err(|found| LogStatus::ALL[usize::from(found).min(4)])
    }

    fn set(&self, status: LogStatus) {
        self.status.0.store(status as u8, Ordering::Release);
    }
}

impl<S, T, const TRIES: usize> Default for Log<T, TRIES>
where
    S: Storage,
    T: Deref<Target = Trie<S>>,
{
    fn default() -> Self {
        Self::new()
    }
}

/// Options, written while the session is being initialized only. Whoever reads
/// them in that moment may find some of the new ones beside some of the old.
struct AtomicOptions {
    per_thread_allocator_max: AtomicU32,
    shadow_stack_max: AtomicU32,
    buffers_max: AtomicU32,
    /// 1 = `no_flush`, 2 = XRay's layout, 4 = `fold_recursion`.
    switches: AtomicU8,
}

impl AtomicOptions {
    const fn new(options: Options) -> AtomicOptions {
        AtomicOptions {
            per_thread_allocator_max: AtomicU32::new(options.per_thread_allocator_max),
            shadow_stack_max: AtomicU32::new(options.shadow_stack_max),
            buffers_max: AtomicU32::new(options.buffers_max),
            switches: AtomicU8::new(Self::switches(&options)),
        }
    }

    const fn switches(options: &Options) -> u8 {
        options.no_flush as u8
            | (matches!(options.layout, Layout::Xray) as u8) << 1
            | (options.fold_recursion as u8) << 2
    }

    fn set(&self, options: Options) {
        let order = Ordering::Relaxed;
        self.per_thread_allocator_max
            .store(options.per_thread_allocator_max, order);
        self.shadow_stack_max.store(options.shadow_stack_max, order);
        self.buffers_max.store(options.buffers_max, order);
        self.switches.store(Self::switches(&options), order);
    }

    fn get(&self) -> Options {
        let order = Ordering::Relaxed;
        let switches = self.switches.load(order);
        Options {
            per_thread_allocator_max: self.per_thread_allocator_max.load(order),
            shadow_stack_max: self.shadow_stack_max.load(order),
            buffers_max: self.buffers_max.load(order),
            no_flush: switches & 1 != 0,
            layout: if switches & 2 != 0 {
                Layout::Xray
            } else {
                Layout::Compact
            },
            fold_recursion: switches & 4 != 0,
        }
    }
}

/// Says how a flush ended, also if what writes the file panics.
struct FlushEnd<'a> {
    status: &'a Atomic,
    answer: FlushStatus,
}

impl Drop for FlushEnd<'_> {
    fn drop(&mut self) {
        self.status.0.store(self.answer as u8, Ordering::Release);
    }
}

/// Tries for a while: other threads hold the collector for one block at most.
fn patiently<R>(mut act: impl FnMut() -> Result<R, Refused>) -> Result<R, Refused> {
    for _ in 0..100_000 {
        match act() {
            Err(Refused::Busy) => core::hint::spin_loop(),
            answer => return answer,
        }
    }
    act()
}
