//! The cases of LLVM's `profile_collector_test.cpp`.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::thread;

use support::*;
use wasm_xray::{Collector, Header, Layout, Trie};

#[test]
fn what_is_posted_is_serialized_and_collected() {
    let collector: Collector<Calls, 4> = Collector::new();
    collector.reset().unwrap();
    collector.post(1, work()).unwrap();
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    let buffers = pieces(&collector, 64 << 10);
    assert_eq!(
        buffers.iter().map(Vec::len).collect::<Vec<_>>(),
        [32, 16 + 24 + 28],
        "header, a block, nothing"
    );
    assert_eq!(buffers[0][..8], 0x7872617970726f66u64.to_le_bytes());
    assert_eq!(buffers[0][8..16], 0x20180424u64.to_le_bytes());
    let mut block = buffers[1]
        .chunks_exact(4)
        .map(|word| u32::from_le_bytes(word.try_into().unwrap()));
    let mut words = |count| block.by_ref().take(count).collect::<Vec<_>>();
    assert_eq!(words(4), [68, 0, 1, 0], "size, number, thread");
    assert_eq!(words(6), [1, 0, 1, 0, 3, 0], "path, calls, time");
    assert_eq!(words(7), [2, 1, 0, 1, 0, 1, 0]);
}

#[test]
fn each_thread_has_a_block() {
    let collector: Collector<Calls, 4> = Collector::new();
    thread::scope(|scope| {
        for id in [11, 12] {
            let collector = &collector;
            scope.spawn(move || {
                let mut trie = work();
                while let Err(refused) = collector.post(id, trie) {
                    trie = refused.trie;
                    thread::yield_now();
                }
            });
        }
    });
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    let buffers = pieces(&collector, 64 << 10);
    assert_eq!(buffers.len(), 3);
    let file = parse(&buffers);
    let of = |thread, path: &[u32], calls, time| ((thread, Path::Of(path.to_vec())), (calls, time));
    assert_eq!(
        file.paths.into_iter().collect::<Vec<_>>(),
        [
            of(11, &[1], 1, 3),
            of(11, &[1, 2], 1, 1),
            of(12, &[1], 1, 3),
            of(12, &[1, 2], 1, 1)
        ]
    );
}

#[test]
fn a_file_in_the_middle_of_a_call_has_xrays_times_and_no_negative_self_cost() {
    let trie: &'static Calls = {
        let mut trie = calls(ARENA, 2);
        trie.enter_function(id(1), 1).unwrap();
        trie.enter_function(id(2), 2).unwrap();
        trie.exit_function(id(2), 9);
        Box::leak(Box::new(trie))
    };
    let collector: Collector<&Trie<_>, 1> = Collector::new();
    collector.post(1, trie).unwrap();
    for layout in [Layout::Xray, Layout::Compact] {
        collector.serialize(layout, Header::default()).unwrap();
        let file = parse(&pieces(&collector, 1024));
        assert_eq!(file.paths[&(1, Path::Of(vec![1]))], (0, 0));
        assert_eq!(file.paths[&(1, Path::Of(vec![1, 2]))], (1, 7));
    }
}
