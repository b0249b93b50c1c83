//! Two profiles compared, with figures computed by hand.

mod common;

use common::{OVERFLOW, calls, compact, golden, read, wall};
use proptest::prelude::*;
use wasm_xray_profile::{Change, Diff, DiffOptions, Pair, Profile};

/// `wall()` after a change: an import came in front, so indices moved; `leaf` is
/// gone, `parse` is new, `fib` is called more often and is cheaper.
///
/// ```text
/// main  app::main ×1 100   fib ×1 10   fib ×3 10   fib ×4 40
///                          parse ×5 7
///                          env.now ×2 30
/// pool  func[4] ×6 600
/// ```
fn wall_after() -> (Vec<u8>, String) {
    let names = [
        Some("env.log"),
        Some("env.now"),
        Some("_ZN3app4main17hfedcba9876543210E"),
        Some("fib"),
        None,
        Some("parse"),
    ];
    let map = common::map("wall", &[(1, "main"), (2, "pool")], 2, &names);
    let map = map.replace("0123456789abcdef", "fedcba9876543210");
    let file = compact(&[
        (
            1,
            &[
                (1, 0, 3, 0, 1, 100),
                (2, 1, 4, 0, 1, 10),
                (3, 2, 4, 0, 3, 10),
                (4, 3, 4, 0, 4, 40),
                (5, 1, 6, 0, 5, 7),
                (6, 1, 2, 0, 2, 30),
            ],
        ),
        (2, &[(1, 0, 5, 0, 6, 600)]),
    ]);
    (file, map)
}

fn diff() -> Diff {
    read(&wall()).diff(&read(&wall_after())).unwrap()
}

fn pair(before: u64, after: u64) -> Pair {
    Pair { before, after }
}

