//! Exports as the tools read them that they are for.

mod common;

use common::{calls, read, wall};
use wasm_xray_profile::{Format, Weight};

#[test]
fn inferno_finds_the_same_total_in_folded_stacks() {
    for input in [wall(), calls()] {
        let profile = read(&input);
        let folded = String::from_utf8(profile.convert(Format::Folded).unwrap()).unwrap();
        let mut svg = Vec::new();
        let mut options = inferno::flamegraph::Options::default();
        inferno::flamegraph::from_lines(&mut options, folded.lines(), &mut svg).unwrap();
        let total: u64 = profile
            .threads
            .iter()
            .map(|t| t.trie.sum(profile.weight()))
            .sum();
        let svg = String::from_utf8(svg).unwrap();
        assert!(
            svg.contains(&format!("total_samples=\"{total}\"")),
            "{total}"
        );
    }
}

#[test]
fn speedscope_profiles_are_well_formed() {
    for input in [wall(), calls()] {
        let profile = read(&input);
        let json = profile.convert(Format::Speedscope).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let frames = json["shared"]["frames"].as_array().unwrap().len() as u64;
        for view in json["profiles"].as_array().unwrap() {
            assert_eq!(view["type"], "sampled");
            let samples = view["samples"].as_array().unwrap();
            let weights = view["weights"].as_array().unwrap();
            assert_eq!(samples.len(), weights.len());
            let sum: u64 = weights.iter().map(|weight| weight.as_u64().unwrap()).sum();
            assert_eq!(view["endValue"], sum);
            let ids = samples.iter().flat_map(|sample| sample.as_array().unwrap());
            assert!(ids.into_iter().all(|id| id.as_u64().unwrap() < frames));
        }
        let calls: u64 = profile
            .threads
            .iter()
            .map(|t| t.trie.sum(Weight::Calls))
            .sum();
        let of_calls =
            |view: &&serde_json::Value| view["name"].as_str().unwrap().ends_with(": calls");
        let views = json["profiles"].as_array().unwrap();
        let sum: u64 = views
            .iter()
            .filter(of_calls)
            .map(|view| view["endValue"].as_u64().unwrap())
            .sum();
        assert_eq!(sum, calls);
    }
}
