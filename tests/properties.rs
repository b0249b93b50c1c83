//! Any sequence of entries and exits against a map from paths to counts and
//! times that knows nothing of tries, in both layouts, merged in any order.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::collections::{BTreeMap, HashMap};

use proptest::prelude::*;
use support::*;
use wasm_xray::{Anomalies, Collector, Header, Layout, Trie};

const FUNCTIONS: u32 = 5;

#[derive(Clone, Debug)]
enum Op {
    Enter(u32, u64),
    Exit(u32, u64),
    /// An exit that matches, as most do.
    Return(u64),
}

/// Times that mostly pass, sometimes jump anywhere.
fn time() -> impl Strategy<Value = u64> {
    prop_oneof![20 => 0u64..1000, 1 => any::<u64>(), 1 => Just(u64::MAX), 1 => Just(0)]
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        6 => (1..=FUNCTIONS, time()).prop_map(|(function, time)| Op::Enter(function, time)),
        1 => (1..=FUNCTIONS, time()).prop_map(|(function, time)| Op::Exit(function, time)),
        4 => time().prop_map(Op::Return),
    ]
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    prop::collection::vec(op(), 0..120)
}

#[derive(Default)]
struct Model {
    /// Calls and XRay's time.
    paths: HashMap<Vec<u32>, (u64, u64)>,
    live: Vec<(Vec<u32>, u64)>,
    anomalies: Anomalies,
}

impl Model {
    fn run(ops: &[Op]) -> Model {
        let mut model = Model::default();
        for op in ops {
            match *op {
                Op::Enter(function, time) => {
                    let mut path = model.live.last().map_or(Vec::new(), |top| top.0.clone());
                    path.push(function);
                    model.paths.entry(path.clone()).or_default();
                    model.live.push((path, time));
                }
                Op::Exit(function, time) => model.exit(function, time),
                Op::Return(time) => {
                    if let Some((path, _)) = model.live.last() {
                        model.exit(path[path.len() - 1], time);
                    }
                }
            }
        }
        model
    }

    fn exit(&mut self, function: u32, time: u64) {
        let mut popped = 0u64;
        while let Some((path, entered)) = self.live.pop() {
            let span = match time.checked_sub(entered) {
                Some(span) => span,
                None => u64::MAX - entered + time,
            };
            let (calls, inclusive) = self.paths.get_mut(&path).unwrap();
            *calls += 1;
            *inclusive = inclusive.wrapping_add(span).wrapping_sub(popped);
            popped = popped.wrapping_add(span);
            if path.last() == Some(&function) {
                return;
            }
            self.anomalies.missing_exits += 1;
        }
        self.anomalies.unmatched_exits += 1;
    }

    /// As the compact layout has it: self costs, at least 0.
    fn self_costs(&self) -> BTreeMap<(u64, Path), (u64, u64)> {
        let mut costs: HashMap<Vec<u32>, u64> = HashMap::new();
        for (path, &(_, inclusive)) in &self.paths {
            let own = costs.entry(path.clone()).or_default();
            *own = own.wrapping_add(inclusive);
            let caller = costs.entry(path[..path.len() - 1].to_vec()).or_default();
            *caller = caller.wrapping_sub(inclusive);
        }
        self.file(|path, _| (costs[path] as i64).max(0) as u64)
    }

    fn inclusive(&self) -> BTreeMap<(u64, Path), (u64, u64)> {
        self.file(|_, inclusive| inclusive)
    }

    fn file(&self, cost: impl Fn(&[u32], u64) -> u64) -> BTreeMap<(u64, Path), (u64, u64)> {
        self.paths
            .iter()
            .map(|(path, &(calls, inclusive))| {
                ((7, Path::Of(path.clone())), (calls, cost(path, inclusive)))
            })
            .collect()
    }
}

fn run(trie: &mut Calls, ops: &[Op]) {
    let mut live = Vec::new();
    for op in ops {
        match *op {
            Op::Enter(function, time) => {
                trie.enter_function(id(function), time).unwrap();
                live.push(function);
            }
            Op::Exit(function, time) => {
                trie.exit_function(id(function), time);
                live.truncate(trie.depth() as usize);
            }
            Op::Return(time) => {
                if let Some(function) = live.pop() {
                    trie.exit_function(id(function), time);
                }
            }
        }
    }
}

