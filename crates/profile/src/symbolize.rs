//! Better names, and places in the source, for a profile that has its figures already.

use wasm_xray_abi::map::Symbols;

use crate::error::{Error, Result};
use crate::functions::{make_names_distinct, make_names_plain};
use crate::model::{Module, ModuleId, Profile};

/// What symbols changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Symbolized {
    /// Functions of the module that have another name now.
    pub named: usize,
    /// Functions of the module whose source file is known now.
    pub placed: usize,
}

impl Profile {
    /// The modules whose code has this identity (`wasm_xray_rewriter::code_identity`).
    ///
    /// # Errors
    ///
    /// There is none; says why that may be.
    pub fn modules_with_code(&self, code: &str) -> Result<Vec<ModuleId>> {
        let found = self.module_ids(|module| !code.is_empty() && module.map.code == code);
        if !found.is_empty() {
            return Ok(found);
        }
        let known: Vec<&str> = self
            .modules
            .iter()
            .filter(|module| !module.map.code.is_empty())
            .map(Module::label)
            .collect();
        Err(Error::new(if known.is_empty() {
            "the profile does not say what code it is of: record it again".to_owned()
        } else {
            format!(
                "its code is not that of a module of the profile ({}). Give the build that was \
                 profiled, before it was stripped; what a tool such as wasm-opt has changed is \
                 another build: let it keep names and debug information (wasm-opt -g), or strip afterwards",
                known.join(", ")
            )
        }))
    }

    /// The modules of this name; with none, all those that can have a function with index `functions - 1`.
    pub fn modules_for(&self, name: Option<&str>, functions: usize) -> Vec<ModuleId> {
        self.module_ids(|module| match name {
            Some(name) => module.label() == name,
            None => !module.map.hash.is_empty() && module.map.names.len() >= functions,
        })
    }

    fn module_ids(&self, wanted: impl Fn(&Module) -> bool) -> Vec<ModuleId> {
        (0..)
            .map(ModuleId)
            .zip(&self.modules)
            .filter(|(_, module)| wanted(module))
            .map(|(id, _)| id)
            .collect()
    }

    /// Gives a module's functions the names and places that symbols know;
    /// whatever they do not know stays as it is.
    pub fn symbolize(&mut self, id: ModuleId, symbols: &Symbols) -> Symbolized {
        make_names_plain(&mut self.modules);
        let module = &mut self.modules[id.0 as usize];
        let map = &mut module.map;
        if let Some(name) = symbols.module.as_ref().filter(|name| !name.is_empty()) {
            map.name.clone_from(name);
        }
        let mut done = Symbolized::default();
        for (own, name) in map.names.iter_mut().zip(&symbols.names) {
            if name.is_some() && own != name {
                own.clone_from(name);
                done.named += 1;
            }
        }
        if !symbols.sources.is_empty() {
            map.sources.clone_from(&symbols.sources);
            let known = map.names.len() as u32;
            map.sources.functions.retain(|place| place.function < known);
            done.placed = map.sources.functions.len();
        }
        for function in &mut self.functions {
            if function.module == Some(id) {
                function.name = module.function_name(function.index);
                (function.file, function.line) = module.place(function.index);
            }
        }
        make_names_distinct(&mut self.modules);
        done
    }
}
