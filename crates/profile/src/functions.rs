//! From ids in files to functions: the table that readers and merges fill.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::model::{
    FileFunctionId, Function, FunctionId, Kind, Module, ModuleId, ModuleMap, Thread,
};

const UNSEEN: u32 = u32::MAX;

/// Largest id of a function: ids are i32 in XRay's layout, and positive.
const MAX_ID: u32 = i32::MAX as u32;

/// The functions seen so far. Only those take memory beyond 4 bytes each.
pub(crate) struct FunctionTable {
    /// Whether modules come from an instrumentation map of LLVM XRay.
    native: bool,
    modules: Vec<Module>,
    /// For each module and index, the function's id, or `UNSEEN`.
    seen: Vec<Vec<u32>>,
    /// File ids of each module instance: first, end, module. By ascending first.
    ranges: Vec<(u32, u32, ModuleId)>,
    unknown: HashMap<u32, FunctionId>,
    functions: Vec<Function>,
}

impl FunctionTable {
    pub fn new(native: bool) -> FunctionTable {
        FunctionTable {
            native,
            modules: Vec::new(),
            seen: Vec::new(),
            ranges: Vec::new(),
            unknown: HashMap::new(),
            functions: Vec::new(),
        }
    }

    /// Adds modules with the bases that the file gave them. Instances of the
    /// same module become one.
    pub fn add_modules(&mut self, modules: Vec<Module>) -> Result<()> {
        for Module { base, map } in modules {
            let end = base.checked_add(function_count(&map)?);
            let Some(end) = end.filter(|end| base > 0 && *end - 1 <= MAX_ID) else {
                return Err(Error::new(format!(
                    "the function map gives module {:?} the function ids from {base} on; \
                     ids go from 1 to {MAX_ID}",
                    map.name
                )));
            };
            let module = self.add_module(base, map);
            self.ranges.push((base, end, module));
        }
        self.ranges.sort_unstable();
        for pair in self.ranges.windows(2) {
            let ((_, end, one), (first, _, other)) = (pair[0], pair[1]);
            if end > first {
                return Err(Error::new(format!(
                    "the function map gives id {first} to two modules, {:?} and {:?}",
                    self.modules[one.0 as usize].map.name, self.modules[other.0 as usize].map.name
                )));
            }
        }
        Ok(())
    }

    /// The same module if it is already there (it keeps its base), else a new one.
    fn add_module(&mut self, base: u32, map: ModuleMap) -> ModuleId {
        let same = self
            .modules
            .iter()
            .position(|module| is_same(&module.map, &map));
        let index = same.unwrap_or_else(|| {
            self.seen.push(vec![UNSEEN; map.names.len()]);
            self.modules.push(Module { base, map });
            self.modules.len() - 1
        });
        ModuleId(index as u32)
    }

    /// The function with an id of the file.
    pub fn intern(&mut self, file_id: u32) -> FunctionId {
        let after = self.ranges.partition_point(|(first, ..)| *first <= file_id);
        if let Some((first, end, module)) = after.checked_sub(1).map(|at| self.ranges[at])
            && file_id < end
        {
            return self.intern_known(module, file_id - first);
        }
        let next = FunctionId(self.functions.len() as u32);
        let id = *self.unknown.entry(file_id).or_insert(next);
        if id == next {
            self.functions.push(Function {
                id: FileFunctionId(file_id),
                module: None,
                index: file_id,
                name: format!("func#{file_id}"),
                kind: Kind::Unknown,
                file: None,
                line: None,
            });
        }
        id
    }

    fn intern_known(&mut self, module: ModuleId, index: u32) -> FunctionId {
        let seen = &mut self.seen[module.0 as usize][index as usize];
        if *seen == UNSEEN {
            *seen = self.functions.len() as u32;
            let loaded = &self.modules[module.0 as usize];
            let kind = match () {
                () if self.native => Kind::Native,
                () if index < loaded.map.imports => Kind::Import,
                () => Kind::Wasm,
            };
            let (file, line) = loaded.place(index);
            self.functions.push(Function {
                id: FileFunctionId(loaded.base + index),
                module: Some(module),
                index,
                name: loaded.function_name(index),
                kind,
                file,
                line,
            });
        }
        FunctionId(*seen)
    }

