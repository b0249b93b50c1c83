//! Names and places for a profile, from debug information.

use std::rc::Rc;

use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_xray_profile::{ModuleId, Symbolized, Symbols};
use wasm_xray_symbols::{self as symbols, FileKind, Input};

use crate::profile::Profile;

/// What a file with symbols is: "module", "source map", "symbol map", or empty for none of them.
#[wasm_bindgen(js_name = symbolFileKind)]
pub fn symbol_file_kind(bytes: &[u8]) -> String {
    match FileKind::of(bytes) {
        Some(FileKind::Module) => "module",
        Some(FileKind::SourceMap) => "source map",
        Some(FileKind::SymbolMap) => "symbol map",
        None => "",
    }
    .to_owned()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct References {
    #[serde(skip_serializing_if = "Option::is_none")]
    source_map: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    debug: Option<String>,
    has_dwarf: bool,
}

/// What belongs to a module, as JSON: `{"sourceMap"?, "debug"?, "hasDwarf"}`, the first two as addresses.
#[wasm_bindgen(js_name = symbolReferences)]
pub fn symbol_references(module: &[u8]) -> Result<String, JsError> {
    let symbols::References {
        source_map,
        debug,
        has_dwarf,
    } = symbols::references(module)?;
    let references = References {
        source_map,
        debug,
        has_dwarf,
    };
    Ok(serde_json::to_string(&references)?)
}

/// What was done to the modules of a profile.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Done<'a> {
    modules: Vec<&'a str>,
    /// Functions with another name than before.
    named: usize,
    placed: usize,
    from_dwarf: usize,
    from_source_map: usize,
    notes: Vec<String>,
}

#[wasm_bindgen]
impl Profile {
    /// Gives the functions of a module the names and places that the module, a
    /// separate file with DWARF and a source map have. The module's code must be
    /// that of a module of the profile.
    ///
    /// The answer is JSON: `{"modules": [names], "named", "placed", "fromDwarf",
    /// "fromSourceMap", "notes": [sentences]}`.
    #[wasm_bindgen(js_name = addSymbols)]
    pub fn add_symbols(
        &mut self,
        module: &[u8],
        debug: Option<Vec<u8>>,
        source_map: Option<Vec<u8>>,
    ) -> Result<String, JsError> {
        let found = symbols::read(&Input {
            module,
            debug: debug.as_deref(),
            source_map: source_map.as_deref(),
        })?;
        let modules = self.0.modules_with_code(&found.code)?;
        let done = self.symbolize(&modules, &found.symbols);
        Ok(serde_json::to_string(&Done {
            modules: self.labels(&modules),
            named: done.named,
            placed: done.placed,
            from_dwarf: found.from_dwarf,
            from_source_map: found.from_source_map,
            notes: found.notes,
        })?)
    }

    /// Gives functions the names of `index:name` lines: those of the one module
    /// that has such indices, or of the modules with a name, if it is not empty.
    /// The answer is as that of `addSymbols`.
    #[wasm_bindgen(js_name = addSymbolMap)]
    pub fn add_symbol_map(&mut self, text: &[u8], module: &str) -> Result<String, JsError> {
        let symbols = symbols::parse_symbol_map(text)?;
        let wanted = (!module.is_empty()).then_some(module);
        let modules = self.0.modules_for(wanted, symbols.names.len());
        let labels = self.labels(&modules).join(", ");
        match (modules.len(), wanted) {
            (0, Some(name)) => {
                return Err(JsError::new(&format!(
                    "there is no module {name:?} in the profile"
                )));
            }
            (0, None) => {
                return Err(JsError::new(&format!(
                    "it has {} functions, more than any module of the profile",
                    symbols.names.len()
                )));
            }
            (1, _) | (_, Some(_)) => {}
            (_, None) => {
                return Err(JsError::new(&format!(
                    "it does not say of which module it is, and it could be of {labels}: name one with --module"
                )));
            }
        }
        let done = self.symbolize(&modules, &symbols);
        Ok(serde_json::to_string(&Done {
            modules: self.labels(&modules),
            named: done.named,
            placed: 0,
            from_dwarf: 0,
            from_source_map: 0,
            notes: Vec::new(),
        })?)
    }
}

impl Profile {
    fn symbolize(&mut self, modules: &[ModuleId], symbols: &Symbols) -> Symbolized {
        // A view that was made before keeps the profile as it was.
        let profile = Rc::make_mut(&mut self.0);
        let each = modules
            .iter()
            .map(|module| profile.symbolize(*module, symbols));
        each.fold(Symbolized::default(), |sum, one| Symbolized {
            named: sum.named + one.named,
            placed: sum.placed + one.placed,
        })
    }

    fn labels(&self, modules: &[ModuleId]) -> Vec<&str> {
        modules
            .iter()
            .map(|module| self.0.module(*module).label())
            .collect()
    }
}
