//! Functions of a native program: threads, unwinding, files.

#![cfg(not(target_arch = "wasm32"))]

#[path = "support/program.rs"]
mod program;
mod support;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::mpsc::channel;
use std::thread;

use program::{Recorded, record, record_with, turn};
use wasm_xray::{Layout, Settings, instrument, session};

#[instrument(name = "leaf")]
fn leaf() {}

#[instrument(name = "work")]
fn work(rounds: u64) {
    for _ in 0..rounds {
        leaf();
    }
}

/// Calls of `work > leaf` by thread, sorted.
fn leaves(recorded: &Recorded) -> Vec<u64> {
    let mut leaves: Vec<u64> = recorded
        .paths
        .iter()
        .filter(|((_, path), _)| path == "work > leaf")
        .map(|(_, (calls, _))| *calls)
        .collect();
    leaves.sort_unstable();
    leaves
}

#[test]
fn each_thread_has_its_own_trie() {
    let _turn = turn();
    let ((), recorded) = record(|| {
        let _outer = wasm_xray::enter!("outer");
        thread::scope(|scope| {
            for rounds in 1..=8 {
                thread::Builder::new()
                    .name(format!("worker {rounds}"))
                    .spawn_scoped(scope, move || work(rounds * 100))
                    .unwrap();
            }
        });
    });
    assert_eq!(
        leaves(&recorded),
        (1..=8).map(|n| n * 100).collect::<Vec<_>>()
    );
    assert_eq!(recorded.calls_of("work"), 8);
    for rounds in 1..=8 {
        assert!(
            recorded
                .map
                .contains(&format!(r#""name":"worker {rounds}""#))
        );
    }
}

#[test]
fn a_thread_that_goes_on_is_in_the_profile_up_to_now() {
    let _turn = turn();
    let (start, started) = channel::<u64>();
    let (done, was_done) = channel();
    let worker = thread::spawn(move || {
        for rounds in started {
            work(rounds);
            done.send(()).unwrap();
        }
    });
    let round = |rounds| {
        start.send(rounds).unwrap();
        was_done.recv().unwrap();
    };
    let ((), first) = record(|| round(10));
    round(1000); // Recorded by nobody.
    let ((), second) = record(|| {
        round(20);
        round(1);
    });
    drop(start);
    worker.join().unwrap();
    assert_eq!((leaves(&first), leaves(&second)), (vec![10], vec![21]));
}

#[test]
fn more_threads_than_tries_lose_no_call() {
    let _turn = turn();
    let mut settings = Settings::default();
    settings.options.per_thread_allocator_max = 256 << 10;
    settings.options.buffers_max = 5;
    let ((), recorded) = record_with(&settings, || {
        for round in 0..40 {
            thread::spawn(move || work(round)).join().unwrap();
        }
    });
    assert_eq!(recorded.calls_of("leaf"), (0..40).sum::<u64>());
    assert_eq!(recorded.calls_of("work"), 40);
    let threads: std::collections::BTreeSet<u64> =
        recorded.paths.keys().map(|(thread, _)| *thread).collect();
    assert_eq!(threads.len(), 5);
    assert!(recorded.map.contains("further threads"));
}

#[test]
fn many_threads_at_once_add_up_while_sessions_end() {
    let _turn = turn();
    const THREADS: u64 = 8;
    let barrier = Barrier::new(THREADS as usize + 1);
    let mut counted = 0;
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..200 {
                    work(50);
                }
                barrier.wait();
            });
        }
        session().start().unwrap();
        barrier.wait();
        barrier.wait();
        let recorded = Recorded::read(session().stop().unwrap());
        counted += recorded.calls_of("leaf");
        assert_eq!(recorded.calls_of("work"), THREADS * 200);
    });
    assert_eq!(counted, THREADS * 200 * 50);
}

