//! Profiles of other tools. They sample, mostly, so they have no calls.

mod cpuprofile;
mod folded;
pub(super) mod gunzip;
mod pprof;

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::error::{Error, Result};
use crate::functions::FunctionTable;
use crate::model::{
    Clock, Dropped, FileFunctionId, Function, FunctionId, Kind, Module, ModuleId, ModuleMap,
    Origin, Profile, Thread, Weight,
};
use crate::names::display_name;

/// Reads a file of one format.
type Read = fn(&[u8]) -> Result<Profile>;

/// The reader for what the file looks like, if it is any that we know.
pub(super) fn reader(file: &[u8]) -> Option<Read> {
    if cpuprofile::looks_like(file) {
        Some(cpuprofile::read)
    } else if pprof::looks_like(file) {
        Some(pprof::read)
    } else if folded::looks_like(file) {
        Some(folded::read)
    } else {
        None
    }
}

/// A function as another tool writes it.
#[derive(Clone, Copy)]
struct Frame<'a> {
    /// Raw.
    name: &'a str,
    /// Script, binary or module; empty if unknown.
    module: &'a str,
    /// Empty if unknown.
    file: &'a str,
    line: Option<u32>,
    kind: Kind,
}

/// The functions of a file, in the order in which they come up.
#[derive(Default)]
struct Functions {
    modules: Vec<Module>,
    modules_by_name: HashMap<String, usize>,
    /// By all that makes two frames the same function.
    known: HashMap<String, FunctionId>,
    /// That text of the frame asked for; kept to reuse its memory.
    key: String,
    functions: Vec<Function>,
}

impl Functions {
    fn intern(&mut self, frame: &Frame) -> Result<FunctionId> {
        let (module, file) = (frame.module, frame.file);
        let lengths = (module.len(), file.len());
        self.key.clear();
        write!(
            self.key,
            "{lengths:?}{:?}{module}{file}{}",
            frame.line, frame.name
        )
        .expect("a string takes any text");
        if let Some(id) = self.known.get(&self.key) {
            return Ok(*id);
        }
        let module = match self.modules_by_name.get(frame.module) {
            Some(module) => *module,
            None => self.add_module(frame.module),
        };
        let id = u32::try_from(self.functions.len())
            .ok()
            .filter(|id| *id < i32::MAX as u32)
            .ok_or_else(|| Error::new("the profile has more than 2^31 functions"))?;
        let names = &mut self.modules[module].map.names;
        self.functions.push(Function {
            id: FileFunctionId(id),
            module: Some(ModuleId(module as u32)),
            index: names.len() as u32,
            name: display_name(frame.name),
            kind: frame.kind,
            file: (!frame.file.is_empty()).then(|| frame.file.to_owned()),
            line: frame.line.filter(|line| *line > 0),
        });
        names.push(Some(frame.name.to_owned()));
        self.known.insert(self.key.clone(), FunctionId(id));
        Ok(FunctionId(id))
    }

    fn add_module(&mut self, name: &str) -> usize {
        let map = ModuleMap {
            name: name.to_owned(),
            ..ModuleMap::default()
        };
        self.modules.push(Module { base: 0, map });
        let module = self.modules.len() - 1;
        self.modules_by_name.insert(name.to_owned(), module);
        module
    }
}

/// What a reader found besides the functions.
struct Found {
    clock: Clock,
    threads: Vec<Thread>,
    origin: Origin,
    dropped: Dropped,
    unseen: Vec<String>,
}

fn profile(functions: Functions, found: Found) -> Result<Profile> {
    let Found {
        clock,
        mut threads,
        origin,
        mut dropped,
        mut unseen,
    } = found;
    let mut table = FunctionTable::new(false);
    let ids = table.merge(functions.modules, functions.functions);
    for function in threads.iter_mut().flat_map(|t| &mut t.trie.functions) {
        *function = ids[function.index()];
    }
    table.renumber()?;
    let (modules, functions) = table.finish(&mut threads)?;
    let has_calls = threads.iter().any(|t| t.trie.sum(Weight::Calls) > 0);
    let is_empty = threads.iter().all(|thread| thread.trie.is_empty());
    if !has_calls && !is_empty {
        unseen.push("calls: the profile is one of samples, which do not count them".to_owned());
    }
    for trie in threads.iter().map(|thread| &thread.trie) {
        let calls = trie.overflow.iter().map(|node| trie.calls(*node));
        let calls = calls.fold(0, u64::saturating_add);
        dropped.calls = dropped.calls.max(calls);
    }
    Ok(Profile {
        origin,
        clock,
        clock_step_ns: 0,
        sampling: None,
        probe_cost: None,
        threads,
        modules,
        functions,
        dropped,
        skipped_modules: Vec::new(),
        unseen,
    })
}

/// Text of a file that must be text.
fn text<'a>(file: &'a [u8], what: &str) -> Result<&'a str> {
    std::str::from_utf8(file).map_err(|error| {
        Error::at(
            error.valid_up_to(),
            format!("{what} is not UTF-8: is it damaged?"),
        )
    })
}
