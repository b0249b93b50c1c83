//! Files as a reader gets them, and the collector's answers to calls out of order.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use support::*;
use wasm_xray::{Buffer, Collector, Header, Layout, Refused, SlotOffset, Trie};

type Boxed = Box<Trie<Buffer<'static>>>;
type One = Box<Collector<Boxed, 1>>;

fn collector<const TRIES: usize>() -> Box<Collector<Boxed, TRIES>> {
    Box::new(Collector::new())
}

fn read<const TRIES: usize, const BUFFER: usize>(
    collector: &Collector<Boxed, TRIES, BUFFER>,
) -> Vec<Vec<u8>> {
    std::iter::from_fn(|| collector.next_buffer(<[u8]>::to_vec).unwrap()).collect()
}

/// 1 → 2 twice, 1 → 3, with self costs 5, 30, 7.
fn small() -> Boxed {
    let trie = trie(ARENA, &[2, 0, 0]);
    // SAFETY: nodes of this trie.
    unsafe {
        let main = trie.enter(id(1));
        let two = trie.call(main, SlotOffset(24), id(2));
        trie.call(main, SlotOffset(24), id(2));
        let three = trie.call(main, SlotOffset(28), id(3));
        trie.charge(main, 5);
        trie.charge(two, 30);
        trie.charge(three, 7);
    }
    Box::new(trie)
}

/// More paths than a buffer of either layout takes, and more than the arena.
fn large() -> Boxed {
    let trie = trie(512 << 10, &[2; 3]);
    // SAFETY: nodes of this trie.
    unsafe {
        let mut level = vec![trie.enter(id(1))];
        for depth in 0..14 {
            level = level
                .iter()
                .flat_map(|&node| {
                    [24, 28].map(|slot| {
                        trie.call(node, SlotOffset(slot), id(1 + (slot / 4 + depth) % 3))
                    })
                })
                .collect();
            for &node in &level {
                trie.charge(node, 3);
            }
        }
    }
    assert!(trie.dropped_paths() > 0);
    Box::new(trie)
}

fn of<const N: usize>(path: [u32; N]) -> (u64, Path) {
    (7, Path::Of(path.to_vec()))
}

fn posted(trie: Boxed) -> One {
    let collector = collector();
    collector.post(7, trie).unwrap();
    collector
}

#[test]
fn the_compact_layout_has_self_costs() {
    let collector = posted(small());
    collector
        .serialize(
            Layout::Compact,
            Header {
                timestamp_ns: 11,
                process: 22,
            },
        )
        .unwrap();
    let file = parse(&read(&collector));
    assert_eq!(file.header, [0x7872617970726f66, 0x20261130, 11, 22]);
    assert_eq!(
        file.paths.into_iter().collect::<Vec<_>>(),
        [
            (of([1]), (1, 5)),
            (of([1, 2]), (2, 30)),
            (of([1, 3]), (1, 7))
        ]
    );
}

