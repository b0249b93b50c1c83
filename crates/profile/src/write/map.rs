//! The `ProfileMap` of a profile.

use wasm_xray_abi::map::{LoadedModule, ProfileMap, Thread};

use crate::model::{ModuleMap, Profile};
use crate::read::MAP_VERSION;

pub(super) fn to_json(profile: &Profile) -> String {
    let mut modules: Vec<LoadedModule> = profile
        .modules
        .iter()
        .map(|module| LoadedModule {
            base: module.base,
            map: module.map.clone(),
        })
        .collect();
    modules.extend(renumbered_unknown(profile));
    let map = ProfileMap {
        version: MAP_VERSION,
        clock: profile.clock,
        clock_step_ns: profile.clock_step_ns,
        sampling: profile.sampling,
        probe_cost: profile.probe_cost,
        threads: profile
            .threads
            .iter()
            .map(|thread| Thread {
                id: thread.id,
                name: thread.name.clone(),
                phase: thread.phase.clone(),
            })
            .collect(),
        modules,
        dropped: profile.dropped,
        skipped: profile.skipped_modules.clone(),
        unseen: profile.unseen.clone(),
    };
    serde_json::to_string(&map).expect("strings, numbers and lists are always JSON")
}

/// A merge gives functions without a module new ids. Their names say the old
/// ones and must not be lost, so they are listed as modules without a name.
fn renumbered_unknown(profile: &Profile) -> Vec<LoadedModule> {
    let mut modules: Vec<LoadedModule> = Vec::new();
    for function in profile.functions.iter().filter(|f| f.module.is_none()) {
        let id = function.id.0;
        if function.name == format!("func#{id}") {
            continue;
        }
        let name = Some(function.name.clone());
        match modules.last_mut() {
            Some(last) if last.base as usize + last.map.names.len() == id as usize => {
                last.map.names.push(name);
            }
            _ => modules.push(LoadedModule {
                base: id,
                map: ModuleMap {
                    names: vec![name],
                    ..ModuleMap::default()
                },
            }),
        }
    }
    modules
}
