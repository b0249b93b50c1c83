//! Views of a profile against the same done to plain lists of paths.

mod common;

use std::collections::BTreeMap;

use common::any::any_profile;
use common::{compact, map};
use proptest::prelude::*;
use wasm_xray_profile::{Format, Profile, TransformOptions, Trie, Weight};

/// Thread, whether the path was dropped, names from the root on.
type Path = (u64, bool, Vec<String>);
/// Calls and self cost.
type Paths = BTreeMap<Path, (u64, u64)>;

fn names_above(profile: &Profile, trie: &Trie, node: wasm_xray_profile::NodeId) -> Vec<String> {
    let path = std::iter::successors(Some(node), |node| trie.parent(*node));
    let mut names: Vec<String> = path
        .map(|node| profile.function(trie.function(node)).name.clone())
        .collect();
    names.reverse();
    names
}

/// The paths that have calls or cost; that no path is there twice is checked.
fn paths(profile: &Profile) -> Paths {
    let mut paths = Paths::new();
    for thread in &profile.threads {
        let trie = &thread.trie;
        let mut seen = std::collections::HashSet::new();
        for node in trie.nodes() {
            let names = names_above(profile, trie, node);
            let dropped = trie.is_overflow(node);
            assert!(seen.insert((dropped, names.clone())), "{names:?} twice");
            let figures = (trie.calls(node), trie.self_cost(node));
            if figures != (0, 0) {
                paths.insert((thread.id, dropped, names), figures);
            }
        }
    }
    paths
}

/// Moves each path and adds up those that become the same; `None` takes it away.
fn moved(paths: &Paths, to: impl Fn(&Path) -> Option<Path>) -> Paths {
    let mut moved = Paths::new();
    for (path, (calls, cost)) in paths {
        if let Some(path) = to(path) {
            let sum = moved.entry(path).or_default();
            *sum = (sum.0 + calls, sum.1 + cost);
        }
    }
    moved
}

fn view(profile: &Profile, options: serde_json::Value) -> Profile {
    let options = TransformOptions::from_json(&options.to_string()).unwrap();
    let view = profile.transform(&options).unwrap();
    // What a transform makes is a profile like any other.
    let file = view.convert(Format::Compact).unwrap();
    let again = Profile::read(&file, &view.map_json()).unwrap();
    assert_eq!(paths(&again), paths(&view));
    let used: std::collections::HashSet<_> = view
        .threads
        .iter()
        .flat_map(|thread| thread.trie.nodes().map(|node| thread.trie.function(node)))
        .collect();
    assert_eq!(used.len(), view.functions.len(), "only functions in use");
    view
}

fn sums(profile: &Profile) -> (u64, u64) {
    (profile.sum(Weight::Calls), profile.sum(Weight::Cost))
}

/// Some name of a function of the profile, if there is any.
fn some_name(profile: &Profile, index: prop::sample::Index) -> Option<String> {
    let count = profile.functions.len();
    (count > 0).then(|| profile.functions[index.index(count)].name.clone())
}

