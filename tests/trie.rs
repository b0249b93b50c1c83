//! The trie against a map of paths, and what it answers when there is no room.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::HashMap;

use proptest::prelude::*;
use support::*;
use wasm_xray::{Buffer, InitError, ModuleError, NodeId, ResetError, SlotOffset, Trie};

const FUNCTIONS: u32 = 12;
/// Slots of each function, so few that several callees share the hash table.
const SLOTS: u32 = 3;

/// A program of calls. The stack of the model has paths, the real one nodes.
#[derive(Clone, Debug)]
enum Op {
    /// Direct call through a slot: callee and slot have the same number.
    Call(u32),
    /// Through a table or from an import.
    CallIndirect(u32),
    TailCall(u32),
    TailCallIndirect(u32),
    Return,
    /// Everything is unwound; then the host calls again.
    Trap,
    /// An import that calls back, with its own node.
    Import(u32, u32),
    Reset,
}

fn op() -> impl Strategy<Value = Op> {
    let direct = 1..=SLOTS;
    let any = 1..=FUNCTIONS;
    prop_oneof![
        6 => direct.clone().prop_map(Op::Call),
        6 => any.clone().prop_map(Op::CallIndirect),
        2 => direct.prop_map(Op::TailCall),
        2 => any.clone().prop_map(Op::TailCallIndirect),
        5 => Just(Op::Return),
        1 => Just(Op::Trap),
        2 => (any.clone(), any).prop_map(|(import, back)| Op::Import(import, back)),
    ]
}

fn op_or_reset() -> impl Strategy<Value = Op> {
    prop_oneof![50 => op(), 1 => Just(Op::Reset)]
}

/// Frames of the stack: the node in the trie, the path in the model.
struct Frame {
    node: NodeId,
    path: Vec<u32>,
}

#[derive(Default)]
struct Model {
    calls: HashMap<Vec<u32>, u64>,
    per_function: HashMap<u32, u64>,
}

impl Model {
    fn count(&mut self, path: &[u32]) {
        *self.calls.entry(path.to_vec()).or_default() += 1;
        *self.per_function.entry(*path.last().unwrap()).or_default() += 1;
    }
}

/// The slot of callee 1 is the first one.
fn slot(callee: u32) -> SlotOffset {
    SlotOffset(24 + 8 * (callee - 1))
}

fn slot_tail(callee: u32) -> SlotOffset {
    SlotOffset(24 + 8 * (SLOTS + callee - 1))
}

fn run(trie: &Trie<Buffer<'_>>, ops: &[Op]) -> Model {
    let mut model = Model::default();
    let mut stack: Vec<Frame> = Vec::new();
    for op in ops {
        // SAFETY: all nodes are of this trie; the stack is cleared at a reset.
        unsafe {
            let child = |path: &[u32], callee: u32| [path, &[callee]].concat();
            match (op, stack.pop()) {
                (&Op::Call(callee), Some(frame)) => {
                    let path = child(&frame.path, callee);
                    let node = trie.call(frame.node, slot(callee), id(callee));
                    model.count(&path);
                    stack.extend([frame, Frame { node, path }]);
                }
                (&Op::CallIndirect(callee), Some(frame)) => {
                    trie.pass(Some(frame.node));
                    let path = child(&frame.path, callee);
                    let node = trie.enter(id(callee));
                    model.count(&path);
                    stack.extend([frame, Frame { node, path }]);
                }
                (&Op::TailCall(callee), Some(frame)) => {
                    let path = child(&frame.path[..frame.path.len() - 1], callee);
                    let node = trie.call_tail(frame.node, slot_tail(callee), id(callee));
                    model.count(&path);
                    stack.push(Frame { node, path });
                }
                (&Op::TailCallIndirect(callee), Some(frame)) => {
                    trie.pass_parent(frame.node);
                    let path = child(&frame.path[..frame.path.len() - 1], callee);
                    let node = trie.enter(id(callee));
                    model.count(&path);
                    stack.push(Frame { node, path });
                }
                (&Op::Import(import, back), Some(frame)) => {
                    let path = child(&frame.path, import);
                    let node = trie.child(frame.node, id(import));
                    trie.count(node);
                    model.count(&path);
                    let outer = trie.swap_current(node);
                    trie.enter(id(back));
                    model.count(&child(&path, back));
                    assert_eq!(trie.swap_current(outer), node);
                    stack.push(frame);
                }
                (Op::Return, Some(_)) => {}
                (Op::Trap, _) => stack.clear(),
                (Op::Reset, _) => {
                    stack.clear();
                    trie.reset().unwrap();
                    model = Model::default();
                }
                (
                    &Op::Call(callee)
                    | &Op::CallIndirect(callee)
                    | &Op::TailCall(callee)
                    | &Op::TailCallIndirect(callee)
                    | &Op::Import(callee, _),
                    None,
                ) => {
                    let node = trie.enter(id(callee));
                    model.count(&[callee]);
                    stack.push(Frame {
                        node,
                        path: vec![callee],
                    });
                }
                (Op::Return, None) => {}
            }
        }
    }
    model
}

