//! What belongs to a profile file besides its counts, from either kind of map.

use std::collections::HashSet;

use wasm_xray_abi::map::{ProfileMap, Sampling};

use super::instrumentation_map;
use crate::error::{Error, Result};
use crate::model::{Clock, Dropped, Module, ProbeCost, SkippedModule};
use crate::query::error_bar::guess_below_ns;

pub(super) use wasm_xray_abi::map::Thread as ThreadName;

/// The version of [`ProfileMap`] that this crate reads and writes.
pub(crate) const MAP_VERSION: u32 = 1;

#[derive(Default)]
pub(super) struct Names {
    /// `None`: there is no map.
    pub clock: Option<Clock>,
    pub clock_step_ns: u32,
    pub sampling: Option<Sampling>,
    pub probe_cost: Option<ProbeCost>,
    pub threads: Vec<ThreadName>,
    pub modules: Vec<Module>,
    pub dropped: Dropped,
    pub skipped: Vec<SkippedModule>,
    pub unseen: Vec<String>,
}

impl Names {
    pub fn parse(map: &str) -> Result<Names> {
        match map.trim_start().as_bytes().first() {
            None => Ok(Names::default()),
            Some(b'{') => Names::parse_json(map),
            Some(_) => Ok(Names {
                clock: Some(Clock::Tsc),
                modules: instrumentation_map::parse(map)?,
                ..Names::default()
            }),
        }
    }

    fn parse_json(map: &str) -> Result<Names> {
        let map: ProfileMap = serde_json::from_str(map)
            .map_err(|error| Error::new(format!("the function map is not valid: {error}")))?;
        if map.version != MAP_VERSION {
            return Err(Error::new(format!(
                "the function map has version {}; this reader knows {MAP_VERSION}: \
                 use the wasm-xray that wrote it",
                map.version
            )));
        }
        let mut ids = HashSet::new();
        for thread in &map.threads {
            if thread.id == 0 || !ids.insert(thread.id) {
                return Err(Error::new(format!(
                    "the function map lists thread id {} {}",
                    thread.id,
                    if thread.id == 0 {
                        "; ids start at 1"
                    } else {
                        "twice"
                    }
                )));
            }
        }
        Ok(Names {
            clock: Some(map.clock),
            clock_step_ns: match &map.sampling {
                Some(sampling) => guess_below_ns(sampling),
                None => map.clock_step_ns,
            },
            sampling: map.sampling,
            probe_cost: map.probe_cost,
            threads: map.threads,
            modules: map
                .modules
                .into_iter()
                .map(|loaded| Module {
                    base: loaded.base,
                    map: loaded.map,
                })
                .collect(),
            dropped: map.dropped,
            skipped: map.skipped,
            unseen: map.unseen,
        })
    }
}
