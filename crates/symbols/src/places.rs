//! Files and lines of single instructions, for stack traces.

use wasm_xray_abi::map::Symbols;

use crate::collected::Collected;
use crate::error::Result;
use crate::module::Module;
use crate::{Input, debug_module, dwarf, source_map};

/// What is known of some instructions of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Located {
    /// By instruction, in the order in which they were asked for: index into `files`, and line, from 1 on.
    pub places: Vec<Option<(u32, u32)>>,
    pub files: Vec<String>,
    /// Raw names by function index, as [`read`](crate::read) finds them.
    pub names: Vec<Option<String>>,
}

/// Finds the places of the instructions at `offsets` of the module, in bytes: in
/// the line table of DWARF, else in the source map.
///
/// # Errors
///
/// The module itself cannot be read.
pub fn locate(input: &Input<'_>, offsets: &[u64]) -> Result<Located> {
    let module = Module::read(input.module)?;
    let code = wasm_xray_rewriter::code_identity(input.module)?;
    let mut collected = Collected::new(&module);
    let debug = input.debug;
    let debug = debug.and_then(|bytes| debug_module(bytes, &code, &mut collected));
    if let Some(debug) = &debug {
        collected.add_names(debug);
    }
    let mut order: Vec<usize> = (0..offsets.len()).collect();
    order.sort_by_key(|&at| offsets[at]);
    let sorted: Vec<u64> = order.iter().map(|&at| offsets[at]).collect();
    let mut places = vec![None; offsets.len()];
    for from in std::iter::once(&module).chain(&debug) {
        dwarf::read(&from.dwarf, &module.bodies, &mut collected);
        dwarf::locate(
            &from.dwarf,
            &module.bodies,
            &sorted,
            &mut places,
            &mut collected,
        );
    }
    if let Some(map) = input.source_map {
        source_map::locate(map, &module.bodies, &sorted, &mut places, &mut collected);
    }
    let mut in_order = vec![None; offsets.len()];
    for (&at, place) in order.iter().zip(places) {
        in_order[at] = place;
    }
    let (Symbols { names, sources, .. }, _) = collected.finish();
    Ok(Located {
        places: in_order,
        files: sources.files,
        names,
    })
}