#[test]
fn sessions_may_end_in_the_middle_of_calls() {
    let _turn = turn();
    let stop = std::sync::atomic::AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    work(3);
                }
            });
        }
        let mut settings = Settings::default();
        settings.options.per_thread_allocator_max = 256 << 10;
        for _ in 0..30 {
            let ((), recorded) = record_with(&settings, || {
                for _ in 0..10 {
                    thread::yield_now();
                }
            });
            // Whole events: a call of work that returned had three leaves.
            for thread in 1..1000 {
                let calls = |path: &str| {
                    let key = (thread, path.to_owned());
                    recorded.paths.get(&key).map_or(0, |(calls, _)| *calls)
                };
                let (works, leaves) = (calls("work"), calls("work > leaf"));
                assert!(
                    (3 * works..=3 * works + 3).contains(&leaves),
                    "{recorded:?}"
                );
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
}

#[test]
fn unwinding_leaves_what_it_passes() {
    let _turn = turn();
    #[instrument(name = "fails")]
    fn fails(depth: u32) {
        if depth == 0 {
            std::panic::resume_unwind(Box::new("on purpose"));
        }
        fails(depth - 1);
    }
    let ((), recorded) = record(|| {
        for _ in 0..1000 {
            assert!(catch_unwind(AssertUnwindSafe(|| fails(2))).is_err());
        }
        leaf();
    });
    assert_eq!(
        recorded.calls(""),
        BTreeMap::from([
            ("fails".to_owned(), 1000),
            ("fails > fails".to_owned(), 1000),
            ("fails > fails > fails".to_owned(), 1000),
            ("leaf".to_owned(), 1),
        ])
    );
}

#[test]
fn guards_dropped_out_of_order_lose_no_call() {
    let _turn = turn();
    let ((), recorded) = record(|| {
        let _around = wasm_xray::enter!("around");
        let outer = wasm_xray::enter!("outer");
        let inner = wasm_xray::enter!("inner");
        drop(outer);
        drop(inner);
        leaf();
    });
    let calls = recorded.calls(concat!(module_path!(), "::"));
    assert_eq!(
        calls,
        BTreeMap::from([
            ("around".to_owned(), 1),
            ("around > leaf".to_owned(), 1),
            ("around > outer".to_owned(), 1),
            ("around > outer > inner".to_owned(), 1),
        ])
    );
}

#[test]
fn a_profile_is_written_with_its_map_in_either_layout() {
    let _turn = turn();
    let directory = std::env::temp_dir().join(format!("wasm-xray-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    for layout in [Layout::Compact, Layout::Xray] {
        let path = directory.join(format!("run-{layout:?}.xray"));
        let mut settings = Settings::default();
        settings.options.layout = layout;
        session().start_with(&settings).unwrap();
        work(7);
        session().stop().unwrap().write(&path).unwrap();
        let file = std::fs::read(&path).unwrap();
        let map = std::fs::read_to_string(path.with_extension("map.json")).unwrap();
        let profile = wasm_xray_profile::Profile::read(&file, &map).unwrap();
        let csv = String::from_utf8(profile.convert(wasm_xray_profile::Format::Csv).unwrap());
        let rows: Vec<String> = csv.unwrap().lines().map(str::to_owned).collect();
        let calls = |name: &str| {
            let row = rows.iter().find(|row| row.contains(name));
            row.map(|row| row.split(',').any(|cell| cell == "7"))
        };
        assert_eq!(calls("leaf"), Some(true), "{rows:?}");
    }
    std::fs::remove_dir_all(&directory).unwrap();
}

#[test]
fn record_writes_when_it_is_dropped() {
    let _turn = turn();
    let path = std::env::temp_dir().join(format!("wasm-xray-{}.xray", std::process::id()));
    {
        let _record = session().record(&path);
        work(3);
    }
    assert!(!session().is_recording());
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes[..8], 0x7872617970726f66u64.to_le_bytes());
    let map_path = path.with_extension("map.json");
    let map = std::fs::read_to_string(&map_path).unwrap();
    assert!(map.contains(r#""work""#));
    std::fs::remove_file(path).unwrap();
    std::fs::remove_file(map_path).unwrap();
}

#[test]
fn recursion_is_folded_if_the_options_say_so() {
    let _turn = turn();
    #[instrument(name = "deep")]
    fn deep(depth: u32) {
        leaf();
        if depth > 0 {
            deep(depth - 1);
        }
    }
    let mut settings = Settings::default();
    settings.options.layout = Layout::Xray;
    settings.options.fold_recursion = true;
    let ((), recorded) = record_with(&settings, || deep(500));
    assert_eq!(
        recorded.calls(""),
        BTreeMap::from([("deep".to_owned(), 501), ("deep > leaf".to_owned(), 501)])
    );
}