fn filled(ops: &[Op]) -> Calls {
    let mut trie = calls(512 << 10, FUNCTIONS as usize);
    run(&mut trie, ops);
    trie
}

fn file(trie: &'static Calls, layout: Layout, piece: usize) -> File {
    let collector: Collector<&Trie<_>, 1> = Collector::new();
    collector.post(7, trie).unwrap();
    collector.serialize(layout, Header::default()).unwrap();
    parse(&pieces(&collector, piece))
}

fn folded_file(trie: &'static Calls, layout: Layout, piece: usize) -> File {
    let collector: Collector<&Trie<_>, 1> = Collector::new();
    collector.post(7, trie).unwrap();
    collector
        .serialize_folded(layout, Header::default())
        .unwrap();
    let file = parse(&pieces(&collector, piece));
    assert_eq!(collector.unfolded(), 0);
    file
}

/// The path with each recursion cut out.
fn folded_path(path: &[u32]) -> Vec<u32> {
    let mut short: Vec<u32> = Vec::new();
    for &function in path {
        match short.iter().position(|&outer| outer == function) {
            Some(outer) => short.truncate(outer + 1),
            None => short.push(function),
        }
    }
    short
}

type Contents = BTreeMap<Vec<u32>, (u64, u64)>;

fn folded_contents(contents: Contents) -> Contents {
    let mut folded = Contents::new();
    for (path, (calls, cost)) in contents {
        let sum = folded.entry(folded_path(&path)).or_default();
        *sum = (sum.0 + calls, sum.1.wrapping_add(cost));
    }
    folded
}

fn per_function<'a>(paths: impl Iterator<Item = (&'a [u32], u64)>) -> BTreeMap<u32, u64> {
    let mut calls = BTreeMap::new();
    for (path, count) in paths {
        *calls.entry(path[path.len() - 1]).or_default() += count;
    }
    calls
}

fn leak(trie: Calls) -> &'static Calls {
    Box::leak(Box::new(trie))
}

/// Everything that a trie says, in one value.
fn contents(trie: &Calls) -> Contents {
    let mut paths = HashMap::from([(trie.root(), Vec::new())]);
    let mut contents = BTreeMap::new();
    for node in trie.nodes() {
        // SAFETY: a node of this trie.
        unsafe {
            if trie.is_overflow(node) {
                assert_eq!(trie.calls(node), 0);
                continue;
            }
            let mut path = paths[&trie.parent(node).unwrap()].clone();
            path.push(trie.function(node).unwrap().get());
            contents.insert(path.clone(), (trie.calls(node), trie.cost(node)));
            paths.insert(node, path);
        }
    }
    contents
}

