//! Enter and exit, copy and merge, as LLVM's `function_call_trie_test.cpp`
//! expects them, and what XRay leaves open.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use support::*;
use wasm_xray::{Anomalies, EnterError, MergeError, NodeId};

/// The one root.
fn only_root(trie: &Calls) -> NodeId {
    let roots: Vec<_> = trie.roots().collect();
    assert_eq!(roots.len(), 1);
    roots[0]
}

/// Function, calls, XRay's time.
fn xray_record(trie: &Calls, node: NodeId) -> (u32, u64, u64) {
    // SAFETY: a node of this trie, and so are the others.
    unsafe {
        let below: u64 = trie
            .callees(node)
            .map(|callee| xray_record(trie, callee).2)
            .fold(0, u64::wrapping_add);
        (
            trie.function(node).unwrap().get(),
            trie.calls(node),
            trie.cost(node).wrapping_add(below),
        )
    }
}

fn callees(trie: &Calls, node: NodeId) -> Vec<NodeId> {
    // SAFETY: a node of this trie.
    unsafe { trie.callees(node).collect() }
}

#[test]
fn a_call_is_counted_and_timed() {
    let mut trie = calls(ARENA, 1);
    trie.enter_function(id(1), 1).unwrap();
    trie.exit_function(id(1), 2);
    assert_eq!(xray_record(&trie, only_root(&trie)), (1, 1, 1));
    assert_eq!(trie.anomalies(), Anomalies::default());
}

#[test]
fn a_clock_may_wrap_around() {
    let mut trie = calls(ARENA, 1);
    trie.enter_function(id(1), u64::MAX).unwrap();
    trie.exit_function(id(1), 1);
    assert_eq!(xray_record(&trie, only_root(&trie)), (1, 1, 1));
}

#[test]
fn the_longest_time_is_one_step_back() {
    let mut trie = calls(ARENA, 1);
    trie.enter_function(id(1), 1).unwrap();
    trie.exit_function(id(1), 0);
    assert_eq!(xray_record(&trie, only_root(&trie)), (1, 1, u64::MAX - 1));
}

#[test]
fn an_exit_without_an_entry_leaves_no_root() {
    let mut trie = calls(ARENA, 1);
    trie.exit_function(id(1), 1);
    assert_eq!(trie.roots().count(), 0);
    assert_eq!(trie.anomalies().unmatched_exits, 1);
}

#[test]
fn an_exit_that_matches_no_entry_closes_every_frame() {
    let mut trie = calls(ARENA, 3);
    trie.enter_function(id(2), 1).unwrap();
    trie.enter_function(id(3), 3).unwrap();
    trie.exit_function(id(1), 5);
    let root = only_root(&trie);
    assert_eq!(trie.depth(), 0);
    assert_eq!(xray_record(&trie, root), (2, 1, 2));
    assert_eq!(xray_record(&trie, callees(&trie, root)[0]), (3, 1, 2));
    assert_eq!(
        trie.anomalies(),
        Anomalies {
            unmatched_exits: 1,
            missing_exits: 2,
            dropped_frames: 0
        }
    );
}

#[test]
fn an_entry_without_an_exit_is_a_root_without_a_call() {
    let mut trie = calls(ARENA, 1);
    trie.enter_function(id(1), 1).unwrap();
    assert_eq!(xray_record(&trie, only_root(&trie)), (1, 0, 0));
    assert_eq!(trie.depth(), 1);
}

#[test]
fn there_may_be_several_roots() {
    let mut trie = calls(ARENA, 2);
    trie.enter_function(id(1), 1).unwrap();
    trie.exit_function(id(1), 2);
    trie.enter_function(id(2), 3).unwrap();
    trie.exit_function(id(2), 4);
    let roots: Vec<_> = trie.roots().map(|root| xray_record(&trie, root)).collect();
    assert_eq!(roots, [(1, 1, 1), (2, 1, 1)]);
}

#[test]
fn a_root_that_is_called_again_is_the_same_root() {
    let mut trie = calls(ARENA, 1);
    for time in 0..3 {
        trie.enter_function(id(1), 10 * time).unwrap();
        trie.exit_function(id(1), 10 * time + 4);
    }
    assert_eq!(xray_record(&trie, only_root(&trie)), (1, 3, 12));
}

