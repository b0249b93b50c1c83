//! Figures computed by hand, of profiles small enough for that.

mod common;

use common::{calls, compact, map, read, wall, xray};
use wasm_xray_profile::{Kind, Party, Profile, SortBy, Stats};

fn stats(calls: u64, self_cost: u64, total_cost: u64, total_calls: u64) -> Stats {
    Stats {
        calls,
        self_cost,
        total_cost,
        total_calls,
    }
}

fn by_name(profile: &Profile) -> Vec<(&str, Stats)> {
    let figures = profile.function_stats();
    profile
        .functions
        .iter()
        .map(|f| f.name.as_str())
        .zip(figures)
        .collect()
}

#[test]
fn recursion_counts_once_in_totals() {
    assert_eq!(
        by_name(&read(&wall())),
        [
            ("env.now", stats(2, 30, 30, 2)),
            ("app::main", stats(1, 100, 205, 13)),
            ("fib", stats(7, 70, 75, 10)),
            ("func[3]", stats(6, 600, 600, 6)),
            ("leaf(int)", stats(12, 5, 5, 12)),
        ]
    );
}

#[test]
fn clock_calls_has_no_cost() {
    let profile = read(&calls());
    let figures = profile.function_stats();
    assert_eq!(figures[1], stats(1, 0, 0, 13));
    assert_eq!(figures[2], stats(7, 0, 0, 10));
    let ranking = profile.ranking(&figures, SortBy::SelfCost);
    let calls: Vec<u64> = ranking.iter().map(|id| figures[id.index()].calls).collect();
    assert!(calls.is_sorted_by(|a, b| a >= b), "{calls:?}");
}

#[test]
fn functions_say_what_they_are() {
    let profile = read(&wall());
    let kinds: Vec<Kind> = profile.functions.iter().map(|f| f.kind).collect();
    assert_eq!(kinds[..2], [Kind::Import, Kind::Wasm]);
    let raw: Vec<Option<&str>> = profile
        .function_ids()
        .map(|id| profile.raw_name(id))
        .collect();
    assert_eq!(raw, common::NAMES);
}

#[test]
fn callers_and_callees_add_up_to_the_function() {
    let profile = read(&wall());
    let fib = profile.find_functions("fib").unwrap()[0];
    let main = profile.find_functions("app::main").unwrap()[0];
    let leaf = profile.find_functions("leaf(int)").unwrap()[0];
    let rows = |rows: Vec<wasm_xray_profile::Neighbour>| -> Vec<(Party, Stats)> {
        rows.into_iter().map(|row| (row.party, row.stats)).collect()
    };
    assert_eq!(
        rows(profile.callers(fib, SortBy::Total)),
        [
            (Party::Function(main), stats(1, 10, 75, 10)),
            (Party::Function(fib), stats(6, 60, 0, 0)),
        ]
    );
    assert_eq!(
        rows(profile.callees(fib, SortBy::Total)),
        [
            (Party::Function(leaf), stats(3, 5, 5, 3)),
            (Party::Function(fib), stats(6, 60, 0, 0)),
        ]
    );
    assert_eq!(
        rows(profile.callers(leaf, SortBy::Calls)),
        [
            (Party::DroppedPath, stats(9, 0, 0, 9)),
            (Party::Function(fib), stats(3, 5, 5, 3)),
        ]
    );
    assert_eq!(
        rows(profile.callers(main, SortBy::Calls)),
        [(Party::Host, stats(1, 100, 205, 13))]
    );
}

#[test]
fn functions_are_found_by_name_id_or_part() {
    let profile = read(&wall());
    let find = |name: &str| profile.find_functions(name).map(|ids| ids.len());
    assert_eq!(find("_Z4leafi").unwrap(), 1);
    assert_eq!(find("#4").unwrap(), 1);
    assert_eq!(find("leaf").unwrap(), 1);
    assert!(
        find("nothing")
            .unwrap_err()
            .to_string()
            .contains("no function")
    );
    assert!(find("a").unwrap_err().to_string().contains("#2 app::main"));
}

