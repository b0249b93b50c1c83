//! Profiles of any shape, for property tests.

use proptest::prelude::*;
use wasm_xray_profile::Profile;

use super::{CompactRecord, OVERFLOW, compact, map};

const FUNCTIONS: u32 = 6;

/// Any trie: each node hangs under any earlier one or is a root.
fn records(overflow: bool) -> impl Strategy<Value = Vec<CompactRecord>> {
    let node = (
        any::<prop::sample::Index>(),
        1..=FUNCTIONS + 1,
        0u64..50,
        0u64..1000,
        any::<bool>(),
    );
    prop::collection::vec(node, 0..60).prop_map(move |nodes| {
        let mut records: Vec<CompactRecord> = Vec::new();
        let mut siblings = std::collections::HashSet::new();
        for (parent, function, calls, cost, lost) in nodes {
            let number = records.len() as u32 + 1;
            let lost = lost && overflow;
            let parent = if lost {
                0
            } else {
                // What is below an overflow node becomes a root.
                let parent = parent.index(records.len() + 1);
                match parent.checked_sub(1).map(|at| records[at]) {
                    Some((_, _, _, OVERFLOW, _, _)) => 0,
                    _ => parent as u32,
                }
            };
            if siblings.insert((parent, function, lost)) {
                records.push((
                    number,
                    parent,
                    function,
                    if lost { OVERFLOW } else { 0 },
                    calls,
                    cost,
                ));
            }
        }
        records
    })
}

fn profile(threads: &[Vec<CompactRecord>], base_names: usize) -> Profile {
    let blocks: Vec<(u64, &[CompactRecord])> =
        (1..).zip(threads.iter().map(Vec::as_slice)).collect();
    let names: Vec<Option<&str>> = ["a", "b", "c", "d", "e", "f"].map(Some)[..base_names].to_vec();
    Profile::read(&compact(&blocks), &map("wall", &[], 1, &names)).unwrap()
}

pub fn any_profile(overflow: bool) -> impl Strategy<Value = Profile> {
    (
        prop::collection::vec(records(overflow), 0..4),
        0..=FUNCTIONS as usize,
    )
        .prop_map(|(threads, names)| profile(&threads, names))
}
