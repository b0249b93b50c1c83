//! From a profile to one that shows less of it, or shows it in another order.
//!
//! Each transform takes a profile and gives a profile, so all reports and formats
//! work on what comes out. Calls and costs are moved and added up, never lost:
//! only the filters (threads, phases, `focus`, `ignore`, `from`) and
//! `subtract_probe_cost` take any away, and what they took is said in [`Profile::unseen`].

mod collapse;
mod filter;
mod functions;
mod group;
mod invert;
mod pattern;
mod probe_cost;
mod prune;
mod threads;

use serde::Deserialize;

pub use self::group::GroupBy;
pub use self::prune::Share;
use crate::error::{Error, Result};
use crate::model::Profile;

/// What to show of a profile, as JSON or by field. Everything can be left out.
/// Applied in the order of the fields.
///
/// A name is that of a function or thread, or else a part of it, or a glob with
/// `*` and `?` that fits all of it. Functions go by shown and by raw name, and
/// by `#ID`; so do threads by name and `#ID`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct TransformOptions {
    /// Only these threads; none named means all.
    pub threads: Vec<String>,
    /// Only these phases; none named means all.
    pub phases: Vec<String>,
    /// Self times without what the probes took, as far as that was measured.
    pub subtract_probe_cost: bool,
    /// All threads as one.
    pub merge_threads: bool,
    /// Only paths with such a function on them. Callers above the outermost one
    /// stay as frames without calls and cost.
    pub focus: Vec<String>,
    /// No path with such a function on it.
    pub ignore: Vec<String>,
    /// Only what is below such a function, which becomes the root.
    pub from: Vec<String>,
    /// Functions of a kind as one.
    pub group: Option<GroupBy>,
    /// A function that is on its own path already is that caller again.
    pub collapse_recursion: bool,
    /// Paths from the leaf on: callers below their callees. A path's calls and
    /// cost are at its end.
    pub invert: bool,
    /// What is lighter than this share of the whole becomes `(other)`.
    pub prune: Option<Share>,
}

impl TransformOptions {
    /// Options from a JSON object with the fields' names in camelCase.
    ///
    /// # Errors
    ///
    /// An option is not known or has no sense; says which.
    pub fn from_json(json: &str) -> Result<TransformOptions> {
        serde_json::from_str(json)
            .map_err(|error| Error::new(format!("the transform options are not valid: {error}")))
    }
}

impl Profile {
    /// The profile as the options want to see it.
    ///
    /// # Errors
    ///
    /// A name fits nothing, the cost of a probe is not known, or the inverted tree would be too large.
    pub fn transform(&self, options: &TransformOptions) -> Result<Profile> {
        let mut view = self.of_threads(&options.threads, &options.phases)?;
        if options.subtract_probe_cost {
            view = view.without_probe_cost()?;
        }
        if options.merge_threads {
            view = view.with_threads_merged()?;
        }
        for (names, show) in [
            (&options.focus, filter::Show::Through),
            (&options.ignore, filter::Show::Around),
            (&options.from, filter::Show::Below),
        ] {
            if !names.is_empty() {
                view = view.filtered(names, show)?;
            }
        }
        if let Some(by) = options.group {
            view = view.grouped(by)?;
        }
        if options.collapse_recursion {
            view = view.with_recursion_collapsed()?;
        }
        match (options.invert, options.prune) {
            (true, least) => view.inverted(least),
            (false, Some(least)) => view.pruned(least),
            (false, None) => Ok(view),
        }
    }
}