#[test]
fn the_xray_layout_has_inclusive_times() {
    let collector = posted(small());
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    let buffers = read(&collector);
    let file = parse(&buffers);
    assert_eq!(file.header, [0x7872617970726f66, 0x20180424, 0, 0]);
    assert_eq!(
        file.paths.into_iter().collect::<Vec<_>>(),
        [
            (of([1]), (1, 42)),
            (of([1, 2]), (2, 30)),
            (of([1, 3]), (1, 7))
        ]
    );
    // Leaf to root.
    assert_eq!(
        buffers[1][16 + 24..][..12],
        [2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
    );
}

#[test]
fn a_profile_of_many_blocks_is_the_trie() {
    let trie = large();
    let mut expected = std::collections::BTreeMap::new();
    for node in trie.nodes() {
        // SAFETY: a node of this trie.
        unsafe {
            let mut path = vec![trie.function(node).unwrap().get()];
            let mut frame = node;
            while let Some(parent) = trie
                .parent(frame)
                .filter(|&parent| parent != frame && parent != trie.root())
            {
                path.insert(0, trie.function(parent).unwrap().get());
                frame = parent;
            }
            let path = if trie.is_overflow(node) {
                Path::Dropped(path[0])
            } else {
                Path::Of(path)
            };
            if !trie.is_overflow(node) || trie.calls(node) > 0 {
                expected.insert((7, path), (trie.calls(node), trie.cost(node)));
            }
        }
    }
    let collector = posted(trie);
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    let buffers = read(&collector);
    assert!(buffers.iter().all(|buffer| buffer.len() <= 64 << 10));
    let file = parse(&buffers);
    assert!(file.blocks > 3);
    assert_eq!(file.paths, expected);

    // XRay's, with an interrupted reader in between, and then the compact one again.
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    for _ in 0..3 {
        collector.next_buffer(|_| ()).unwrap().unwrap();
    }
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    let xray = parse(&read(&collector));
    let total: u64 = expected
        .iter()
        .filter(|((_, path), _)| *path == Path::Dropped(1) || matches!(path, Path::Of(_)))
        .map(|(_, (_, cost))| cost)
        .sum();
    assert_eq!(
        xray.paths[&of([1])].1,
        total,
        "a dropped path looks like a call from the host"
    );
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    assert_eq!(read(&collector), buffers, "byte for byte");
}

#[test]
fn a_program_that_goes_on_while_it_is_read_keeps_its_costs() {
    let trie: &'static _ = Box::leak(large());
    let collector: Box<Collector<&'static Trie<Buffer<'static>>, 1>> = Box::new(Collector::new());
    collector.post(1, trie).unwrap();
    // SAFETY: nodes of this trie.
    let (main, callee) = unsafe {
        let main = trie
            .nodes()
            .find(|&node| trie.parent(node) == Some(trie.root()))
            .unwrap();
        (
            main,
            trie.nodes()
                .find(|&node| trie.parent(node) == Some(main))
                .unwrap(),
        )
    };
    // SAFETY: as above.
    let before = unsafe { (trie.cost(main), trie.cost(callee)) };
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    collector.next_buffer(|_| ()).unwrap().unwrap();
    collector.next_buffer(|_| ()).unwrap().unwrap();
    // SAFETY: as above.
    unsafe { trie.charge(callee, 1000) };
    while collector.next_buffer(|_| ()).unwrap().is_some() {}
    // SAFETY: as above.
    let after = unsafe { (trie.cost(main), trie.cost(callee)) };
    assert_eq!(after, (before.0, before.1 + 1000));
}

#[test]
fn a_path_longer_than_the_buffer_is_left_out_and_counted() {
    let trie = Box::new(trie(ARENA, &[1]));
    // SAFETY: nodes of this trie.
    unsafe {
        let mut node = trie.enter(id(1));
        for _ in 1..1500 {
            node = trie.call(node, SlotOffset(24), id(1));
        }
    }
    assert_eq!(trie.dropped_paths(), 0);
    let collector: Box<Collector<Boxed, 1, 4096>> = Box::new(Collector::new());
    collector.post(7, trie).unwrap();
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    let file = parse(&read(&collector));
    // A path of n frames takes 4 n + 20 bytes of the 4,080 behind a block header.
    assert_eq!(file.paths.len(), 1015);
    assert_eq!(collector.oversized(), 1500 - 1015);
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    assert_eq!(parse(&read(&collector)).paths.len(), 1500);
    assert_eq!(collector.oversized(), 0);
}

#[test]
fn an_empty_trie_is_a_header_and_nothing() {
    let collector = posted(Box::new(trie(ARENA, &[0, 3])));
    for layout in [Layout::Compact, Layout::Xray] {
        collector.serialize(layout, Header::default()).unwrap();
        assert_eq!(
            read(&collector).iter().map(Vec::len).collect::<Vec<_>>(),
            [32]
        );
    }
}

#[test]
fn without_a_trie_or_without_serialize_there_is_no_buffer() {
    let collector = collector::<1>();
    assert_eq!(read(&collector).len(), 0);
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    assert_eq!(read(&collector).len(), 0);
    collector.post(1, small()).unwrap();
    assert_eq!(read(&collector).len(), 0, "posted after serialize");
}

#[test]
fn a_file_is_read_once_and_serialize_starts_another() {
    let collector = posted(small());
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    let first = read(&collector);
    assert_eq!(read(&collector).len(), 0);
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    assert_eq!(collector.next_buffer(<[u8]>::len), Ok(Some(32)));
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    assert_eq!(read(&collector), first);
}

#[test]
fn a_reset_in_between_ends_the_file() {
    let collector = posted(small());
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    collector.next_buffer(|_| ()).unwrap();
    collector.reset().unwrap();
    assert_eq!(read(&collector).len(), 0);
    collector.post(1, small()).unwrap();
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    assert_eq!(parse(&read(&collector)).paths.len(), 3);
}

#[test]
fn a_trie_that_is_reset_while_it_is_read_is_refused() {
    let trie: &'static _ = Box::leak(large());
    let collector: Box<Collector<&'static Trie<Buffer<'static>>, 1>> = Box::new(Collector::new());
    collector.post(1, trie).unwrap();
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    assert!(collector.next_buffer(|_| ()).unwrap().is_some());
    assert!(collector.next_buffer(|_| ()).unwrap().is_some());
    trie.reset().unwrap();
    assert_eq!(collector.next_buffer(|_| ()), Err(Refused::TrieReset));
    assert_eq!(collector.next_buffer(|_| ()), Ok(None));
}

#[test]
fn threads_are_numbered_from_one_and_have_their_own_blocks() {
    let collector = collector::<2>();
    assert_eq!(collector.post(0, small()), Err(Refused::ThreadZero));
    collector.post(2, small()).unwrap();
    collector.post(9, small()).unwrap();
    assert_eq!(collector.post(3, small()), Err(Refused::TooManyTries));
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    let file = parse(&read(&collector));
    assert_eq!(file.blocks, 2);
    assert_eq!(
        file.paths
            .keys()
            .map(|(thread, _)| *thread)
            .collect::<Vec<_>>(),
        [2, 2, 2, 9, 9, 9]
    );
}

#[test]
fn a_call_from_inside_is_refused_and_counted() {
    let collector = posted(small());
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    let inside =
        collector.next_buffer(|_| (collector.reset(), collector.next_buffer(|_| ()).map(|_| ())));
    assert_eq!(inside, Ok(Some((Err(Refused::Busy), Err(Refused::Busy)))));
    assert_eq!(collector.busy(), 2);
    assert_eq!(read(&collector).len(), 1, "the block is still to come");
}

#[test]
fn many_threads_share_a_collector_without_waiting_or_losing_a_record() {
    const THREADS: u64 = if cfg!(miri) { 3 } else { 16 };
    let collector: &Collector<Boxed, 16> = &collector();
    let busy = &AtomicU32::new(0);
    let retry = |act: &dyn Fn() -> Result<(), Refused>| {
        while let Err(refused) = act() {
            assert_eq!(refused, Refused::Busy);
            busy.fetch_add(1, Ordering::Relaxed);
            thread::yield_now();
        }
    };
    thread::scope(|scope| {
        for thread in 1..=THREADS {
            scope.spawn(move || {
                let mut trie = Some(small());
                // The trie is made again after a refusal, which has dropped it.
                let trie = std::cell::RefCell::new(&mut trie);
                retry(&|| collector.post(thread, trie.borrow_mut().take().unwrap_or_else(small)));
            });
        }
    });
    retry(&|| collector.serialize(Layout::Compact, Header::default()));
    let buffers = std::sync::Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    match collector
                        .next_buffer(|bytes| buffers.lock().unwrap().push(bytes.to_vec()))
                    {
                        Ok(Some(())) => {}
                        Ok(None) => break,
                        Err(refused) => {
                            assert_eq!(refused, Refused::Busy);
                            busy.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    let file = parse(&buffers.into_inner().unwrap());
    assert_eq!(file.paths.len() as u64, 3 * THREADS);
    assert_eq!(collector.busy(), busy.load(Ordering::Relaxed));
}
