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
    functions: Vec<(u32, &'a str)>,
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
    // They are in order already. Of several names the last counts.
    names.functions.reverse();
    names.functions.sort_by_key(|&(function, _)| function);
    names.functions.dedup_by_key(|&mut (function, _)| function);
    names
}

impl<'a> Names<'a> {
    pub fn function(&self, f: OldFunc) -> Option<&'a str> {
        let at = self
            .functions
            .binary_search_by_key(&f.0, |&(function, _)| function);
        Some(self.functions[at.ok()?].1)
    }

    /// The named functions by index; there may be more than the module has.
    pub fn functions(&self) -> impl Iterator<Item = (OldFunc, &'a str)> {
        self.functions.iter().map(|&(f, name)| (OldFunc(f), name))
    }
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
                    names.functions.push((naming.index, naming.name));
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
    for (f, given) in a.names.functions() {
        if let Some(name) = names.get_mut(f.index()).filter(|_| !given.is_empty()) {
            *name = Some(given.to_owned());
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

    let mut map = NameMap::new();
    let own = |f: &(OldFunc, &str)| f.0.index() < a.function_count();
    let (imports, defined): (Vec<_>, Vec<_>) =
        (names.functions().filter(own)).partition(|(f, _)| f.0 < plan.imports);
    for (f, name) in imports {
        map.append(f.0, name);
    }
    for (i, import) in plan.probe_imports.iter().enumerate() {
        let name = format!("wasm-xray.{}", import.name());
        map.append(plan.imports + i as u32, &name);
    }
    let first_twin = plan.imports + plan.probe_imports.len() as u32;
    for (i, &old) in plan.twins.iter().enumerate() {
        if let Some(name) = names.function(old) {
            map.append(first_twin + i as u32, name);
        }
    }
    for (f, name) in defined {
        map.append(plan.moved(f).0, name);
    }
    for (i, appended) in plan.appended.iter().enumerate() {
        let name = match *appended {
            Appended::Body(old) => names.function(old),
            Appended::Slot => Some("wasm-xray.fill"),
            Appended::Find => Some("wasm-xray.find"),
        };
        if let Some(name) = name {
            map.append(appended_from + i as u32, name);
        }
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
