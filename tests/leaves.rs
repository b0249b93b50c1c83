//! Calls that are counted where they are made: leaves in counters, others in slots.

mod support;

use support::{ARENA, Path, id, parse, pieces, trie};
use wasm_xray::{Buffer, Collector, Header, Layout, NodeId, SlotOffset, Trie};

/// main has a slot for `middle` and counters of both leaves; `middle` one of the first leaf.
const MAIN: u32 = 1;
const MIDDLE: u32 = 2;
const LEAF: u32 = 3;
const OTHER: u32 = 4;
const COUNTERS: [SlotOffset; 2] = [SlotOffset(24), SlotOffset(32)];
const SLOT: SlotOffset = SlotOffset(40);

/// A trie in storage that the test, as inline probes do, writes to itself.
struct Module {
    trie: Trie<Buffer<'static>>,
    words: *mut u64,
}

impl Module {
    fn new(bytes: u32) -> Module {
        let storage = support::words(bytes).leak();
        let words = storage.as_mut_ptr();
        let trie = Trie::new(Buffer::new(storage));
        trie.init(bytes).unwrap();
        let module = Module { trie, words };
        module.register();
        module
    }

    fn register(&self) {
        let trie = &self.trie;
        assert_eq!(trie.begin_module_with_counters(4, 1, 3), Ok(MAIN));
        trie.add_function_with_counters(1, 2).unwrap();
        assert!(
            trie.add_function(0).is_err(),
            "it has to be said what main counts"
        );
        trie.add_counted(id(LEAF), 3).unwrap();
        assert!(
            trie.add_counted(id(5), 3).is_err(),
            "there is no such function"
        );
        trie.add_counted(id(OTHER), 5).unwrap();
        assert!(
            trie.add_counted(id(LEAF), 3).is_err(),
            "main has two counters"
        );
        trie.add_function_with_counters(0, 1).unwrap();
        trie.add_counted(id(LEAF), 3).unwrap();
        trie.add_function(0).unwrap();
        trie.add_function(0).unwrap();
    }

    fn enter(&self, function: u32) -> NodeId {
        // SAFETY: a function of the module.
        unsafe { self.trie.enter(id(function)) }
    }

    fn count(&self, node: NodeId, counter: usize) {
        // SAFETY: a node of the trie, with that counter.
        unsafe { self.trie.count_leaf(node, COUNTERS[counter]) };
    }

    /// What an inline probe does around a direct call.
    fn call_middle(&self, main: NodeId, times: u64) -> NodeId {
        // SAFETY: main's slot is in its node, which is in the storage.
        let slot = unsafe { self.words.byte_add((main.offset() + SLOT.0) as usize) };
        let mut word = 0;
        for _ in 0..times {
            // SAFETY: as above.
            unsafe {
                word = slot.read();
                if word as i64 >= 0 {
                    word = self.trie.slot(main, SLOT, id(MIDDLE));
                }
                slot.write(word.wrapping_add(1 << 32));
            }
        }
        NodeId::new(word as u32).unwrap()
    }

    fn file(&self, layout: Layout, fold: bool) -> Vec<Vec<u8>> {
        let collector: Collector<&Trie<Buffer<'static>>, 1> = Collector::new();
        collector.post(1, &self.trie).unwrap();
        if fold {
            collector
                .serialize_folded(layout, Header::default())
                .unwrap();
        } else {
            collector.serialize(layout, Header::default()).unwrap();
        }
        pieces(&collector, 256)
    }

    /// Calls and cost of each path. That each has one record only is looked at on the way.
    fn paths(&self, layout: Layout) -> Vec<(Vec<u32>, u64, u64)> {
        paths(&self.file(layout, false), layout)
    }
}

fn paths(file: &[Vec<u8>], layout: Layout) -> Vec<(Vec<u32>, u64, u64)> {
    let parsed = parse(file);
    if layout == Layout::Compact {
        let bytes: usize = file[1..].iter().map(|block| block.len() - 16).sum();
        assert_eq!(bytes, 32 * parsed.paths.len(), "a record for each path");
    }
    let path = |path| match path {
        Path::Of(path) => path,
        Path::Dropped(function) => vec![0, function],
    };
    let paths = parsed.paths.into_iter();
    paths
        .map(|((_, of), (calls, cost))| (path(of), calls, cost))
        .collect()
}

