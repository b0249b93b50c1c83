//! Sessions: what XRay's log interface answers, in and out of order.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use support::*;
use wasm_xray::FlushStatus::*;
use wasm_xray::LogStatus::*;
use wasm_xray::{Header, Layout, Log, LogStatus, Options, Refused};

type Session = Log<Calls, 4>;

/// The flushed pieces.
fn flush(log: &Session) -> Vec<Vec<u8>> {
    let mut pieces = Vec::new();
    let flushed = log.flush(&mut [0; 1024], |piece| pieces.push(piece.to_vec()));
    assert_eq!(flushed, Ok(Flushed));
    pieces
}

fn init(log: &Session) {
    assert_eq!(log.init(&Options::default()), Ok(Initialized));
}

#[test]
fn the_numbers_are_xrays() {
    let states = [
        Uninitialized,
        Initializing,
        Initialized,
        Finalizing,
        Finalized,
    ];
    assert_eq!(states.map(|state| state as u8), [0, 1, 2, 3, 4]);
    assert_eq!(
        [NotFlushing, Flushing, Flushed].map(|state| state as u8),
        [0, 1, 2]
    );
}

#[test]
fn sessions_follow_each_other_in_the_same_storage() {
    let log = Session::new();
    for round in 0..3 {
        assert_eq!(log.status(), Uninitialized);
        assert_eq!(log.init_from_str("layout=xray"), Ok(Initialized));
        assert_eq!(log.status(), Initialized);
        for thread in 0..=round {
            log.post(thread + 1, work()).unwrap();
        }
        assert_eq!(log.finalize(Header::default()), Finalized);
        let file = parse(&flush(&log));
        assert_eq!(file.header[1], 0x20180424);
        assert_eq!(file.paths.len() as u64, 2 * (round + 1));
        assert_eq!(file.paths[&(1, Path::Of(vec![1]))], (1, 3));
        assert_eq!((log.status(), log.flush_status()), (Uninitialized, Flushed));
    }
}

#[test]
fn calls_out_of_order_answer_with_the_state_they_found() {
    let log = Session::new();
    let nothing = |log: &Session| log.flush(&mut [0; 64], |_| panic!("no piece"));
    // Before init.
    assert_eq!(log.finalize(Header::default()), Uninitialized);
    assert_eq!(nothing(&log), Ok(NotFlushing));
    let refused = log.post(1, work()).unwrap_err();
    assert_eq!(refused.reason, Refused::NotRecording);
    // Init twice: the options are those of the first.
    assert_eq!(log.init_from_str("buffers_max=1"), Ok(Initialized));
    assert_eq!(log.init_from_str("buffers_max=2"), Ok(Initialized));
    assert_eq!(log.options().buffers_max, 1);
    assert_eq!(log.init_from_str("not even options"), Ok(Initialized));
    // Flush before finalize.
    assert_eq!(nothing(&log), Ok(NotFlushing));
    log.post(1, refused.trie).unwrap();
    // Finalize twice.
    assert_eq!(log.finalize(Header::default()), Finalized);
    assert_eq!(log.finalize(Header::default()), Finalized);
    // Init and post before flush.
    assert_eq!(log.init(&Options::default()), Ok(Finalized));
    assert_eq!(
        log.post(2, work()).unwrap_err().reason,
        Refused::NotRecording
    );
    assert_eq!(flush(&log).len(), 2);
    // Flush twice.
    assert_eq!(nothing(&log), Ok(NotFlushing));
    assert_eq!(log.finalize(Header::default()), Uninitialized);
}

#[test]
fn wrong_options_leave_no_session() {
    let log = Session::new();
    assert!(log.init_from_str("layout=json").is_err());
    assert_eq!(log.status(), Uninitialized);
    let small = Options {
        per_thread_allocator_max: 1,
        ..Options::default()
    };
    assert!(log.init(&small).is_err());
    assert_eq!(log.status(), Uninitialized);
    init(&log);
}

#[test]
fn a_session_takes_as_many_tries_as_it_was_told() {
    let log = Session::new();
    log.init_from_str("buffers_max=2").unwrap();
    log.post(1, work()).unwrap();
    log.post(2, work()).unwrap();
    assert_eq!(
        log.post(3, work()).unwrap_err().reason,
        Refused::TooManyTries
    );
}

#[test]
fn a_session_without_a_trie_flushes_nothing() {
    let log = Session::new();
    init(&log);
    assert_eq!(log.finalize(Header::default()), Finalized);
    assert_eq!(flush(&log), Vec::<Vec<u8>>::new());
}

#[test]
fn with_no_flush_nothing_is_given_out_and_the_session_ends() {
    let log = Session::new();
    log.init_from_str("no_flush=1").unwrap();
    log.post(1, work()).unwrap();
    log.finalize(Header::default());
    assert_eq!(flush(&log), Vec::<Vec<u8>>::new());
    init(&log);
    log.finalize(Header::default());
    assert_eq!(
        flush(&log),
        Vec::<Vec<u8>>::new(),
        "the trie went with its session"
    );
}

#[test]
fn a_flush_from_inside_a_flush_is_told_so() {
    let log = Session::new();
    init(&log);
    log.post(1, work()).unwrap();
    log.finalize(Header::default());
    let mut inside = Vec::new();
    log.flush(&mut [0; 1024], |_| {
        inside.push(log.flush(&mut [0; 64], |_| ()));
        assert_eq!(log.flush_status(), Flushing);
        // No lock is held.
        assert_eq!(
            log.post(1, work()).unwrap_err().reason,
            Refused::NotRecording
        );
    })
    .unwrap();
    assert_eq!(inside, [Ok(Flushing), Ok(Flushing)]);
}

