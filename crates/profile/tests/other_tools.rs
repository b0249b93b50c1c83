//! Exports as the tools read them that they are for.

mod common;

use std::io::Read;

use common::{calls, read, wall};
use wasm_xray_profile::{Format, Profile, Weight};

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

/// Calls and cost of the whole profile.
fn sums(profile: &Profile) -> (u64, u64) {
    let sum = |weight| profile.threads.iter().map(|t| t.trie.sum(weight)).sum();
    (sum(Weight::Calls), sum(Weight::Cost))
}

/// The messages of pprof's `profile.proto` that this test looks at, written anew.
mod pprof {
    #[derive(prost::Message)]
    pub struct Profile {
        #[prost(message, repeated, tag = "1")]
        pub sample_type: Vec<ValueType>,
        #[prost(message, repeated, tag = "2")]
        pub sample: Vec<Sample>,
        #[prost(message, repeated, tag = "3")]
        pub mapping: Vec<Mapping>,
        #[prost(message, repeated, tag = "4")]
        pub location: Vec<Location>,
        #[prost(message, repeated, tag = "5")]
        pub function: Vec<Function>,
        #[prost(string, repeated, tag = "6")]
        pub string_table: Vec<String>,
    }
    #[derive(prost::Message)]
    pub struct ValueType {
        #[prost(int64, tag = "1")]
        pub kind: i64,
    }
    #[derive(prost::Message)]
    pub struct Sample {
        #[prost(uint64, repeated, tag = "1")]
        pub location_id: Vec<u64>,
        #[prost(int64, repeated, tag = "2")]
        pub value: Vec<i64>,
    }
    #[derive(prost::Message)]
    pub struct Mapping {
        #[prost(uint64, tag = "1")]
        pub id: u64,
    }
    #[derive(prost::Message)]
    pub struct Location {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(uint64, tag = "2")]
        pub mapping_id: u64,
        #[prost(message, repeated, tag = "4")]
        pub line: Vec<Line>,
    }
    #[derive(prost::Message)]
    pub struct Line {
        #[prost(uint64, tag = "1")]
        pub function_id: u64,
    }
    #[derive(prost::Message)]
    pub struct Function {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(int64, tag = "2")]
        pub name: i64,
    }
}

#[test]
fn pprof_has_the_figures_of_each_function() {
    for input in [wall(), calls()] {
        let profile = read(&input);
        let file = profile.convert(Format::Pprof).unwrap();
        let mut proto = Vec::new();
        flate2::read::GzDecoder::new(file.as_slice())
            .read_to_end(&mut proto)
            .unwrap();
        let file = <pprof::Profile as prost::Message>::decode(proto.as_slice()).unwrap();
        assert_eq!(file.string_table[0], "");
        let kinds: Vec<&str> = file
            .sample_type
            .iter()
            .map(|kind| file.string_table[kind.kind as usize].as_str())
            .collect();
        assert_eq!(kinds, &["calls", "wall"][..kinds.len()]);
        let name = |location: u64| {
            let location = file.location.iter().find(|l| l.id == location).unwrap();
            let known = file.mapping.iter().any(|m| m.id == location.mapping_id);
            assert!(known || location.mapping_id == 0);
            let function = location.line[0].function_id;
            let function = file.function.iter().find(|f| f.id == function).unwrap();
            file.string_table[function.name as usize].clone()
        };
        for (function, stats) in profile.functions.iter().zip(profile.function_stats()) {
            let shown = wasm_xray_profile::escape(&function.name);
            let mut flat = vec![0; kinds.len()];
            let mut cumulative = vec![0; kinds.len()];
            for sample in &file.sample {
                assert_eq!(sample.value.len(), kinds.len());
                let names: Vec<String> = sample.location_id.iter().map(|l| name(*l)).collect();
                for (at, value) in sample.value.iter().enumerate() {
                    flat[at] += if names[0] == shown { *value as u64 } else { 0 };
                    cumulative[at] += if names.contains(&shown) {
                        *value as u64
                    } else {
                        0
                    };
                }
            }
            let own = [stats.calls, stats.self_cost];
            let total = [stats.total_calls, stats.total_cost];
            assert_eq!(flat, own[..kinds.len()], "{shown}");
            assert_eq!(cumulative, total[..kinds.len()], "{shown}");
        }
    }
}