proptest! {
    #[test]
    fn inverted_paths_are_turned_round(profile in any_profile(true)) {
        let inverted = view(&profile, serde_json::json!({"invert": true}));
        let turned = moved(&paths(&profile), |(thread, dropped, names)| {
            Some((*thread, *dropped, names.iter().rev().cloned().collect()))
        });
        prop_assert_eq!(paths(&inverted), turned);
        prop_assert_eq!(sums(&inverted), sums(&profile));
        let again = view(&inverted, serde_json::json!({"invert": true}));
        prop_assert_eq!(paths(&again), paths(&profile));
        // The weight of what begins with a function is that function's own.
        for (function, stats) in profile.functions.iter().zip(profile.function_stats()) {
            let own: u64 = inverted.threads.iter().map(|thread| {
                let totals = thread.trie.totals(Weight::Cost);
                let children = thread.trie.children();
                let roots = children.roots();
                let of_function = roots.filter(|root| {
                    inverted.function(thread.trie.function(*root)).id == function.id
                });
                let weights = thread.trie.nodes().zip(totals).collect::<std::collections::HashMap<_, _>>();
                of_function.map(|root| weights[&root]).sum::<u64>()
            }).sum();
            prop_assert_eq!(own, stats.self_cost);
        }
    }

    #[test]
    fn collapsed_paths_have_no_function_twice(profile in any_profile(true)) {
        let collapsed = view(&profile, serde_json::json!({"collapseRecursion": true}));
        let expected = moved(&paths(&profile), |(thread, dropped, names)| {
            let mut path: Vec<String> = Vec::new();
            for name in names {
                match path.iter().position(|known| known == name) {
                    Some(at) => path.truncate(at + 1),
                    None => path.push(name.clone()),
                }
            }
            Some((*thread, *dropped, path))
        });
        prop_assert_eq!(paths(&collapsed), expected);
        for (after, before) in collapsed.function_stats().iter().zip(profile.function_stats()) {
            prop_assert_eq!((after.calls, after.self_cost), (before.calls, before.self_cost));
            prop_assert!(after.total_cost <= before.total_cost);
        }
    }

    #[test]
    fn threads_become_one(profile in any_profile(true)) {
        let merged = view(&profile, serde_json::json!({"mergeThreads": true}));
        let expected = moved(&paths(&profile), |(_, dropped, names)| {
            Some((profile.threads[0].id, *dropped, names.clone()))
        });
        prop_assert_eq!(paths(&merged), expected);
        prop_assert_eq!(merged.function_stats(), profile.function_stats());
    }

    #[test]
    fn groups_enter_each_other(profile in any_profile(true)) {
        let grouped = view(&profile, serde_json::json!({"group": "module"}));
        let group = |name: &String| {
            let id = profile.function_ids().find(|id| profile.function(*id).name == *name).unwrap();
            match profile.module_name(id) {
                "" => "(no module)".to_owned(),
                module => module.to_owned(),
            }
        };
        let expected = moved(&paths(&profile), |(thread, dropped, names)| {
            let mut groups: Vec<String> = names.iter().map(group).collect();
            groups.dedup();
            Some((*thread, *dropped, groups))
        });
        prop_assert_eq!(paths(&grouped), expected);
    }

    #[test]
    fn filters_divide_the_paths(profile in any_profile(true), index in any::<prop::sample::Index>()) {
        let Some(name) = some_name(&profile, index) else { return Ok(()) };
        let filtered = |filter: &str| paths(&view(&profile, serde_json::json!({filter: [name]})));
        let all = paths(&profile);
        prop_assert_eq!(
            filtered("focus"),
            moved(&all, |path| path.2.contains(&name).then(|| path.clone()))
        );
        prop_assert_eq!(
            filtered("ignore"),
            moved(&all, |path| (!path.2.contains(&name)).then(|| path.clone()))
        );
        prop_assert_eq!(
            filtered("from"),
            moved(&all, |(thread, dropped, names)| {
                let at = names.iter().position(|known| *known == name)?;
                Some((*thread, *dropped, names[at..].to_vec()))
            })
        );
    }

    #[test]
    fn light_paths_become_other(profile in any_profile(true), hundredths in 0u32..4000, invert in any::<bool>()) {
        let share = format!("{}.{:02}%", hundredths / 100, hundredths % 100);
        let pruned = view(&profile, serde_json::json!({"prune": share, "invert": invert}));
        let all = if invert {
            paths(&view(&profile, serde_json::json!({"invert": true})))
        } else {
            paths(&profile)
        };
        let whole = profile.sum(Weight::Cost);
        let weight = |(thread, dropped, names): &Path, depth: usize| -> u64 {
            let below = all.iter().filter(|(path, _)| {
                path.0 == *thread && path.1 == *dropped && path.2.starts_with(&names[..depth])
            });
            below.map(|(_, (_, cost))| cost).sum()
        };
        let expected = moved(&all, |path| {
            let light = (1..=path.2.len()).find(|depth| {
                u128::from(weight(path, *depth)) * 10_000 < u128::from(whole) * u128::from(hundredths)
            });
            let mut names = path.2.clone();
            if let Some(depth) = light {
                names.truncate(depth - 1);
                names.push("(other)".to_owned());
            }
            Some((path.0, path.1, names))
        });
        prop_assert_eq!(paths(&pruned), expected);
        prop_assert_eq!(sums(&pruned), sums(&profile));
    }

    #[test]
    fn all_at_once_keeps_the_sums(profile in any_profile(true)) {
        let all = view(&profile, serde_json::json!({
            "mergeThreads": true, "group": "crate", "collapseRecursion": true, "invert": true, "prune": "3%",
        }));
        prop_assert_eq!(sums(&all), sums(&profile));
    }
}

