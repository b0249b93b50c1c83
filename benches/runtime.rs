//! What the runtime costs on this machine, as tables:
//! `cargo run --release -p wasm-xray --example runtime-costs`
//!
//! * ns per call (its entry and its exit), by number of distinct callees of one
//!   function and by number of nodes, through each way in;
//! * MB/s of both layouts, and bytes of arena a node.
//!
//! Each figure is the best of several rounds, as others use the machine too.

use std::hint::black_box;
use std::mem::MaybeUninit;
use std::time::Instant;

use wasm_xray::{
    Buffer, Collector, FunctionCallTrie, FunctionId, Header, Layout, NodeId, SlotOffset,
    StackSegment, Trie,
};

type Calls = FunctionCallTrie<'static, Buffer<'static>>;

const ROUNDS: u32 = 7;
/// Calls timed at once.
const CALLS: u32 = 1_000_000;

fn id(function: u32) -> FunctionId {
    FunctionId::new(function).expect("ids start at 1")
}

/// Functions 1 to `functions` with `slots` slots each, in its own leaked storage.
fn calls(megabytes: usize, functions: u32, slots: impl Fn(u32) -> u32) -> Calls {
    let words = vec![0u64; megabytes << 20 >> 3].leak();
    let trie = Trie::new(Buffer::new(words));
    trie.init((megabytes << 20) as u32).expect("storage");
    let all = (1..=functions).map(&slots).sum();
    trie.begin_module(functions, all).expect("room");
    for function in 1..=functions {
        trie.add_function(slots(function)).expect("room");
    }
    let segments: Vec<MaybeUninit<StackSegment>> = std::iter::repeat_with(MaybeUninit::uninit)
        .take(64)
        .collect();
    FunctionCallTrie::new(trie, segments.leak())
}

/// Best time of a round, in ns, divided by `per_round`.
fn ns_per(per_round: u32, mut round: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..=ROUNDS {
        let start = Instant::now();
        round();
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    best / f64::from(per_round)
}

/// Indices below `len` in an order that no cache line likes.
fn shuffled(len: u32) -> Vec<u32> {
    let mut order: Vec<u32> = (0..len).collect();
    let mut random = 1u64;
    for at in (1..order.len()).rev() {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        order.swap(at, (random >> 33) as usize % (at + 1));
    }
    order
}

/// One function that calls `callees` others, in any order.
fn by_callees(callees: u32) {
    let mut trie = calls(
        64,
        callees + 1,
        |function| if function == 1 { callees } else { 0 },
    );
    let order = shuffled(callees);
    let rounds = CALLS / callees;
    // SAFETY: nodes of this trie; main has a slot for each callee.
    let (slot, hash) = unsafe {
        let main = trie.enter(id(1));
        let slot = ns_per(rounds * callees, || {
            for _ in 0..rounds {
                for &callee in &order {
                    black_box(trie.call(main, SlotOffset(24 + 8 * callee), id(2 + callee)));
                }
            }
        });
        let hash = ns_per(rounds * callees, || {
            for _ in 0..rounds {
                for &callee in &order {
                    trie.pass(Some(main));
                    black_box(trie.enter(id(2 + callee)));
                }
            }
        });
        (slot, hash)
    };
    trie.enter_function(id(1), 0).expect("a frame");
    let mut time = 0;
    let by_hand = ns_per(rounds * callees, || {
        for _ in 0..rounds {
            for &callee in &order {
                time += 1;
                let _ = black_box(trie.enter_function(id(2 + callee), time));
                trie.exit_function(id(2 + callee), time);
            }
        }
    });
    println!("{callees:>9} callees  {slot:>8.1}  {hash:>8.1}  {by_hand:>8.1}");
}

/// A trie of `nodes` paths, 14 levels of four functions at most, called in any order.
fn by_nodes(nodes: u32) {
    let mut trie = calls(128, 64, |_| 0);
    // SAFETY: nodes of this trie.
    let pairs: Vec<(NodeId, FunctionId)> = unsafe {
        let mut made = vec![trie.root()];
        let mut pairs = Vec::new();
        for at in 0..nodes {
            let parent = made[at as usize / 4];
            let function = id(1 + at % 64);
            let node = trie.child(parent, function);
            made.push(node);
            pairs.push((parent, function));
        }
        pairs
    };
    assert_eq!((trie.paths(), trie.dropped_paths()), (nodes, 0));
    let order = shuffled(nodes);
    let rounds = (CALLS / nodes).max(1);
    let hash = ns_per(rounds * nodes, || {
        for _ in 0..rounds {
            for &at in &order {
                let (parent, function) = pairs[at as usize];
                // SAFETY: nodes of this trie.
                unsafe {
                    trie.pass(Some(parent));
                    black_box(trie.enter(function));
                }
            }
        }
    });
    let mut time = 0;
    let by_hand = ns_per(rounds * nodes, || {
        for _ in 0..rounds {
            for &at in &order {
                let (parent, function) = pairs[at as usize];
                time += 1;
                // SAFETY: nodes of this trie.
                let outer = unsafe { trie.swap_current(parent) };
                let _ = black_box(trie.enter_function(function, time));
                trie.exit_function(function, time);
                // SAFETY: as above.
                unsafe { trie.swap_current(outer) };
            }
        }
    });
    println!("{nodes:>9} nodes    {:>8}  {hash:>8.1}  {by_hand:>8.1}", "");
}

fn serialization() {
    let trie = calls(128, 64, |_| 2);
    // SAFETY: nodes of this trie.
    unsafe {
        let mut made = vec![trie.root()];
        for at in 0..1_000_000u32 {
            let node = trie.child(made[at as usize / 4], id(1 + at % 64));
            trie.count(node);
            trie.charge(node, 5);
            made.push(node);
        }
    }
    let trie: &'static Calls = Box::leak(Box::new(trie));
    let nodes = trie.paths();
    let collector: Collector<&'static Trie<Buffer<'static>>, 1> = Collector::new();
    collector.post(1, trie).expect("room");
    let mut buffer = vec![0; 64 << 10];
    println!(
        "\n{nodes} nodes, {:.1} bytes of arena each with two slots and the hash table",
        f64::from(trie.used()) / f64::from(nodes)
    );
    println!("\nlayout        MB   MB/s  ns/node");
    for (name, layout) in [("compact", Layout::Compact), ("xray", Layout::Xray)] {
        let mut bytes = 0;
        let ns = ns_per(nodes, || {
            bytes = 0;
            collector
                .serialize(layout, Header::default())
                .expect("not busy");
            while let Some(piece) = collector.next_buffer(&mut buffer).expect("not busy") {
                bytes += black_box(piece).len();
            }
        });
        let megabytes = bytes as f64 / 1e6;
        let rate = megabytes / (ns * f64::from(nodes) / 1e9);
        println!("{name:<10} {megabytes:>5.1}  {rate:>5.0}  {ns:>7.1}");
    }
    let target = calls(128, 64, |_| 2);
    let ns = ns_per(nodes, || trie.merge_into(&target).expect("same functions"));
    println!("merge                    {ns:>7.1}");
}

fn main() {
    println!("ns per call            slot      hash   by hand");
    for callees in [1, 10, 100, 1000, 10_000] {
        by_callees(callees);
    }
    for nodes in [1000, 10_000, 100_000, 1_000_000] {
        by_nodes(nodes);
    }
    serialization();
}
