//! What a screen shows: of one profile, or of two side by side. Columns of numbers,
//! ready to be drawn or listed; names cross once, as rows.
//!
//! A *row* is a function. With two profiles a row stands for the functions that
//! [`Profile::diff`] takes for the same, and figures come in pairs, before and after.

mod flame;
mod frames;
mod layout;
mod table;

use std::rc::Rc;

use serde::Serialize;

pub use self::flame::{ALL, DROPPED, FIRST_THREAD, Flame, FlameKind, FlameOptions};
pub use self::table::{HOST, Table};
use crate::diff::Matching;
use crate::error::Result;
use crate::model::{FunctionId, Profile};
use crate::names::escape;

/// Profiles made ready to be shown.
pub struct View {
    sides: Vec<Side>,
    rows: usize,
    /// Names of the threads, with their phases, each once.
    threads: Vec<String>,
}

/// One profile of a [`View`].
struct Side {
    profile: Rc<Profile>,
    /// Row of each function, by id.
    row_of: Vec<u32>,
    /// Index into [`View::threads`], by thread.
    thread_of: Vec<u32>,
}

/// A function as the viewer lists it. Names can hold anything; control characters
/// and changes of direction are spelled out, as in reports.
#[derive(Serialize)]
struct Row<'a> {
    name: String,
    /// The name in the module, where it differs.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
    module: String,
    /// Index in the original module.
    index: u32,
    kind: &'a str,
    /// Where its source is, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl View {
    /// Shows one profile.
    pub fn new(profile: Rc<Profile>) -> View {
        let rows = profile.functions.len();
        let row_of = (0..rows as u32).collect();
        View::of(vec![(profile, row_of)], rows)
    }

    /// Shows two profiles in one.
    ///
    /// # Errors
    ///
    /// Their clocks are not the same.
    pub fn compare(before: Rc<Profile>, after: Rc<Profile>) -> Result<View> {
        let matching = Matching::of_same_clock(&before, &after)?;
        let rows = matching.rows.len();
        let (of_before, of_after) = matching.into_row_numbers();
        Ok(View::of(vec![(before, of_before), (after, of_after)], rows))
    }

    fn of(profiles: Vec<(Rc<Profile>, Vec<u32>)>, rows: usize) -> View {
        let mut threads: Vec<String> = Vec::new();
        let sides = profiles
            .into_iter()
            .map(|(profile, row_of)| {
                let thread_of = profile
                    .threads
                    .iter()
                    .map(|thread| {
                        let label = thread.label();
                        let known = threads.iter().position(|name| *name == label);
                        known.unwrap_or_else(|| {
                            threads.push(label);
                            threads.len() - 1
                        }) as u32
                    })
                    .collect();
                Side {
                    profile,
                    row_of,
                    thread_of,
                }
            })
            .collect();
        View {
            sides,
            rows,
            threads,
        }
    }

    /// Number of profiles: 1, or 2 in a comparison.
    pub fn sides(&self) -> usize {
        self.sides.len()
    }

    /// Number of functions.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The functions by row and the threads' names, as JSON:
    /// `{"rows": [{name, raw?, module, index, kind}], "threads": [name]}`.
    pub fn names_json(&self) -> String {
        #[derive(Serialize)]
        struct Names<'a> {
            rows: Vec<Option<Row<'a>>>,
            threads: Vec<String>,
        }
        let mut rows: Vec<Option<Row>> = (0..self.rows).map(|_| None).collect();
        // The last profile's names win: they are what the user has now.
        for side in &self.sides {
            for id in side.profile.function_ids() {
                rows[side.row_of[id.index()] as usize] = Some(row(&side.profile, id));
            }
        }
        let threads = self.threads.iter().map(|name| escape(name)).collect();
        serde_json::to_string(&Names { rows, threads }).expect("strings and numbers")
    }

    /// What whoever compares two profiles must know, in sentences; none for one.
    pub fn notes(&self) -> Vec<String> {
        match self.sides.as_slice() {
            [before, after] => crate::diff::notes(&before.profile, &after.profile),
            _ => Vec::new(),
        }
    }

    /// Functions of a profile that share a row.
    fn functions_of(&self, side: usize, row: u32) -> Vec<FunctionId> {
        let side = &self.sides[side];
        side.profile
            .function_ids()
            .filter(|id| side.row_of[id.index()] == row)
            .collect()
    }
}

fn row(profile: &Profile, id: FunctionId) -> Row<'_> {
    let function = profile.function(id);
    let raw = profile.raw_name(id).filter(|raw| *raw != function.name);
    Row {
        name: escape(&function.name),
        raw: raw.map(escape),
        module: escape(profile.module_name(id)),
        index: function.index,
        kind: function.kind.as_str(),
        file: function.file.as_deref().map(escape),
        line: function.line,
    }
}
