//! Calls, self and total of each function.

use std::cmp::Reverse;

use crate::model::{FunctionId, NodeId, Profile, Trie, Weight};
use crate::trie::Step;

/// Figures of a function or of a part of its activations. Costs are in the
/// clock's unit and 0 with clock `calls`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub calls: u64,
    /// Cost without callees.
    pub self_cost: u64,
    /// Cost with callees, of outermost activations only: never more than the whole.
    pub total_cost: u64,
    /// Calls of the function and of everything below its outermost activations.
    pub total_calls: u64,
}

/// What tables are sorted by, greatest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SortBy {
    /// Self cost; calls if the clock has no cost.
    #[serde(rename = "self")]
    SelfCost,
    /// Total cost; total calls if the clock has no cost.
    Total,
    Calls,
    /// Total of each call on average.
    Average,
}

impl Stats {
    /// Self cost, or calls.
    pub fn own(&self, weight: Weight) -> u64 {
        match weight {
            Weight::Calls => self.calls,
            Weight::Cost => self.self_cost,
        }
    }

    /// Total cost, or total calls.
    pub fn total(&self, weight: Weight) -> u64 {
        match weight {
            Weight::Calls => self.total_calls,
            Weight::Cost => self.total_cost,
        }
    }

    /// Whether there is nothing to show.
    pub fn is_zero(&self) -> bool {
        *self == Stats::default()
    }

    pub(crate) fn add_own(&mut self, trie: &Trie, node: NodeId) {
        self.calls = self.calls.saturating_add(trie.calls(node));
        self.self_cost = self.self_cost.saturating_add(trie.self_cost(node));
    }

    pub(crate) fn add_total(&mut self, totals: &Totals, node: NodeId) {
        self.total_cost = self.total_cost.saturating_add(totals.cost[node.index()]);
        self.total_calls = self.total_calls.saturating_add(totals.calls[node.index()]);
    }

    /// Total of each call on average, in `parts` of the unit, rounded; 0 without calls.
    pub fn average(&self, weight: Weight, parts: u64) -> u128 {
        let (total, calls) = (u128::from(self.total(weight)), u128::from(self.calls));
        match calls {
            0 => 0,
            _ => (total * u128::from(parts) + calls / 2) / calls,
        }
    }

    pub(crate) fn sort_key(&self, by: SortBy, weight: Weight) -> u128 {
        match by {
            SortBy::SelfCost => self.own(weight).into(),
            SortBy::Total => self.total(weight).into(),
            SortBy::Calls => self.calls.into(),
            SortBy::Average => self.average(weight, 1 << 32),
        }
    }
}

/// Calls and cost below each node of a trie, itself included.
pub(crate) struct Totals {
    pub calls: Vec<u64>,
    pub cost: Vec<u64>,
}

impl Totals {
    pub fn new(trie: &Trie) -> Totals {
        Totals {
            calls: trie.totals(Weight::Calls),
            cost: trie.totals(Weight::Cost),
        }
    }
}

impl Profile {
    /// Figures of every function, by function id, over all threads.
    pub fn function_stats(&self) -> Vec<Stats> {
        let mut stats = vec![Stats::default(); self.functions.len()];
        // Activations of each function on the walk's path.
        let mut active = vec![0u32; self.functions.len()];
        for thread in &self.threads {
            let trie = &thread.trie;
            let totals = Totals::new(trie);
            for step in trie.walk() {
                match step {
                    Step::Enter(node) => {
                        let function = trie.function(node).index();
                        stats[function].add_own(trie, node);
                        if active[function] == 0 {
                            stats[function].add_total(&totals, node);
                        }
                        active[function] += 1;
                    }
                    Step::Leave(node) => active[trie.function(node).index()] -= 1,
                }
            }
        }
        stats
    }

    /// Functions that have something to show, greatest first; equal ones by calls, then by id.
    pub fn ranking(&self, stats: &[Stats], by: SortBy) -> Vec<FunctionId> {
        let weight = self.weight();
        let mut ranking: Vec<FunctionId> = self
            .function_ids()
            .filter(|id| !stats[id.index()].is_zero())
            .collect();
        ranking.sort_by_key(|id| {
            let stats = &stats[id.index()];
            (
                Reverse(stats.sort_key(by, weight)),
                Reverse(stats.calls),
                *id,
            )
        });
        ranking
    }

    /// What tables are sorted by if the user does not say.
    pub fn default_sort(&self) -> SortBy {
        match self.weight() {
            Weight::Calls => SortBy::Calls,
            Weight::Cost => SortBy::SelfCost,
        }
    }
}
