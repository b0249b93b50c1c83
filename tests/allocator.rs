//! The cases of LLVM's `allocator_test.cpp`, and where static storage comes from.

#![cfg(not(target_arch = "wasm32"))]

use std::mem::{MaybeUninit, size_of};
use std::thread;

use wasm_xray::{Allocator, TakeOnce};

type Pair = [i64; 2];

#[repr(C)]
struct OddSized(i64, i32);

#[test]
fn a_block_is_handed_out() {
    let mut blocks = [MaybeUninit::<Pair>::uninit(); 256];
    let allocator = Allocator::new(&mut blocks);
    let block = allocator.allocate().unwrap();
    assert_eq!(*block.write([1, 2]), [1, 2]);
    assert_eq!(allocator.remaining(), 255);
}

#[test]
fn beyond_the_last_block_there_is_none() {
    let mut blocks = [MaybeUninit::<Pair>::uninit(); 1];
    let allocator = Allocator::new(&mut blocks);
    assert!(allocator.allocate().is_some());
    assert!(allocator.allocate().is_none());
    assert!(allocator.allocate().is_none());
    let none: Allocator<'_, Pair> = Allocator::new(&mut []);
    assert!(none.allocate().is_none());
}

#[test]
fn blocks_fill_the_storage_and_do_not_overlap() {
    const PAGE: usize = 4096;
    let mut words = [MaybeUninit::<u64>::uninit(); PAGE / 8];
    let start = words.as_ptr() as usize;
    let allocator: Allocator<'_, OddSized> = Allocator::in_words(&mut words);
    let mut addresses = Vec::new();
    while let Some(block) = allocator.allocate() {
        block.write(OddSized(addresses.len() as i64, -1));
        addresses.push(&raw const *block as usize);
    }
    assert_eq!(addresses.len(), PAGE / size_of::<OddSized>());
    for (index, address) in addresses.iter().enumerate() {
        assert_eq!(address % align_of::<OddSized>(), 0);
        assert_eq!(*address, start + index * size_of::<OddSized>());
    }
}

#[test]
fn blocks_in_somebody_elses_words_are_aligned_however_the_words_lie() {
    #[repr(align(64))]
    struct Line(#[allow(dead_code, reason = "it has a size")] [u8; 64]);
    let mut words = [MaybeUninit::<u64>::uninit(); 8 * 10 + 1];
    for skip in 0..8 {
        let allocator: Allocator<'_, Line> = Allocator::in_words(&mut words[skip..]);
        let mut blocks = 0;
        while let Some(block) = allocator.allocate() {
            assert_eq!(&raw const *block as usize % 64, 0);
            block.write(Line([7; 64]));
            blocks += 1;
        }
        assert!(
            (8..=10).contains(&blocks),
            "{blocks} blocks from word {skip}"
        );
    }
    assert!(
        Allocator::<'_, Line>::in_words(&mut words[..7])
            .allocate()
            .is_none()
    );
}

#[test]
fn storage_is_as_good_as_new_when_its_allocator_is_gone() {
    let mut blocks = [MaybeUninit::<Pair>::uninit(); 3];
    for _ in 0..2 {
        let allocator = Allocator::new(&mut blocks);
        assert_eq!(std::iter::from_fn(|| allocator.allocate()).count(), 3);
    }
}

#[test]
fn a_static_is_taken_by_one_thread() {
    static STORAGE: TakeOnce<[u64; 100]> = TakeOnce::new([0; 100]);
    let taken = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                scope.spawn(move || {
                    STORAGE.take().is_some_and(|words| {
                        words.fill(thread);
                        words.iter().all(|&word| word == thread)
                    })
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .filter(|&taken| taken)
            .count()
    });
    assert_eq!(taken, 1);
    assert!(STORAGE.take().is_none());
}