#[test]
fn a_counter_is_a_path() {
    let module = Module::new(ARENA);
    let main = module.enter(MAIN);
    module.count(main, 0);
    module.count(main, 0);
    let middle = module.call_middle(main, 7);
    module.count(middle, 0);
    let expected = vec![
        (vec![MAIN], 1, 0),
        (vec![MAIN, MIDDLE], 7, 0),
        (vec![MAIN, MIDDLE, LEAF], 1, 3),
        (vec![MAIN, LEAF], 2, 6),
    ];
    assert_eq!(module.trie.paths(), 4);
    assert_eq!(module.paths(Layout::Compact), expected);
    let folded = module.file(Layout::Compact, true);
    assert_eq!(paths(&folded, Layout::Compact), expected);
    let inclusive = vec![
        (vec![MAIN], 1, 9),
        (vec![MAIN, MIDDLE], 7, 3),
        (vec![MAIN, MIDDLE, LEAF], 1, 3),
        (vec![MAIN, LEAF], 2, 6),
    ];
    assert_eq!(module.paths(Layout::Xray), inclusive);
    // Which made nodes of the counters.
    module.count(main, 0);
    assert_eq!(module.trie.paths(), 4);
    assert_eq!(module.paths(Layout::Compact)[3], (vec![MAIN, LEAF], 3, 9));
    assert_eq!(module.paths(Layout::Xray)[0], (vec![MAIN], 1, 12));
}

#[test]
fn a_leaf_called_in_two_ways_is_one_path() {
    let module = Module::new(ARENA);
    let main = module.enter(MAIN);
    module.count(main, 0);
    // SAFETY: nodes and functions of the trie.
    unsafe {
        module.trie.pass(Some(main));
        module.trie.enter(id(LEAF));
    }
    assert_eq!(module.trie.paths(), 2);
    let expected = vec![(vec![MAIN], 1, 0), (vec![MAIN, LEAF], 2, 3)];
    assert_eq!(module.paths(Layout::Compact), expected);
    assert_eq!(
        module.paths(Layout::Compact),
        expected,
        "once, not with each file"
    );
    module.count(main, 0);
    assert_eq!(module.paths(Layout::Compact)[1], (vec![MAIN, LEAF], 3, 6));
}

#[test]
fn files_in_between_change_nothing() {
    let run = |snapshots: bool| {
        let module = Module::new(ARENA);
        let main = module.enter(MAIN);
        for round in 0..10 {
            module.count(main, 0);
            let middle = module.call_middle(main, round + 1);
            if round > 5 {
                module.count(middle, 0);
                module.count(main, 1);
            }
            if snapshots {
                let paths = module.paths(Layout::Compact);
                assert_eq!(paths[paths.len() - 1 - usize::from(round > 5)].1, round + 1);
            }
        }
        module.file(Layout::Compact, false)
    };
    assert_eq!(run(true), run(false), "byte for byte");
}

#[test]
fn a_reset_forgets_counts_and_not_what_is_counted() {
    let module = Module::new(ARENA);
    for _ in 0..3 {
        let main = module.enter(MAIN);
        module.count(main, 1);
        let middle = module.call_middle(main, 2);
        module.count(middle, 0);
        let expected = vec![
            (vec![MAIN], 1, 0),
            (vec![MAIN, MIDDLE], 2, 0),
            (vec![MAIN, MIDDLE, LEAF], 1, 3),
            (vec![MAIN, OTHER], 1, 5),
        ];
        assert_eq!(module.paths(Layout::Compact), expected);
        module.trie.reset().unwrap();
        assert_eq!(module.paths(Layout::Compact), vec![]);
    }
}

#[test]
fn a_full_arena_loses_no_call_of_a_leaf() {
    let module = Module::new(ARENA);
    // Roots until there is no room: a module's functions are called in a chain.
    let mut node = module.enter(MAIN);
    while module.trie.dropped_paths() == 0 {
        // SAFETY: nodes and functions of the trie.
        node = unsafe { module.trie.child(node, id(MAIN)) };
    }
    for _ in 0..5 {
        module.count(node, 0);
    }
    let middle = module.call_middle(node, 4);
    module.count(middle, 0);
    assert_eq!(module.trie.dropped_calls(), 10);
    assert_eq!(module.trie.dropped_calls(), 10);
    let dropped = |file: Vec<(Vec<u32>, u64, u64)>| {
        let of = |path: &Vec<u32>| path[0] == 0;
        file.into_iter()
            .filter(|(path, ..)| of(path))
            .collect::<Vec<_>>()
    };
    let expected = [(vec![0, MIDDLE], 4, 0), (vec![0, LEAF], 6, 18)];
    assert_eq!(dropped(module.paths(Layout::Compact)), expected);
}