fn merged(tries: &[&Calls]) -> Calls {
    let target = calls(1 << 20, FUNCTIONS as usize);
    for trie in tries {
        trie.merge_into(&target).unwrap();
    }
    target
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 3 } else { 150 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_file_says_what_happened(ops in ops(), piece in 640usize..2000) {
        let model = Model::run(&ops);
        let trie = leak(filled(&ops));
        prop_assert_eq!(trie.anomalies(), model.anomalies);
        prop_assert_eq!(trie.depth(), model.live.len() as u64);
        prop_assert_eq!(file(trie, Layout::Xray, piece).paths, model.inclusive());
        prop_assert_eq!(file(trie, Layout::Compact, piece).paths, model.self_costs());
        // And the first file did not change the trie.
        prop_assert_eq!(file(trie, Layout::Xray, piece).paths, model.inclusive());
    }

    #[test]
    fn a_program_that_goes_on_while_it_is_read_is_exact_afterwards(
        ops in ops(), more in ops(), pieces_read in 0usize..4
    ) {
        let mut trie = calls(512 << 10, FUNCTIONS as usize);
        run(&mut trie, &ops);
        let depth = trie.depth();
        // Everything is unwound, so that `run` can start afresh.
        trie.exit_function(id(FUNCTIONS), 5);
        while trie.depth() > 0 {
            trie.exit_function(id(FUNCTIONS), 5);
        }
        let before = contents(&trie);
        let trie = Box::leak(Box::new(std::cell::RefCell::new(trie)));
        struct Shared(&'static std::cell::RefCell<Calls>);
        impl std::ops::Deref for Shared {
            type Target = Trie<wasm_xray::Buffer<'static>>;
            fn deref(&self) -> &Self::Target {
                // SAFETY: on this one thread the trie is never replaced or moved.
                unsafe { &*self.0.as_ptr() }
            }
        }
        let collector: Collector<Shared, 1> = Collector::new();
        collector.post(7, Shared(trie)).unwrap();
        collector.serialize(Layout::Xray, Header::default()).unwrap();
        let mut buffer = [0; 640];
        for _ in 0..pieces_read {
            collector.next_buffer(&mut buffer).unwrap();
        }
        run(&mut trie.borrow_mut(), &more);
        collector.reset().unwrap();
        let more = filled(&more);
        let mut expected = before;
        for (path, (calls, cost)) in contents(&more) {
            let sum = expected.entry(path).or_default();
            *sum = (sum.0 + calls, sum.1.wrapping_add(cost));
        }
        prop_assert_eq!(contents(&trie.borrow()), expected, "{} deep", depth);
    }

    #[test]
    fn a_trie_read_back_is_the_same_trie(ops in ops(), piece in 64usize..2000) {
        let trie = leak(filled(&ops));
        let read = file(trie, Layout::Compact, piece);
        let again = calls(512 << 10, FUNCTIONS as usize);
        // Shorter paths come first.
        for ((_, path), (count, cost)) in &read.paths {
            let Path::Of(path) = path else { panic!("nothing was dropped") };
            // SAFETY: nodes of this trie.
            unsafe {
                let node = path
                    .iter()
                    .fold(again.root(), |node, &function| again.child(node, id(function)));
                for _ in 0..*count {
                    again.count(node);
                }
                again.charge(node, *cost);
            }
        }
        prop_assert_eq!(file(leak(again), Layout::Compact, piece).paths, read.paths);
    }

    #[test]
    fn merging_is_associative_and_commutative(a in ops(), b in ops(), c in ops()) {
        let (a, b, c) = (&filled(&a), &filled(&b), &filled(&c));
        let abc = contents(&merged(&[a, b, c]));
        prop_assert_eq!(&contents(&merged(&[c, a, b])), &abc);
        prop_assert_eq!(&contents(&merged(&[a, &merged(&[c, b])])), &abc);
        prop_assert_eq!(&contents(&merged(&[&merged(&[b, a]), c])), &abc);
        let mut sums: Contents = BTreeMap::new();
        for (path, (calls, cost)) in [a, b, c].into_iter().flat_map(contents) {
            let sum = sums.entry(path).or_default();
            *sum = (sum.0 + calls, sum.1.wrapping_add(cost));
        }
        prop_assert_eq!(abc, sums);
    }

    #[test]
    fn folding_moves_a_recursive_call_to_the_outermost_one(ops in ops()) {
        let trie = filled(&ops);
        let folded = calls(512 << 10, FUNCTIONS as usize);
        trie.fold_into(&folded).unwrap();
        prop_assert_eq!(contents(&folded), folded_contents(contents(&trie)));
    }

    #[test]
    fn a_folded_file_has_every_call_of_every_function(ops in ops(), piece in 64usize..2000) {
        let trie = leak(filled(&ops));
        let plain = contents(trie);
        let folded = folded_contents(plain.clone());
        let calls = |contents: &Contents| {
            per_function(contents.iter().map(|(path, (calls, _))| (path.as_slice(), *calls)))
        };
        prop_assert_eq!(calls(&folded), calls(&plain));
        let compact: BTreeMap<_, _> = folded
            .iter()
            .map(|(path, &(calls, cost))| {
                ((7, Path::Of(path.clone())), (calls, (cost as i64).max(0) as u64))
            })
            .collect();
        prop_assert_eq!(folded_file(trie, Layout::Compact, piece).paths, compact);
        let inclusive: BTreeMap<_, _> = folded
            .iter()
            .map(|(path, &(calls, _))| {
                let below = folded.iter().filter(|(other, _)| other.starts_with(path));
                let cost = below.fold(0u64, |sum, (_, (_, cost))| sum.wrapping_add(*cost));
                ((7, Path::Of(path.clone())), (calls, cost))
            })
            .collect();
        prop_assert_eq!(folded_file(trie, Layout::Xray, piece).paths, inclusive);
        // The trie is as it was.
        prop_assert_eq!(contents(trie), plain);
    }

    #[test]
    fn a_copy_is_equal_and_independent(ops in ops()) {
        let trie = filled(&ops);
        let mut copy = calls(512 << 10, FUNCTIONS as usize);
        trie.deep_copy_into(&copy).unwrap();
        prop_assert_eq!(contents(&copy), contents(&trie));
        copy.enter_function(id(1), 0).unwrap();
        copy.exit_function(id(1), 5);
        prop_assert_eq!(contents(&trie), contents(&filled(&ops)));
    }

    #[test]
    fn in_a_full_arena_every_function_has_its_count(ops in prop::collection::vec(op(), 300..600)) {
        let model = Model::run(&ops);
        let mut per_function = BTreeMap::new();
        for (path, (count, _)) in &model.paths {
            if *count > 0 {
                *per_function.entry(path[path.len() - 1]).or_default() += count;
            }
        }
        // So large nodes that some twenty paths fit.
        let segments: Vec<_> = std::iter::repeat_with(std::mem::MaybeUninit::uninit).take(20).collect();
        let mut trie = wasm_xray::FunctionCallTrie::new(trie(ARENA, &[500; FUNCTIONS as usize]), segments.leak());
        run(&mut trie, &ops);
        prop_assert_eq!(calls_per_function(&trie), per_function);
        prop_assert!(trie.dropped_calls() > 0);
        // Self costs still add up to the time in outermost frames.
        let whole = model.paths.iter().filter(|(path, _)| path.len() == 1);
        if model.anomalies == Anomalies::default() && model.live.is_empty() {
            let whole = whole.fold(0, |sum: u64, (_, (_, time))| sum.wrapping_add(*time));
            // SAFETY: nodes of this trie.
            let charged = trie.nodes().fold(0, |sum: u64, node| unsafe { sum.wrapping_add(trie.cost(node)) });
            prop_assert_eq!(charged, whole);
        }
        // Merged into a larger arena, nothing changes for a function.
        let target = calls(1 << 20, FUNCTIONS as usize);
        trie.merge_into(&target).unwrap();
        prop_assert_eq!(calls_per_function(&target), calls_per_function(&trie));
        prop_assert_eq!(target.dropped_calls(), trie.dropped_calls());
        prop_assert_eq!(target.dropped_paths(), trie.dropped_paths());
    }
}

#[test]
fn merging_follows_paths_deeper_than_it_remembers() {
    // A chain of 20,000, and then children of its links in an order that no
    // cache of callers likes.
    let mut deep = calls_on(2 << 20, 2, 400);
    for _ in 0..20_000 {
        deep.enter_function(id(1), 0).unwrap();
    }
    deep.exit_function(id(2), 1);
    // SAFETY: nodes of this trie.
    unsafe {
        let nodes: Vec<_> = deep.nodes().skip(2).collect();
        for i in 0..nodes.len() {
            let node = nodes[i * 7919 % nodes.len()];
            deep.count(deep.child(node, id(2)));
        }
    }
    let copy = calls(2 << 20, 2);
    deep.deep_copy_into(&copy).unwrap();
    assert_eq!(copy.paths(), 40_000);
    assert_eq!(calls_per_function(&copy), [(1, 20_000), (2, 20_000)].into());
    let depths = |trie: &Calls| {
        let mut depths: HashMap<_, u32> = HashMap::from([(trie.root(), 0)]);
        let mut sums = Vec::new();
        for node in trie.nodes() {
            // SAFETY: a node of this trie.
            unsafe {
                if let Some(depth) = trie.parent(node).and_then(|parent| depths.get(&parent)) {
                    let depth = depth + 1;
                    depths.insert(node, depth);
                    sums.push((
                        depth,
                        trie.function(node),
                        trie.calls(node),
                        trie.cost(node),
                    ));
                }
            }
        }
        sums.sort();
        sums
    };
    assert_eq!(depths(&copy), depths(&deep));
}
