//! The session on WebAssembly. Here its arena is a static array of 1 MiB; the
//! shipped module is checked by scripts/build-runtime.

use std::alloc::{GlobalAlloc, Layout as MemoryLayout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use js_sys::Uint8Array;
use wasm_bindgen_test::*;
use wasm_xray::exports::*;
use wasm_xray::session::{Performance, trie};
use wasm_xray::{Clock, NodeId, js};

/// Counts what the test's allocator is asked for.
struct Counted;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counted = Counted;

// SAFETY: as good as the system's.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: MemoryLayout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: MemoryLayout) {
        // SAFETY: the caller's contract is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

const ARENA: u32 = 1 << 20;
const COMPACT: u32 = 0;
const XRAY: u32 = 1;

/// A session with functions `base`, …, of three slots each. Tests take turns.
fn start(functions: u32) -> u32 {
    assert_eq!(xr_init(ARENA), 0);
    let base = xr_begin_module(functions, functions * 3);
    assert_ne!(base, 0);
    for _ in 0..functions {
        assert_eq!(xr_add_function(3), 1);
    }
    base
}

/// What a module of `base` (main), `base + 1` (a callee) and `base + 2` (an import) does.
fn run(base: u32, rounds: u32) {
    // SAFETY: ids and nodes are this session's; slots are in their nodes.
    unsafe {
        for _ in 0..rounds {
            let main = xr_enter(base);
            xr_call(main, 24, base + 1);
            let import = xr_call(main, 28, base + 2);
            let outer = xr_swap_current(import);
            xr_enter(base + 1);
            xr_swap_current(outer);
            xr_pass(main);
            xr_enter(base + 1);
            let tail = xr_call_tail(main, 32, base + 1);
            xr_pass_parent(tail);
            xr_enter(base + 2);
        }
    }
}

fn u64_at(view: &Uint8Array, at: u32) -> u64 {
    let mut bytes = [0; 8];
    view.subarray(at, at + 8).copy_to(&mut bytes);
    u64::from_le_bytes(bytes)
}

fn u32_at(view: &Uint8Array, at: u32) -> u32 {
    u64_at(view, at) as u32
}

#[wasm_bindgen_test]
fn a_view_is_the_block_itself() {
    let base = start(3);
    run(base, 10);
    assert_eq!(js::serialize(COMPACT, 5, 0.0, 0), 0);
    let header = js::next_buffer().unwrap();
    assert_eq!(
        (header.length(), u64_at(&header, 0)),
        (32, 0x7872617970726f66)
    );
    assert_eq!(
        (u64_at(&header, 8), u64_at(&header, 16), u64_at(&header, 24)),
        (0x20261130, 0, 0)
    );
    let block = js::next_buffer().unwrap();
    assert_eq!(block.byte_offset(), xr_buffer() as u32);
    assert_eq!((u32_at(&block, 0), u64_at(&block, 8)), (block.length(), 5));
    let mut calls: Vec<_> = (16..block.length())
        .step_by(32)
        .map(|at| {
            (
                u32_at(&block, at + 4) != 0,
                u32_at(&block, at + 8) - base,
                u64_at(&block, at + 16),
            )
        })
        .collect();
    calls.sort();
    // main > callee by a slot and through PASS; import > callee; tail calls beside main.
    assert_eq!(
        calls,
        [
            (false, 0, 10),
            (false, 1, 10),
            (false, 2, 10),
            (true, 1, 10),
            (true, 1, 20),
            (true, 2, 10)
        ]
    );
    assert!(js::next_buffer().is_none());
}

#[wasm_bindgen_test]
fn a_view_taken_early_is_still_right_after_a_run() {
    let base = start(3);
    assert_eq!(js::serialize(COMPACT, 1, 0.0, 0), 0);
    let early = js::next_buffer().unwrap();
    let whole =
        Uint8Array::new_with_byte_offset_and_length(&early.buffer(), early.byte_offset(), 65536);
    run(base, 100_000);
    assert_eq!(
        (early.length(), u64_at(&early, 0)),
        (32, 0x7872617970726f66),
        "attached, and as it was"
    );
    assert_eq!(js::serialize(COMPACT, 1, 0.0, 0), 0);
    js::next_buffer().unwrap();
    let late = js::next_buffer().unwrap();
    assert_eq!(whole.subarray(0, late.length()).to_vec(), late.to_vec());
    assert_eq!(u64_at(&whole, 16 + 16), 100_000);
}

#[wasm_bindgen_test]
fn a_session_allocates_nothing() {
    // A first session, so that the glue's own table has its size.
    let base = start(3);
    run(base, 1);
    assert_eq!(js::serialize(COMPACT, 1, 0.0, 0), 0);
    assert!(js::next_buffer().is_some());

    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let base = start(300);
    // SAFETY: ids and nodes are this session's; slots are in their nodes.
    unsafe {
        // To the end of the arena and beyond, at most 50 deep.
        let mut node = xr_wall_enter(base);
        let mut random = 1u32;
        for call in 0..100_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let slot = (random >> 16) % 3;
            node = xr_wall_call(node, 24 + slot * 4, base + call % 50 + slot);
            if call % 5 == 0 {
                xr_wall_exit(node);
                xr_wall_resume(node);
            }
            if call % 50 == 49 {
                node = xr_wall_enter(base);
            }
        }
        xr_wall_call_tail(node, 24, base);
    }
    run(base, 1000);
    assert!(xr_dropped_calls() > 0.0 && xr_dropped_paths() > 0.0);
    assert!(xr_nodes() > 5_000 && xr_arena_used() <= f64::from(ARENA));
    for layout in [COMPACT, XRAY] {
        assert_eq!(js::serialize(layout, 1, 1.0, 2), 0);
        let mut buffers = 0;
        while js::next_buffer().is_some() {
            buffers += 1;
        }
        assert!(buffers > 3);
    }
    assert_eq!((xr_oversized(), xr_busy()), (0, 0));
    assert_eq!(js::reset(), 0);
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
}

