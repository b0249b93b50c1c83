//! Files as a reader gets them.

#![cfg(not(target_arch = "wasm32"))]

#[path = "support/posted.rs"]
mod posted;
mod support;

use posted::*;
use support::*;
use wasm_xray::{Buffer, Collector, Header, Layout, SlotOffset, Trie};

fn of<const N: usize>(path: [u32; N]) -> (u64, Path) {
    (7, Path::Of(path.to_vec()))
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
        next(&collector).unwrap().unwrap();
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
    next(&collector).unwrap().unwrap();
    next(&collector).unwrap().unwrap();
    // SAFETY: as above.
    unsafe { trie.charge(callee, 1000) };
    read(&collector);
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
    let collector = posted(trie);
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    let file = parse(&pieces(&collector, 4096));
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
fn a_trie_that_is_merged_while_it_is_read_is_right_in_both() {
    let trie: &'static Trie<_> = Box::leak(Box::new(support::trie(ARENA, &[0; 3])));
    // SAFETY: nodes of this trie.
    unsafe {
        let mut node = trie.root();
        for function in 1..=3 {
            node = trie.child(node, id(function));
            trie.count(node);
            trie.charge(node, function.into());
        }
    }
    let collector: Collector<&Trie<_>, 1> = Collector::new();
    collector.post(7, trie).unwrap();
    collector
        .serialize(Layout::Xray, Header::default())
        .unwrap();
    // The header and a block of one record; inclusive costs are in place now.
    let mut buffer = [0; 64];
    let mut buffers = Vec::new();
    for _ in 0..2 {
        buffers.push(
            collector
                .next_buffer(&mut buffer)
                .unwrap()
                .unwrap()
                .to_vec(),
        );
    }
    let merged = Box::new(support::trie(ARENA, &[0; 3]));
    trie.merge_into(&merged).unwrap();
    buffers.extend(pieces(&collector, 64));
    assert_eq!(
        parse(&buffers).paths.into_iter().collect::<Vec<_>>(),
        [
            (of([1]), (1, 6)),
            (of([1, 2]), (1, 5)),
            (of([1, 2, 3]), (1, 3))
        ]
    );
    let collector = posted(merged);
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    assert_eq!(
        parse(&read(&collector))
            .paths
            .into_iter()
            .collect::<Vec<_>>(),
        [
            (of([1]), (1, 1)),
            (of([1, 2]), (1, 2)),
            (of([1, 2, 3]), (1, 3))
        ]
    );
}
