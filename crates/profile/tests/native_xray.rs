//! Files written by LLVM's own runtime. The source of `threads` is beside it: the
//! true counts are known from its loops.

use wasm_xray_profile::{Clock, Format, Kind, Profile, Stats, Step, Thread};

fn read(name: &str) -> Profile {
    let path = |file: String| format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::read(path(format!("{name}.xray"))).unwrap();
    let map = std::fs::read_to_string(path(format!("{name}.instr-map.yaml"))).unwrap();
    Profile::read(&file, &map).unwrap()
}

fn calls(profile: &Profile, thread: &Thread, name: &str) -> u64 {
    let trie = &thread.trie;
    let of_name = |node: &_| profile.function(trie.function(*node)).name == name;
    trie.nodes()
        .filter(of_name)
        .map(|node| trie.calls(node))
        .sum()
}

#[test]
fn counts_of_each_thread_are_the_true_ones() {
    let profile = read("threads");
    assert_eq!(profile.clock, Clock::Tsc);
    let per_thread: Vec<[u64; 5]> = profile
        .threads
        .iter()
        .map(|thread| {
            [
                "leaf_a(int)",
                "leaf_b(int)",
                "fib(int)",
                "deep(int)",
                "work(int)",
            ]
            .map(|name| calls(&profile, thread, name))
        })
        .collect();
    // Workers k = 0, 1, 2, then the main thread, which does the same as k = 0.
    assert_eq!(
        per_thread,
        [
            [1334, 334, 177, 51, 1],
            [2667, 667, 287, 51, 1],
            [4000, 1000, 465, 51, 1],
            [1334, 334, 177, 51, 1],
        ]
    );
    assert!(
        profile
            .functions
            .iter()
            .all(|f| f.kind == Kind::Native && f.name != "never_called()")
    );
}

#[test]
fn self_times_come_out_of_inclusive_ones() {
    let profile = read("threads");
    // The chain of deep calls in the first thread: 32,448, 31,512, 31,096 …
    let thread = &profile.threads[0];
    let trie = &thread.trie;
    let deep: Vec<u64> = trie
        .walk()
        .filter_map(|step| match step {
            Step::Enter(node) => Some(node),
            Step::Leave(_) => None,
        })
        .filter(|node| profile.function(trie.function(*node)).name == "deep(int)")
        .map(|node| trie.self_cost(node))
        .take(2)
        .collect();
    assert_eq!(deep, [32_448 - 31_512, 31_512 - 31_096]);
    // The whole is what `work` took from entry to exit.
    let whole: u64 = trie.nodes().map(|node| trie.self_cost(node)).sum();
    assert_eq!(whole, 0xb0bb4);
    let work = profile.find_functions("work(int)").unwrap()[0];
    let stats: Stats = profile.function_stats()[profile
        .functions
        .iter()
        .position(|f| f.name == "work(int)")
        .unwrap()];
    assert!(stats.self_cost > 0 && stats.self_cost < stats.total_cost);
    assert_eq!(
        profile
            .callers(work, wasm_xray_profile::SortBy::Calls)
            .len(),
        1
    );
}

#[test]
fn a_file_with_one_path() {
    let profile = read("two-functions");
    let names: Vec<&str> = profile.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["leaf(int)", "mid(int)"]);
    let stats = profile.function_stats();
    assert_eq!((stats[0].calls, stats[1].calls), (10_000_000, 1));
    assert_eq!(stats[0].self_cost, 0xb2de_23a5);
    assert_eq!(stats[1].self_cost, 0x1_6059_ae65 - 0xb2de_23a5);
}

#[test]
fn written_again_in_xrays_layout_it_says_the_same() {
    let profile = read("threads");
    let again =
        Profile::read(&profile.convert(Format::Xray).unwrap(), &profile.map_json()).unwrap();
    assert_eq!(again.function_stats(), profile.function_stats());
    assert_eq!(again.threads.len(), profile.threads.len());
    let compact = Profile::read(
        &profile.convert(Format::Compact).unwrap(),
        &profile.map_json(),
    )
    .unwrap();
    assert_eq!(compact, profile);
}
