//! Several runs on each side: what of a difference may be chance.
//!
//! Of each side the run with the median cost is compared, a real run whose sums
//! hold. The other runs say how far a figure varies without any change: where the
//! spans of both sides meet, a difference is no evidence of one.

use std::collections::HashMap;

use super::{Diff, Matching, Side, compare};
use crate::error::{Error, Result};
use crate::model::{Profile, Weight};

/// Least and most of a figure in several runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub least: u64,
    pub most: u64,
}

/// The self cost of a function, or the cost of the whole, in the runs of each side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spread {
    pub before: Span,
    pub after: Span,
}

impl Spread {
    /// Whether some run of one side is not beyond all runs of the other.
    pub fn is_noise(&self) -> bool {
        self.before.least <= self.after.most && self.after.least <= self.before.most
    }
}

impl Span {
    fn of(figures: impl IntoIterator<Item = u64>) -> Option<Span> {
        figures.into_iter().fold(None, |span, figure| {
            let Span { least, most } = span.unwrap_or(Span {
                least: figure,
                most: figure,
            });
            Some(Span {
                least: least.min(figure),
                most: most.max(figure),
            })
        })
    }
}

impl Profile {
    /// What changed from some runs of a program to some of another.
    ///
    /// # Errors
    ///
    /// A side has no run, or the runs' clocks are not the same.
    pub fn diff_runs(before: &[&Profile], after: &[&Profile]) -> Result<Diff> {
        let (Some(first), Some(second)) = (median(before), median(after)) else {
            return Err(Error::new("there is no profile on one of the two sides"));
        };
        let mut diff = compare::compare(first, second)?;
        if before.len() + after.len() == 2 {
            return Ok(diff);
        }
        for run in before.iter().chain(after) {
            Matching::of_same_clock(run, second)?;
        }
        diff.runs = (before.len(), after.len());
        if diff.is_exact() {
            diff.notes.extend(differing(before, "first"));
            diff.notes.extend(differing(after, "second"));
            return Ok(diff);
        }
        let whole = |runs: &[&Profile]| Span::of(runs.iter().map(|run| run.sum(Weight::Cost)));
        if let (Some(before), Some(after)) = (whole(before), whole(after)) {
            diff.whole_spread = Some(Spread { before, after });
        }
        let [before_costs, after_costs] = [before, after].map(|runs| {
            let costs = runs.iter().map(|run| costs_by_name(run, second));
            costs.collect::<Vec<_>>()
        });
        for row in &mut diff.functions {
            let key = (row.module.clone(), row.name.clone());
            let span = |runs: &[Costs]| {
                Span::of(runs.iter().map(|run| run.get(&key).copied().unwrap_or(0)))
            };
            if let (Some(before), Some(after)) = (span(&before_costs), span(&after_costs)) {
                row.spread = Some(Spread { before, after });
            }
        }
        if let Some(note) = diff.notes.first_mut() {
            *note = format!(
                "Times are those of the run with the median time of {} and of {}. A difference is \
                 noise where a run of one side is not beyond all runs of the other.",
                before.len(),
                after.len()
            );
        }
        Ok(diff)
    }
}

/// By module and name, as the rows of the diff have them.
type Costs = HashMap<(String, String), u64>;

fn costs_by_name(run: &Profile, second: &Profile) -> Costs {
    let matching = Matching::new(run, second);
    let rows = matching.of(Side::Before);
    let mut costs = Costs::new();
    for (row, stats) in rows.iter().zip(run.function_stats()) {
        let cost = costs.entry(matching.rows[*row].clone()).or_default();
        *cost = cost.saturating_add(stats.self_cost);
    }
    costs
}

/// The run whose whole is in the middle; of an even number the lower one.
fn median<'a>(runs: &[&'a Profile]) -> Option<&'a Profile> {
    let mut by_whole: Vec<(u64, usize)> = (0..)
        .zip(runs)
        .map(|(at, run)| (run.sum(run.weight()), at))
        .collect();
    by_whole.sort_unstable();
    let (_, at) = by_whole.get(by_whole.len().checked_sub(1)? / 2)?;
    Some(runs[*at])
}

/// A sentence if runs differ in what should be exact.
fn differing(runs: &[&Profile], which: &str) -> Option<String> {
    let sums = |run: &&&Profile| (run.sum(Weight::Calls), run.sum(Weight::Cost));
    let first = runs.first().map(|run| sums(&run))?;
    runs.iter().any(|run| sums(&run) != first).then(|| {
        format!(
            "The runs of the {which} side are not the same: the program does not do the same on \
             every run, so neither does a difference have to come from a change."
        )
    })
}