#[test]
fn a_flush_that_fails_can_be_taken_up_again() {
    let log = Session::new();
    init(&log);
    log.post(1, work()).unwrap();
    log.finalize(Header::default());
    assert_eq!(
        log.flush(&mut [0; 63], |_| ()),
        Err(Refused::BufferTooSmall)
    );
    assert_eq!((log.status(), log.flush_status()), (Finalized, NotFlushing));
    // A writer that panics at the header.
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        log.flush(&mut [0; 64], |_| panic!("disk full"))
    }));
    assert!(panicked.is_err());
    assert_eq!((log.status(), log.flush_status()), (Finalized, NotFlushing));
    assert_eq!(flush(&log).len(), 1, "the block behind the header");
}

#[test]
fn a_writer_that_fails_ends_the_flush_with_its_error() {
    #[derive(Debug, PartialEq)]
    enum Failed {
        DiskFull,
        Refused(Refused),
    }
    impl From<Refused> for Failed {
        fn from(refused: Refused) -> Failed {
            Failed::Refused(refused)
        }
    }
    let log = Session::new();
    init(&log);
    log.post(1, work()).unwrap();
    log.finalize(Header::default());
    let failed = log.try_flush(&mut [0; 64], |_| Err(Failed::DiskFull));
    assert_eq!(failed, Err(Failed::DiskFull));
    assert_eq!((log.status(), log.flush_status()), (Finalized, NotFlushing));
    let failed = log.try_flush(&mut [0; 63], |_| Ok(()));
    assert_eq!(failed, Err(Failed::Refused(Refused::BufferTooSmall)));
    assert_eq!(flush(&log).len(), 1, "the block behind the header");
}

#[test]
fn of_many_threads_one_initializes_one_finalizes_and_one_flushes() {
    let log = Session::new();
    let count = |act: &(dyn Fn() -> bool + Sync)| {
        let count = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| count.fetch_add(act().into(), Ordering::Relaxed));
            }
        });
        count.into_inner()
    };
    let options = Mutex::new(0);
    for round in 0..20 {
        count(&|| {
            let number = {
                let mut options = options.lock().unwrap();
                *options += 1;
                *options
            };
            let text = format!("buffers_max={number}");
            matches!(log.init_from_str(&text), Ok(Initialized | Initializing))
        });
        assert_eq!(log.status(), Initialized, "round {round}");
        log.post(1, work()).unwrap();
        count(&|| matches!(log.finalize(Header::default()), Finalized | Finalizing));
        assert_eq!(log.status(), Finalized);
        let flushed = count(&|| {
            let mut pieces = 0;
            let answer = log.flush(&mut [0; 1024], |_| pieces += 1).unwrap();
            assert_eq!(answer == Flushed, pieces == 2, "{answer:?}");
            answer == Flushed
        });
        assert_eq!(flushed, 1);
        assert_eq!(log.status(), Uninitialized);
    }
}

#[test]
fn a_trie_posted_while_another_thread_finalizes_is_in_the_file_or_given_back() {
    for _ in 0..if cfg!(miri) { 2 } else { 200 } {
        let log: Log<Calls, 8> = Log::new();
        assert_eq!(log.init(&Options::default()), Ok(Initialized));
        let taken = AtomicU32::new(0);
        thread::scope(|scope| {
            for thread in 1..=8 {
                let (log, taken) = (&log, &taken);
                scope.spawn(move || {
                    let mut trie = work();
                    loop {
                        match log.post(thread, trie) {
                            Ok(()) => break taken.fetch_add(1, Ordering::Relaxed),
                            Err(refused) if refused.reason == Refused::Busy => trie = refused.trie,
                            Err(refused) => {
                                assert_eq!(refused.reason, Refused::NotRecording);
                                break 0;
                            }
                        }
                    }
                });
            }
            scope.spawn(|| assert_eq!(log.finalize(Header::default()), Finalized));
        });
        let mut blocks = 0;
        log.flush(&mut [0; 1024], |piece| {
            blocks += u32::from(piece.len() > 32)
        })
        .unwrap();
        assert_eq!(blocks, taken.into_inner());
    }
}

#[test]
fn a_session_may_be_a_static() {
    static LOG: Log<Calls, 2> = Log::new();
    assert_eq!(LOG.status(), LogStatus::Uninitialized);
    assert_eq!(LOG.options().layout, Layout::Compact);
}

#[test]
fn a_file_can_be_taken_piece_by_piece_or_left() {
    let log = Session::new();
    let mut buffer = [0; 1024];
    init(&log);
    log.post(1, work()).unwrap();
    assert_eq!(log.next_buffer(&mut buffer), Ok(None), "not finalized");
    assert_eq!(log.end(), Ok(Initialized), "not finalized");
    log.finalize(Header::default());
    assert_eq!(log.next_buffer(&mut [0; 10]), Err(Refused::BufferTooSmall));
    let mut lengths = Vec::new();
    while let Some(piece) = log.next_buffer(&mut buffer).unwrap() {
        lengths.push(piece.len());
    }
    assert_eq!(lengths, [32, 16 + 2 * 32]);
    assert_eq!((log.status(), log.end()), (Finalized, Ok(Uninitialized)));

    init(&log);
    log.post(1, work()).unwrap();
    log.finalize(Header::default());
    log.next_buffer(&mut buffer).unwrap();
    assert_eq!(log.end(), Ok(Uninitialized));
    assert_eq!(log.next_buffer(&mut buffer), Ok(None));

    assert_eq!(log.init_from_str("no_flush=yes"), Ok(Initialized));
    log.post(1, work()).unwrap();
    log.finalize(Header::default());
    assert_eq!(log.next_buffer(&mut buffer), Ok(None));
    assert_eq!(log.end(), Ok(Uninitialized));
}
