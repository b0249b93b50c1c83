//! An arena of 1 MiB, and far more paths than fit: the calls of each function
//! are exact, in the trie and in both layouts, and what was dropped is said.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::BTreeMap;

use support::*;
use wasm_xray::{Anomalies, Buffer, Collector, Header, Layout, SlotOffset, Trie};

const BYTES: u32 = 1 << 20;
const DEPTH: u32 = 100_000;
const PATHS: u32 = 1_000_000;

/// Calls per function in the trie and in both files.
fn check(trie: &'static Trie<Buffer<'static>>, expected: &BTreeMap<u32, u64>) {
    assert!(trie.used() <= BYTES);
    assert_eq!(&calls_per_function(trie), expected);
    let all: u64 = expected.values().sum();
    let with_path: u64 = trie
        .nodes()
        // SAFETY: nodes of this trie.
        .filter(|&node| unsafe { !trie.is_overflow(node) })
        .map(|node| unsafe { trie.calls(node) })
        .sum();
    assert_eq!(trie.dropped_calls(), all - with_path);
    assert!(trie.dropped_calls() > 0 && trie.dropped_paths() > 0);
    let collector: Collector<&Trie<_>, 1> = Collector::new();
    collector.post(1, trie).unwrap();
    let mut buffer = vec![0; 4096];
    let mut read = |layout| {
        collector.serialize(layout, Header::default()).unwrap();
        let header = collector.next_buffer(&mut buffer).unwrap().unwrap().len();
        assert_eq!(header, 32);
        let mut records = 0;
        let mut calls = BTreeMap::new();
        while let Some(block) = collector.next_buffer(&mut buffer).unwrap() {
            for (function, count) in leaves(layout, block) {
                *calls.entry(function).or_default() += count;
                records += 1;
            }
        }
        calls.retain(|_, count| *count > 0);
        (calls, records)
    };
    let (calls, nodes) = read(Layout::Compact);
    assert_eq!(&calls, expected);
    assert_eq!(collector.oversized(), 0);
    // In XRay's layout a path has to fit into the buffer: 1,015 functions.
    let (calls, records) = read(Layout::Xray);
    assert_eq!(
        records + collector.oversized(),
        nodes,
        "none is lost unsaid"
    );
    if collector.oversized() == 0 {
        assert_eq!(&calls, expected);
    }
}

/// The function and the calls of each record, without its path.
fn leaves(layout: Layout, block: &[u8]) -> Vec<(u32, u64)> {
    let u32_at = |at: usize| u32::from_le_bytes(block[at..at + 4].try_into().unwrap());
    let u64_at = |at: usize| u64::from_le_bytes(block[at..at + 8].try_into().unwrap());
    let mut leaves = Vec::new();
    let mut at = 16;
    while at < block.len() {
        match layout {
            Layout::Compact => {
                leaves.push((u32_at(at + 8), u64_at(at + 16)));
                at += 32;
            }
            Layout::Xray => {
                let leaf = u32_at(at);
                while u32_at(at) != 0 {
                    at += 4;
                }
                leaves.push((leaf, u64_at(at + 4)));
                at += 20;
            }
        }
    }
    leaves
}

#[test]
fn recursion_100_000_deep_by_probes() {
    let trie: &'static _ = Box::leak(Box::new(trie(BYTES, &[1, 1])));
    // SAFETY: nodes of this trie.
    unsafe {
        let mut node = trie.enter(id(1));
        for depth in 1..DEPTH {
            node = trie.call(node, SlotOffset(24), id(1 + depth % 2));
        }
    }
    check(trie, &[(1, 50_000), (2, 50_000)].into());
}

