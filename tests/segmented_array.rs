//! The cases of LLVM's `segmented_array_test.cpp`, and a `Vec` as the model.

#![cfg(not(target_arch = "wasm32"))]

use std::mem::MaybeUninit;
use std::rc::Rc;

use proptest::prelude::*;
use wasm_xray::{Allocator, Segment, SegmentedArray};

/// Elements of a segment.
const N: usize = 5;

type Storage<T> = Vec<MaybeUninit<Segment<T, N>>>;

fn storage<T>(segments: usize) -> Storage<T> {
    std::iter::repeat_with(MaybeUninit::uninit)
        .take(segments)
        .collect()
}

fn array<T>(storage: &mut Storage<T>) -> SegmentedArray<'_, T, N> {
    SegmentedArray::new(Allocator::new(storage))
}

fn all<T: Copy, A>(array: &SegmentedArray<'_, T, N, A>) -> Vec<T> {
    let forwards: Vec<T> = array.iter().copied().collect();
    let mut back: Vec<T> = array.iter().rev().copied().collect();
    back.reverse();
    assert_eq!(forwards.len(), array.len());
    assert_eq!(back.len(), array.len());
    forwards
}

#[test]
fn what_was_appended_is_found() {
    let mut storage = storage(20);
    let mut array = array(&mut storage);
    for i in 0..100 {
        assert_eq!(array.append((i, i + 1)), Ok(&mut (i, i + 1)));
    }
    assert_eq!(array.len(), 100);
    for i in 0..100 {
        assert_eq!(array.get(i), Some(&(i, i + 1)));
    }
    assert_eq!(array.get(100), None);
    assert_eq!(
        (array.first(), array.last()),
        (Some(&(0, 1)), Some(&(99, 100)))
    );
}

#[test]
fn what_was_appended_can_be_trimmed() {
    let mut storage = storage(1);
    let mut array = array(&mut storage);
    array.append(1).unwrap();
    array.trim(1);
    assert!(array.is_empty());
    assert_eq!(
        (array.first(), array.last(), array.get(0)),
        (None, None, None)
    );
}

#[test]
fn iterators_meet_wherever_they_start() {
    let mut storage = storage(4);
    let mut array = array(&mut storage);
    assert_eq!(array.iter().next(), None);
    assert_eq!(array.iter().next_back(), None);
    for i in 0..17 {
        array.append(i).unwrap();
    }
    for front in 0..=17 {
        let mut iter = array.iter();
        let first: Vec<_> = iter.by_ref().take(front).copied().collect();
        let mut second: Vec<_> = iter.rev().copied().collect();
        second.reverse();
        assert_eq!([first, second].concat(), (0..17).collect::<Vec<_>>());
    }
}

#[test]
fn trimmed_segments_are_used_again() {
    let mut storage = storage(4);
    let mut array = array(&mut storage);
    for _ in 0..3 {
        for i in (1..=4 * N).rev() {
            array.append(i).unwrap();
        }
        assert!(array.append(0).is_err());
        assert_eq!(array.last(), Some(&1));
        array.trim(2 * N);
        assert_eq!(array.len(), 2 * N);
        assert_eq!(array.last(), Some(&(2 * N + 1)));
        array.trim(2 * N);
        assert!(array.is_empty());
    }
}

#[test]
fn an_exhausted_allocator_gives_the_element_back() {
    let mut storage = storage(1);
    let mut array = array(&mut storage);
    for i in 0..N {
        assert!(array.append(i).is_ok());
    }
    assert_eq!(array.append(77), Err(77));
    assert_eq!(all(&array), [0, 1, 2, 3, 4]);
    array.trim(N + 1);
    assert_eq!(array.len(), 0);
    assert_eq!(array.append(1), Ok(&mut 1));

    let mut nothing: Storage<u8> = storage_of_none();
    assert_eq!(self::array(&mut nothing).append(1), Err(1));
}

fn storage_of_none<T>() -> Storage<T> {
    Vec::new()
}

#[test]
fn it_works_as_a_stack() {
    let mut storage = storage(2);
    for _ in 0..2 {
        // The second time, with storage that another array used.
        let mut array = array(&mut storage);
        for _ in 0..2 {
            for i in 0..9 {
                array.append((i, "node")).unwrap();
                assert_eq!(array.last(), Some(&(i, "node")));
            }
            for i in (0..9).rev() {
                assert_eq!(array.last(), Some(&(i, "node")));
                array.trim(1);
                assert_eq!(array.len(), i);
            }
        }
    }
}

#[test]
fn elements_may_be_references() {
    let integers: Vec<usize> = (0..1000).collect();
    let mut storage = storage(20);
    let mut array = array(&mut storage);
    let taken = integers
        .iter()
        .take_while(|integer| array.append(*integer).is_ok())
        .count();
    assert_eq!(taken, 100);
    assert!(
        array
            .iter()
            .enumerate()
            .all(|(index, integer)| **integer == index)
    );
}

#[test]
fn an_element_never_moves() {
    let mut storage = storage(40);
    let mut array = array(&mut storage);
    let mut addresses = Vec::new();
    for i in 0..200u64 {
        addresses.push(&raw const *array.append(i).unwrap());
    }
    array.trim(77);
    for i in 123..200 {
        array.append(i).unwrap();
    }
    for (element, address) in array.iter().zip(addresses).take(123) {
        assert_eq!(&raw const *element, address);
    }
}

#[test]
fn arrays_share_an_allocator() {
    let mut storage = storage(3);
    let allocator = Allocator::new(&mut storage);
    let mut one: SegmentedArray<'_, i32, N, _> = SegmentedArray::new(&allocator);
    let mut two: SegmentedArray<'_, i32, N, _> = SegmentedArray::new(&allocator);
    for i in 0..N as i32 {
        one.append(i).unwrap();
        two.append(-i).unwrap();
    }
    one.append(5).unwrap();
    assert_eq!(
        two.append(-5),
        Err(-5),
        "the third segment is with the other"
    );
    assert_eq!(all(&one), [0, 1, 2, 3, 4, 5]);
    assert_eq!(all(&two), [0, -1, -2, -3, -4]);
}

#[test]
fn elements_are_dropped_once() {
    let counted = Rc::new(());
    let mut storage = storage(4);
    let mut array = array(&mut storage);
    for _ in 0..13 {
        array.append(Rc::clone(&counted)).unwrap();
    }
    array.trim(4);
    assert_eq!(Rc::strong_count(&counted), 1 + 9);
    array.append(Rc::clone(&counted)).unwrap();
    drop(array);
    assert_eq!(Rc::strong_count(&counted), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 200 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_a_vec_with_a_limit(ops in prop::collection::vec((any::<bool>(), 0usize..12), 0..120)) {
        let mut storage = storage(6);
        let mut array = array(&mut storage);
        let mut model: Vec<usize> = Vec::new();
        for (index, (append, count)) in ops.into_iter().enumerate() {
            if append {
                for _ in 0..count {
                    let fits = model.len() < 6 * N;
                    prop_assert_eq!(array.append(index).is_ok(), fits);
                    if fits {
                        model.push(index);
                    }
                }
            } else {
                array.trim(count);
                model.truncate(model.len().saturating_sub(count));
            }
            prop_assert_eq!(all(&array), model.clone());
            for at in 0..=model.len() {
                prop_assert_eq!(array.get(at), model.get(at));
            }
        }
    }
}
