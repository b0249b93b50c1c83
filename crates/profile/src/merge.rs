//! One profile out of several: threads and processes each bring a part with its
//! own function ids.

use crate::error::{Error, Result};
use crate::functions::FunctionTable;
use crate::model::{Clock, Profile, Thread, clock_name};
use crate::query::error_bar;
use wasm_xray_abi::map::Sampling;

/// Takes parts one after the other, so that only one of them is in memory twice.
///
/// Threads are numbered from 1 in the order of the parts and keep their names.
/// Modules are the same if their code is; each has its own range of function ids
/// in the result, and different ones of the same name are told apart by their hash.
#[derive(Default)]
pub struct Merger {
    merged: Option<(Profile, FunctionTable)>,
}

impl Merger {
    pub fn new() -> Merger {
        Merger::default()
    }

    /// Adds a part.
    ///
    /// # Errors
    ///
    /// Its clock is not the other parts' clock; then it is not added.
    pub fn add(&mut self, part: Profile) -> Result<()> {
        let (merged, functions) = self.merged.get_or_insert_with(|| {
            let empty = Profile {
                threads: Vec::new(),
                modules: Vec::new(),
                functions: Vec::new(),
                dropped: Default::default(),
                skipped_modules: Vec::new(),
                unseen: Vec::new(),
                sampling: part.sampling.map(|_| Sampling::default()),
                ..part
            };
            (empty, FunctionTable::new(part.clock == Clock::Tsc))
        });
        if merged.clock != part.clock {
            return Err(Error::new(format!(
                "cannot merge a profile with clock {} and one with clock {}",
                clock_name(merged.clock),
                clock_name(part.clock)
            )));
        }
        let new_ids = functions.merge(part.modules, part.functions);
        for mut thread in part.threads {
            for function in &mut thread.trie.functions {
                *function = new_ids[function.index()];
            }
            let id = merged.threads.len() as u64 + 1;
            merged.threads.push(Thread { id, ..thread });
        }
        let dropped = &mut merged.dropped;
        dropped.paths = dropped.paths.saturating_add(part.dropped.paths);
        dropped.calls = dropped.calls.saturating_add(part.dropped.calls);
        merged.clock_step_ns = merged.clock_step_ns.max(part.clock_step_ns);
        merged.sampling = match (merged.sampling, part.sampling) {
            (Some(one), Some(other)) => Some(error_bar::add(one, other)),
            _ => None,
        };
        if let Some(sampling) = &merged.sampling {
            merged.clock_step_ns = error_bar::guess_below_ns(sampling);
        }
        merged.probe_cost = match (merged.probe_cost, part.probe_cost) {
            (Some(known), Some(other)) => Some(known.least(other)),
            (known, other) => known.or(other),
        };
        extend_with_new(&mut merged.skipped_modules, part.skipped_modules);
        extend_with_new(&mut merged.unseen, part.unseen);
        Ok(())
    }

    /// The merged profile.
    ///
    /// # Errors
    ///
    /// No part was added, or the parts have too many functions.
    pub fn finish(self) -> Result<Profile> {
        let Some((mut merged, mut functions)) = self.merged else {
            return Err(Error::new("there is no profile to merge"));
        };
        functions.renumber()?;
        (merged.modules, merged.functions) = functions.finish(&mut merged.threads)?;
        Ok(merged)
    }
}

/// Workers of one process mostly report the same.
fn extend_with_new<T: PartialEq>(all: &mut Vec<T>, new: Vec<T>) {
    for item in new {
        if !all.contains(&item) {
            all.push(item);
        }
    }
}
