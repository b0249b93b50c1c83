//! `enterFunction` and `exitFunction` with XRay's accounting, for whoever calls
//! functions by hand rather than through a rewriter's probes.
//!
//! The trie is the one that probes fill, so what is stored must be right for
//! both. XRay adds up, for each node, an *inclusive* time; probes charge *self*
//! costs. A node stores the self cost, and an exit that adds `d` to XRay's time
//! of a node adds `d` to the node's self cost and takes `d` off that of the
//! node called from. All of it is modulo 2⁶⁴, so nothing is lost in between,
//! and the two views are one linear map apart:
//!
//! * the inclusive cost of a node, its self cost plus those of all nodes below,
//!   is XRay's time, exactly, whatever the order of events;
//! * when every call has returned, self costs are what probes would have
//!   charged. Before, a caller's may be negative by what its callees took: such
//!   a self cost reads as a huge number from [`Trie::cost`] and is written as 0.
//!
//! What a dropped path took is charged to the overflow node of its function and
//! is, as with probes, not in the inclusive times of its callers. A call by hand
//! below a probe's node (inside an import, say) takes nothing off that node: of
//! probes with a clock and calls by hand with times, use one in a trie.
//!
//! ```
//! use core::mem::MaybeUninit;
//! use wasm_xray::{
//!     Buffer, Collector, FunctionCallTrie, FunctionId, Header, Layout, StackSegment, TakeOnce, Trie,
//! };
//!
//! static ARENA: TakeOnce<[u64; 8192]> = TakeOnce::new([0; 8192]);
//! static STACK: TakeOnce<[MaybeUninit<StackSegment>; 4]> =
//!     TakeOnce::new([const { MaybeUninit::uninit() }; 4]);
//!
//! let arena = Trie::new(Buffer::new(ARENA.take().expect("taken once")));
//! arena.init(64 << 10)?;
//! let base = arena.begin_module(2, 0)?;
//! let (main, callee) = (arena.add_function(0)?, arena.add_function(0)?);
//! assert_eq!((main.get(), callee.get()), (base, base + 1));
//!
//! let mut trie = FunctionCallTrie::new(arena, STACK.take().expect("taken once"));
//! trie.enter_function(main, 100)?;
//! trie.enter_function(callee, 110)?;
//! trie.exit_function(callee, 130);
//! trie.exit_function(main, 150);
//!
//! let collector: Collector<_, 1> = Collector::new();
//! collector.post(1, trie).map_err(|refused| refused.reason)?;
//! collector.serialize(Layout::Xray, Header::default())?;
//! let mut buffer = [0; 1024];
//! assert_eq!(collector.next_buffer(&mut buffer)?.map(<[u8]>::len), Some(32));
//! // Two records in a block: path, 0, calls, inclusive time.
//! let block = collector.next_buffer(&mut buffer)?.expect("a block");
//! assert_eq!(block.len(), 16 + 24 + 28);
//! assert_eq!(block[16 + 16..][..8], 50u64.to_le_bytes());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::fmt;
use core::mem::MaybeUninit;
use core::ops::Deref;

use crate::allocator::Allocator;
use crate::arena::Storage;
use crate::ids::{FunctionId, NodeId};
use crate::segmented_array::{Segment, SegmentedArray};
use crate::trie::Trie;

/// Frames in one segment of the shadow stack, which takes a little more than 1 KiB.
pub const FRAMES_PER_SEGMENT: usize = 64;

/// A call that has not returned.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Time of its entry, in ticks.
    entered: u64,
    node: NodeId,
}

/// Room for [`FRAMES_PER_SEGMENT`] frames of a shadow stack.
pub type StackSegment = Segment<Frame, FRAMES_PER_SEGMENT>;

/// A trie of one thread with the shadow stack that exits need.
///
/// It dereferences to its [`Trie`], and can be posted to a collector as it is.
/// Function ids must be registered there first. A reset of the trie forgets the
/// frames that were live.
pub struct FunctionCallTrie<'a, S> {
    trie: Trie<S>,
    stack: SegmentedArray<'a, Frame, FRAMES_PER_SEGMENT>,
    /// The trie's generation that the frames belong to.
    generation: u32,
    /// Live calls for which there was no frame.
    overflowed: u64,
    anomalies: Anomalies,
}

/// What was not as it should be, since the start. Counts, never reset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anomalies {
    /// Exits whose function was not live. As in XRay, one closes every frame.
    pub unmatched_exits: u64,
    /// Frames closed by the exit of another function, their own exit missing.
    pub missing_exits: u64,
    /// Calls without a frame, because the shadow stack was full: counted for
    /// their function, but not with their path and time.
    pub dropped_frames: u64,
}

/// Why [`FunctionCallTrie::enter_function`] did not record a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnterError {
    /// No registered function has this id; nothing is recorded.
    UnknownFunction,
    /// The shadow stack is full. The exit of this call will count it, on its
    /// function's overflow node.
    StackFull,
}

impl fmt::Display for EnterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EnterError::UnknownFunction => {
                "a function that was not registered: begin a module and add it first"
            }
            EnterError::StackFull => {
                "the shadow stack is full: give it more segments (the call is still counted)"
            }
        })
    }
}

