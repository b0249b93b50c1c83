//! Tries for a collector, and what it gives out.

#![allow(dead_code, reason = "each test uses its part")]

use wasm_xray::{Buffer, Collector, NotPosted, Refused, SlotOffset, Trie};

use crate::support::*;

pub type Boxed = Box<Trie<Buffer<'static>>>;
pub type One = Box<Collector<Boxed, 1>>;

pub fn collector<const TRIES: usize>() -> Box<Collector<Boxed, TRIES>> {
    Box::new(Collector::new())
}

pub fn read<T, const TRIES: usize>(collector: &Collector<T, TRIES>) -> Vec<Vec<u8>>
where
    T: std::ops::Deref<Target = Trie<Buffer<'static>>>,
{
    pieces(collector, 64 << 10)
}

/// 1 → 2 twice, 1 → 3, with self costs 5, 30, 7.
pub fn small() -> Boxed {
    let trie = trie(ARENA, &[2, 0, 0]);
    // SAFETY: nodes of this trie.
    unsafe {
        let main = trie.enter(id(1));
        let two = trie.call(main, SlotOffset(24), id(2));
        trie.call(main, SlotOffset(24), id(2));
        let three = trie.call(main, SlotOffset(32), id(3));
        trie.charge(main, 5);
        trie.charge(two, 30);
        trie.charge(three, 7);
    }
    Box::new(trie)
}

/// More paths than a buffer of either layout takes, and more than the arena.
pub fn large() -> Boxed {
    let trie = trie(512 << 10, &[2; 3]);
    // SAFETY: nodes of this trie.
    unsafe {
        let mut level = vec![trie.enter(id(1))];
        for depth in 0..14 {
            level = level
                .iter()
                .flat_map(|&node| {
                    [24, 32].map(|slot| {
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

/// Length of the next piece.
pub fn next<T, const TRIES: usize>(
    collector: &Collector<T, TRIES>,
) -> Result<Option<usize>, Refused>
where
    T: std::ops::Deref<Target = Trie<Buffer<'static>>>,
{
    let mut buffer = vec![0; 64 << 10];
    Ok(collector.next_buffer(&mut buffer)?.map(<[u8]>::len))
}

pub fn refusal<T>(answer: Result<(), NotPosted<T>>) -> Option<Refused> {
    answer.err().map(|refused| refused.reason)
}

pub fn posted(trie: Boxed) -> One {
    let collector = collector();
    collector.post(7, trie).unwrap();
    collector
}