#[test]
fn chrome_finds_the_cost_of_each_node_twice() {
    for input in [wall(), calls()] {
        let profile = read(&input);
        let json = profile.convert(Format::Cpuprofile).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let list = |key: &str| json[key].as_array().unwrap().clone();
        let (samples, deltas) = (list("samples"), list("timeDeltas"));
        assert_eq!(samples.len(), deltas.len());
        let unit = if profile.weight() == Weight::Cost {
            1000.0
        } else {
            1.0
        };
        let mut children = 0;
        let mut sum = 0;
        for node in list("nodes") {
            // A sample lasts until the next one begins.
            let own: f64 = (1..samples.len())
                .filter(|at| samples[at - 1] == node["id"])
                .map(|at| deltas[at].as_f64().unwrap())
                .sum();
            let hits = node["hitCount"].as_u64().unwrap();
            assert_eq!((own * unit).round() as u64, hits);
            children += node["children"].as_array().unwrap().len();
            sum += node["calls"].as_u64().unwrap_or(0);
        }
        assert_eq!(children, list("nodes").len() - 1, "all are below the root");
        assert_eq!(sum, sums(&profile).0);
    }
}

#[test]
fn firefox_tables_are_as_long_as_they_say() {
    for input in [wall(), calls()] {
        let profile = read(&input);
        let json = profile.convert(Format::Firefox).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let mut tables: Vec<&serde_json::Value> = json["shared"]
            .as_object()
            .unwrap()
            .values()
            .filter(|table| table.is_object())
            .collect();
        let threads = json["threads"].as_array().unwrap();
        tables.extend(threads.iter().flat_map(|t| [&t["samples"], &t["markers"]]));
        for table in tables {
            for column in table.as_object().unwrap().values() {
                let length = column.as_array().map(|column| column.len() as u64);
                assert!(
                    length.is_none_or(|length| table["length"] == length),
                    "{table}"
                );
            }
        }
        let weights = threads
            .iter()
            .flat_map(|thread| thread["samples"]["weight"].as_array().unwrap());
        let sum: f64 = weights.map(|weight| weight.as_f64().unwrap()).sum();
        let (calls, cost) = sums(&profile);
        match profile.weight() {
            Weight::Calls => assert_eq!(sum as u64, calls),
            Weight::Cost => assert_eq!((sum * 1e6).round() as u64, cost),
        }
    }
}

#[test]
fn callgrind_callers_add_up_to_each_total() {
    for input in [wall(), calls()] {
        let profile = read(&input);
        let file = String::from_utf8(profile.convert(Format::Callgrind).unwrap()).unwrap();
        let mut own = std::collections::BTreeMap::new();
        let mut inclusive = std::collections::BTreeMap::new();
        let (mut function, mut callee) = (0usize, None);
        let number = |text: &str| -> usize {
            let (number, _) = text[1..].split_once(')').unwrap();
            number.parse().unwrap()
        };
        for line in file.lines() {
            if let Some(name) = line.strip_prefix("fn=") {
                function = number(name);
            } else if let Some(name) = line.strip_prefix("cfn=") {
                callee = Some(number(name));
            } else if let Some(costs) = line.strip_prefix("0 ") {
                // The last event is the calls.
                let calls: u64 = costs.rsplit(' ').next().unwrap().parse().unwrap();
                match callee.take() {
                    Some(callee) => *inclusive.entry(callee).or_insert(0) += calls,
                    None => *own.entry(function).or_insert(0) += calls,
                }
            }
        }
        for (index, stats) in profile.function_stats().iter().enumerate() {
            assert_eq!(own[&(index + 1)], stats.calls);
            assert_eq!(inclusive[&(index + 1)], stats.total_calls);
        }
    }
}