#[wasm_bindgen_test]
fn calls_out_of_order_are_answered() {
    assert_eq!(
        (xr_init(100), xr_init(u32::MAX), xr_init(ARENA + 8)),
        (1, 2, 3)
    );
    let base = start(3);
    assert_eq!(xr_add_function(0), 0);
    assert_eq!(xr_begin_module(1 << 20, 0), 0);
    assert_eq!(js::reset(), 0);
    assert!(js::next_buffer().is_none());
    assert_eq!(
        (
            js::serialize(4, 1, 0.0, 0),
            js::serialize(COMPACT, 0, 0.0, 0)
        ),
        (5, 3)
    );
    run(base, 1);
    assert_eq!(js::serialize(COMPACT, 1, 0.0, 0), 0);
    assert_eq!(xr_next_buffer(), 32);
    assert_eq!(js::reset(), 0);
    assert_eq!(xr_next_buffer(), 0);
    // SAFETY: ids and nodes are this session's.
    unsafe {
        let main = xr_enter(base);
        let import = xr_child(main, base + 2);
        let outer = xr_swap_current(import);
        assert_eq!(js::reset(), 1, "an import is live");
        xr_swap_current(outer);
    }
    assert_eq!(js::reset(), 0);
}

#[wasm_bindgen_test]
fn the_clock_is_the_hosts() {
    let base = start(2);
    let clock = Performance;
    let before = clock.now_ns();
    // SAFETY: ids and nodes are this session's.
    let spent = unsafe {
        let main = xr_wall_enter(base);
        let started = clock.now_ns();
        while clock.now_ns() - started < 5_000_000 {}
        xr_wall_exit(main);
        trie().cost(NodeId::new(main).unwrap())
    };
    let whole = clock.now_ns() - before;
    assert!(
        (5_000_000..=whole).contains(&spent),
        "{spent} of {whole} ns"
    );
}
