//! Recursion folded while a file is written: block by block, in an arena with
//! and without room for it, and while the program goes on.

#![cfg(not(target_arch = "wasm32"))]

#[path = "support/posted.rs"]
mod posted;
mod support;

use posted::*;
use support::*;
use wasm_xray::{Buffer, Collector, Header, Layout, Log, Options, Refused, SlotOffset, Trie};

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn ints(ints: &[u32]) -> Vec<u8> {
    ints.iter().flat_map(|int| int.to_le_bytes()).collect()
}

/// 1 from 0 to 100; in it 2 from 10 to 90; in that 1 again from 20 to 80, which
/// calls 3 from 30 to 70.
fn recursion() -> Calls {
    let mut trie = calls(ARENA, 3);
    for (function, time) in [(1, 0), (2, 10), (1, 20), (3, 30)] {
        trie.enter_function(id(function), time).unwrap();
    }
    for (function, time) in [(3, 70), (1, 80), (2, 90), (1, 100)] {
        trie.exit_function(id(function), time);
    }
    trie
}

fn folded<const TRIES: usize>(collector: &Collector<Calls, TRIES>, layout: Layout) -> Vec<Vec<u8>> {
    collector
        .serialize_folded(layout, Header::default())
        .unwrap();
    let pieces = pieces(collector, 1024);
    assert_eq!(collector.unfolded(), 0);
    pieces
}

#[test]
fn xrays_blocks() {
    let collector: Collector<Calls, 1> = Collector::new();
    collector.post(9, recursion()).unwrap();
    let pieces = folded(&collector, Layout::Xray);
    assert_eq!(
        pieces[0],
        words(&[0x7872617970726f66, 0x20180424, 0, 0]),
        "the file header is that of any file"
    );
    // 1 was called twice and took 100. What 3 took is no longer below 2, but
    // below 1: 2 is left with what it took itself.
    let block = [
        ints(&[16 + 24 + 28 + 28, 0]),
        words(&[9]),
        [ints(&[1, 0]), words(&[2, 100])].concat(),
        [ints(&[2, 1, 0]), words(&[1, 20])].concat(),
        [ints(&[3, 1, 0]), words(&[1, 40])].concat(),
    ]
    .concat();
    assert_eq!(pieces[1..], [block]);
}

#[test]
fn compact_blocks() {
    let collector: Collector<Calls, 1> = Collector::new();
    collector.post(9, recursion()).unwrap();
    let pieces = folded(&collector, Layout::Compact);
    assert_eq!(pieces[0], words(&[0x7872617970726f66, 0x20261130, 0, 0]));
    let [_, block] = &pieces[..] else {
        panic!("one block")
    };
    // Node numbers mean nothing but who is whose parent.
    let node = |record: usize| block[16 + 32 * record..][..4].to_vec();
    let expected = [
        ints(&[16 + 3 * 32, 0]),
        words(&[9]),
        [node(0), ints(&[0, 1, 0]), words(&[2, 20 + 20])].concat(),
        [node(1), node(0), ints(&[2, 0]), words(&[1, 20])].concat(),
        [node(2), node(0), ints(&[3, 0]), words(&[1, 40])].concat(),
    ]
    .concat();
    assert_eq!(*block, expected);
}

#[test]
fn folded_and_plain_files_take_turns() {
    let collector: Collector<Calls, 2> = Collector::new();
    collector.post(9, recursion()).unwrap();
    collector.post(4, recursion()).unwrap();
    let plain = |layout| {
        collector.serialize(layout, Header::default()).unwrap();
        pieces(&collector, 1024)
    };
    for layout in [Layout::Compact, Layout::Xray] {
        let before = plain(layout);
        assert_eq!(parse(&before).paths.len(), 8);
        let file = folded(&collector, layout);
        assert_eq!(parse(&file).paths.len(), 6, "both threads");
        assert_eq!(folded(&collector, layout), file, "byte for byte");
        assert_eq!(plain(layout), before, "byte for byte");
        // And after one that was not read to its end.
        collector
            .serialize_folded(layout, Header::default())
            .unwrap();
        for _ in 0..2 {
            assert!(collector.next_buffer(&mut [0; 64]).unwrap().is_some());
        }
        assert_eq!(plain(layout), before);
    }
}

