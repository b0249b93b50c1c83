//! The recording of each thread.
//!
//! A thread's trie is its own, behind a lock that only the end of a session
//! takes besides it. So a session's end sees whole events of every thread, also
//! of those that go on, and of those that have returned from their last function
//! but have not ended yet (the threads of a scope).

use core::cell::{Cell, OnceCell, UnsafeCell};
use core::ops::Deref;
use std::format;
use std::string::{String, ToString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::clock;
use super::function::{Function, Owner};
use super::session;
use super::storage::{Recording, ThreadArena};
use super::{Settings, Timing};
use crate::ids::FunctionId;
use crate::trie::Trie;

/// Functions whose descriptors and overflow nodes are reserved when a trie is
/// initialized take this part of the arena; so calls of functions that are
/// first called when the arena is full are counted as well.
const RESERVED_PART: u32 = 16;
/// Bytes that a function takes: its descriptor and overflow node.
const FUNCTION_BYTES: u32 = 32;
/// The most functions that are reserved.
const RESERVED_MAX: u32 = 4096;

/// What belongs to one thread, from its first recorded call on.
pub(super) struct Slot {
    /// Thread id in the profile, at least 1.
    pub(super) thread: u64,
    pub(super) name: String,
    /// Held by whoever uses `recorder`.
    lock: Mutex<()>,
    recorder: UnsafeCell<Recorder>,
}

/// Used under the slot's lock.
pub(super) struct Recorder {
    /// The session that the recording is of; 0: none.
    pub(super) session: u32,
    timing: Timing,
    pub(super) recording: Option<Recording>,
}

// SAFETY: the recorder is used under the lock, or by a `Posted`, see there.
unsafe impl Sync for Slot {}
// SAFETY: what is in it can be sent.
unsafe impl Send for Slot {}

/// Exclusive use of a slot's recorder.
pub(super) struct Locked<'a> {
    recorder: &'a mut Recorder,
    _guard: MutexGuard<'a, ()>,
}

impl Slot {
    pub(super) fn new(thread: u64, name: String) -> Slot {
        Slot {
            thread,
            name,
            lock: Mutex::new(()),
            recorder: UnsafeCell::new(Recorder {
                session: 0,
                timing: Timing::Calls,
                recording: None,
            }),
        }
    }

    pub(super) fn lock(&self) -> Locked<'_> {
        let guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        Locked {
            // SAFETY: the lock is held as long as the reference lives.
            recorder: unsafe { &mut *self.recorder.get() },
            _guard: guard,
        }
    }
}

impl Deref for Locked<'_> {
    type Target = Recorder;

    fn deref(&self) -> &Recorder {
        self.recorder
    }
}

impl core::ops::DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Recorder {
        self.recorder
    }
}

impl Recorder {
    /// Makes the recording one of the session `number`, empty; false if there is no memory.
    pub(super) fn begin(&mut self, number: u32, settings: &Settings) -> bool {
        let options = &settings.options;
        let reusable = |recording: &Recording| recording.has_room_for(options);
        if !self.recording.as_ref().is_some_and(reusable) {
            self.recording = None; // Before there is another.
            self.recording = Recording::new(options);
        }
        let Some(Recording { trie, .. }) = &self.recording else {
            return false;
        };
        if trie.init(options.per_thread_allocator_max).is_err() {
            return false;
        }
        let reserved = options.per_thread_allocator_max / RESERVED_PART / FUNCTION_BYTES;
        know_functions(trie, reserved.min(RESERVED_MAX));
        self.session = number;
        self.timing = settings.timing;
        true
    }

    fn now(&self) -> u64 {
        match self.timing {
            Timing::Calls => 0,
            Timing::Wall => clock::now_ns(),
        }
    }
}

/// Registers functions up to the id `last`; false if one does not fit.
pub(super) fn know_functions(trie: &Trie<ThreadArena>, last: u32) -> bool {
    let missing = last.saturating_sub(trie.functions());
    if missing == 0 {
        return true;
    }
    trie.begin_module(missing, 0).is_ok() && (0..missing).all(|_| trie.add_function(0).is_ok())
}