    /// Adds another profile's modules and functions; the result translates its
    /// function ids. File ids are given out anew by [`FunctionTable::renumber`].
    pub fn merge(&mut self, modules: Vec<Module>, functions: Vec<Function>) -> Vec<FunctionId> {
        let modules: Vec<ModuleId> = modules
            .into_iter()
            .map(|module| self.add_module(0, module.map))
            .collect();
        functions
            .into_iter()
            .map(|mut function| {
                let next = self.functions.len() as u32;
                if let Some(module) = function.module {
                    let module = modules[module.0 as usize];
                    let seen = &mut self.seen[module.0 as usize][function.index as usize];
                    if *seen != UNSEEN {
                        return FunctionId(*seen);
                    }
                    *seen = next;
                    function.module = Some(module);
                }
                self.functions.push(function);
                FunctionId(next)
            })
            .collect()
    }

    /// Gives every module its own range of file ids, from 1 on in order, and the
    /// functions without a module the ids after them.
    pub fn renumber(&mut self) -> Result<()> {
        let mut next: u32 = 1;
        let mut take = |count: u32| {
            let first = next;
            next = next.checked_add(count).filter(|next| *next - 1 <= MAX_ID)?;
            Some(first)
        };
        let too_many = || Error::new("the profiles have more than 2^31 functions together");
        for module in &mut self.modules {
            module.base = take(function_count(&module.map)?).ok_or_else(too_many)?;
        }
        for function in &mut self.functions {
            function.id = FileFunctionId(match function.module {
                Some(module) => self.modules[module.0 as usize].base + function.index,
                None => take(1).ok_or_else(too_many)?,
            });
        }
        Ok(())
    }

    /// Modules by base, functions by file id, and the tries translated to that order and normalized.
    pub fn finish(self, threads: &mut [Thread]) -> Result<(Vec<Module>, Vec<Function>)> {
        let mut functions: Vec<(FunctionId, Function)> =
            (0u32..).map(FunctionId).zip(self.functions).collect();
        functions.sort_by_key(|(_, function)| function.id);
        let mut new_ids = vec![FunctionId(0); functions.len()];
        for (new, (old, _)) in functions.iter().enumerate() {
            new_ids[old.index()] = FunctionId(new as u32);
        }
        let mut functions: Vec<Function> = functions.into_iter().map(|(_, f)| f).collect();

        let mut modules: Vec<(usize, Module)> = self.modules.into_iter().enumerate().collect();
        modules.sort_by_key(|(_, module)| module.base);
        let mut new_modules = vec![ModuleId(0); modules.len()];
        for (new, (old, _)) in modules.iter().enumerate() {
            new_modules[*old] = ModuleId(new as u32);
        }
        for module in functions.iter_mut().filter_map(|f| f.module.as_mut()) {
            *module = new_modules[module.0 as usize];
        }

        for thread in threads {
            for function in &mut thread.trie.functions {
                *function = new_ids[function.index()];
            }
            thread.trie.normalize(functions.len())?;
        }
        let mut modules: Vec<Module> = modules.into_iter().map(|(_, module)| module).collect();
        make_names_distinct(&mut modules);
        Ok((modules, functions))
    }
}

fn function_count(map: &ModuleMap) -> Result<u32> {
    u32::try_from(map.names.len()).map_err(|_| Error::new("a module has more than 2^32 functions"))
}

/// Whether two maps are of one module: the code is the same. Its name may not
/// be, where it comes from the script that loaded the module.
fn is_same(one: &ModuleMap, other: &ModuleMap) -> bool {
    one.hash == other.hash
        && one.names.len() == other.names.len()
        && (!one.hash.is_empty() || one == other)
}

/// Tells modules of one name apart by the start of their hash.
pub(crate) fn make_names_distinct(modules: &mut [Module]) {
    let mut count: HashMap<String, u32> = HashMap::new();
    for module in modules.iter() {
        *count.entry(module.map.name.clone()).or_default() += 1;
    }
    for Module { map, .. } in modules {
        if count[&map.name] > 1 && !map.hash.is_empty() {
            map.name = format!("{}{}", map.name, distinction(map));
        }
    }
}

/// Undoes [`make_names_distinct`], before names change.
pub(crate) fn make_names_plain(modules: &mut [Module]) {
    for Module { map, .. } in modules {
        if let Some(plain) = map.name.strip_suffix(&distinction(map)) {
            map.name = plain.to_owned();
        }
    }
}

fn distinction(map: &ModuleMap) -> String {
    let start: String = map.hash.chars().take(4).collect();
    format!("#{start}")
}
