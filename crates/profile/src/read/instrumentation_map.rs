//! LLVM's instrumentation map, as `llvm-xray extract --symbolize` writes it: a
//! YAML list with an entry for each patch point.

use serde::Deserialize;

use crate::error::{Error, Result};
use crate::model::{Module, ModuleMap};

/// The fields that name functions; addresses and kinds of patch points are of no use here.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sled {
    id: u32,
    function_name: Option<String>,
}

/// XRay numbers functions from 1 on without gaps, but a map may be filtered. An
/// id far above their number would make the table of names huge.
const MAX_UNLISTED: usize = 1 << 20;

pub(super) fn parse(yaml: &str) -> Result<Vec<Module>> {
    let mut sleds: Vec<Sled> = serde_saphyr::from_str_with_options(yaml, options(yaml.len()))
        .map_err(|error| {
            Error::new(format!(
                "the map is neither a function map (JSON) nor an instrumentation map \
                 (YAML of `llvm-xray extract`): {error}"
            ))
        })?;
    let limit = sleds.len().saturating_add(MAX_UNLISTED);
    let mut names = Vec::new();
    for sled in &mut sleds {
        let id = sled.id as usize;
        if id == 0 || id > limit {
            return Err(Error::new(format!(
                "the instrumentation map has function id {id}; ids start at 1 and have no large gaps"
            )));
        }
        if names.len() < id {
            names.resize(id, None);
        }
        if names[id - 1].is_none() {
            names[id - 1] = sled.function_name.take();
        }
    }
    let map = ModuleMap {
        names,
        ..ModuleMap::default()
    };
    Ok(vec![Module { base: 1, map }])
}

/// As much as the input can hold: large programs have a million patch points.
fn options(len: usize) -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: len.max(1000),
            max_nodes: len.max(1000),
            max_total_scalar_bytes: len.max(1000),
            max_documents: 1,
            max_depth: 8,
            max_aliases: 0,
            max_anchors: 0,
        },
        with_snippet: false,
    }
}
