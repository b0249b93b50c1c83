//! Two profiles against each other: before and after a change, say.
//!
//! Functions are the same if their modules and their names are; indices may have
//! moved. Paths are the same if their functions are, whatever the thread.

mod compare;
mod html;
mod json;
mod matching;
mod runs;
mod text;

use serde::Deserialize;

pub(crate) use self::compare::notes;
pub(crate) use self::matching::Matching;
pub use self::runs::{Span, Spread};
use crate::error::{Error, Result};
use crate::model::{Clock, Profile, Weight};

/// A figure before and after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    pub before: u64,
    pub after: u64,
}

/// What became of a function or a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Not in the first profile.
    Added,
    /// Not in the second.
    Removed,
    Changed,
    Same,
}

/// Figures of a function, a path or the whole. Costs are 0 with clock `calls`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    pub calls: Pair,
    /// Cost without callees.
    pub self_cost: Pair,
    /// Cost with callees, of outermost activations only.
    pub total_cost: Pair,
    /// In the first profile, in the second.
    present: (bool, bool),
}

/// A function of either profile. Functions of one module that share a name are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionDiff {
    /// As the second profile calls it, or the first if it was removed.
    pub module: String,
    pub name: String,
    pub figures: Figures,
    /// Self cost in all runs, if there are several and they can differ by chance.
    pub spread: Option<Spread>,
}

/// A path of either profile that is not the same in both; [`Diff::frames`] has its functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathDiff {
    /// Index into [`Diff::tree`].
    leaf: usize,
    /// The path's own; a total is that of its calls together.
    pub figures: Figures,
}

/// A path of either profile, as a step from the one above it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PathStep {
    /// Index into [`Diff::tree`], a lower one; none for a root.
    above: Option<usize>,
    /// Index into [`Diff::functions`].
    function: usize,
    /// Whether what is above was dropped in the arena; roots only.
    dropped: bool,
}

/// Two profiles compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diff {
    pub clock: Clock,
    pub whole: Figures,
    /// Cost of the whole in all runs, if there are several and they can differ by chance.
    pub whole_spread: Option<Spread>,
    /// Number of runs before and after.
    pub runs: (usize, usize),
    /// Greatest change first.
    pub functions: Vec<FunctionDiff>,
    /// Greatest change first; without those that are the same.
    pub paths: Vec<PathDiff>,
    /// All paths. A list for each would grow with the square of the depth.
    tree: Vec<PathStep>,
    /// Number of paths that are the same in both.
    pub same_paths: usize,
    /// What a reader must know, in sentences.
    pub notes: Vec<String>,
}

/// What to show of a [`Diff`].
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DiffOptions {
    /// Most rows of each table; 0 for all. Default: all in JSON, 30 in text.
    pub limit: Option<usize>,
}

impl DiffOptions {
    /// Options from a JSON object with the fields' names.
    ///
    /// # Errors
    ///
    /// An option is not known or has no sense; says which.
    pub fn from_json(json: &str) -> Result<DiffOptions> {
        serde_json::from_str(json)
            .map_err(|error| Error::new(format!("the diff options are not valid: {error}")))
    }

    fn limit_or(self, default: usize) -> usize {
        match self.limit {
            Some(0) => usize::MAX,
            limit => limit.unwrap_or(default),
        }
    }
}

impl Profile {
    /// What changed from this profile to another.
    ///
    /// # Errors
    ///
    /// Their clocks are not the same.
    pub fn diff(&self, after: &Profile) -> Result<Diff> {
        compare::compare(self, after)
    }
}

impl Diff {
    /// A report for people.
    pub fn text(&self, options: DiffOptions) -> String {
        text::report(self, options)
    }

    /// A report for programs: one object, one row to a line.
    ///
    /// # Errors
    ///
    /// It would be larger than 500 MiB.
    pub fn json(&self, options: DiffOptions) -> Result<String> {
        json::report(self, options)
    }

    /// A report as a page that needs nothing else: no other file and no network.
    ///
    /// # Errors
    ///
    /// It would be larger than 500 MiB.
    pub fn html(&self, title: &str, options: DiffOptions) -> Result<String> {
        html::report(self, title, options)
    }

    /// Whether every difference is one of the program or its input.
    pub fn is_exact(&self) -> bool {
        matches!(self.clock, Clock::Calls | Clock::Instructions)
    }

    /// Whether the whole grew by more than so many percent: its cost, or with
    /// clock `calls` its calls. Exact to 1/10,000 of a percent. Growth that is
    /// within the spread of several runs is none.
    pub fn grew_above(&self, percent: f64) -> bool {
        if self.whole_spread.is_some_and(|spread| spread.is_noise()) {
            return false;
        }
        let Pair { before, after } = self.whole.of(self.weight());
        let allowed = (percent.max(0.0) * 10_000.0).round() as u128;
        let growth = u128::from(after.saturating_sub(before));
        growth * 1_000_000 > allowed.saturating_mul(before.into())
    }

    /// Functions of a path, root first, as indices into [`Diff::functions`], and
    /// whether what is above them was dropped.
    pub fn frames(&self, path: &PathDiff) -> (Vec<usize>, bool) {
        let leaf = &self.tree[path.leaf];
        let above = |step: &&PathStep| step.above.map(|above| &self.tree[above]);
        let mut steps: Vec<&PathStep> = std::iter::successors(Some(leaf), above).collect();
        steps.reverse();
        let frames = steps.iter().map(|step| step.function).collect();
        (frames, steps[0].dropped)
    }

    /// What is compared first.
    pub fn weight(&self) -> Weight {
        match self.clock {
            Clock::Calls => Weight::Calls,
            _ => Weight::Cost,
        }
    }
}

impl Pair {
    /// After − before.
    pub fn change(self) -> i128 {
        i128::from(self.after) - i128::from(self.before)
    }

    fn side(&mut self, side: Side) -> &mut u64 {
        match side {
            Side::Before => &mut self.before,
            Side::After => &mut self.after,
        }
    }

    fn add(&mut self, side: Side, number: u64) {
        let own = self.side(side);
        *own = own.saturating_add(number);
    }
}

impl Figures {
    /// Of its own calls and cost; what is below has rows of its own.
    pub fn change(&self) -> Change {
        match self.present {
            (false, _) => Change::Added,
            (_, false) => Change::Removed,
            _ if self.calls.change() == 0 && self.self_cost.change() == 0 => Change::Same,
            _ => Change::Changed,
        }
    }

    /// Calls or self cost.
    pub fn of(&self, weight: Weight) -> Pair {
        match weight {
            Weight::Calls => self.calls,
            Weight::Cost => self.self_cost,
        }
    }

    fn be_present(&mut self, side: Side) {
        match side {
            Side::Before => self.present.0 = true,
            Side::After => self.present.1 = true,
        }
    }
}

impl Change {
    /// The word for it in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Change::Added => "added",
            Change::Removed => "removed",
            Change::Changed => "changed",
            Change::Same => "same",
        }
    }
}

/// One of the two profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Before,
    After,
}
