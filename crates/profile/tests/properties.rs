//! What holds for every profile.

mod common;

use common::any::any_profile;
use proptest::prelude::*;
use wasm_xray_profile::{Format, Merger, Party, Profile, SortBy, Stats, TreeItem, Weight};

/// Calls and self cost by name.
fn by_name(profile: &Profile) -> std::collections::BTreeMap<String, (u64, u64)> {
    let mut names = std::collections::BTreeMap::new();
    for (function, stats) in profile.functions.iter().zip(profile.function_stats()) {
        let figures: &mut (u64, u64) = names.entry(function.name.clone()).or_default();
        figures.0 += stats.calls;
        figures.1 += stats.self_cost;
    }
    names
}

/// Slow and plain: totals by asking for each node whether it has an ancestor of the same function.
fn plain_stats(profile: &Profile) -> Vec<Stats> {
    let mut stats = vec![Stats::default(); profile.functions.len()];
    let ids: Vec<_> = profile.function_ids().collect();
    for trie in profile.threads.iter().map(|thread| &thread.trie) {
        for node in trie.nodes() {
            let path: Vec<_> =
                std::iter::successors(Some(node), |node| trie.parent(*node)).collect();
            for (index, id) in ids.iter().enumerate() {
                if trie.function(node) == *id {
                    stats[index].calls += trie.calls(node);
                    stats[index].self_cost += trie.self_cost(node);
                }
                if path.iter().any(|node| trie.function(*node) == *id) {
                    stats[index].total_calls += trie.calls(node);
                    stats[index].total_cost += trie.self_cost(node);
                }
            }
        }
    }
    stats
}

proptest! {
    #[test]
    fn compact_round_trip_is_the_same_profile(profile in any_profile(true)) {
        let file = profile.convert(Format::Compact).unwrap();
        let again = Profile::read(&file, &profile.map_json()).unwrap();
        prop_assert_eq!(&again, &profile);
        prop_assert_eq!(again.convert(Format::Compact).unwrap(), file);
    }

    #[test]
    fn xray_round_trip_keeps_every_path(profile in any_profile(false)) {
        let file = profile.convert(Format::Xray).unwrap();
        let again = Profile::read(&file, &profile.map_json()).unwrap();
        // Nodes are depth first now, and so are the paths in JSON of both.
        prop_assert_eq!(again.convert(Format::Json).unwrap(), profile.convert(Format::Json).unwrap());
        prop_assert_eq!(again.sum(Weight::Calls), profile.sum(Weight::Calls));
        prop_assert_eq!(again.sum(Weight::Cost), profile.sum(Weight::Cost));
    }

    #[test]
    fn merging_keeps_all_sums(parts in prop::collection::vec(any_profile(true), 1..4)) {
        let mut merger = Merger::new();
        for part in &parts {
            merger.add(part.clone()).unwrap();
        }
        let merged = merger.finish().unwrap();
        let mut expected = std::collections::BTreeMap::new();
        for (name, figures) in parts.iter().flat_map(by_name) {
            let sum: &mut (u64, u64) = expected.entry(name).or_default();
            sum.0 += figures.0;
            sum.1 += figures.1;
        }
        prop_assert_eq!(by_name(&merged), expected);
        prop_assert_eq!(merged.nodes(), parts.iter().map(Profile::nodes).sum::<usize>());
        let mut ids: Vec<u32> = merged.functions.iter().map(|f| f.id.0).collect();
        ids.dedup();
        prop_assert_eq!(ids.len(), merged.functions.len());
        let again = Profile::read(&merged.convert(Format::Compact).unwrap(), &merged.map_json()).unwrap();
        prop_assert_eq!(by_name(&again), by_name(&merged));
    }

    #[test]
    fn figures_are_those_of_a_plain_count(profile in any_profile(true)) {
        let stats = profile.function_stats();
        prop_assert_eq!(&stats, &plain_stats(&profile));
        let whole = profile.sum(Weight::Cost);
        prop_assert!(stats.iter().all(|stats| stats.total_cost <= whole));
    }

    #[test]
    fn callers_and_callees_add_up(profile in any_profile(true)) {
        for (id, stats) in profile.function_ids().zip(profile.function_stats()) {
            let callers = profile.callers(id, SortBy::Total);
            let add = |of: fn(&Stats) -> u64| callers.iter().map(|row| of(&row.stats)).sum::<u64>();
            prop_assert_eq!(
                (add(|s| s.calls), add(|s| s.self_cost), add(|s| s.total_cost), add(|s| s.total_calls)),
                (stats.calls, stats.self_cost, stats.total_cost, stats.total_calls)
            );
            let callees = profile.callees(id, SortBy::Total);
            let below: u64 = callees.iter().map(|row| row.stats.total_cost).sum();
            prop_assert_eq!(stats.self_cost + below, stats.total_cost);
            prop_assert!(callees.iter().all(|row| matches!(row.party, Party::Function(_))));
        }
    }

    #[test]
    fn a_cut_tree_keeps_the_sums(profile in any_profile(true), limit in 0usize..20) {
        let rows = profile.tree(limit);
        let self_cost: u64 = rows.iter().map(|row| row.stats.self_cost).sum();
        let calls: u64 = rows.iter().map(|row| row.stats.calls).sum();
        prop_assert_eq!((calls, self_cost), (profile.sum(Weight::Calls), profile.sum(Weight::Cost)));
        let shown = rows.iter().filter(|row| matches!(row.item, TreeItem::Path(_))).count();
        prop_assert!(shown <= limit);
    }

    #[test]
    fn folded_stacks_hold_the_whole_cost(profile in any_profile(true)) {
        let folded = String::from_utf8(profile.convert(Format::Folded).unwrap()).unwrap();
        let weight = |line: &str| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap();
        prop_assert_eq!(folded.lines().map(weight).sum::<u64>(), profile.sum(Weight::Cost));
    }

    #[test]
    fn any_bytes_are_a_profile_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200), compact in any::<bool>()) {
        use wasm_xray_abi::block::{VERSION_COMPACT, VERSION_XRAY};
        let version = if compact { VERSION_COMPACT } else { VERSION_XRAY };
        for file in [bytes.clone(), [common::header(version), common::block(1, &bytes)].concat()] {
            if let Ok(profile) = Profile::read(&file, "") {
                profile.convert(Format::Json).unwrap();
            }
        }
    }

    #[test]
    fn a_changed_byte_is_a_profile_or_an_error(at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let (mut file, map) = common::wall();
        let at = at.index(file.len());
        file[at] = to;
        if let Ok(profile) = Profile::read(&file, &map) {
            for (_, format) in Format::ALL {
                profile.convert(format).unwrap();
            }
        }
    }
}