/// Calls per path, and per function with the dropped ones.
fn counts(trie: &Trie<Buffer<'_>>) -> (HashMap<Vec<u32>, u64>, HashMap<u32, u64>) {
    let mut paths: HashMap<NodeId, Vec<u32>> = HashMap::from([(trie.root(), Vec::new())]);
    let mut calls = HashMap::new();
    let mut per_function = HashMap::new();
    for node in trie.nodes() {
        // SAFETY: a node of this trie.
        let (function, parent, overflow, count) = unsafe {
            (
                trie.function(node).unwrap().get(),
                trie.parent(node).unwrap(),
                trie.is_overflow(node),
                trie.calls(node),
            )
        };
        if count > 0 {
            *per_function.entry(function).or_default() += count;
        }
        if !overflow {
            let path = [&paths[&parent][..], &[function]].concat();
            assert_eq!(calls.insert(path.clone(), count), None, "one node a path");
            paths.insert(node, path);
        }
    }
    (calls, per_function)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 200 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_path_has_its_count(ops in prop::collection::vec(op_or_reset(), 0..300)) {
        let trie = trie(1 << 20, &[2 * SLOTS; FUNCTIONS as usize]);
        let model = run(&trie, &ops);
        let (calls, per_function) = counts(&trie);
        prop_assert_eq!(calls, model.calls);
        prop_assert_eq!(per_function, model.per_function);
        prop_assert_eq!(trie.dropped_paths(), 0);
        prop_assert_eq!(trie.dropped_calls(), 0);
    }

    #[test]
    fn in_a_full_arena_every_function_has_its_count(ops in prop::collection::vec(op(), 100..300)) {
        // 23 paths fit.
        let trie = trie(ARENA, &[400; FUNCTIONS as usize]);
        let model = run(&trie, &ops);
        let (calls, per_function) = counts(&trie);
        prop_assert_eq!(per_function, model.per_function);
        // What has a path has no calls of another one.
        for (path, count) in &calls {
            prop_assert!(*count <= model.calls[path]);
        }
        prop_assert!(calls.len() <= 23);
        let total: u64 = model.calls.values().sum();
        prop_assert_eq!(trie.dropped_calls() + calls.values().sum::<u64>(), total);
    }
}

#[test]
fn a_recursion_deeper_than_the_arena_keeps_every_call() {
    let trie = trie(ARENA, &[1, 1]);
    // SAFETY: nodes of this trie.
    unsafe {
        let mut node = trie.enter(id(1));
        for depth in 1..100_000u32 {
            node = trie.call(node, SlotOffset(24), id(1 + depth % 2));
        }
    }
    let (_, per_function) = counts(&trie);
    assert_eq!(per_function, HashMap::from([(1, 50_000), (2, 50_000)]));
    assert_eq!(trie.dropped_calls() + u64::from(trie.paths()), 100_000);
    // The first path that did not fit, and then a slot of each overflow node.
    assert_eq!(trie.dropped_paths(), 3);
    assert!(trie.used() <= ARENA);
}

#[test]
fn a_full_hash_table_keeps_every_call() {
    // Nodes so small that there is room for more of them than for entries.
    let bytes = 1 << 20;
    let trie = trie(bytes, &[0; 2]);
    let entries = bytes / 8 / 4;
    // SAFETY: nodes of this trie.
    unsafe {
        let mut nodes = vec![trie.root()];
        for i in 0..entries {
            let node = trie.child(nodes[i as usize / 2], id(1 + i % 2));
            trie.count(node);
            nodes.push(node);
        }
    }
    assert_eq!(trie.paths(), entries * 7 / 8);
    assert!(trie.used() < bytes - 1000);
    let half = u64::from(entries / 2);
    assert_eq!(counts(&trie).1, HashMap::from([(1, half), (2, half)]));
}