#[test]
fn recursion_100_000_deep_by_hand() {
    // 100,000 frames and a few more.
    let mut trie = calls_on(BYTES, 3, 1600);
    for depth in 0..DEPTH {
        trie.enter_function(id(1 + depth % 2), depth.into())
            .unwrap();
        trie.enter_function(id(3), depth.into()).unwrap();
        trie.exit_function(id(3), depth.into());
    }
    for depth in (0..DEPTH).rev() {
        trie.exit_function(id(1 + depth % 2), (2 * DEPTH - depth).into());
    }
    assert_eq!(trie.anomalies(), Anomalies::default());
    // SAFETY: nodes of this trie.
    let costs: u64 = trie.nodes().map(|node| unsafe { trie.cost(node) }).sum();
    assert_eq!(
        costs,
        u64::from(2 * DEPTH),
        "self costs add up to the whole"
    );
    check(
        Box::leak(Box::new(trie)),
        &[(1, 50_000), (2, 50_000), (3, 100_000)].into(),
    );
}

#[test]
fn recursion_deeper_than_the_shadow_stack() {
    let mut trie = calls_on(BYTES, 2, 100);
    for depth in 0..DEPTH {
        let _ = trie.enter_function(id(1 + depth % 2), depth.into());
    }
    for depth in (0..DEPTH).rev() {
        trie.exit_function(id(1 + depth % 2), (2 * DEPTH - depth).into());
    }
    assert_eq!(trie.anomalies().dropped_frames, u64::from(DEPTH) - 6400);
    assert_eq!(trie.dropped_calls(), u64::from(DEPTH) - 6400);
    assert_eq!(calls_per_function(&trie), [(1, 50_000), (2, 50_000)].into());
}

/// Path `number` of a million: six functions, one for each decimal digit.
fn path(number: u32) -> [u32; 6] {
    [100_000, 10_000, 1000, 100, 10, 1].map(|unit| 1 + number / unit % 10)
}

#[test]
fn a_million_paths_by_probes() {
    let trie: &'static _ = Box::leak(Box::new(trie(BYTES, &[10; 10])));
    let mut expected = BTreeMap::new();
    for number in 0..PATHS {
        // SAFETY: nodes of this trie.
        unsafe {
            let mut node = None;
            for function in path(number) {
                node = Some(match node {
                    None => trie.enter(id(function)),
                    Some(node) => trie.call(node, SlotOffset(16 + 8 * function), id(function)),
                });
                *expected.entry(function).or_default() += 1;
            }
        }
    }
    check(trie, &expected);
    assert_eq!(expected.values().sum::<u64>(), 6_000_000);
}

#[test]
fn a_million_paths_by_hand() {
    let mut trie = calls(BYTES, 10);
    let mut expected = BTreeMap::new();
    for number in 0..PATHS {
        for function in path(number) {
            trie.enter_function(id(function), number.into()).unwrap();
            *expected.entry(function).or_default() += 1;
        }
        for function in path(number).into_iter().rev() {
            trie.exit_function(id(function), u64::from(number) + 1);
        }
    }
    assert_eq!(trie.anomalies(), Anomalies::default());
    check(Box::leak(Box::new(trie)), &expected);
}

#[test]
fn a_deep_recursion_folded_fits_any_buffer() {
    let mut deep = calls_on(8 << 20, 3, 1600);
    for depth in 0..DEPTH {
        deep.enter_function(id(1 + depth % 2), depth.into())
            .unwrap();
    }
    for depth in (0..DEPTH).rev() {
        deep.exit_function(id(1 + depth % 2), (2 * DEPTH - depth).into());
    }
    assert_eq!((deep.paths(), deep.dropped_calls()), (DEPTH, 0));
    let folded: &'static Calls = Box::leak(Box::new(calls(ARENA, 3)));
    deep.fold_into(folded).unwrap();
    let collector: Collector<&Trie<_>, 1> = Collector::new();
    collector.post(1, folded).unwrap();
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    let file = parse(&pieces(&collector, 64));
    // Each call lasts 2 ticks longer than the call inside.
    assert_eq!(
        file.paths.into_iter().collect::<Vec<_>>(),
        [
            ((1, Path::Of(vec![1])), (50_000, 200_000)),
            ((1, Path::Of(vec![1, 2])), (50_000, 100_000)),
        ]
    );
}
