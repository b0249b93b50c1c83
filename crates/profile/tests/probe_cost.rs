//! Self times without the probes, against figures worked out by hand.

mod common;

use common::{compact, map};
use serde_json::{Value, json};
use wasm_xray_profile::{Error, Merger, Profile, ReportOptions, TransformOptions};

const NAMES: &[Option<&str>] = &[Some("host"), Some("main"), Some("busy"), Some("leaf")];

/// In a call of `main`: 1,000 calls of `busy`, each with 10 of `leaf`, and 3 of an
/// import. 40.5 ns a call are inside, 50 ns in the caller.
fn recorded(clock: &str, cost: Option<(u32, u32)>) -> (Vec<u8>, String) {
    let file = compact(&[
        (
            1,
            &[
                (64, 0, 2, 0, 1, 200_000),
                (128, 64, 3, 0, 1_000, 700_000),
                (192, 128, 4, 0, 10_000, 500_000),
                (256, 64, 1, 0, 3, 100),
                (320, 0, 4, common::OVERFLOW, 100, 5_000),
            ],
        ),
        (2, &[(64, 0, 4, 0, 2, 90)]),
    ]);
    let text = map(clock, &[(1, "main"), (2, "worker 2")], 1, NAMES);
    let mut map: Value = serde_json::from_str(&text).unwrap();
    if let Some((inner, outer)) = cost {
        map["probe_cost"] = json!({"inner_ps": inner, "outer_ps": outer});
    }
    (file, map.to_string())
}

fn read((file, map): (Vec<u8>, String)) -> Profile {
    Profile::read(&file, &map).unwrap()
}

fn view(profile: &Profile, options: Value) -> Result<Profile, Error> {
    profile.transform(&TransformOptions::from_json(&options.to_string())?)
}

fn report(profile: &Profile) -> Value {
    let options = ReportOptions::from_json("{}").unwrap();
    serde_json::from_str(&profile.report(&options).unwrap()).unwrap()
}

/// Self times of a thread's paths: callers before callees, dropped ones last.
fn selfs(profile: &Profile, thread: usize) -> Vec<u64> {
    let trie = &profile.threads[thread].trie;
    trie.nodes().map(|node| trie.self_cost(node)).collect()
}

#[test]
fn each_call_costs_its_function_and_its_caller() {
    let profile = read(recorded("wall", Some((40_500, 50_000))));
    let view = view(&profile, json!({"subtractProbeCost": true})).unwrap();
    let expected = [
        // main: itself 40.5, and 1,003 calls made of 50 each; whole ns are taken.
        200_000 - (1_003 * 50 + 40),
        // busy: 1,000 of 40.5, and 10,000 made of 50.
        700_000 - 540_500,
        // leaf: 10,000 of 40.5.
        500_000 - 405_000,
        // The import has less than 3 × 40.5.
        0,
        // Calls of leaf whose path was dropped: 100 of 40.5.
        5_000 - 4_050,
    ];
    assert_eq!(selfs(&view, 0), expected);
    assert_eq!(selfs(&view, 1), [90 - 81]);
}

#[test]
fn counts_stay_and_the_report_says_what_was_taken() {
    let profile = read(recorded("wall", Some((40_500, 50_000))));
    assert_eq!(
        report(&profile)["probeCostPs"],
        json!({"inner": 40_500, "outer": 50_000})
    );
    let view = view(&profile, json!({"subtractProbeCost": true})).unwrap();
    let calls = |profile: &Profile| {
        let report = report(profile);
        let functions = report["functions"].as_array().unwrap().clone();
        let mut calls: Vec<_> = functions
            .iter()
            .map(|f| (f["name"].to_string(), f["calls"].as_u64()))
            .collect();
        calls.sort();
        calls
    };
    assert_eq!(calls(&view), calls(&profile));
    let said = report(&view);
    // 50,190 + 540,500 + 405,000 + 100 + 4,050 + 81 of 1,405,190.
    assert_eq!(
        said["unseen"][0],
        "probes: 999.921 of 1,405.190 µs were subtracted, for each call 40.500 ns from itself and \
         50.000 ns from its caller, as measured; a self time never becomes less than 0"
    );
    assert_eq!(said.get("probeCostPs"), None);
}

#[test]
fn it_comes_before_other_views() {
    let profile = read(recorded("wall", Some((40_500, 50_000))));
    // The calls that `ignore` takes away had cost their caller.
    let options = json!({"subtractProbeCost": true, "ignore": ["busy"], "threads": ["main"]});
    let view = view(&profile, options).unwrap();
    assert_eq!(selfs(&view, 0)[0], 200_000 - 50_190);
    assert!(
        report(&view)["unseen"]
            .to_string()
            .contains("of 1,405.100 µs")
    );
}

#[test]
fn what_is_not_known_is_not_subtracted() {
    let refused = |profile: &Profile| {
        let options = json!({"subtractProbeCost": true});
        view(profile, options).unwrap_err().to_string()
    };
    let unknown = read(recorded("wall", None));
    assert!(refused(&unknown).contains("does not say what a probe costs"));
    let counted = read(recorded("instructions", None));
    assert!(refused(&counted).contains("the profile's clock is instructions"));
    let profile = read(recorded("wall", Some((1_000, 1_000))));
    let once = view(&profile, json!({"subtractProbeCost": true})).unwrap();
    assert!(refused(&once).contains("subtracted before"));
}

#[test]
fn a_merged_profile_has_the_least_cost_of_its_parts() {
    let merged = |costs: &[Option<(u32, u32)>]| {
        let mut merger = Merger::new();
        for cost in costs {
            merger.add(read(recorded("wall", *cost))).unwrap();
        }
        report(&merger.finish().unwrap())["probeCostPs"].clone()
    };
    let both = merged(&[Some((40, 50)), Some((60, 30))]);
    assert_eq!(both, json!({"inner": 40, "outer": 30}));
    assert_eq!(merged(&[None, Some((60, 30))])["inner"], 60);
    assert_eq!(merged(&[None, None]), Value::Null);
}

#[test]
fn figures_at_the_limits_neither_wrap_nor_panic() {
    let file = compact(&[(
        1,
        &[(64, 0, 2, 0, u64::MAX, 7), (128, 64, 3, 0, u64::MAX, 0)],
    )]);
    let (_, map) = recorded("wall", Some((u32::MAX, u32::MAX)));
    let profile = Profile::read(&file, &map).unwrap();
    let view = view(&profile, json!({"subtractProbeCost": true})).unwrap();
    assert_eq!(selfs(&view, 0), [0, 0]);
}

#[test]
fn the_map_keeps_it() {
    let profile = read(recorded("wall", Some((40_500, 50_000))));
    let (file, _) = recorded("wall", None);
    let again = Profile::read(&file, &profile.map_json()).unwrap();
    assert_eq!(again.probe_cost, profile.probe_cost);
}
