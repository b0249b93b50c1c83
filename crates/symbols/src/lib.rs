//! Names, files and lines of a module's functions, from the debug information in
//! the module or beside it.
//!
//! ```text
//! module, separate DWARF file, source map → read  → Symbols
//! index:name lines                        → parse_symbol_map → Symbols
//! ```
//!
//! What is malformed costs the functions that it is about, and a note, but no
//! more: time and memory are bounded by the size of the input. `docs/SYMBOLS.md`
//! says what is read and in which order.

#![forbid(unsafe_code)]

mod bodies;
mod budget;
mod collected;
mod dwarf;
mod error;
mod files;
mod kind;
mod line_headers;
mod module;
mod places;
mod source_map;
mod symbol_map;

pub use error::{Error, Result};
pub use kind::FileKind;
pub use places::{Located, locate};
pub use symbol_map::parse_symbol_map;
pub use wasm_xray_abi::map::{Place, Sources, Symbols};

use collected::Collected;
use module::Module;

/// A module and what belongs to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Input<'a> {
    pub module: &'a [u8],
    /// What the section `external_debug_info` leads to: a module with DWARF.
    pub debug: Option<&'a [u8]>,
    /// What the section `sourceMappingURL` leads to.
    pub source_map: Option<&'a [u8]>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Identity of the module's code, see [`wasm_xray_rewriter::code_identity`].
    pub code: String,
    pub symbols: Symbols,
    /// Functions whose place comes from DWARF.
    pub from_dwarf: usize,
    /// Functions whose place comes from the source map.
    pub from_source_map: usize,
    /// What could not be read or used, in sentences.
    pub notes: Vec<String>,
}

/// Files that a module says belong to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct References {
    /// Address of the source map.
    pub source_map: Option<String>,
    /// Address of a module with DWARF.
    pub debug: Option<String>,
    /// Whether the module has DWARF itself.
    pub has_dwarf: bool,
}

/// What belongs to a module.
///
/// # Errors
///
/// The bytes are not a core module.
pub fn references(module: &[u8]) -> Result<References> {
    let module = Module::read(module)?;
    Ok(References {
        source_map: module.source_map_url.map(str::to_owned),
        debug: module.debug_url.map(str::to_owned),
        has_dwarf: module.dwarf.has_info(),
    })
}

/// Reads all there is: names from the name section, else from DWARF; places from
/// DWARF, else from the source map.
///
/// # Errors
///
/// The module itself cannot be read. What goes wrong elsewhere is a note.
pub fn read(input: &Input<'_>) -> Result<Found> {
    let module = Module::read(input.module)?;
    let code = wasm_xray_rewriter::code_identity(input.module)?;
    let mut collected = Collected::new(&module);
    if module.names_malformed {
        collected.note("the name section is malformed: names after the fault are missing");
    }
    dwarf::read(&module.dwarf, &module.bodies, &mut collected);
    if let Some(bytes) = input.debug {
        read_debug_file(bytes, &module, &code, &mut collected);
    }
    let from_dwarf = collected.placed();
    if let Some(bytes) = input.source_map {
        source_map::read(bytes, &module.bodies, &mut collected);
    }
    let from_source_map = collected.placed() - from_dwarf;
    let (symbols, notes) = collected.finish();
    Ok(Found {
        code,
        symbols,
        from_dwarf,
        from_source_map,
        notes,
    })
}

fn read_debug_file(bytes: &[u8], module: &Module<'_>, code: &str, collected: &mut Collected) {
    let Some(debug) = debug_module(bytes, code, collected) else {
        return;
    };
    collected.add_names(&debug);
    dwarf::read(&debug.dwarf, &module.bodies, collected);
}

/// The file with DWARF, if it is one of the module with this identity.
fn debug_module<'a>(bytes: &'a [u8], code: &str, collected: &mut Collected) -> Option<Module<'a>> {
    let debug = match Module::read(bytes) {
        Ok(debug) => debug,
        Err(error) => {
            collected.note(format!("the file with DWARF cannot be read: {error}"));
            return None;
        }
    };
    let same = wasm_xray_rewriter::code_identity(bytes).is_ok_and(|other| other == code);
    if debug.bodies.len() > 0 && !same {
        collected.note("the file with DWARF was left out: its code is of another build");
        return None;
    }
    if !debug.dwarf.has_info() {
        collected.note("the file that should have DWARF has none");
        return None;
    }
    Some(debug)
}