#[test]
fn functions_are_matched_by_name_where_indices_moved() {
    let diff = diff();
    let rows: Vec<_> = diff
        .functions
        .iter()
        .map(|row| {
            let figures = &row.figures;
            (
                row.name.as_str(),
                figures.change(),
                figures.calls,
                figures.self_cost,
                figures.total_cost,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            // Without a name the index is all there is.
            (
                "func[4]",
                Change::Added,
                pair(0, 6),
                pair(0, 600),
                pair(0, 600)
            ),
            (
                "func[3]",
                Change::Removed,
                pair(6, 0),
                pair(600, 0),
                pair(600, 0)
            ),
            (
                "fib",
                Change::Changed,
                pair(7, 8),
                pair(70, 60),
                pair(75, 60)
            ),
            ("parse", Change::Added, pair(0, 5), pair(0, 7), pair(0, 7)),
            (
                "leaf(int)",
                Change::Removed,
                pair(12, 0),
                pair(5, 0),
                pair(5, 0)
            ),
            (
                "app::main",
                Change::Same,
                pair(1, 1),
                pair(100, 100),
                pair(205, 197)
            ),
            (
                "env.now",
                Change::Same,
                pair(2, 2),
                pair(30, 30),
                pair(30, 30)
            ),
        ]
    );
    assert_eq!(diff.whole.calls, pair(28, 22));
    assert_eq!(diff.whole.self_cost, pair(805, 797));
    assert!(
        diff.notes
            .iter()
            .any(|note| note.contains("without a name"))
    );
}

#[test]
fn paths_are_matched_by_name() {
    let diff = diff();
    let rows: Vec<_> = diff
        .paths
        .iter()
        .map(|row| {
            let (frames, dropped) = diff.frames(row);
            let names: Vec<&str> = frames
                .iter()
                .map(|index| diff.functions[*index].name.as_str())
                .collect();
            (names.join(" "), dropped, row.figures.calls)
        })
        .collect();
    let rows: Vec<(&str, bool, Pair)> = rows.iter().map(|(a, b, c)| (a.as_str(), *b, *c)).collect();
    assert_eq!(
        rows,
        [
            ("func[3]", false, pair(6, 0)),
            ("func[4]", false, pair(0, 6)),
            ("app::main fib fib", false, pair(2, 3)),
            ("app::main parse", false, pair(0, 5)),
            ("app::main fib fib leaf(int)", false, pair(3, 0)),
            ("leaf(int)", true, pair(9, 0)),
        ]
    );
    assert_eq!(diff.same_paths, 4);
}

#[test]
fn golden_reports() {
    let diff = diff();
    golden("diff.txt", diff.text(DiffOptions::default()).as_bytes());
    let short = DiffOptions::from_json(r#"{"limit": 2}"#).unwrap();
    golden("diff.short.txt", diff.text(short).as_bytes());
    let json = diff.json(DiffOptions::default()).unwrap();
    golden("diff.json", json.as_bytes());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["functions"][2]["calls"], serde_json::json!([7, 8]));
    let short: serde_json::Value = serde_json::from_str(&diff.json(short).unwrap()).unwrap();
    assert_eq!(short["paths"].as_array().unwrap().len(), 2);
    assert_eq!(short["morePaths"], 4);
}

#[test]
fn a_name_that_is_an_attack_stays_text() {
    let one = read(&calls());
    let empty = read(&(compact(&[]), calls().1));
    let text = empty.diff(&one).unwrap().text(DiffOptions::default());
    let bad = text.chars().find(|char| char.is_control() && *char != '\n');
    assert_eq!(bad, None, "{text}");
}

#[test]
fn a_profile_and_itself_are_the_same() {
    for input in [wall(), calls()] {
        let profile = read(&input);
        let diff = profile.diff(&profile).unwrap();
        assert_eq!(diff.paths, []);
        assert!(!diff.grew_above(0.0));
        let text = diff.text(DiffOptions::default());
        assert!(text.contains("No function changed"), "{text}");
    }
}

#[test]
fn growth_is_compared_exactly() {
    let with_calls = |calls| {
        let map = common::map("calls", &[(1, "main")], 0, &[Some("f")]);
        read(&(compact(&[(1, &[(1, 0, 1, 0, calls, 0)])]), map))
    };
    let grew = |before, after, percent| {
        let diff = with_calls(before).diff(&with_calls(after)).unwrap();
        diff.grew_above(percent)
    };
    assert!(!grew(100, 105, 5.0) && grew(100, 106, 5.0) && grew(100, 105, 4.9));
    assert!(grew(1_000_000, 1_000_001, 0.0) && !grew(100, 90, 0.0));
    assert!(grew(0, 1, 1e300) && !grew(0, 0, 0.0), "from nothing");
    assert!(!grew(1, u64::MAX, f64::INFINITY));
}

#[test]
fn clocks_must_be_the_same() {
    let error = read(&wall()).diff(&read(&calls())).unwrap_err().to_string();
    assert!(error.contains("clock wall, the second calls"), "{error}");
}

#[test]
fn a_deep_chain_of_calls_is_compared_in_linear_time() {
    let chain = |calls| -> Profile {
        let records: Vec<_> = (1..=100_000).map(|n| (n, n - 1, 1, 0, calls, 0)).collect();
        let map = common::map("calls", &[], 0, &[Some("deep")]);
        read(&(compact(&[(1, &records)]), map))
    };
    let diff = chain(1).diff(&chain(2)).unwrap();
    assert_eq!(diff.paths.len(), 100_000);
    let text = diff.text(DiffOptions::default());
    assert!(text.len() < 100_000, "long paths lose their middle");
}

proptest! {
    #[test]
    fn sums_are_those_of_the_profiles(
        before in prop::collection::vec((1u32..5, 0u64..9, 0u64..9, any::<bool>()), 0..20),
        after in prop::collection::vec((1u32..5, 0u64..9, 0u64..9, any::<bool>()), 0..20),
    ) {
        // A chain each, or dropped paths beside it.
        let profile = |nodes: &[(u32, u64, u64, bool)]| {
            let mut lost = std::collections::HashSet::new();
            let mut records = Vec::new();
            let mut above = 0;
            for (number, (function, calls, cost, is_lost)) in (1..).zip(nodes) {
                if !is_lost {
                    records.push((number, above, *function, 0, *calls, *cost));
                    above = number;
                } else if lost.insert(*function) {
                    records.push((number, 0, *function, OVERFLOW, *calls, *cost));
                }
            }
            let map = common::map("wall", &[], 0, &["a", "b", "c"].map(Some));
            read(&(compact(&[(1, &records)]), map))
        };
        let diff = profile(&before).diff(&profile(&after)).unwrap();
        let functions: i128 = diff.functions.iter().map(|row| row.figures.calls.change()).sum();
        let paths: i128 = diff.paths.iter().map(|row| row.figures.calls.change()).sum();
        prop_assert_eq!(functions, diff.whole.calls.change());
        prop_assert_eq!(paths, diff.whole.calls.change());
    }
}

/// `main` calls `work` ten times, which costs `cost`.
fn timed(cost: u64) -> Profile {
    let file = compact(&[(1, &[(1, 0, 1, 0, 1, 100), (2, 1, 2, 0, 10, cost)])]);
    let map = common::map("wall", &[], 0, &[Some("main"), Some("work")]);
    read(&(file, map))
}

#[test]
fn several_runs_say_what_is_noise() {
    let runs = |costs: [u64; 3]| costs.map(timed);
    let diff = |before: &[Profile], after: &[Profile]| {
        let sides = [before, after].map(|side| side.iter().collect::<Vec<_>>());
        Profile::diff_runs(&sides[0], &sides[1]).unwrap()
    };
    let slower = diff(&runs([1000, 990, 1010]), &runs([1100, 1090, 1200]));
    assert_eq!(slower.runs, (3, 3));
    assert_eq!(slower.whole.self_cost, pair(1100, 1200), "medians");
    let work = slower.functions.iter().find(|row| row.name == "work");
    let spread = work.unwrap().spread.unwrap();
    assert_eq!((spread.before.least, spread.before.most), (990, 1010));
    assert_eq!((spread.after.least, spread.after.most), (1090, 1200));
    assert!(!spread.is_noise() && slower.grew_above(5.0) && !slower.grew_above(10.0));
    let text = slower.text(DiffOptions::default());
    assert!(
        text.contains("all runs: 1.090 to 1.110 → 1.190 to 1.300 (beyond noise)"),
        "{text}"
    );

    let noisy = diff(&runs([1000, 990, 1110]), &runs([1100, 1090, 1200]));
    assert_eq!(noisy.whole.self_cost, pair(1100, 1200));
    assert!(!noisy.grew_above(0.0), "within the spread");
    let text = noisy.text(DiffOptions::default());
    assert!(text.contains("(noise)"), "{text}");
    let row = text.lines().find(|line| line.contains("noise  work"));
    assert!(row.is_some(), "{text}");

    let exact = diff(&[read(&calls())], &[read(&calls()), read(&calls())]);
    assert_eq!((exact.runs, exact.whole_spread), ((1, 2), None));
    let error = Profile::diff_runs(&[], &[&timed(1)]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("no profile on one of the two sides")
    );
}

#[test]
fn runs_that_should_be_the_same_and_are_not_are_told() {
    let run = |calls: u64| {
        let file = compact(&[(1, &[(1, 0, 1, 0, calls, 0)])]);
        read(&(file, common::map("calls", &[], 0, &[Some("main")])))
    };
    let (one, other) = (run(1), run(2));
    let diff = Profile::diff_runs(&[&one, &one], &[&one, &other]).unwrap();
    assert!(
        diff.notes
            .iter()
            .any(|note| note.contains("runs of the second side are not the same"))
    );
    assert!(
        !diff
            .notes
            .iter()
            .any(|note| note.contains("runs of the first side"))
    );
}

/// Before, `helper` is a function; after, it is inlined into `main`.
#[test]
fn what_is_inlined_does_not_hide_that_its_callees_are_the_same() {
    let names = [Some("main"), Some("helper"), Some("leaf")];
    let before = compact(&[(
        1,
        &[
            (1, 0, 1, 0, 1, 10),
            (2, 1, 2, 0, 5, 50),
            (3, 2, 3, 0, 7, 70),
        ],
    )]);
    let after = compact(&[(1, &[(1, 0, 1, 0, 1, 60), (2, 1, 2, 0, 7, 70)])]);
    let before = read(&(before, common::map("wall", &[], 0, &names)));
    let after = read(&(after, common::map("wall", &[], 0, &[names[0], names[2]])));
    for (diff, change) in [
        (before.diff(&after).unwrap(), Change::Removed),
        (after.diff(&before).unwrap(), Change::Added),
    ] {
        let rows: Vec<_> = diff
            .paths
            .iter()
            .map(|row| {
                let (frames, _) = diff.frames(row);
                let names = frames.iter().map(|at| diff.functions[*at].name.as_str());
                (names.collect::<Vec<_>>().join(" > "), row.figures.change())
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("main > helper".to_owned(), change),
                ("main".to_owned(), Change::Changed)
            ]
        );
        assert_eq!(diff.same_paths, 1, "main > leaf");
    }
}

#[test]
fn the_page_stands_alone_and_names_are_text() {
    let attack = Some("<img src=x onerror=alert(1)>\u{1b}[2J</script>");
    let file = |calls: u64| compact(&[(1, &[(1, 0, 1, 0, calls, 0)])]);
    let map = common::map("calls", &[], 0, &[attack]);
    let diff = read(&(file(1), map.clone()))
        .diff(&read(&(file(2), map)))
        .unwrap();
    let page = diff.html("a <b> & c", DiffOptions::default()).unwrap();
    assert!(page.contains("<title>a &lt;b&gt; &amp; c</title>"));
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;\\u{1b}[2J&lt;/script&gt;"));
    assert!(!page.contains("<img") && page.matches("</script>").count() == 1);
    assert!(
        !page.contains("http:") && !page.contains("https:"),
        "no network"
    );
}
