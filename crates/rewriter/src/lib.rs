//! Rewrites a WebAssembly module so that its calls record a function call trie.
//!
//! ```text
//! bytes → analysis (what is there) → plan (what becomes of each function) → emit (new module, function map)
//! ```
//!
//! `docs/ARCHITECTURE.md` has the probes' contract with the runtime.

mod added;
mod analysis;
mod asyncify;
mod body;
mod code;
mod custom;
mod emit;
mod error;
mod filter;
mod frames;
mod functions;
mod identity;
mod index;
mod instructions;
mod kinds;
mod names;
mod offsets;
mod operators;
mod plan;
mod probe;
mod section;
mod sections;

pub use error::{Error, ErrorKind};
pub use filter::Filter;
pub use frames::Frames;
pub use identity::{code_identity, module_hash};
pub use offsets::{CodeOffsets, Original};
pub use wasm_xray_abi::map::{ModuleMap, SkippedFunction};

use identity::Identity;

/// How probes reach the runtime. Both kinds give the same counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Probes {
    /// Loads and stores in the runtime's memory, which the module imports beside its own. Needs multi-memory.
    #[default]
    Inline,
    /// Calls of imported functions. Works on every engine.
    Imported,
}

/// Which clock the probes serve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Clock {
    /// Counts only.
    #[default]
    Calls,
    /// WebAssembly instructions executed.
    Instructions,
    /// Time by samples of the function that runs, taken on another thread: the
    /// runtime's memory is shared.
    Sampled,
    /// Host time at each event; always uses [`Probes::Imported`].
    Wall,
}

/// What to do with a module.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Kind of probes; ignored with [`Clock::Wall`].
    pub probes: Probes,
    /// What self cost will mean.
    pub clock: Clock,
    /// Validate the input first, so that an invalid module gets the validator's
    /// message and offset. A loader may ask its engine instead, but must ask: an
    /// index that is out of range may be one of the probes' in the output.
    pub validate: bool,
    /// Which functions to instrument.
    pub filter: Filter,
    /// What globs call a module that has no name of its own; empty: `wasm-` and 8 digits of its hash.
    pub module_name: String,
    /// Also say where the instructions come from.
    pub offsets: bool,
}

/// A rewritten module.
#[derive(Clone, Debug)]
pub struct Output {
    /// The instrumented module, with its function map in the custom section
    /// `wasm-xray`; the input itself when `map` is `None`.
    pub bytes: Vec<u8>,
    /// The function map, or `None` for a module without functions of its own: there is nothing to instrument.
    pub map: Option<ModuleMap>,
    /// Where the code comes from, if [`Options::offsets`] asked for it and there is a map.
    pub offsets: Option<CodeOffsets>,
}

/// Instruments `bytes`.
///
/// The same input and options give the same bytes.
///
/// # Errors
///
/// [`ErrorKind::NotWasm`], [`ErrorKind::Component`], [`ErrorKind::Reserved`] or
/// [`ErrorKind::Malformed`], the latter with the offset in `bytes`. Without [`Options::validate`] an
/// invalid module that can be decoded may give anything, even a valid module.
pub fn instrument(bytes: &[u8], options: &Options) -> Result<Output, Error> {
    error::check_header(bytes)?;
    if options.validate {
        wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all())
            .validate_all(bytes)?;
    }
    let analysis = analysis::analyze(bytes)?;
    if analysis.functions.is_empty() {
        return Ok(Output {
            bytes: bytes.to_vec(),
            map: None,
            offsets: None,
        });
    }
    let identity = Identity::of(bytes)?;
    let module_name = match options.module_name.as_str() {
        "" => format!("wasm-{}", &identity.hash[..8]),
        name => name.to_owned(),
    };
    let selection = options.filter.select(&analysis, &module_name);
    let plan = plan::plan(&analysis, options, &selection);
    let output = emit::emit(
        bytes,
        &analysis,
        &plan,
        identity,
        selection,
        options.offsets,
    )?;
    #[cfg(debug_assertions)]
    if options.validate {
        wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all())
            .validate_all(&output.bytes)
            .unwrap_or_else(|e| panic!("the rewriter made an invalid module: {e}"));
    }
    Ok(output)
}