#[test]
fn a_slot_that_has_counted_to_the_end_goes_on() {
    let module = Module::new(ARENA);
    let main = module.enter(MAIN);
    let middle = module.call_middle(main, 1);
    // SAFETY: main's slot is in its node.
    let slot = unsafe { module.words.byte_add((main.offset() + SLOT.0) as usize) };
    let counted = |high: u64, more, calls| {
        // SAFETY: as above.
        unsafe { slot.write(high << 32 | u64::from(middle.offset())) };
        module.call_middle(main, more);
        let expected = (vec![MAIN, MIDDLE], calls, 0);
        assert_eq!(module.paths(Layout::Compact)[1], expected);
    };
    let end = 1 << 31;
    counted(0xFFFF_FFFE, 5, end - 2 + 5);
    counted(0xFFFF_FFFF, 1, end + 3 + end);
}

#[test]
fn merged_tries_have_the_sum() {
    let (one, other) = (Module::new(ARENA), Module::new(ARENA));
    for module in [&one, &other] {
        let main = module.enter(MAIN);
        module.count(main, 0);
        module.call_middle(main, 3);
    }
    let target = trie(ARENA, &[0, 0, 0, 0]);
    one.trie.merge_into(&target).unwrap();
    other.trie.merge_into(&target).unwrap();
    let collector: Collector<&Trie<Buffer<'static>>, 1> = Collector::new();
    collector.post(1, &target).unwrap();
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    assert_eq!(
        paths(&pieces(&collector, 256), Layout::Compact),
        [
            (vec![MAIN], 2, 0),
            (vec![MAIN, MIDDLE], 6, 0),
            (vec![MAIN, LEAF], 2, 6)
        ]
    );
}

/// A collector that has written the file's header and the first of several blocks.
fn begun(module: &Module) -> (Collector<&Trie<Buffer<'static>>, 1>, Vec<Vec<u8>>) {
    let collector: Collector<&Trie<Buffer<'static>>, 1> = Collector::new();
    collector.post(1, &module.trie).unwrap();
    collector
        .serialize(Layout::Compact, Header::default())
        .unwrap();
    let mut buffer = [0; 64];
    let mut next = || {
        collector
            .next_buffer(&mut buffer)
            .unwrap()
            .unwrap()
            .to_vec()
    };
    let file = vec![next(), next()];
    (collector, file)
}

#[test]
fn calls_from_before_a_file_are_in_it_whatever_is_called_while_it_is_written() {
    let module = Module::new(ARENA);
    let main = module.enter(MAIN);
    module.count(main, 0);
    module.count(main, 0);
    let middle = module.call_middle(main, 1);
    let (collector, mut file) = begun(&module);
    // SAFETY: nodes and functions of the trie.
    unsafe {
        // A node for what had a counter only.
        module.trie.pass(Some(main));
        module.trie.enter(id(LEAF));
        // Two calls that only rewind the stack: counted in the slot, taken back in the node.
        module.call_middle(main, 2);
        module.trie.uncount(middle);
        module.trie.uncount(middle);
    }
    let mut buffer = [0; 256];
    while let Some(block) = collector.next_buffer(&mut buffer).unwrap() {
        file.push(block.to_vec());
    }
    let written = paths(&file, Layout::Compact);
    let calls = |of: &[u32]| {
        let found = written.iter().find(|(path, ..)| path == of);
        found.map(|&(_, calls, _)| calls)
    };
    assert_eq!(calls(&[MAIN, LEAF]), Some(2));
    let taken_back = calls(&[MAIN, MIDDLE]).unwrap();
    assert!(taken_back <= 3, "{taken_back}");
    let expected = [
        (vec![MAIN], 1, 0),
        (vec![MAIN, MIDDLE], 1, 0),
        (vec![MAIN, LEAF], 3, 6),
    ];
    assert_eq!(module.paths(Layout::Compact), expected);
}
