//! What the collector answers to calls out of order, too many and from inside.

#![cfg(not(target_arch = "wasm32"))]

#[path = "support/posted.rs"]
mod posted;
mod support;

use posted::*;
use support::*;
use wasm_xray::{Buffer, Collector, Header, Layout, Refused, Trie};

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
    assert_eq!(next(&collector), Ok(Some(32)));
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
    next(&collector).unwrap();
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
    assert!(next(&collector).unwrap().is_some());
    assert!(next(&collector).unwrap().is_some());
    trie.reset().unwrap();
    assert_eq!(next(&collector), Err(Refused::TrieReset));
    assert_eq!(next(&collector), Ok(None));
}

#[test]
fn threads_are_numbered_from_one_and_have_their_own_blocks() {
    let collector = collector::<2>();
    assert_eq!(
        refusal(collector.post(0, small())),
        Some(Refused::ThreadZero)
    );
    collector.post(2, small()).unwrap();
    collector.post(9, small()).unwrap();
    assert_eq!(
        refusal(collector.post(3, small())),
        Some(Refused::TooManyTries)
    );
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
fn a_refused_trie_comes_back_whole() {
    let collector = posted(small());
    let refused = collector.post(8, small()).unwrap_err();
    assert_eq!(refused.reason, Refused::TooManyTries);
    collector.reset().unwrap();
    collector.post(7, refused.trie).unwrap();
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    assert_eq!(parse(&read(&collector)).paths.len(), 3);
}

#[test]
fn blocks_are_as_long_as_the_buffer_of_the_call() {
    let collector = posted(small());
    let serialize = || {
        collector
            .serialize(Layout::Compact, Header::default())
            .unwrap()
    };
    serialize();
    assert_eq!(
        collector.next_buffer(&mut [0; 63]),
        Err(Refused::BufferTooSmall)
    );
    let small = pieces(&collector, 64);
    assert_eq!(
        small.iter().map(Vec::len).collect::<Vec<_>>(),
        [32, 48, 48, 48]
    );
    serialize();
    let large = pieces(&collector, 1 << 10);
    assert_eq!(large.iter().map(Vec::len).collect::<Vec<_>>(), [32, 112]);
    assert_eq!(parse(&small).paths, parse(&large).paths);
}

/// A trie that calls the collector back when it is looked at.
struct Reentrant(Boxed, &'static std::sync::OnceLock<Collector<Reentrant, 1>>);

impl std::ops::Deref for Reentrant {
    type Target = Trie<Buffer<'static>>;

    fn deref(&self) -> &Trie<Buffer<'static>> {
        if let Some(collector) = self.1.get() {
            assert_eq!(collector.reset(), Err(Refused::Busy));
        }
        &self.0
    }
}

impl Drop for Reentrant {
    fn drop(&mut self) {
        // The lock is free when tries are dropped.
        if let Some(collector) = self.1.get() {
            assert_eq!(collector.reset(), Ok(()));
        }
    }
}

#[test]
fn a_call_from_inside_is_refused_and_counted() {
    let cell: &'static std::sync::OnceLock<_> = Box::leak(Box::default());
    let collector = cell.get_or_init(Collector::new);
    collector.post(1, Reentrant(small(), cell)).unwrap();
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    let buffers = read(collector);
    assert_eq!(parse(&buffers).paths.len(), 3);
    let refused = collector.busy();
    assert!(refused > 0);
    collector.reset().unwrap();
    assert_eq!(
        collector.busy(),
        refused + 1,
        "costs are put in order first"
    );
}
