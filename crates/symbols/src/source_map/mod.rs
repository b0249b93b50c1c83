//! Source maps: a module is one line, and a column in it is an offset in bytes.

mod decode;

use std::collections::BTreeSet;

use crate::bodies::Bodies;
use crate::collected::Collected;
use crate::files::join;
use decode::{Mapping, SourceMap, decode};

const ANOTHER_BUILD: &str =
    "the source map was left out: its offsets do not fit the module, so it is of another build";

/// Gives each function without a place that of the first mapping in its body.
pub(crate) fn read(bytes: &[u8], bodies: &Bodies, collected: &mut Collected) {
    if bytes.trim_ascii().is_empty() {
        collected.note("the source map is empty");
        return;
    }
    let SourceMap {
        sources,
        mappings,
        fault,
    } = match decode(bytes) {
        Ok(map) => map,
        Err(error) => {
            collected.note(format!("the source map cannot be read: {error}"));
            return;
        }
    };
    if let Some(fault) = fault {
        collected.note(format!("the source map is malformed: {fault}"));
    }
    if mappings.last().map(|mapping| mapping.offset) > bodies.code_end() {
        collected.note(ANOTHER_BUILD);
        return;
    }
    let mut numbers = vec![None; sources.len()];
    let mut unlisted = BTreeSet::new();
    let mut found = 0;
    for (function, start, end) in bodies.iter() {
        let first = mappings.partition_point(|mapping| mapping.offset < start);
        let Some(Mapping { source, line, .. }) =
            mappings.get(first).filter(|mapping| mapping.offset < end)
        else {
            continue;
        };
        found += 1;
        let Some(name) = sources.get(*source as usize) else {
            unlisted.insert(*source);
            continue;
        };
        if collected.places[function as usize].is_none() {
            let files = &mut collected.files;
            let file =
                numbers[*source as usize].get_or_insert_with(|| files.number(join("", name)));
            collected.places[function as usize] = Some((*file, *line));
        }
    }
    if !unlisted.is_empty() {
        collected.note(format!(
            "the source map has functions of {} sources that it does not list; their files are not known",
            unlisted.len()
        ));
    }
    if found == 0 && bodies.len() > 0 {
        collected.note(if mappings.is_empty() {
            "the source map has no mappings"
        } else {
            ANOTHER_BUILD
        });
    }
}

/// Gives the instructions at `offsets` without a place that of the last mapping
/// before them in the same body. Faults of the map are for [`read`] to tell.
pub(crate) fn locate(
    bytes: &[u8],
    bodies: &Bodies,
    offsets: &[u64],
    places: &mut [Option<(u32, u32)>],
    collected: &mut Collected,
) {
    let Ok(SourceMap {
        sources, mappings, ..
    }) = decode(bytes)
    else {
        return;
    };
    if mappings.last().map(|mapping| mapping.offset) > bodies.code_end() {
        return;
    }
    for (&offset, place) in offsets.iter().zip(places) {
        let after = mappings.partition_point(|mapping| mapping.offset <= offset);
        let Some(mapping) = after.checked_sub(1).map(|at| mappings[at]) else {
            continue;
        };
        if place.is_some() || bodies.at(mapping.offset) != bodies.at(offset) {
            continue;
        }
        if let Some(name) = sources.get(mapping.source as usize) {
            let file = collected.files.number(join("", name));
            *place = Some((file, mapping.line));
        }
    }
}
