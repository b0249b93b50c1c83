//! Parts of one run, each with its own function ids.

mod common;

use common::{compact, read};
use wasm_xray_profile::{Format, Merger, Profile};

/// A part with the modules given by name and base, each of two functions.
fn part(modules: &[(&str, u32)], thread: &str, functions: &[u32]) -> Profile {
    let modules: Vec<_> = modules
        .iter()
        .map(|(name, base)| {
            let names = [format!("{name}.f"), format!("{name}.g")];
            let map = serde_json::json!({"name": name, "hash": format!("hash of {name}"), "imports": 0, "names": names});
            serde_json::json!({"base": base, "map": map})
        })
        .collect();
    let map = serde_json::json!({
        "version": 1, "clock": "calls", "modules": modules, "threads": [{"id": 9, "name": thread}],
        "skipped": [{"module": "c", "reason": "a component"}], "dropped": {"paths": 1, "calls": 2},
    });
    let records: Vec<_> = (1u32..)
        .zip(functions)
        .map(|(node, id)| (node, node - 1, *id, 0, 10, 0))
        .collect();
    read(&(compact(&[(9, &records)]), map.to_string()))
}

fn merge(parts: &[Profile]) -> Profile {
    let mut merger = Merger::new();
    for part in parts {
        merger.add(part.clone()).unwrap();
    }
    merger.finish().unwrap()
}

#[test]
fn the_same_module_gets_one_range_of_ids_and_others_their_own() {
    // The first part loaded a and b, the second b and a, and calls a function nobody knows.
    let merged = merge(&[
        part(&[("a", 1), ("b", 3)], "main", &[1, 2, 3]),
        part(&[("b", 1), ("a", 10)], "worker", &[1, 10, 99]),
    ]);
    let functions: Vec<(u32, &str, u64)> = merged
        .functions
        .iter()
        .zip(merged.function_stats())
        .map(|(f, stats)| (f.id.0, f.name.as_str(), stats.calls))
        .collect();
    assert_eq!(
        functions,
        [
            (1, "a.f", 20),
            (2, "a.g", 10),
            (3, "b.f", 20),
            (5, "func#99", 10)
        ]
    );
    let threads: Vec<(u64, &str)> = merged
        .threads
        .iter()
        .map(|t| (t.id, t.name.as_str()))
        .collect();
    assert_eq!(threads, [(1, "main"), (2, "worker")]);
    assert_eq!((merged.dropped.paths, merged.dropped.calls), (2, 4));
    assert_eq!(merged.skipped_modules.len(), 1);
    let file = merged.convert(Format::Compact).unwrap();
    let again = Profile::read(&file, &merged.map_json()).unwrap();
    assert_eq!(again.functions.last().unwrap().name, "func#99");
    assert_eq!(again.function_stats(), merged.function_stats());
}

#[test]
fn unknown_functions_of_two_parts_are_two() {
    let merged = merge(&[part(&[], "one", &[7]), part(&[], "two", &[7])]);
    let ids: Vec<u32> = merged.functions.iter().map(|f| f.id.0).collect();
    assert_eq!(ids, [1, 2]);
    assert!(merged.functions.iter().all(|f| f.name == "func#7"));
}

#[test]
fn one_part_stays_as_it_is_but_for_ids() {
    let part = part(&[("a", 5)], "main", &[5, 6, 5]);
    let merged = merge(std::slice::from_ref(&part));
    assert_eq!(merged.functions[0].id.0, 1);
    assert_eq!(merged.threads[0].trie, part.threads[0].trie);
    assert_eq!(merge(std::slice::from_ref(&merged)), merged);
}

#[test]
fn modules_of_one_name_are_told_apart_and_one_module_of_two_names_is_one() {
    let named = |modules: &[(&str, &str)]| {
        let modules: Vec<_> = (0u32..)
            .zip(modules)
            .map(|(i, (name, hash))| {
                let map =
                    serde_json::json!({"name": name, "hash": hash, "imports": 0, "names": ["f"]});
                serde_json::json!({"base": i + 1, "map": map})
            })
            .collect();
        let map = serde_json::json!({
            "version": 1, "clock": "calls", "modules": modules, "threads": [{"id": 1, "name": "main"}],
        });
        read(&(compact(&[(1, &[(1, 0, 1, 0, 5, 0)])]), map.to_string()))
    };
    let names = |profile: &Profile| -> Vec<String> {
        profile
            .modules
            .iter()
            .map(|module| module.map.name.clone())
            .collect()
    };
    let script = named(&[("tree-sitter", "aaaa1111"), ("tree-sitter", "bbbb2222")]);
    assert_eq!(names(&script), ["tree-sitter#aaaa", "tree-sitter#bbbb"]);
    let again = Profile::read(
        &script.convert(Format::Compact).unwrap(),
        &script.map_json(),
    );
    assert_eq!(names(&again.unwrap()), names(&script));
    let worker = named(&[("worker", "bbbb2222")]);
    let merged = merge(&[script, worker]);
    assert_eq!(names(&merged), ["tree-sitter#aaaa", "tree-sitter#bbbb"]);
    let calls: Vec<u64> = merged.function_stats().iter().map(|s| s.calls).collect();
    assert_eq!(calls, [5, 5]);
}
