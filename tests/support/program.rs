//! A session of this test program, and what it recorded by name.

#![allow(dead_code, reason = "each test uses its part")]

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use wasm_xray::{Profile, Settings, session};

use crate::support::{Path, parse};

/// Sessions take turns, as there is one for a program.
static TURN: Mutex<()> = Mutex::new(());

pub fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
pub struct Recorded {
    /// For each thread and path (`a > b`; `dropped a` without its path): calls and self cost.
    pub paths: BTreeMap<(u64, String), (u64, u64)>,
    pub map: String,
}

impl Recorded {
    pub fn read(mut profile: Profile) -> Recorded {
        let names: BTreeMap<u32, String> = session()
            .function_names()
            .into_iter()
            .map(|(id, name)| (id.get(), name))
            .collect();
        let pieces: Vec<Vec<u8>> = profile.blocks().collect();
        let mut paths = BTreeMap::new();
        if !pieces.is_empty() {
            for ((thread, path), counts) in parse(&pieces).paths {
                let path = match path {
                    Path::Of(ids) => ids
                        .iter()
                        .map(|id| names[id].as_str())
                        .collect::<Vec<_>>()
                        .join(" > "),
                    Path::Dropped(id) => format!("dropped {}", names[&id]),
                };
                paths.insert((thread, path), counts);
            }
        }
        Recorded {
            paths,
            map: profile.map_json(),
        }
    }

    /// Calls by path, threads together, without the name of the test's module.
    pub fn calls(&self, module: &str) -> BTreeMap<String, u64> {
        let mut calls = BTreeMap::new();
        for ((_, path), (count, _)) in &self.paths {
            *calls.entry(path.replace(module, "")).or_default() += count;
        }
        calls
    }

    /// Calls of a function on all of its paths.
    pub fn calls_of(&self, name: &str) -> u64 {
        let is_leaf = |path: &str| path.rsplit(" > ").next() == Some(name);
        self.paths
            .iter()
            .filter(|((_, path), _)| is_leaf(path) || *path == format!("dropped {name}"))
            .map(|(_, (calls, _))| calls)
            .sum()
    }
}

/// Records what `act` does.
pub fn record_with<R>(settings: &Settings, act: impl FnOnce() -> R) -> (R, Recorded) {
    session().start_with(settings).unwrap();
    let result = act();
    (result, Recorded::read(session().stop().unwrap()))
}

/// Records what `act` does, counts only.
pub fn record<R>(act: impl FnOnce() -> R) -> (R, Recorded) {
    record_with(&Settings::default(), act)
}