#[test]
fn a_session_folds_if_it_is_told() {
    let flush = |text: &str| {
        let log: Log<Calls, 1> = Log::new();
        log.init_from_str(text).unwrap();
        log.post(1, recursion()).unwrap();
        log.finalize(Header::default());
        let mut pieces = Vec::new();
        log.flush(&mut [0; 1024], |piece| pieces.push(piece.to_vec()))
            .unwrap();
        assert_eq!((log.unfolded(), log.oversized()), (0, 0));
        parse(&pieces).paths.len()
    };
    assert_eq!(flush(""), 4);
    assert_eq!(flush("fold_recursion=yes"), 3);
    assert_eq!(flush("layout=xray fold_recursion=1"), 3);
    assert_eq!(flush("fold_recursion=1 fold_recursion=0"), 4);
    let log: Log<Calls, 1> = Log::new();
    let options = Options {
        fold_recursion: true,
        ..Options::default()
    };
    log.init(&options).unwrap();
    assert_eq!(log.options(), options);
}

#[test]
fn a_recursion_100_000_deep_is_one_short_record_in_xrays_layout() {
    let mut deep = calls_on(16 << 20, 1, 1600);
    for depth in 0..100_000 {
        deep.enter_function(id(1), depth).unwrap();
    }
    for depth in 0..100_000 {
        deep.exit_function(id(1), 200_000 + depth);
    }
    let collector: Collector<Calls, 1> = Collector::new();
    collector.post(1, deep).unwrap();
    let file = parse(&folded(&collector, Layout::Xray));
    assert_eq!(collector.oversized(), 0);
    assert_eq!(
        file.paths.into_iter().collect::<Vec<_>>(),
        [((1, Path::Of(vec![1])), (100_000, 299_999))]
    );
}

#[test]
fn dropped_calls_stay_dropped_and_counted() {
    // Nodes of 7 KiB: five paths fit, and 6 KiB are left to fold them in.
    let trie = trie(ARENA, &[1800, 1800]);
    // SAFETY: nodes of this trie.
    unsafe {
        let mut node = trie.enter(id(1));
        for depth in 1..100 {
            node = trie.call(node, SlotOffset(24), id(1 + depth % 2));
        }
    }
    let dropped = trie.dropped_calls();
    assert!(dropped > 50);
    let collector = posted(Box::new(trie));
    for layout in [Layout::Compact, Layout::Xray] {
        collector
            .serialize_folded(layout, Header::default())
            .unwrap();
        let file = parse(&read(&collector));
        let mut sums = std::collections::BTreeMap::<u32, u64>::new();
        for ((_, path), (calls, _)) in &file.paths {
            let function = match path {
                Path::Of(path) => path[path.len() - 1],
                Path::Dropped(function) => *function,
            };
            *sums.entry(function).or_default() += calls;
        }
        assert_eq!(sums, [(1, 50), (2, 50)].into());
        if layout == Layout::Compact {
            let lost = file
                .paths
                .iter()
                .filter(|((_, path), _)| matches!(path, Path::Dropped(_)))
                .map(|(_, (calls, _))| calls)
                .sum::<u64>();
            assert_eq!(lost, dropped);
            assert_eq!(collector.unfolded(), 0);
        }
    }
}

#[test]
fn without_room_a_trie_is_written_as_it_is_and_counted() {
    // Full to the last node, but for a few bytes.
    let trie = trie(ARENA, &[1, 1]);
    // SAFETY: nodes of this trie.
    unsafe {
        let mut node = trie.enter(id(1));
        for depth in 1..10_000 {
            node = trie.call(node, SlotOffset(24), id(1 + depth % 2));
        }
    }
    assert!(trie.dropped_calls() > 0);
    let collector = posted(Box::new(trie));
    for layout in [Layout::Compact, Layout::Xray] {
        collector.serialize(layout, Header::default()).unwrap();
        let plain = read(&collector);
        assert_eq!(collector.unfolded(), 0);
        collector
            .serialize_folded(layout, Header::default())
            .unwrap();
        assert_eq!(read(&collector), plain);
        assert_eq!(collector.unfolded(), 1);
    }
}

