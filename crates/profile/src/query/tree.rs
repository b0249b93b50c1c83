//! The tree of calls, cut down to its heaviest paths with sums kept.

use std::cmp::Reverse;

use super::stats::{Stats, Totals};
use crate::model::{NodeId, Profile, Thread, Weight};
use crate::trie::Children;

/// A line of the tree, depth first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeRow {
    /// Index into [`Profile::threads`].
    pub thread: usize,
    /// Number of callers above.
    pub depth: usize,
    pub item: TreeItem,
    pub stats: Stats,
}

/// What a line stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeItem {
    Path(NodeId),
    /// This many callees of the path above that are too light to show, with all they called.
    Hidden(usize),
}

impl Profile {
    /// The `limit` heaviest paths, each below its caller, siblings by weight. What
    /// is left out below a path is one row of its own, so that sums stay exact.
    pub fn tree(&self, limit: usize) -> Vec<TreeRow> {
        let weight = self.weight();
        let totals: Vec<Totals> = self.threads.iter().map(|t| Totals::new(&t.trie)).collect();
        let mut shown: Vec<Vec<bool>> = self
            .threads
            .iter()
            .map(|t| vec![false; t.trie.len()])
            .collect();
        for (thread, node) in self.heaviest(&totals, weight, limit) {
            shown[thread][node.index()] = true;
        }
        let mut rows = Vec::new();
        for (index, thread) in self.threads.iter().enumerate() {
            let view = View {
                index,
                thread,
                weight,
                totals: &totals[index],
                shown: &shown[index],
                children: thread.trie.children(),
            };
            view.rows(&mut rows);
        }
        rows
    }

    /// A caller weighs at least as much as its callees and has a lower node, so
    /// whatever the limit, with a path all its callers are chosen.
    fn heaviest(&self, totals: &[Totals], weight: Weight, limit: usize) -> Vec<(usize, NodeId)> {
        let mut paths: Vec<(Reverse<u64>, usize, NodeId)> = Vec::with_capacity(self.nodes());
        for (index, thread) in self.threads.iter().enumerate() {
            let totals = &totals[index];
            let total = match weight {
                Weight::Calls => &totals.calls,
                Weight::Cost => &totals.cost,
            };
            paths.extend(
                thread
                    .trie
                    .nodes()
                    .filter(|node| totals.calls[node.index()] > 0 || totals.cost[node.index()] > 0)
                    .map(|node| (Reverse(total[node.index()]), index, node)),
            );
        }
        if limit < paths.len() {
            paths.select_nth_unstable(limit);
            paths.truncate(limit);
        }
        paths
            .into_iter()
            .map(|(_, thread, node)| (thread, node))
            .collect()
    }
}

/// One thread's tree with what of it is to be seen.
struct View<'a> {
    index: usize,
    thread: &'a Thread,
    weight: Weight,
    totals: &'a Totals,
    shown: &'a [bool],
    children: Children,
}

impl View<'_> {
    fn rows(&self, rows: &mut Vec<TreeRow>) {
        // The row to come next is last.
        let mut pending = Vec::new();
        self.push_callees(self.children.roots(), 0, &mut pending);
        while let Some(row) = pending.pop() {
            rows.push(row);
            if let TreeItem::Path(node) = row.item {
                self.push_callees(self.children.of(node), row.depth + 1, &mut pending);
            }
        }
    }

    fn push_callees(
        &self,
        callees: impl Iterator<Item = NodeId>,
        depth: usize,
        pending: &mut Vec<TreeRow>,
    ) {
        let row = |item, stats| TreeRow {
            thread: self.index,
            depth,
            item,
            stats,
        };
        let mut hidden = Stats::default();
        let mut hidden_callees = 0;
        let first = pending.len();
        for node in callees {
            let mut stats = Stats::default();
            stats.add_total(self.totals, node);
            if self.shown[node.index()] {
                stats.add_own(&self.thread.trie, node);
                pending.push(row(TreeItem::Path(node), stats));
            } else if !stats.is_zero() {
                hidden_callees += 1;
                hidden.add_total(self.totals, node);
            }
        }
        // Ascending, as the heaviest must come out first; stable for equal ones.
        pending[first..].reverse();
        pending[first..].sort_by_key(|row| row.stats.total(self.weight));
        if hidden_callees > 0 {
            hidden.calls = hidden.total_calls;
            hidden.self_cost = hidden.total_cost;
            pending.insert(first, row(TreeItem::Hidden(hidden_callees), hidden));
        }
    }
}