#[test]
fn a_call_below_a_dropped_path_is_dropped_even_where_its_path_would_fit() {
    let trie = trie(ARENA, &[3000, 0]);
    // SAFETY: nodes of this trie.
    unsafe {
        let mut node = trie.enter(id(1));
        while !trie.is_overflow(node) {
            node = trie.child(node, id(1));
        }
        let small = trie.child(node, id(2));
        assert!(trie.is_overflow(small));
        // Its own caller, for a tail call, is as lost.
        trie.pass_parent(small);
        assert!(trie.is_overflow(trie.enter(id(2))));
        assert!(
            !trie.is_overflow(trie.enter(id(2))),
            "but the host's call has a path"
        );
    }
}

#[test]
fn sizes_are_refused_with_a_reason() {
    let mut words = words(128 << 10);
    let trie = Trie::new(Buffer::new(&mut words));
    assert_eq!(trie.init((64 << 10) - 1), Err(InitError::TooSmall));
    assert_eq!(trie.init(u32::MAX), Err(InitError::TooLarge));
    assert_eq!(trie.init((128 << 10) + 8), Err(InitError::BeyondStorage));
    assert_eq!(trie.reset(), Err(ResetError::NotInitialized));
    assert_eq!(
        trie.begin_module(1, 0),
        Err(ModuleError::ArenaFull),
        "there is no arena yet"
    );
    assert_eq!(trie.nodes().count(), 0);
    assert_eq!(trie.init((128 << 10) - 1), Ok(()));
    assert_eq!(trie.begin_module(1, 0), Ok(1));
}

#[test]
fn modules_follow_each_other_or_are_refused() {
    let trie = trie(ARENA, &[]);
    assert_eq!(trie.begin_module(3, 10), Ok(1));
    assert_eq!(trie.begin_module(1, 0), Err(ModuleError::Incomplete));
    for slots in [0, 7, 3] {
        trie.add_function(slots).unwrap();
    }
    assert_eq!(trie.add_function(0), Err(ModuleError::TooManyFunctions));
    assert_eq!(
        trie.begin_module(u32::MAX, u32::MAX),
        Err(ModuleError::ArenaFull)
    );
    assert_eq!(
        trie.begin_module(2000, 0),
        Err(ModuleError::ArenaFull),
        "36 bytes each are more than is left"
    );
    assert_eq!(trie.begin_module(1500, 0), Ok(4));
    for _ in 0..1499 {
        trie.add_function(0).unwrap();
    }
    assert_eq!(
        trie.add_function((1 << 20) + 1),
        Err(ModuleError::TooManySlots)
    );
    assert_eq!(
        trie.add_function(1 << 20),
        Err(ModuleError::ArenaFull),
        "more slots than announced"
    );
    assert_eq!(trie.add_function(0).unwrap().get(), 1503);
}

#[test]
fn a_reset_keeps_the_modules_and_drops_the_rest() {
    let trie = trie(ARENA, &[1, 1]);
    let first = register(&trie, &[5]);
    // SAFETY: nodes of this trie since its last reset.
    unsafe {
        let node = trie.enter(id(1));
        trie.call(node, SlotOffset(24), id(2));
        // Between two modules' overflow nodes there are paths now.
        register(&trie, &[2]);
        let import = trie.child(node, id(first));
        let root = trie.swap_current(import);
        assert_eq!(trie.reset(), Err(ResetError::Running));
        trie.swap_current(root);
        trie.pass(Some(node));
        trie.reset().unwrap();
        assert_eq!(counts(&trie), Default::default());
        assert_eq!((trie.paths(), trie.functions()), (0, 4));
        // The slot is empty and PASS forgotten.
        let node = trie.enter(id(1));
        assert_eq!(trie.parent(node), Some(trie.root()));
        trie.call(node, SlotOffset(24), id(2));
        trie.call(node, SlotOffset(24), id(2));
    }
    assert_eq!(
        counts(&trie).0,
        HashMap::from([(vec![1], 1), (vec![1, 2], 2)])
    );
}

#[test]
fn an_iteration_ends_when_the_trie_is_reset() {
    let trie = trie(ARENA, &[0, 0]);
    let mut nodes = trie.nodes();
    assert!(nodes.next().is_some());
    trie.reset().unwrap();
    assert_eq!(nodes.next(), None);
}
