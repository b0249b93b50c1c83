//! A collector in the hands of many native threads.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use support::*;
use wasm_xray::{Collector, Header, Layout, Refused};

const THREADS: u64 = if cfg!(miri) { 3 } else { 24 };
const ROUNDS: u64 = if cfg!(miri) { 2 } else { 40 };
const FUNCTIONS: u32 = 9;

/// Calls of a recursion that depends on the thread, and their number per function.
fn work(trie: &mut Calls, seed: u64, expected: &mut BTreeMap<u32, u64>) {
    let mut random = seed;
    let mut live = Vec::new();
    for time in 0..200 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let function = 1 + (random >> 33) as u32 % FUNCTIONS;
        if random >> 63 == 0 || live.is_empty() {
            trie.enter_function(id(function), time).unwrap();
            live.push(function);
        } else if let Some(function) = live.pop() {
            trie.exit_function(id(function), time);
            *expected.entry(function).or_default() += 1;
        }
    }
    while let Some(function) = live.pop() {
        trie.exit_function(id(function), 200);
        *expected.entry(function).or_default() += 1;
    }
}

/// Until the collector is not busy; how often it was goes to `busy`.
fn insist<R>(busy: &AtomicU64, mut act: impl FnMut() -> Option<R>) -> R {
    loop {
        if let Some(done) = act() {
            return done;
        }
        busy.fetch_add(1, Ordering::Relaxed);
        thread::yield_now();
    }
}

fn unless_busy<R>(answer: Result<R, Refused>) -> Option<Result<R, Refused>> {
    match answer {
        Err(Refused::Busy) => None,
        answer => Some(answer),
    }
}

#[test]
fn every_call_of_every_thread_is_in_the_file() {
    let collector: Collector<Calls, { THREADS as usize }> = Collector::new();
    let expected = Mutex::new(BTreeMap::<u32, u64>::new());
    let busy = AtomicU64::new(0);
    let posting = AtomicBool::new(true);
    thread::scope(|scope| {
        let posters: Vec<_> = (1..=THREADS)
            .map(|thread| {
                let (collector, expected, busy) = (&collector, &expected, &busy);
                scope.spawn(move || {
                    // 3 KiB of paths would do; the arena's smallest size is what it is.
                    let mut own = BTreeMap::new();
                    let mut trie = calls(1 << 20, FUNCTIONS as usize);
                    for round in 0..ROUNDS {
                        work(&mut trie, thread * 1000 + round, &mut own);
                    }
                    let mut trie = Some(trie);
                    insist(busy, || {
                        match collector.post(thread, trie.take().unwrap()) {
                            Ok(()) => Some(()),
                            Err(refused) => {
                                assert_eq!(refused.reason, Refused::Busy);
                                trie = Some(refused.trie);
                                None
                            }
                        }
                    });
                    for (function, calls) in own {
                        *expected.lock().unwrap().entry(function).or_default() += calls;
                    }
                })
            })
            .collect();
        // Readers of what is there already, in the way of the others.
        for layout in [Layout::Compact, Layout::Xray] {
            let (collector, busy, posting) = (&collector, &busy, &posting);
            scope.spawn(move || {
                let mut buffer = vec![0; 4096];
                while posting.load(Ordering::Relaxed) {
                    insist(busy, || {
                        unless_busy(collector.serialize(layout, Header::default()))
                    })
                    .unwrap();
                    for _ in 0..3 {
                        insist(busy, || {
                            unless_busy(collector.next_buffer(&mut buffer).map(|_| ()))
                        })
                        .unwrap();
                    }
                }
            });
        }
        for poster in posters {
            poster.join().unwrap();
        }
        posting.store(false, Ordering::Relaxed);
    });
    assert_eq!(u64::from(collector.busy()), busy.load(Ordering::Relaxed));

    let expected = expected.into_inner().unwrap();
    for layout in [Layout::Compact, Layout::Xray] {
        collector.serialize(layout, Header::default()).unwrap();
        // Read by several threads: a piece goes to one of them.
        let buffers = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut buffer = vec![0; 8192];
                    loop {
                        match collector.next_buffer(&mut buffer) {
                            Ok(Some(piece)) => buffers.lock().unwrap().push(piece.to_vec()),
                            Ok(None) => break,
                            Err(refused) => assert_eq!(refused, Refused::Busy),
                        }
                    }
                });
            }
        });
        let mut buffers = buffers.into_inner().unwrap();
        // Pieces were pushed in any order: the header first, blocks by number.
        buffers.sort_by_key(|piece| match piece.len() {
            32 => 0,
            _ => 1 + u64::from(u32::from_le_bytes(piece[4..8].try_into().unwrap())),
        });
        let file = parse(&buffers);
        let mut calls = BTreeMap::<u32, u64>::new();
        let mut threads: Vec<u64> = Vec::new();
        for ((thread, path), (count, _)) in &file.paths {
            let Path::Of(path) = path else {
                panic!("nothing was dropped")
            };
            *calls.entry(path[path.len() - 1]).or_default() += count;
            threads.push(*thread);
        }
        threads.dedup();
        assert_eq!(threads, (1..=THREADS).collect::<Vec<_>>());
        assert_eq!(calls, expected);
    }
}
