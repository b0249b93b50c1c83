//! What an instrumented module imports, and the section that it carries.

/// Import module name of everything that probes need.
pub const MODULE: &str = "wasm-xray";
/// Name of the custom section that an instrumented module carries.
pub const SECTION: &str = "wasm-xray";

/// The runtime's memory (inline probes).
pub const MEMORY: &str = "memory";
/// The module's own memory, made by the loader (inline probes).
pub const OWN_MEMORY: &str = "memory0";
/// First character of the name under which a function is imported once more, for
/// tables, references and exports: JSON, an array of the import's module and name,
/// how many functions were imported by both before, and its function index.
pub const TWIN: char = '[';
/// The id of the module's function 0.
pub const BASE: &str = "base";

/// Section flag: the module has inline probes.
pub const FLAG_INLINE: u32 = 1;
/// Section flag: the module imports [`OWN_MEMORY`].
pub const FLAG_OWN_MEMORY: u32 = 2;
/// Section flag: the module has exit and resume probes.
pub const FLAG_WALL: u32 = 4;
/// Section flag: the module counts instructions.
pub const FLAG_INSTRUCTIONS: u32 = 8;
/// Section flag: the module says which node runs; the runtime's memory is shared.
pub const FLAG_SAMPLED: u32 = 16;
/// Section flag: the runtime's memory is shared though no sampler looks at it. Set by
/// loaders, in place, together with the limits of [`MEMORY`], which is the last import.
pub const FLAG_SHARED: u32 = 32;