#[test]
fn a_missing_exit_in_between_is_made_up_for() {
    let mut trie = calls(ARENA, 3);
    trie.enter_function(id(1), 0).unwrap();
    trie.enter_function(id(2), 100).unwrap();
    trie.enter_function(id(3), 200).unwrap();
    trie.exit_function(id(3), 300);
    trie.exit_function(id(1), 400);
    let one = only_root(&trie);
    let two = callees(&trie, one)[0];
    let three = callees(&trie, two)[0];
    assert_eq!(callees(&trie, three), []);
    assert_eq!(xray_record(&trie, three), (3, 1, 100));
    assert_eq!(xray_record(&trie, two), (2, 1, 300));
    assert_eq!(xray_record(&trie, one), (1, 1, 100));
    assert_eq!(trie.anomalies().missing_exits, 1);
}

#[test]
fn one_exit_closes_a_deep_stack() {
    let mut trie = calls(ARENA, 32);
    for depth in 0..32 {
        trie.enter_function(id(depth + 1), depth.into()).unwrap();
    }
    trie.exit_function(id(1), 33);
    let mut node = only_root(&trie);
    for depth in 1..=32 {
        let (function, calls, _) = xray_record(&trie, node);
        assert_eq!((function, calls), (depth, 1));
        match callees(&trie, node)[..] {
            [callee] => node = callee,
            [] => assert_eq!(depth, 32),
            _ => panic!("one callee each"),
        }
    }
}

/// 1 calls 2 and then 3.
fn two_callees() -> Calls {
    let mut trie = calls(ARENA, 3);
    for (function, time, enter) in [
        (1, 0, true),
        (2, 1, true),
        (2, 2, false),
        (3, 3, true),
        (3, 4, false),
        (1, 5, false),
    ] {
        if enter {
            trie.enter_function(id(function), time).unwrap();
        } else {
            trie.exit_function(id(function), time);
        }
    }
    trie
}

#[test]
fn a_deep_copy_is_the_same_trie_elsewhere() {
    let trie = two_callees();
    let copy = calls(2 * ARENA, 3);
    trie.deep_copy_into(&copy).unwrap();
    for trie in [&trie, &copy] {
        let root = only_root(trie);
        assert_eq!(xray_record(trie, root), (1, 1, 5));
        let below = callees(trie, root);
        let records: Vec<_> = below.iter().map(|&node| xray_record(trie, node)).collect();
        assert_eq!(records, [(2, 1, 1), (3, 1, 1)]);
        for node in below {
            // SAFETY: a node of this trie.
            assert_eq!(unsafe { trie.parent(node) }, Some(root));
        }
    }
    assert_eq!(trie.deep_copy_into(&copy), Err(MergeError::NotEmpty));
    assert_eq!(
        trie.deep_copy_into(&calls(ARENA, 2)),
        Err(MergeError::UnknownFunction)
    );
}

/// 1 calls 2, which calls 3.
fn chain() -> Calls {
    let mut trie = calls(ARENA, 3);
    for function in 1..=3 {
        trie.enter_function(id(function), u64::from(function) - 1)
            .unwrap();
    }
    for function in (1..=3).rev() {
        trie.exit_function(id(function), 6 - u64::from(function));
    }
    trie
}

#[test]
fn merging_adds_up_counts_and_times() {
    let merged = calls(ARENA, 3);
    chain().merge_into(&merged).unwrap();
    chain().merge_into(&merged).unwrap();
    let one = only_root(&merged);
    let two = callees(&merged, one)[0];
    let three = callees(&merged, two)[0];
    assert_eq!(xray_record(&merged, one), (1, 2, 10));
    assert_eq!(xray_record(&merged, two), (2, 2, 6));
    assert_eq!(xray_record(&merged, three), (3, 2, 2));
    assert_eq!(callees(&merged, three), []);
}