#[test]
fn a_program_that_needs_the_room_gets_it() {
    let trie: &'static Trie<Buffer<'static>> = Box::leak(Box::new(support::trie(ARENA, &[0; 3])));
    let collector: Collector<&Trie<_>, 1> = Collector::new();
    collector.post(7, trie).unwrap();
    // SAFETY: nodes of this trie.
    let mut node = unsafe { trie.enter(id(1)) };
    let mut deeper = |by: u32| {
        for depth in 0..by {
            // SAFETY: nodes of this trie.
            unsafe {
                node = trie.child(node, id(2 + depth % 2));
                trie.count(node);
            }
        }
    };
    deeper(200);
    let start = || {
        collector
            .serialize_folded(Layout::Xray, Header::default())
            .unwrap();
        let mut pieces = vec![];
        for _ in 0..2 {
            let mut buffer = [0; 64];
            pieces.push(collector.next_buffer(&mut buffer).unwrap().unwrap().len());
        }
        pieces
    };
    // A few more paths fit besides; the file goes on, as it was when it was folded.
    assert_eq!(start(), [32, 16 + 24]);
    deeper(100);
    let rest = pieces(&collector, 64);
    assert_eq!(rest.len(), 2, "1 > 2 and 1 > 2 > 3");
    assert_eq!(rest[0][16 + 12..][..8], 100u64.to_le_bytes());
    // So many that the folded trie is in their way: the file ends, and says so.
    assert_eq!(start(), [32, 16 + 24]);
    deeper(10_000);
    assert_eq!(collector.next_buffer(&mut [0; 64]), Err(Refused::TrieReset));
    assert_eq!(collector.next_buffer(&mut [0; 64]), Ok(None));
    // They have all the room that they would have had.
    let alone = support::trie(ARENA, &[0; 3]);
    // SAFETY: nodes of this trie.
    unsafe {
        let mut node = alone.enter(id(1));
        for by in [200, 100, 10_000] {
            for depth in 0..by {
                node = alone.child(node, id(2 + depth % 2));
                alone.count(node);
            }
        }
    }
    assert_eq!(
        (trie.paths(), trie.dropped_calls(), trie.used()),
        (alone.paths(), alone.dropped_calls(), alone.used())
    );
    assert_eq!(calls_per_function(trie), calls_per_function(&alone));
}

#[test]
fn a_module_that_is_registered_ends_a_folded_file() {
    let trie: &'static Trie<Buffer<'static>> = Box::leak(small());
    let collector: Collector<&Trie<_>, 1> = Collector::new();
    collector.post(7, trie).unwrap();
    collector
        .serialize_folded(Layout::Compact, Header::default())
        .unwrap();
    assert!(collector.next_buffer(&mut [0; 64]).unwrap().is_some());
    assert!(collector.next_buffer(&mut [0; 64]).unwrap().is_some());
    // Its descriptors go where the folded trie has its own.
    register(trie, &[3, 3]);
    assert_eq!(collector.next_buffer(&mut [0; 64]), Err(Refused::TrieReset));
    assert_eq!(calls_per_function(trie), [(1, 1), (2, 2), (3, 1)].into());
}

#[test]
fn two_readers_of_a_folded_trie_do_not_see_each_others() {
    let trie: &'static Trie<Buffer<'static>> = Box::leak(small());
    let collectors: [Collector<&Trie<_>, 1>; 2] = [Collector::new(), Collector::new()];
    for collector in &collectors {
        collector.post(7, trie).unwrap();
        collector
            .serialize_folded(Layout::Compact, Header::default())
            .unwrap();
        for _ in 0..2 {
            assert!(collector.next_buffer(&mut [0; 64]).unwrap().is_some());
        }
    }
    assert_eq!(
        collectors[0].next_buffer(&mut [0; 64]),
        Err(Refused::TrieReset),
        "the second one has the room"
    );
    assert_eq!(pieces(&collectors[1], 64).len(), 2);
}

#[test]
fn an_empty_trie_folded_is_a_header() {
    let collector = posted(Box::new(Trie::new(Buffer::new(
        support::words(ARENA).leak(),
    ))));
    for _ in 0..2 {
        collector
            .serialize_folded(Layout::Xray, Header::default())
            .unwrap();
        assert_eq!(
            read(&collector),
            [words(&[0x7872617970726f66, 0x20180424, 0, 0])]
        );
        assert_eq!(collector.unfolded(), 0, "there is nothing to fold");
        collector.reset().unwrap();
        collector.post(1, Box::new(trie(ARENA, &[1, 2]))).unwrap();
    }
}
