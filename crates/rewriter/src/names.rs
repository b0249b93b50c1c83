//! The name section: read for the function map, and extended for the functions that were added.

use crate::analysis::Analysis;
use crate::index::OldFunc;
use crate::kinds::Kind;
use crate::plan::{Appended, Plan};
use std::collections::{BTreeMap, HashMap};
use wasm_encoder::{IndirectNameMap, NameMap, NameSection};
use wasmparser::{BinaryReader, CustomSectionReader, Name, NameSectionReader};

/// What the name section says.
#[derive(Default)]
pub(crate) struct Names<'a> {
    pub malformed: bool,
    pub module: Option<&'a str>,
    pub functions: HashMap<u32, &'a str>,
    locals: BTreeMap<u32, Vec<(u32, &'a str)>>,
    pub labels: BTreeMap<u32, Vec<(u32, &'a str)>>,
    /// Subsections whose indices do not move: (id, bytes).
    copied: Vec<(u8, &'a [u8])>,
    memories: Vec<(u32, &'a str)>,
    globals: Vec<(u32, &'a str)>,
}

/// Reads a name section; a malformed one gives what could be read before the fault.
pub(crate) fn read<'a>(section: &CustomSectionReader<'a>) -> Names<'a> {
    let mut names = Names::default();
    let reader = BinaryReader::new(section.data(), section.data_offset());
    names.malformed = read_subsections(&mut names, reader).is_err();
    names
}

fn read_subsections<'a>(
    names: &mut Names<'a>,
    mut reader: BinaryReader<'a>,
) -> wasmparser::Result<()> {
    while !reader.eof() {
        let mut whole = reader.clone();
        let id = reader.read_u8()?;
        let size = reader.read_var_u32()?;
        let bytes = reader.read_bytes(size as usize)?;
        let length = reader.original_position() - whole.original_position();
        let one = whole.read_bytes(length as usize)?;
        let Some(subsection) = NameSectionReader::new(BinaryReader::new(one, 0)).next() else {
            continue;
        };
        let subsection = subsection?;
        match subsection {
            Name::Module { name, .. } => names.module = Some(name),
            Name::Function(map) => {
                for naming in map {
                    let naming = naming?;
                    names.functions.insert(naming.index, naming.name);
                }
            }
            Name::Local(map) => read_indirect(&mut names.locals, map)?,
            Name::Label(map) => read_indirect(&mut names.labels, map)?,
            Name::Memory(map) => {
                for naming in map {
                    let naming = naming?;
                    names.memories.push((naming.index, naming.name));
                }
            }
            Name::Global(map) => {
                for naming in map {
                    let naming = naming?;
                    names.globals.push((naming.index, naming.name));
                }
            }
            _ => names.copied.push((id, bytes)),
        }
    }
    Ok(())
}

fn read_indirect<'a>(
    to: &mut BTreeMap<u32, Vec<(u32, &'a str)>>,
    map: wasmparser::IndirectNameMap<'a>,
) -> wasmparser::Result<()> {
    for entry in map {
        let entry = entry?;
        let list = to.entry(entry.index).or_default();
        for naming in entry.names {
            let naming = naming?;
            list.push((naming.index, naming.name));
        }
    }
    Ok(())
}

/// Raw names by original index: name section, else `module.field` of the import, else first export.
pub(crate) fn function_names(a: &Analysis<'_>) -> Vec<Option<String>> {
    let mut names: Vec<Option<String>> = vec![None; a.function_count()];
    for (name, import) in names.iter_mut().zip(&a.imports) {
        *name = Some(format!("{}.{}", import.module, import.name));
    }
    for &(function, name) in &a.export_names {
        let entry = &mut names[function as usize];
        if entry.is_none() {
            *entry = Some(name.to_owned());
        }
    }
    for (i, name) in names.iter_mut().enumerate() {
        match a.names.functions.get(&(i as u32)) {
            Some(given) if !given.is_empty() => *name = Some((*given).to_owned()),
            _ => {}
        }
    }
    names
}

/// The output's name section; `labels` are the label indices of each defined function's blocks, where it has named labels.
pub(crate) fn write(a: &Analysis<'_>, plan: &Plan, labels: &HashMap<u32, Vec<u32>>) -> NameSection {
    let names = &a.names;
    let mut section = NameSection::new();
    if let Some(module) = names.module {
        section.module(module);
    }
    let appended_from = a.function_count() as u32 + plan.added_imports();

    let mut functions: BTreeMap<u32, String> = BTreeMap::new();
    for (&old, name) in &names.functions {
        if (old as usize) < a.function_count() {
            functions.insert(plan.moved(OldFunc(old)).0, (*name).to_owned());
        }
    }
    for (i, import) in plan.probe_imports.iter().enumerate() {
        functions.insert(
            plan.imports + i as u32,
            format!("wasm-xray.{}", import.name()),
        );
    }
    let first_twin = plan.imports + plan.probe_imports.len() as u32;
    for (i, old) in plan.twins.iter().enumerate() {
        if let Some(name) = names.functions.get(&old.0) {
            functions.insert(first_twin + i as u32, (*name).to_owned());
        }
    }
    for (i, appended) in plan.appended.iter().enumerate() {
        let name = match appended {
            Appended::Body(old) => names.functions.get(&old.0).copied(),
            Appended::Find => Some("wasm-xray.find"),
        };
        if let Some(name) = name {
            functions.insert(appended_from + i as u32, name.to_owned());
        }
    }
    let mut map = NameMap::new();
    for (index, name) in &functions {
        map.append(*index, name);
    }
    section.functions(&map);

    // Local and label names go where the body went.
    let place = |old: u32| ((old as usize) < plan.kinds.len()).then(|| plan.body(OldFunc(old)).0);
    let mut locals: BTreeMap<u32, NameMap> = BTreeMap::new();
    for (&old, list) in &names.locals {
        let Some(new) = place(old) else { continue };
        let takes_node = matches!(plan.kinds[old as usize], Kind::Param | Kind::Both { .. });
        let params = if takes_node {
            a.func_type(OldFunc(old)).params().len() as u32
        } else {
            u32::MAX
        };
        let mut map = NameMap::new();
        for &(local, name) in list {
            map.append(
                if local >= params {
                    local.saturating_add(1)
                } else {
                    local
                },
                name,
            );
        }
        locals.insert(new, map);
    }
    if !locals.is_empty() {
        section.locals(&indirect(&locals));
    }
    let mut new_labels: BTreeMap<u32, NameMap> = BTreeMap::new();
    for (&old, list) in &names.labels {
        let (Some(new), Some(moved)) = (place(old), labels.get(&old)) else {
            continue;
        };
        let mut map = NameMap::new();
        for &(label, name) in list {
            if let Some(&label) = moved.get(label as usize) {
                map.append(label, name);
            }
        }
        new_labels.insert(new, map);
    }
    if !new_labels.is_empty() {
        section.labels(&indirect(&new_labels));
    }

    // The other subsections follow in the order of their ids.
    let mut rest: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
    for (id, bytes) in &names.copied {
        rest.insert(*id, bytes.to_vec());
    }
    for (id, bytes) in rest.range(..6) {
        section.raw(*id, bytes);
    }
    let mut memories = NameMap::new();
    for &(memory, name) in &names.memories {
        memories.append(plan.memory(memory), name);
    }
    if !memories.is_empty() {
        section.memories(&memories);
    }
    let mut globals = NameMap::new();
    for &(global, name) in &names.globals {
        globals.append(plan.global(global), name);
    }
    if !globals.is_empty() {
        section.globals(&globals);
    }
    for (id, bytes) in rest.range(6..) {
        section.raw(*id, bytes);
    }
    section
}

fn indirect(maps: &BTreeMap<u32, NameMap>) -> IndirectNameMap {
    let mut all = IndirectNameMap::new();
    for (index, map) in maps {
        all.append(*index, map);
    }
    all
}
