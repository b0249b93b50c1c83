//! The session on WebAssembly. Here its arena is a static array of 1 MiB; the
//! shipped module is checked by scripts/build-runtime.

use std::alloc::{GlobalAlloc, Layout as MemoryLayout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use js_sys::{Array, Function, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
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
const FOLDED: u32 = 2;

/// A session with functions `base`, …, of three slots each. Tests take turns.
fn start(functions: u32) -> u32 {
    assert_eq!(xr_init(ARENA), 0);
    let base = xr_begin_module(functions, functions * 3, 0);
    assert_ne!(base, 0);
    for _ in 0..functions {
        assert_eq!(xr_add_function(3, 0), 1);
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
            let import = xr_call(main, 32, base + 2);
            let outer = xr_swap_current(import);
            xr_enter(base + 1);
            xr_swap_current(outer);
            xr_pass(main);
            xr_enter(base + 1);
            let tail = xr_call_tail(main, 40, base + 1);
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
    let header = js::next_buffer().unwrap().unwrap();
    assert_eq!(
        (header.length(), u64_at(&header, 0)),
        (32, 0x7872617970726f66)
    );
    assert_eq!(
        (u64_at(&header, 8), u64_at(&header, 16), u64_at(&header, 24)),
        (0x20261130, 0, 0)
    );
    let block = js::next_buffer().unwrap().unwrap();
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
    assert!(js::next_buffer().unwrap().is_none());
}

#[wasm_bindgen_test]
fn a_view_taken_early_is_still_right_after_a_run() {
    let base = start(3);
    assert_eq!(js::serialize(COMPACT, 1, 0.0, 0), 0);
    let early = js::next_buffer().unwrap().unwrap();
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
    let late = js::next_buffer().unwrap().unwrap();
    assert_eq!(whole.subarray(0, late.length()).to_vec(), late.to_vec());
    assert_eq!(u64_at(&whole, 16 + 16), 100_000);
}

#[wasm_bindgen_test]
fn a_session_allocates_nothing() {
    // A first session, so that the glue's own table has its size.
    let base = start(3);
    run(base, 1);
    let ignore = Function::new_with_args("piece", "");
    assert_eq!(js::serialize(COMPACT, 1, 0.0, 0), 0);
    assert!(js::next_buffer().unwrap().is_some());

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
            node = xr_wall_call(node, 24 + slot * 8, base + call % 50 + slot);
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
        while js::next_buffer().unwrap().is_some() {
            buffers += 1;
        }
        assert!(buffers > 3);
    }
    assert_eq!((xr_oversized(), xr_busy()), (0, 0));
    assert_eq!(js::reset(), 0);
    // An iterator over the pieces, folded, and XRay's log, which flushes to a function.
    run(base, 1000);
    assert_eq!(js::serialize(COMPACT | FOLDED, 1, 1.0, 2), 0);
    let blocks = js::blocks();
    assert_eq!((count(&blocks), count(&blocks)), (2, 0));
    assert_eq!(js::init_log(1, XRAY, false), 2);
    run(base, 1);
    assert_eq!(js::finalize_log(1.0, 2), 4);
    assert_eq!(js::flush_log(&ignore), Ok(2));
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
}

#[wasm_bindgen_test]
fn calls_out_of_order_are_answered() {
    assert_eq!(
        (xr_init(100), xr_init(u32::MAX), xr_init(ARENA + 8)),
        (1, 2, 3)
    );
    let base = start(3);
    assert_eq!(xr_add_function(0, 0), 0);
    assert_eq!(xr_begin_module(1 << 20, 0, 0), 0);
    assert_eq!(js::reset(), 0);
    assert!(js::next_buffer().unwrap().is_none());
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

/// How often a `for` loop of JavaScript goes round; without a vector.
fn count(iterable: &JsValue) -> u32 {
    let each = Function::new_with_args("i", "let n = 0; for (const piece of i) n++; return n");
    let n: JsValue = each.call1(&JsValue::UNDEFINED, iterable).unwrap();
    n.as_f64().unwrap() as u32
}

/// What a `for` loop of JavaScript gets from it: the length of each piece.
fn lengths(iterable: &JsValue) -> Vec<u32> {
    let each = Function::new_with_args(
        "iterable",
        "const lengths = []; for (const piece of iterable) lengths.push(piece.length); return lengths",
    );
    let lengths: JsValue = each.call1(&JsValue::UNDEFINED, iterable).unwrap();
    Array::from(&lengths)
        .iter()
        .map(|length| length.as_f64().unwrap() as u32)
        .collect()
}

#[wasm_bindgen_test]
fn blocks_are_iterated_as_javascript_does() {
    let base = start(3);
    run(base, 10);
    assert_eq!(js::serialize(COMPACT, 5, 0.0, 0), 0);
    assert_eq!(lengths(&js::blocks()), [32, 16 + 6 * 32]);
    assert_eq!(lengths(&js::blocks()), [0; 0], "the file is at its end");

    // By hand: the same view each time, which is the buffer itself.
    assert_eq!(js::serialize(XRAY, 5, 0.0, 0), 0);
    let blocks = js::blocks();
    for length in [32, 16 + 3 * 24 + 2 * 28 + 32] {
        let next = blocks.next().unwrap();
        assert!(!next.done());
        let piece: Uint8Array = next.value().unchecked_into();
        assert_eq!(
            (piece.length(), piece.byte_offset()),
            (length, xr_buffer() as u32)
        );
    }
    let end = blocks.next().unwrap();
    assert!(end.done() && end.value().is_undefined());

    // A loop that is left goes on where it was.
    assert_eq!(js::serialize(COMPACT, 5, 0.0, 0), 0);
    let first = Function::new_with_args("iterable", "for (const piece of iterable) return piece");
    let first: JsValue = first.call1(&JsValue::UNDEFINED, &js::blocks()).unwrap();
    assert_eq!(first.unchecked_into::<Uint8Array>().length(), 32);
    assert_eq!(lengths(&js::blocks()), [16 + 6 * 32]);
}

#[wasm_bindgen_test]
fn a_loop_over_blocks_does_not_end_as_if_the_file_were_complete() {
    let base = start(1);
    // SAFETY: ids and nodes are this session's; slots are in their nodes.
    unsafe {
        let mut node = xr_enter(base);
        for _ in 0..3000 {
            node = xr_call(node, 24, base);
        }
    }
    assert_eq!(js::serialize(COMPACT, 5, 0.0, 0), 0);
    let blocks = js::blocks();
    blocks.next().unwrap();
    // The first of two blocks.
    blocks.next().unwrap();
    // The trie is reset behind the collector's back.
    trie().reset().unwrap();
    let error = blocks.next().unwrap_err();
    let text = String::from(error.unchecked_into::<js_sys::Error>().message());
    assert!(text.ends_with("serialize again"), "{text}");
    assert!(js::next_buffer().unwrap().is_none(), "said once");
}

#[wasm_bindgen_test]
fn a_recursion_can_be_folded() {
    let base = start(2);
    // SAFETY: ids and nodes are this session's; slots are in their nodes.
    unsafe {
        let mut node = xr_enter(base);
        for depth in 1..1000 {
            node = xr_call(node, 24, base + depth % 2);
        }
    }
    for (layout, lengths_expected) in [(COMPACT, [32, 16 + 2 * 32]), (XRAY, [32, 16 + 24 + 28])] {
        assert_eq!(js::serialize(layout | FOLDED, 1, 0.0, 0), 0);
        assert_eq!(lengths(&js::blocks()), lengths_expected);
        assert_eq!(xr_unfolded(), 0);
    }
}

#[wasm_bindgen_test]
fn the_log_answers_as_xrays() {
    let nothing = Function::new_with_args("piece", "throw new Error('no piece')");
    let base = start(3);
    run(base, 1);
    assert_eq!((js::log_status(), js::flush_status() == 1), (0, false));
    // Before init.
    assert_eq!(js::finalize_log(0.0, 0), 0);
    assert_eq!(js::flush_log(&nothing), Ok(0));
    // What it cannot be.
    assert_eq!(
        (js::init_log(0, COMPACT, false), js::init_log(1, 9, false)),
        (-3, -5)
    );
    // SAFETY: ids and nodes are this session's.
    unsafe {
        let outer = xr_swap_current(xr_child(xr_enter(base), base + 2));
        assert_eq!(js::init_log(1, COMPACT, false), -1, "an import is live");
        xr_swap_current(outer);
    }
    assert_eq!(js::log_status(), 0);
    // Init, twice; what was counted before is gone.
    assert_eq!(js::init_log(7, COMPACT, false), 2);
    assert_eq!(js::init_log(8, XRAY, true), 2);
    assert_eq!((js::log_status(), xr_nodes()), (2, 0));
    run(base, 10);
    // Flush before finalize; a file of one's own in between.
    assert_eq!(js::flush_log(&nothing), Ok(0));
    assert_eq!(js::serialize(COMPACT, 5, 0.0, 0), 0);
    assert_eq!(lengths(&js::blocks()).len(), 2);
    // Finalize, twice, and init before the flush.
    assert_eq!((js::finalize_log(1.0, 2), js::finalize_log(3.0, 4)), (4, 4));
    assert_eq!((js::init_log(1, COMPACT, false), js::log_status()), (4, 4));
    // A writer that throws: the session is finalized still.
    let full = Function::new_with_args("piece", "throw new Error('disk full')");
    let error = js::flush_log(&full).unwrap_err();
    let error: js_sys::Error = error.unchecked_into();
    assert_eq!(String::from(error.message()), "disk full");
    assert_eq!((js::log_status(), js::flush_status()), (4, 0));
    // The rest, with the thread of the first init.
    let pieces = Array::new();
    let keep = Function::new_with_args("piece", "this.push(piece.slice())");
    let keep = keep.bind0(&pieces);
    assert_eq!(js::flush_log(&keep), Ok(2));
    assert_eq!((js::log_status(), js::flush_status()), (0, 2));
    assert_eq!(pieces.length(), 1, "the block behind the header");
    let block: Uint8Array = pieces.get(0).unchecked_into();
    assert_eq!((block.length(), u64_at(&block, 8)), (16 + 6 * 32, 7));
    // Flush twice; and the next session, which keeps everything to itself.
    assert_eq!(js::flush_log(&nothing), Ok(0));
    assert_eq!(js::init_log(1, XRAY, true), 2);
    run(base, 1);
    assert_eq!(js::finalize_log(0.0, 0), 4);
    assert_eq!(js::flush_log(&nothing), Ok(2));
}

#[wasm_bindgen_test]
fn a_writer_that_calls_back_is_told_so() {
    use std::cell::RefCell;
    use wasm_bindgen::prelude::Closure;

    let base = start(3);
    assert_eq!(js::init_log(7, COMPACT, false), 2);
    run(base, 10);
    assert_eq!(js::finalize_log(1.0, 2), 4);
    thread_local! {
        static SEEN: RefCell<Vec<(u32, u32, bool)>> = const { RefCell::new(Vec::new()) };
    }
    let write = Closure::<dyn Fn(Uint8Array)>::new(|piece: Uint8Array| {
        let before = piece.to_vec();
        let inside = js::flush_log(&Function::new_no_args("")).unwrap();
        let refused = js::next_buffer().is_err();
        assert_eq!(js::serialize(COMPACT, 1, 0.0, 0), 0);
        assert_eq!(piece.to_vec(), before, "nobody wrote over it");
        SEEN.with_borrow_mut(|seen| seen.push((piece.length(), inside, refused)));
    });
    assert_eq!(js::flush_log(write.as_ref().unchecked_ref()), Ok(2));
    let seen = SEEN.take();
    assert_eq!(seen, [(32, 1, true), (16 + 6 * 32, 1, true)]);
}
