//! Self times by a clock that the test moves.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use std::cell::Cell;
use std::rc::Rc;

use support::*;
use wasm_xray::{Buffer, Clock, NodeId, SlotOffset, Trie, Wall};

#[derive(Clone, Default)]
struct Fake(Rc<Cell<u64>>);

impl Clock for Fake {
    fn now_ns(&self) -> u64 {
        self.0.get()
    }
}

/// Of callee 1 to 4; behind them one for a tail call.
fn slot(callee: u32) -> SlotOffset {
    SlotOffset(16 + 8 * callee)
}

struct Session {
    trie: Trie<Buffer<'static>>,
    wall: Wall<Fake>,
    clock: Fake,
}

/// Functions 1 to 4; 4 is used as an import. The clock starts at 1000 ns.
fn session() -> Session {
    let clock = Fake::default();
    clock.0.set(1000);
    Session {
        trie: trie(ARENA, &[5; 4]),
        wall: Wall::new(clock.clone()),
        clock,
    }
}

/// SAFETY, for all of them: nodes are the session's, which is never reset.
impl Session {
    fn pass(&self, ns: u64) {
        self.clock.0.set(self.clock.0.get() + ns);
    }

    fn enter(&self, function: u32) -> NodeId {
        unsafe { self.wall.enter(&self.trie, id(function)) }
    }

    fn call(&self, parent: NodeId, function: u32) -> NodeId {
        unsafe {
            self.wall
                .call(&self.trie, parent, slot(function), id(function))
        }
    }

    fn exit(&self, node: NodeId) {
        unsafe { self.wall.exit(&self.trie, node) }
    }

    fn resume(&self, node: NodeId) {
        unsafe { self.wall.resume(&self.trie, node) }
    }

    fn self_ns(&self, node: NodeId) -> u64 {
        unsafe { self.trie.cost(node) }
    }
}

#[test]
fn a_caller_has_the_time_before_and_after_its_callee() {
    let s = session();
    let main = s.enter(1);
    s.pass(5);
    let callee = s.call(main, 2);
    s.pass(7);
    s.exit(callee);
    s.pass(3);
    s.exit(main);
    s.pass(100);
    s.exit(s.enter(1));
    assert_eq!(s.self_ns(main), 8);
    assert_eq!(s.self_ns(callee), 7);
    assert_eq!(s.self_ns(s.trie.root()), 100, "the host's");
}

#[test]
fn a_clock_that_steps_back_costs_nothing() {
    let s = session();
    let main = s.enter(1);
    s.clock.0.set(900);
    let callee = s.call(main, 2);
    s.clock.0.set(1004);
    s.exit(callee);
    s.clock.0.set(1006);
    s.exit(main);
    assert_eq!((s.self_ns(main), s.self_ns(callee)), (2, 4));
}

#[test]
fn an_import_has_its_own_time_but_not_that_of_the_callback() {
    let s = session();
    let main = s.enter(1);
    s.pass(1);
    let import = s.call(main, 4);
    // SAFETY: nodes of this trie.
    let root = unsafe { s.trie.swap_current(import) };
    s.pass(10);
    let callback = s.enter(2);
    s.pass(100);
    s.exit(callback);
    s.pass(20);
    // SAFETY: as above.
    unsafe { s.trie.swap_current(root) };
    s.resume(main);
    s.pass(2);
    s.exit(main);
    // SAFETY: as above.
    unsafe { assert_eq!(s.trie.parent(callback), Some(import)) };
    assert_eq!(
        (s.self_ns(main), s.self_ns(import), s.self_ns(callback)),
        (3, 30, 100)
    );
}

#[test]
fn a_function_reached_through_a_table_leaves_its_caller_the_time_until_then() {
    let s = session();
    let main = s.enter(1);
    s.pass(4);
    // SAFETY: nodes of this trie.
    unsafe { s.trie.pass(Some(main)) };
    let callee = s.enter(3);
    s.pass(6);
    s.exit(callee);
    s.exit(main);
    assert_eq!((s.self_ns(main), s.self_ns(callee)), (4, 6));
}

#[test]
fn a_tail_call_ends_its_caller_and_returns_past_it() {
    let s = session();
    let main = s.enter(1);
    let middle = s.call(main, 2);
    s.pass(5);
    // SAFETY: nodes of this trie.
    let tail = unsafe { s.wall.call_tail(&s.trie, middle, slot(5), id(3)) };
    s.pass(7);
    s.exit(tail);
    s.pass(9);
    s.exit(main);
    // SAFETY: as above.
    unsafe { assert_eq!(s.trie.parent(tail), Some(main)) };
    assert_eq!(
        (s.self_ns(main), s.self_ns(middle), s.self_ns(tail)),
        (9, 5, 7)
    );
}

#[test]
fn after_a_trap_the_time_until_the_next_call_is_the_hosts() {
    let s = session();
    let main = s.enter(1);
    s.pass(5);
    let trapping = s.call(main, 2);
    s.pass(1000);
    let again = s.enter(1);
    s.pass(2);
    s.exit(again);
    assert_eq!(again, main);
    assert_eq!(
        (
            s.self_ns(main),
            s.self_ns(trapping),
            s.self_ns(s.trie.root())
        ),
        (7, 0, 1000)
    );
}

#[test]
fn a_catch_gets_the_time_from_there_on() {
    let s = session();
    let main = s.enter(1);
    let throwing = s.call(main, 2);
    s.pass(3);
    s.resume(main);
    s.pass(4);
    s.resume(main);
    s.exit(main);
    assert_eq!((s.self_ns(main), s.self_ns(throwing)), (4, 3));
}

#[test]
fn all_times_add_up_to_the_whole() {
    let s = session();
    let mut stack = vec![s.enter(1)];
    let mut random = 12345u32;
    for _ in 0..20_000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        s.pass(u64::from(random >> 28));
        match (random >> 16) % 5 {
            0 if stack.len() > 1 => s.exit(stack.pop().unwrap()),
            1 | 2 => stack.push(s.call(*stack.last().unwrap(), 1 + (random >> 8) % 4)),
            _ => s.resume(*stack.last().unwrap()),
        }
    }
    s.exit(stack[0]);
    let total: u64 = s.trie.nodes().map(|node| s.self_ns(node)).sum();
    assert_eq!(total + s.self_ns(s.trie.root()), s.clock.0.get() - 1000);
    assert!(s.trie.dropped_calls() > 0, "overflow nodes included");
}
