//! Callers and callees of one function.

use std::cmp::Reverse;

use super::stats::{SortBy, Stats, Totals};
use crate::model::{FunctionId, NodeId, Profile, Trie, Weight};
use crate::trie::Step;

/// Who called, or was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Party {
    Function(FunctionId),
    /// Nothing that is instrumented: JavaScript, or a thread's start.
    Host,
    /// Unknown, as the arena was full.
    DroppedPath,
}

/// Figures of the calls between a function and one other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    pub party: Party,
    pub stats: Stats,
}

impl Profile {
    /// Who called the function. Calls, self and total are the function's own, by
    /// caller, and add up to the function's: a total belongs to the caller of the
    /// outermost activation.
    pub fn callers(&self, function: FunctionId, by: SortBy) -> Vec<Neighbour> {
        let mut rows = Rows::new(self);
        for thread in &self.threads {
            let trie = &thread.trie;
            let totals = Totals::new(trie);
            let mut active = 0u32;
            for step in trie.walk() {
                match step {
                    Step::Enter(node) if trie.function(node) == function => {
                        let row = rows.of(match trie.parent(node) {
                            Some(parent) => Party::Function(trie.function(parent)),
                            None if trie.is_overflow(node) => Party::DroppedPath,
                            None => Party::Host,
                        });
                        row.add_own(trie, node);
                        if active == 0 {
                            row.add_total(&totals, node);
                        }
                        active += 1;
                    }
                    Step::Leave(node) if trie.function(node) == function => active -= 1,
                    _ => {}
                }
            }
        }
        rows.finish(self, by)
    }

    /// What the function called directly: calls, self and total of the callees. A
    /// total ends where the function is entered again, so that all totals and the
    /// function's self cost add up to the function's total.
    pub fn callees(&self, function: FunctionId, by: SortBy) -> Vec<Neighbour> {
        let mut rows = Rows::new(self);
        for thread in &self.threads {
            let trie = &thread.trie;
            let totals = Totals {
                calls: totals_outside(trie, function, Weight::Calls),
                cost: totals_outside(trie, function, Weight::Cost),
            };
            for node in trie.nodes() {
                let caller = trie.parent(node).map(|parent| trie.function(parent));
                if caller == Some(function) {
                    let callee = trie.function(node);
                    let row = rows.of(Party::Function(callee));
                    row.add_own(trie, node);
                    if callee != function {
                        row.add_total(&totals, node);
                    }
                }
            }
        }
        rows.finish(self, by)
    }
}

/// Totals of each node without what is below activations of the function.
fn totals_outside(trie: &Trie, function: FunctionId, weight: Weight) -> Vec<u64> {
    let mut totals: Vec<u64> = trie.nodes().map(|node| trie.own(node, weight)).collect();
    for node in trie.nodes().rev() {
        if trie.function(node) == function {
            continue;
        }
        if let Some(parent) = trie.parent(node) {
            let below = totals[node.index()];
            let total: &mut u64 = &mut totals[NodeId::index(parent)];
            *total = total.saturating_add(below);
        }
    }
    totals
}

/// By function, then host, then dropped.
struct Rows(Vec<Stats>);

impl Rows {
    fn new(profile: &Profile) -> Rows {
        Rows(vec![Stats::default(); profile.functions.len() + 2])
    }

    fn of(&mut self, party: Party) -> &mut Stats {
        let functions = self.0.len() - 2;
        &mut self.0[match party {
            Party::Function(function) => function.index(),
            Party::Host => functions,
            Party::DroppedPath => functions + 1,
        }]
    }

    fn finish(self, profile: &Profile, by: SortBy) -> Vec<Neighbour> {
        let parties = profile
            .function_ids()
            .map(Party::Function)
            .chain([Party::Host, Party::DroppedPath]);
        let mut rows: Vec<Neighbour> = parties
            .zip(self.0)
            .map(|(party, stats)| Neighbour { party, stats })
            .filter(|row| !row.stats.is_zero())
            .collect();
        let weight = profile.weight();
        rows.sort_by_key(|Neighbour { party, stats }| {
            (
                Reverse(stats.sort_key(by, weight)),
                Reverse(stats.calls),
                *party,
            )
        });
        rows
    }
}
