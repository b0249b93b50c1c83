//! What becomes of custom sections: those that hold for the new module as well are
//! copied byte for byte, those with offsets of instructions are rebuilt or dropped.

use crate::Probes;
use crate::code::Annotated;
use crate::error::Error;
use crate::index::OldFunc;
use crate::plan::Plan;
use std::collections::BTreeMap;
use wasm_encoder::{CustomSection, Encode, Section};
use wasmparser::{BinaryReader, CustomSectionReader};

/// What becomes of a custom section.
pub(crate) enum Fate {
    Kept,
    Rebuilt(Vec<u8>),
    Dropped,
    /// Dropped for this reason.
    Malformed(String),
}

const CODE_METADATA: &str = "metadata.code.";

/// Sections with offsets or indices that cannot be rebuilt.
fn is_stale(name: &str) -> bool {
    matches!(
        name,
        "sourceMappingURL" | "external_debug_info" | "linking" | "metadata.code.call_targets"
    ) || name.starts_with(".debug_")
        || name.starts_with("reloc.")
}

/// Decides about any section but `name`. Code metadata must come before the code, as engines demand.
pub(crate) fn fate(section: &CustomSectionReader<'_>, plan: &Plan, code: &Annotated) -> Fate {
    let name = section.name();
    let rebuilt = if is_stale(name) {
        return Fate::Dropped;
    } else if name.starts_with(CODE_METADATA) {
        code_metadata(section, plan, code)
    } else if name == "target_features" && plan.probes == Probes::Inline {
        features_with_multimemory(section)
    } else {
        return Fate::Kept;
    };
    match rebuilt {
        Ok(data) => Fate::Rebuilt(data),
        Err(e) => Fate::Malformed(e.to_string()),
    }
}

/// In words, what was dropped as stale.
pub(crate) fn dropped(names: &[String]) -> Option<String> {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match &quoted[..] {
        [] => None,
        [one] => Some(format!(
            "section {one} was dropped: its offsets are of the original module"
        )),
        many => Some(format!(
            "sections {} were dropped: their offsets are of the original module",
            many.join(", ")
        )),
    }
}

pub(crate) fn copy(out: &mut Vec<u8>, name: &str, data: &[u8]) {
    let section = CustomSection {
        name: name.into(),
        data: data.into(),
    };
    section.append_to(out);
}

/// An annotated instruction: its offset in the body, and the annotation.
type Item<'a> = (u32, &'a [u8]);

/// Reads a section of code metadata: annotations of each function.
fn read_metadata<'a>(
    section: &CustomSectionReader<'a>,
) -> wasmparser::Result<Vec<(OldFunc, Vec<Item<'a>>)>> {
    let mut reader = BinaryReader::new(section.data(), section.data_offset());
    let mut functions = Vec::new();
    for _ in 0..reader.read_var_u32()? {
        let function = OldFunc(reader.read_var_u32()?);
        let mut items = Vec::new();
        for _ in 0..reader.read_var_u32()? {
            let offset = reader.read_var_u32()?;
            let size = reader.read_var_u32()?;
            items.push((offset, reader.read_bytes(size as usize)?));
        }
        functions.push((function, items));
    }
    Ok(functions)
}

/// The functions whose instructions a section annotates.
pub(crate) fn annotated(section: &CustomSectionReader<'_>) -> Vec<OldFunc> {
    if !section.name().starts_with(CODE_METADATA) || is_stale(section.name()) {
        return Vec::new();
    }
    let functions = read_metadata(section).unwrap_or_default();
    functions
        .into_iter()
        .map(|(function, _)| function)
        .collect()
}

fn code_metadata(
    section: &CustomSectionReader<'_>,
    plan: &Plan,
    code: &Annotated,
) -> Result<Vec<u8>, Error> {
    let mut functions = BTreeMap::new();
    for (function, items) in read_metadata(section)? {
        let Some(offsets) = code.get(&function) else {
            return Err(fault(
                section,
                format!("function {} has no body", function.0),
            ));
        };
        let moved = items.iter().map(|&(offset, data)| {
            // 0 stands for the function itself.
            let to = if offset == 0 {
                Some(0)
            } else {
                offsets.instruction(offset)
            };
            to.map(|to| (to, data)).ok_or_else(|| {
                let function = function.0;
                fault(
                    section,
                    format!("function {function} has no instruction at {offset:#x}"),
                )
            })
        });
        let moved: Result<Vec<Item<'_>>, Error> = moved.collect();
        functions.insert(plan.body(function).0, moved?);
    }
    let mut out = Vec::new();
    (functions.len() as u32).encode(&mut out);
    for (function, items) in functions {
        function.encode(&mut out);
        (items.len() as u32).encode(&mut out);
        for (offset, data) in items {
            offset.encode(&mut out);
            data.encode(&mut out);
        }
    }
    Ok(out)
}

fn fault(section: &CustomSectionReader<'_>, words: String) -> Error {
    Error::malformed(words, section.data_offset())
}

/// Inline probes need a second memory: whoever goes by this list has to know.
fn features_with_multimemory(section: &CustomSectionReader<'_>) -> Result<Vec<u8>, Error> {
    const NEEDED: &str = "multimemory";
    let mut reader = BinaryReader::new(section.data(), section.data_offset());
    let mut features = Vec::new();
    for _ in 0..reader.read_var_u32()? {
        features.push((reader.read_u8()?, reader.read_string()?));
    }
    features.retain(|&(_, name)| name != NEEDED);
    features.push((b'+', NEEDED));
    let mut out = Vec::new();
    (features.len() as u32).encode(&mut out);
    for (prefix, name) in features {
        out.push(prefix);
        name.encode(&mut out);
    }
    Ok(out)
}
