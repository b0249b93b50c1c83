//! The one session of a Rust program.
//!
//! Locks are taken in this order: `POSTING`, a slot's, `THREADS`. The first is
//! held while tries go to the collector, so a thread's trie is there before the
//! session is finalized, or it is finalized without a thread that has not ended,
//! whose slot is then posted by `stop`.

use core::sync::atomic::{AtomicU32, Ordering};
use std::format;
use std::string::{String, ToString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use wasm_xray_abi::map::{self, Dropped};

use super::errors::{StartError, StopError};
use super::function::registered;
use super::profile::Profile;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
use super::storage::memory;
use super::thread::{Posted, Slot, know_functions};
use super::{Settings, Timing};
use crate::collector::{Header, NotPosted};
use crate::ids::FunctionId;
use crate::log::{Log, LogStatus};

/// Threads that have a trie of their own in a profile; those beyond share one.
pub(super) const TRIES: usize = 128;

/// Number of the session that records now; 0: none does.
static NUMBER: AtomicU32 = AtomicU32::new(0);
static THREADS: Mutex<Threads> = Mutex::new(Threads {
    settings: Settings::DEFAULT,
    live: Vec::new(),
    last_id: 0,
});
static POSTING: Mutex<Posting> = Mutex::new(Posting::new(0));
pub(super) static LOG: Log<Posted, TRIES> = Log::new();

struct Threads {
    settings: Settings,
    live: Vec<Arc<Slot>>,
    last_id: u64,
}

/// What belongs to the profile of a session besides its blocks.
struct Posting {
    /// The session's number, also when it is over.
    number: u32,
    threads: Vec<map::Thread>,
    dropped: Dropped,
    unseen: Vec<String>,
    /// Holds the tries that the collector has no room for, merged.
    further: Option<Arc<Slot>>,
}

#[inline]
pub(super) fn number() -> u32 {
    NUMBER.load(Ordering::Relaxed)
}

pub(super) fn settings() -> Settings {
    lock(&THREADS).settings
}

/// Makes a thread's slot; `name` is told its id.
pub(super) fn add_thread(name: impl FnOnce(u64) -> String) -> Arc<Slot> {
    let mut threads = lock(&THREADS);
    threads.last_id += 1;
    let slot = Arc::new(Slot::new(threads.last_id, name(threads.last_id)));
    threads.live.push(slot.clone());
    slot
}

/// A thread ends: its trie goes to the collector.
pub(super) fn thread_ended(slot: &Arc<Slot>) {
    let mut posting = lock(&POSTING);
    posting.post(slot, number());
    lock(&THREADS).live.retain(|live| !Arc::ptr_eq(live, slot));
}

/// The session of this program.
pub fn session() -> Session {
    Session(())
}

/// What can be done with the program's one session. See [`program`](crate::program).
#[derive(Clone, Copy, Debug)]
pub struct Session(());

impl Session {
    /// Starts to record, with [`Settings::default`]: counts only.
    ///
    /// # Errors
    ///
    /// As for [`start_with`](Session::start_with).
    pub fn start(self) -> Result<(), StartError> {
        self.start_with(&Settings::default())
    }

    /// Starts to record the calls of every thread. Of calls that are live
    /// already, nothing is recorded.
    ///
    /// # Errors
    ///
    /// If a session is recording, if the profile of the last one was not dropped
    /// yet, if an option is out of its bounds, if there is no room for what the
    /// options ask, and if the feature `enabled` is off.
    pub fn start_with(self, settings: &Settings) -> Result<(), StartError> {
        let options = &settings.options;
        check_room(settings)?;
        let mut posting = lock(&POSTING);
        if number() != 0 {
            return Err(StartError::Recording);
        }
        match LOG.init(options).map_err(StartError::Option)? {
            LogStatus::Initialized => {}
            _ => return Err(StartError::Unread),
        }
        let next = posting.number.checked_add(1).unwrap_or(1);
        *posting = Posting::new(next);
        lock(&THREADS).settings = *settings;
        // Events of this number see the settings, as they ask for them under the lock.
        NUMBER.store(next, Ordering::Release);
        Ok(())
    }

    /// Ends the recording of all threads. Calls that have not returned are not
    /// counted, and the profile says how many there are.
    ///
    /// # Errors
    ///
    /// If no session is recording.
    pub fn stop(self) -> Result<Profile, StopError> {
        let mut posting = lock(&POSTING);
        let number = NUMBER.swap(0, Ordering::AcqRel);
        if number == 0 {
            return Err(StopError::NotRecording);
        }
        let (live, settings) = {
            let threads = lock(&THREADS);
            (threads.live.clone(), threads.settings)
        };
        for slot in &live {
            posting.post(slot, number);
        }
        if let Some(further) = posting.further.take() {
            posting.hand_over(&further, number);
        }
        let header = match settings.timing {
            Timing::Calls => Header::default(),
            Timing::Wall => now(),
        };
        if LOG.finalize(header) != LogStatus::Finalized {
            unreachable!("nobody else uses the log");
        }
        Ok(Profile::new(posting.map(settings.timing)))
    }

    /// Forgets everything recorded and goes on recording, with the same
    /// settings. Calls that are live are forgotten as well.
    ///
    /// # Errors
    ///
    /// If no session is recording.
    pub fn reset(self) -> Result<(), StopError> {
        let profile = self.stop()?;
        let settings = settings();
        drop(profile);
        // Unless another thread was faster, in which case it is as wished.
        match self.start_with(&settings) {
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Whether calls are being recorded.
    pub fn is_recording(self) -> bool {
        number() != 0
    }

    /// Functions by id, in order of their first recorded call in this program.
    pub fn function_names(self) -> Vec<(FunctionId, String)> {
        let names = registered();
        let ids = (1..).filter_map(FunctionId::new);
        ids.zip(names.iter().map(|function| function.name.clone()))
            .collect()
    }

    /// Records until the answer is dropped, then writes `path` and its map, as
    /// [`Profile::write`]; both overwrite what was there. What goes wrong is
    /// told on standard error, as the program is to go on.
    #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
    pub fn record(self, path: impl Into<std::path::PathBuf>) -> super::Record {
        super::Record::start(path.into())
    }
}

fn check_room(settings: &Settings) -> Result<(), StartError> {
    #[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
    for (asked, available) in [
        (
            settings.options.per_thread_allocator_max,
            memory::ARENA_BYTES,
        ),
        (settings.options.shadow_stack_max, memory::STACK_BYTES),
    ] {
        if asked > available {
            return Err(StartError::NoRoom { asked, available });
        }
    }
    settings.options.check().map_err(StartError::Option)
}

impl Posting {
    const fn new(number: u32) -> Posting {
        Posting {
            number,
            threads: Vec::new(),
            dropped: Dropped { paths: 0, calls: 0 },
            unseen: Vec::new(),
            further: None,
        }
    }

    /// Gives the slot's trie to the collector if it is of this session, and was not given before.
    fn post(&mut self, slot: &Arc<Slot>, number: u32) {
        let tries = TRIES.min(settings().options.buffers_max as usize);
        if number == 0 || self.threads.iter().any(|thread| thread.id == slot.thread) {
            return;
        }
        self.note_oddities(slot, number);
        // One place is left for those that share one.
        if self.threads.len() + 1 < tries {
            self.hand_over(slot, number);
        } else if let Some(posted) = Posted::new(slot, number) {
            self.merge(&posted, number);
        }
    }

    fn hand_over(&mut self, slot: &Arc<Slot>, number: u32) {
        let Some(posted) = Posted::new(slot, number) else {
            return;
        };
        let dropped = Dropped {
            paths: posted.dropped_paths(),
            calls: posted.dropped_calls(),
        };
        match LOG.post(slot.thread, posted) {
            Ok(()) => {
                self.dropped.paths += dropped.paths;
                self.dropped.calls += dropped.calls;
                self.threads.push(map::Thread {
                    id: slot.thread,
                    name: slot.name.clone(),
                    phase: None,
                });
            }
            Err(NotPosted { reason, .. }) => {
                self.unseen.push(format!("{}: {reason}.", slot.name));
            }
        }
    }

    fn merge(&mut self, posted: &Posted, number: u32) {
        let further = self
            .further
            .get_or_insert_with(|| {
                let mut threads = lock(&THREADS);
                threads.last_id += 1;
                Arc::new(Slot::new(threads.last_id, "further threads".to_string()))
            })
            .clone();
        let mut target = further.lock();
        let merged = (target.session == number || target.begin(number, &settings()))
            && target.recording.as_ref().is_some_and(|target| {
                know_functions(&target.trie, posted.functions())
                    && posted.merge_into(&target.trie).is_ok()
            });
        if !merged {
            let name = &posted.slot().name;
            self.unseen.push(format!(
                "{name}: there was no memory for what it did. Give less in per_thread_allocator_max."
            ));
        }
    }

    /// Notes what a thread's trie does not say.
    fn note_oddities(&mut self, slot: &Slot, number: u32) {
        let locked = slot.lock();
        let Some(recording) = locked.recording.as_ref() else {
            return;
        };
        if locked.session != number {
            return;
        }
        let depth = recording.trie.depth();
        if depth > 0 {
            let (calls, were) = plural(depth, "call had", "calls had");
            self.unseen.push(format!(
                "{}: {calls} {were} not returned and is not counted.",
                slot.name
            ));
        }
    }

    fn map(&mut self, timing: Timing) -> map::ProfileMap {
        let functions = registered();
        for function in functions.iter() {
            let lost = function.take_unrecorded();
            if lost > 0 {
                let (calls, word) = plural(lost, "call", "calls");
                self.unseen.push(format!(
                    "{calls} {word} of {}: no thread's arena had room for the function, \
                     or the thread was ending.",
                    function.name
                ));
            }
        }
        self.threads.sort_by_key(|thread| thread.id);
        map::ProfileMap {
            version: 1,
            clock: match timing {
                Timing::Calls => map::Clock::Calls,
                Timing::Wall => map::Clock::Wall,
            },
            clock_step_ns: 0,
            sampling: None,
            probe_cost: None,
            threads: core::mem::take(&mut self.threads),
            modules: functions.first().map_or_else(Vec::new, |first| {
                std::vec![map::LoadedModule {
                    base: 1,
                    map: map::ModuleMap {
                        name: crate_of(&first.name).to_string(),
                        names: functions
                            .iter()
                            .map(|function| Some(function.name.clone()))
                            .collect(),
                        ..map::ModuleMap::default()
                    },
                }]
            }),
            dropped: self.dropped,
            skipped: Vec::new(),
            unseen: core::mem::take(&mut self.unseen),
        }
    }
}

fn plural<'a>(count: u64, one: &'a str, more: &'a str) -> (u64, &'a str) {
    (count, if count == 1 { one } else { more })
}

/// The first part of a path.
fn crate_of(name: &str) -> &str {
    name.trim_start_matches('<')
        .split("::")
        .next()
        .unwrap_or(name)
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
fn now() -> Header {
    Header {
        timestamp_ns: (js_sys::Date::now() * 1e6) as u64,
        process: 0,
    }
}

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
fn now() -> Header {
    let since = std::time::SystemTime::UNIX_EPOCH.elapsed();
    Header {
        timestamp_ns: since.map_or(0, |since| since.as_nanos() as u64),
        process: std::process::id().into(),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