impl core::error::Error for EnterError {}

impl<'a, S: Storage> FunctionCallTrie<'a, S> {
    /// A shadow stack in `segments`, above `trie`.
    pub const fn new(
        trie: Trie<S>,
        segments: &'a mut [MaybeUninit<StackSegment>],
    ) -> FunctionCallTrie<'a, S> {
        FunctionCallTrie {
            trie,
            stack: SegmentedArray::new(Allocator::new(segments)),
            generation: 0,
            overflowed: 0,
            anomalies: Anomalies {
                unmatched_exits: 0,
                missing_exits: 0,
                dropped_frames: 0,
            },
        }
    }

    /// The function is called, at `time` ticks of any clock. Its node: a child
    /// of the innermost live call's, or of the node under which the host's calls
    /// hang. The call is counted when it returns, as in XRay.
    ///
    /// Unlike XRay's, a second call of a root function finds the same root.
    pub fn enter_function(
        &mut self,
        function: FunctionId,
        time: u64,
    ) -> Result<NodeId, EnterError> {
        self.forget_stale_frames();
        if function.get() > self.trie.functions() {
            return Err(EnterError::UnknownFunction);
        }
        if self.overflowed > 0 {
            return Err(self.drop_frame());
        }
        // SAFETY: the trie has functions, so it is initialized; frames of this
        // generation have nodes of this trie, and the function is registered.
        let node = unsafe {
            let parent = match self.stack.last() {
                Some(frame) => frame.node,
                None => self.trie.current(),
            };
            self.trie.child(parent, function)
        };
        let frame = Frame {
            entered: time,
            node,
        };
        match self.stack.append(frame) {
            Ok(_) => Ok(node),
            Err(_) => Err(self.drop_frame()),
        }
    }

    /// The function returns, at `time` ticks. Closes frames from the innermost
    /// one to the function's own, or all of them if it is not live.
    ///
    /// A closed frame counts a call of its node, and adds to XRay's time of it
    /// the span since its entry, less the spans of the frames that the same exit
    /// closed before. A time before the entry is read as the clock having
    /// wrapped around: the span is `u64::MAX − entry + time`.
    pub fn exit_function(&mut self, function: FunctionId, time: u64) {
        self.close(function, time, true);
    }

    /// As [`exit_function`](Self::exit_function), for a call that goes on later:
    /// its time is added to its node, but the call is not counted.
    pub fn suspend_function(&mut self, function: FunctionId, time: u64) {
        self.close(function, time, false);
    }

    /// `counts`: the function's own call is counted.
    fn close(&mut self, function: FunctionId, time: u64, counts: bool) {
        self.forget_stale_frames();
        if self.overflowed > 0 {
            self.overflowed -= 1;
            if counts && function.get() <= self.trie.functions() {
                // SAFETY: the function is registered.
                unsafe { self.trie.count(self.trie.overflow_node(function)) };
            }
            return;
        }
        let mut closed_spans = 0u64;
        while let Some(Frame { entered, node }) = self.stack.pop() {
            let span = if entered > time {
                (u64::MAX - entered) + time
            } else {
                time - entered
            };
            let cost = span.wrapping_sub(closed_spans);
            closed_spans = closed_spans.wrapping_add(span);
            // SAFETY: frames of this generation have nodes of this trie.
            unsafe {
                let found = self.trie.function(node) == Some(function);
                if counts || !found {
                    self.trie.count(node);
                }
                self.trie.charge(node, cost);
                if let Some(caller) = self.stack.last() {
                    self.trie.charge(caller.node, cost.wrapping_neg());
                }
                if found {
                    return;
                }
            }
            self.anomalies.missing_exits += 1;
        }
        self.anomalies.unmatched_exits += 1;
    }

    /// Whether a call of the function has not returned. An exit of another
    /// function would close every frame. Calls without a frame are taken to be its.
    #[inline]
    pub fn is_live(&self, function: FunctionId) -> bool {
        if self.is_stale() {
            return false;
        }
        // SAFETY: frames of this generation have nodes of this trie.
        let is_its = |frame: &Frame| unsafe { self.trie.function(frame.node) } == Some(function);
        self.overflowed > 0 || self.stack.iter().rev().any(is_its)
    }

    /// Calls that have not returned, those without a frame included.
    pub fn depth(&self) -> u64 {
        if self.is_stale() {
            return 0;
        }
        self.stack.len() as u64 + self.overflowed
    }

    /// What was not as it should be.
    pub fn anomalies(&self) -> Anomalies {
        self.anomalies
    }

    #[cold]
    fn drop_frame(&mut self) -> EnterError {
        self.overflowed += 1;
        self.anomalies.dropped_frames += 1;
        EnterError::StackFull
    }

    fn is_stale(&self) -> bool {
        self.generation != self.trie.generation.get()
    }

    #[inline]
    fn forget_stale_frames(&mut self) {
        if self.is_stale() {
            self.stack.trim(usize::MAX);
            self.overflowed = 0;
            self.generation = self.trie.generation.get();
        }
    }
}

impl<S> Deref for FunctionCallTrie<'_, S> {
    type Target = Trie<S>;

    fn deref(&self) -> &Trie<S> {
        &self.trie
    }
}