#[test]
fn xray_times_are_inclusive() {
    // 1 → 2 → 3 and 1 → 3; the callees of 3 in 2 took longer than it says.
    let file = xray(&[(
        5,
        &[
            (&[1], 1, 100),
            (&[2, 1], 2, 60),
            (&[3, 2, 1], 4, 25),
            (&[1, 3, 2, 1], 1, 30),
            (&[3, 1], 1, 10),
        ],
    )]);
    let profile = read(&(
        file,
        map("wall", &[], 0, &[Some("a"), Some("b"), Some("c")]),
    ));
    assert_eq!(profile.threads[0].name, "thread 5");
    assert_eq!(
        by_name(&profile),
        [
            ("a", stats(2, 60, 105, 9)),
            ("b", stats(2, 35, 65, 7)),
            ("c", stats(5, 10, 40, 6)),
        ]
    );
}

#[test]
fn xray_paths_that_never_returned_pass_their_callees_on() {
    let file = xray(&[(5, &[(&[1], 1, 100), (&[2, 1], 0, 0), (&[3, 2, 1], 4, 25)])]);
    let profile = read(&(
        file,
        map("wall", &[], 0, &[Some("a"), Some("b"), Some("c")]),
    ));
    assert_eq!(
        by_name(&profile),
        [
            ("a", stats(1, 75, 100, 5)),
            ("b", stats(0, 0, 25, 4)),
            ("c", stats(4, 25, 25, 4)),
        ]
    );
}

#[test]
fn xray_records_cut_off_by_native_xray_are_counted_as_dropped() {
    let profile = read(&(xray(&[(5, &[(&[], 3, 9), (&[1], 1, 1)])]), String::new()));
    assert_eq!((profile.dropped.paths, profile.dropped.calls), (1, 3));
    assert_eq!(profile.functions[0].name, "func#1");
}

#[test]
fn instances_of_one_module_are_one() {
    // The module twice, at 1 and at 3, with the same path in both.
    let mut map: serde_json::Value =
        serde_json::from_str(&map("calls", &[], 0, &[Some("a"), Some("b")])).unwrap();
    let mut second = map["modules"][0].clone();
    second["base"] = 3.into();
    map["modules"].as_array_mut().unwrap().push(second);
    let file = compact(&[(
        1,
        &[
            (1, 0, 3, 0, 1, 0),
            (2, 1, 4, 0, 2, 0),
            (3, 0, 1, 0, 10, 0),
            (4, 3, 2, 0, 20, 0),
        ],
    )]);
    let profile = read(&(file, map.to_string()));
    assert_eq!(
        by_name(&profile),
        [("a", stats(11, 0, 0, 33)), ("b", stats(22, 0, 0, 22))]
    );
    assert_eq!((profile.modules.len(), profile.nodes()), (1, 2));
}

#[test]
fn a_chain_of_a_million_calls_is_no_deeper_than_the_heap() {
    let records: Vec<_> = (1..=1_000_000)
        .map(|node| (node, node - 1, 1, 0, 1, 1))
        .collect();
    let profile = read(&(
        compact(&[(1, &records)]),
        map("wall", &[], 0, &[Some("deep")]),
    ));
    assert_eq!(
        by_name(&profile),
        [("deep", stats(1_000_000, 1_000_000, 1_000_000, 1_000_000))]
    );
    assert_eq!(profile.tree(3).len(), 4);
    let svg = profile.convert(wasm_xray_profile::Format::Svg).unwrap();
    assert!(svg.len() < 1 << 20);
    let error = profile
        .convert(wasm_xray_profile::Format::Xray)
        .unwrap_err();
    assert!(
        error.to_string().contains("larger than 1024 MiB"),
        "{error}"
    );
}