/// Two phases of one thread and one of another.
fn phases() -> Profile {
    let file = compact(&[
        (1, &[(1, 0, 1, 0, 1, 10), (2, 1, 2, 0, 2, 20)]),
        (2, &[(1, 0, 2, 0, 4, 40)]),
        (3, &[(1, 0, 3, 0, 8, 80)]),
    ]);
    let mut map: serde_json::Value = serde_json::from_str(&map(
        "wall",
        &[(1, "main"), (2, "main"), (3, "worker 2")],
        0,
        &[Some("a"), Some("b"), Some("c")],
    ))
    .unwrap();
    map["threads"][0]["phase"] = "start".into();
    map["threads"][1]["phase"] = "query".into();
    Profile::read(&file, &map.to_string()).unwrap()
}

#[test]
fn threads_and_phases_are_chosen_by_name() {
    let profile = phases();
    let ids = |options: serde_json::Value| -> Vec<u64> {
        let view = view(&profile, options);
        view.threads.iter().map(|thread| thread.id).collect()
    };
    assert_eq!(ids(serde_json::json!({"threads": ["main"]})), [1, 2]);
    assert_eq!(ids(serde_json::json!({"threads": ["#3"]})), [3]);
    assert_eq!(ids(serde_json::json!({"threads": ["w*", "#1"]})), [1, 3]);
    assert_eq!(ids(serde_json::json!({"phases": ["query"]})), [2]);
    assert_eq!(
        ids(serde_json::json!({"phases": ["query", "start"]})),
        [1, 2]
    );
    assert!(ids(serde_json::json!({"threads": ["worker"], "phases": ["query"]})).is_empty());

    let of_query = view(&profile, serde_json::json!({"phases": ["que"]}));
    assert_eq!(sums(&of_query), (4, 40));
    assert_eq!(of_query.unseen, ["every phase but que: filtered out"]);
    let tree = of_query
        .report(
            &wasm_xray_profile::ReportOptions::from_json(r#"{"format": "text", "tree": true}"#)
                .unwrap(),
        )
        .unwrap();
    assert!(tree.contains("every phase but que"), "{tree}");
    let folded = profile.convert(Format::Folded).unwrap();
    assert_eq!(
        String::from_utf8(folded).unwrap(),
        "main: start;a 10\nmain: start;a;b 20\nmain: query;b 40\nworker 2;c 80\n"
    );
}

#[test]
fn a_name_that_fits_nothing_is_an_error() {
    let profile = phases();
    for (options, message) in [
        (
            r#"{"threads": ["x"]}"#,
            "no thread has \"x\" in its name; there are main, worker 2",
        ),
        (
            r#"{"phases": ["x"]}"#,
            "no phase has \"x\" in its name; there are start, query",
        ),
        (
            r#"{"focus": ["a", "x*"]}"#,
            "no function that was called has \"x*\" in its name; there are a, b, c",
        ),
    ] {
        let options = TransformOptions::from_json(options).unwrap();
        assert_eq!(
            profile.transform(&options).unwrap_err().to_string(),
            message
        );
    }
    for (options, message) in [
        (r#"{"prune": "half"}"#, "\"half\" is no share"),
        (r#"{"prune": "101%"}"#, "from 0 to 100"),
        (r#"{"prune": "-1%"}"#, "from 0 to 100"),
        (r#"{"group": "color"}"#, "color"),
    ] {
        let error = TransformOptions::from_json(options)
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn a_deep_recursion_is_inverted_and_collapsed() {
    let records: Vec<common::CompactRecord> = (1..=5_000)
        .map(|node| (node, node - 1, 1 + node % 2, 0, 1, 1))
        .collect();
    let profile = Profile::read(
        &compact(&[(1, &records)]),
        &map("wall", &[], 0, &[Some("a"), Some("b")]),
    )
    .unwrap();
    let collapsed = view_options(&profile, r#"{"collapseRecursion": true}"#).unwrap();
    assert_eq!(collapsed.nodes(), 2);
    assert_eq!(sums(&collapsed), sums(&profile));
    let inverted = view_options(&profile, r#"{"invert": true}"#).unwrap();
    assert_eq!(sums(&inverted), sums(&profile));
}

fn view_options(profile: &Profile, options: &str) -> wasm_xray_profile::Result<Profile> {
    profile.transform(&TransformOptions::from_json(options)?)
}