#[test]
fn storage_is_used_again_after_a_reset() {
    let mut trie = calls(ARENA, 1);
    for _ in 0..3 {
        trie.enter_function(id(1), 0).unwrap();
        trie.exit_function(id(1), 1);
        assert_eq!(xray_record(&trie, only_root(&trie)), (1, 1, 1));
        // This one is live at the reset, which forgets it.
        trie.enter_function(id(1), 0).unwrap();
        trie.reset().unwrap();
        assert_eq!((trie.depth(), trie.roots().count()), (0, 0));
    }
    trie.exit_function(id(1), 1);
    assert_eq!(trie.roots().count(), 0);
}

#[test]
fn a_function_that_is_not_registered_is_refused() {
    let mut trie = calls(ARENA, 2);
    assert_eq!(
        trie.enter_function(id(3), 0),
        Err(EnterError::UnknownFunction)
    );
    assert_eq!(trie.roots().count(), 0);
}

#[test]
fn self_costs_are_what_probes_would_charge() {
    let trie = two_callees();
    let root = only_root(&trie);
    // SAFETY: nodes of this trie.
    unsafe {
        assert_eq!(trie.cost(root), 3);
        assert!(trie.callees(root).all(|node| trie.cost(node) == 1));
    }
}

#[test]
fn probes_and_calls_by_hand_fill_one_trie() {
    let mut trie = calls(ARENA, 3);
    // SAFETY: nodes of this trie.
    unsafe {
        let import = trie.enter(id(1));
        let outer = trie.swap_current(import);
        trie.enter_function(id(2), 10).unwrap();
        trie.exit_function(id(2), 15);
        trie.swap_current(outer);
        let by_hand = trie.enter_function(id(1), 20).unwrap();
        assert_eq!(by_hand, import);
        let probed = trie.child(by_hand, id(2));
        trie.count(probed);
        trie.charge(probed, 7);
        trie.exit_function(id(1), 40);
    }
    let root = only_root(&trie);
    assert_eq!(xray_record(&trie, callees(&trie, root)[0]), (2, 2, 12));
    assert_eq!(xray_record(&trie, root).1, 2);
}

#[test]
fn a_full_shadow_stack_keeps_every_count() {
    // One segment of 64 frames.
    let mut trie = calls_on(ARENA, 2, 1);
    for depth in 0..100u32 {
        let entered = trie.enter_function(id(1 + depth % 2), depth.into());
        assert_eq!(entered.is_err(), depth >= 64);
    }
    assert_eq!(trie.depth(), 100);
    for depth in (0..100u32).rev() {
        trie.exit_function(id(1 + depth % 2), (200 - depth).into());
    }
    assert_eq!((trie.depth(), trie.dropped_calls()), (0, 36));
    assert_eq!(
        trie.anomalies(),
        Anomalies {
            dropped_frames: 36,
            ..Anomalies::default()
        }
    );
    assert_eq!(calls_per_function(&trie), [(1, 50), (2, 50)].into());
    assert_eq!(xray_record(&trie, only_root(&trie)), (1, 1, 200));
}

#[test]
fn a_suspended_call_is_timed_and_counted_once() {
    let mut trie = calls(ARENA, 3);
    trie.enter_function(id(1), 0).unwrap();
    for (from, to) in [(10, 15), (100, 120), (200, 203)] {
        trie.enter_function(id(2), from).unwrap();
        trie.enter_function(id(3), from + 1).unwrap();
        trie.exit_function(id(3), from + 2);
        trie.suspend_function(id(2), to);
    }
    trie.enter_function(id(2), 300).unwrap();
    assert!(trie.is_live(id(1)) && trie.is_live(id(2)) && !trie.is_live(id(3)));
    trie.exit_function(id(2), 301);
    trie.exit_function(id(1), 400);
    let main = only_root(&trie);
    let suspended = callees(&trie, main)[0];
    let leaf = callees(&trie, suspended)[0];
    assert_eq!(xray_record(&trie, main), (1, 1, 400));
    assert_eq!(xray_record(&trie, suspended), (2, 1, 5 + 20 + 3 + 1));
    assert_eq!(xray_record(&trie, leaf), (3, 3, 3));
    assert_eq!(trie.anomalies(), Anomalies::default());
    assert!(!trie.is_live(id(1)));
}