/// Stands for the trie of a slot when it is with the collector.
///
/// It is posted when its thread has ended or the session is over, and taken back
/// before the next session; between, nobody writes to the recorder, as events
/// ask for the session under the lock. The collector only reads.
pub(super) struct Posted(Arc<Slot>);

impl Posted {
    /// None if the slot has recorded nothing in the session. See [`Posted`] for when.
    pub(super) fn new(slot: &Arc<Slot>, session: u32) -> Option<Posted> {
        let locked = slot.lock();
        let recorded = locked.session == session && locked.recording.is_some();
        recorded.then(|| Posted(slot.clone()))
    }

    pub(super) fn slot(&self) -> &Arc<Slot> {
        &self.0
    }
}

impl Deref for Posted {
    type Target = Trie<ThreadArena>;

    fn deref(&self) -> &Trie<ThreadArena> {
        // SAFETY: nobody has a `&mut` while it is posted, see above.
        match unsafe { &(*self.0.recorder.get()).recording } {
            Some(recording) => &recording.trie,
            None => unreachable!("a posted slot has a recording"),
        }
    }
}

/// This thread's slot, which the session takes over when the thread ends.
struct Handle(Arc<Slot>);

impl Drop for Handle {
    fn drop(&mut self) {
        session::thread_ended(&self.0);
    }
}

struct Thread {
    /// An event is being recorded: one inside it comes from the program's
    /// allocator, which must not wait for itself.
    inside: Cell<bool>,
    handle: OnceCell<Handle>,
}

std::thread_local! {
    static THREAD: Thread = const {
        Thread {
            inside: Cell::new(false),
            handle: OnceCell::new(),
        }
    };
}

impl Thread {
    /// Records an event of a session, unless it is over; whether it could be.
    fn event<R>(
        &self,
        number: u32,
        act: impl FnOnce(&mut Recorder) -> Option<R>,
    ) -> Result<Option<R>, NotRecorded> {
        if self.inside.replace(true) {
            return Err(NotRecorded);
        }
        let slot = &self.handle.get_or_init(|| Handle(new_slot())).0;
        let mut recorder = slot.lock();
        let answer = if session::number() != number {
            Ok(None)
        } else if recorder.session != number && !recorder.begin(number, &session::settings()) {
            Err(NotRecorded)
        } else {
            Ok(act(&mut recorder))
        };
        drop(recorder);
        self.inside.set(false);
        answer
    }
}

/// There is no trie that takes the event.
struct NotRecorded;

fn new_slot() -> Arc<Slot> {
    session::add_thread(|id| {
        let thread = std::thread::current();
        match (thread.name(), id) {
            (Some(name), _) => name.to_string(),
            (None, 1) => "main".to_string(),
            (None, id) => format!("thread {id}"),
        }
    })
}

/// The function is called: its id, if the call is recorded and so has to be left.
pub(super) fn enter(function: &'static Function, owner: Owner, number: u32) -> Option<FunctionId> {
    let entered = THREAD.try_with(|thread| {
        thread.event(number, |recorder| {
            let id = function.id(owner);
            let time = recorder.now();
            let trie = &mut recorder.recording.as_mut()?.trie;
            if !know_functions(trie, id.get()) {
                function.not_recorded();
                return None;
            }
            // A full stack is counted at the exit.
            let _ = trie.enter_function(id, time);
            Some(id)
        })
    });
    match entered {
        Ok(Ok(id)) => id,
        // No memory, an allocator's call, or the thread's locals are gone.
        Ok(Err(NotRecorded)) | Err(_) => {
            function.not_recorded();
            None
        }
    }
}

/// The function that was entered in this session is left, for good or for a while.
pub(super) fn leave(id: FunctionId, number: u32, counts: bool) {
    // What was entered can be left, unless the thread's locals are gone with it.
    let _ = THREAD.try_with(|thread| {
        thread.event(number, |recorder| {
            let time = recorder.now();
            let trie = &mut recorder.recording.as_mut()?.trie;
            if !trie.is_live(id) {
                // A guard further out was dropped before this one.
            } else if counts {
                trie.exit_function(id, time);
            } else {
                trie.suspend_function(id, time);
            }
            Some(())
        })
    });
}
