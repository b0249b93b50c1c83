//! What a profile is. Everything else in this crate fills, asks or writes these types.
//!
//! Costs are integers in the unit of the profile's [`Clock`]. Sums saturate at
//! `u64::MAX`; no real profile comes near it, a corrupt one must not panic.

use crate::names::display_name;
pub use wasm_xray_abi::map::{Clock, Dropped, ModuleMap, ProbeCost, Sampling, SkippedModule};

/// A node in the [`Trie`] of one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

/// A function of the profile: an index into [`Profile::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub(crate) u32);

/// A module of the profile: an index into [`Profile::modules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(pub(crate) u32);

/// The id that a function has in files and in JSON: its module's base plus its
/// index there, at least 1 and at most `i32::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileFunctionId(pub u32);

/// A whole profile, of any number of threads, processes and modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    pub origin: Origin,
    pub clock: Clock,
    /// The smallest step of the clock, in ns; 0 if it is not known or the clock has
    /// none. A self time below it is no more than a guess. Where times come from
    /// samples, it is the smallest self time that is not below its own error bar.
    pub clock_step_ns: u32,
    /// How well times are known that come from samples, if that is known.
    pub sampling: Option<Sampling>,
    /// What the probes of a call add to self times; `None` if it is not known, or
    /// was subtracted.
    pub probe_cost: Option<ProbeCost>,
    /// Ids are unique. A thread that made no call has an empty trie.
    pub threads: Vec<Thread>,
    /// By ascending base; their ranges of function ids do not overlap.
    pub modules: Vec<Module>,
    /// The functions that occur in a trie, by ascending file id.
    pub functions: Vec<Function>,
    /// What did not fit into an arena, summed over threads.
    pub dropped: Dropped,
    /// Modules that ran as they were.
    pub skipped_modules: Vec<SkippedModule>,
    /// What the profile does not show, in sentences.
    pub unseen: Vec<String>,
}

/// What the file header says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Nanoseconds since the epoch; 0 where output must not depend on when it was made.
    pub timestamp_ns: u64,
    pub process_id: u64,
}

/// One thread's calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Never 0.
    pub id: u64,
    pub name: String,
    /// Part of the run that these calls are of, if the program named one. A thread
    /// that goes through several is one entry for each, with an id of its own.
    pub phase: Option<String>,
    pub trie: Trie,
}

/// A function call trie: one node for each path of calls, in four parallel arrays.
///
/// Nodes are in depth-first order, so a parent comes before its children and what
/// is below a node follows it; siblings are in the order of their first calls. Two
/// nodes with the same parent have different functions, except that an overflow
/// node may stand beside a root of the same function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trie {
    pub(crate) parents: Vec<u32>,
    pub(crate) functions: Vec<FunctionId>,
    pub(crate) calls: Vec<u64>,
    pub(crate) self_costs: Vec<u64>,
    /// Ascending. Overflow nodes: calls are exact, the path above is lost. They have
    /// neither parent nor children.
    pub(crate) overflow: Vec<NodeId>,
}

/// A module and its place among the file ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// File id of the module's function 0, at least 1.
    pub base: u32,
    pub map: ModuleMap,
}

/// A function that was called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    pub id: FileFunctionId,
    /// `None`: the function map does not know the id.
    pub module: Option<ModuleId>,
    /// Index in the original module, imports included; the file id if there is no module.
    pub index: u32,
    /// For people: demangled, else raw, else `func[index]`, or `func#id` without a
    /// module. Any text: what writes it escapes it.
    pub name: String,
    pub kind: Kind,
    /// Source file, as the debug information has it: any text.
    pub file: Option<String>,
    /// Line in the file, from 1 on.
    pub line: Option<u32>,
}

/// What a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Defined in a WebAssembly module.
    Wasm,
    /// Imported by a WebAssembly module; its cost is the host's.
    Import,
    /// A function of a script.
    JavaScript,
    /// Named in an instrumentation map of LLVM XRay.
    Native,
    /// An id that the function map does not know, or a function of another tool's
    /// profile that does not say.
    Unknown,
    /// Several functions that a view shows as one.
    Group,
}

impl Kind {
    /// The word for it in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Wasm => "wasm",
            Kind::Import => "import",
            Kind::JavaScript => "javascript",
            Kind::Native => "native",
            Kind::Unknown => "unknown",
            Kind::Group => "group",
        }
    }
}

/// What a number on a path counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    Calls,
    /// Self cost in the clock's unit.
    Cost,
}

impl FunctionId {
    /// Place in [`Profile::functions`] and in what [`Profile::function_stats`] returns.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Profile {
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }

    /// All functions with their ids, by ascending file id.
    pub fn function_ids(&self) -> impl Iterator<Item = FunctionId> + use<> {
        (0..self.functions.len() as u32).map(FunctionId)
    }

    /// The function's name as the module has it.
    pub fn raw_name(&self, id: FunctionId) -> Option<&str> {
        let function = self.function(id);
        let module = &self.modules[function.module?.0 as usize];
        module.map.names.get(function.index as usize)?.as_deref()
    }

    /// The function's source file, else its module: the file for formats that have one for each function.
    pub fn file_or_module(&self, id: FunctionId) -> &str {
        match &self.function(id).file {
            Some(file) => file,
            None => self.module_name(id),
        }
    }

    /// Name of the function's module, else its hash, else empty.
    pub fn module_name(&self, id: FunctionId) -> &str {
        match self.function(id).module {
            Some(module) => self.modules[module.0 as usize].label(),
            None => "",
        }
    }

    /// What flame graphs and the like show: cost, or calls if the clock has no cost.
    pub fn weight(&self) -> Weight {
        match self.clock {
            Clock::Calls => Weight::Calls,
            _ => Weight::Cost,
        }
    }

    /// Calls or cost of all threads.
    pub fn sum(&self, weight: Weight) -> u64 {
        let sums = self.threads.iter().map(|thread| thread.trie.sum(weight));
        sums.fold(0, u64::saturating_add)
    }

    /// Number of nodes in all threads.
    pub fn nodes(&self) -> usize {
        self.threads.iter().map(|thread| thread.trie.len()).sum()
    }
}

impl Thread {
    /// Name and phase, for people and for other tools.
    pub fn label(&self) -> String {
        match &self.phase {
            Some(phase) => format!("{}: {phase}", self.name),
            None => self.name.clone(),
        }
    }
}

impl Module {
    /// Name, else hash, else empty.
    pub fn label(&self) -> &str {
        if self.map.name.is_empty() {
            &self.map.hash
        } else {
            &self.map.name
        }
    }

    /// Name to show for the function with an index: see [`Function::name`].
    pub fn function_name(&self, index: u32) -> String {
        match self.map.names.get(index as usize) {
            Some(Some(raw)) if !raw.is_empty() => display_name(raw),
            _ => format!("func[{index}]"),
        }
    }

    /// Where the function with an index is defined: see [`Function::file`].
    pub(crate) fn place(&self, index: u32) -> (Option<String>, Option<u32>) {
        match self.map.sources.place(index) {
            Some((file, line)) => (Some(file.to_owned()), line),
            None => (None, None),
        }
    }
}

/// The unit of costs: `none`, `instructions`, `ns`, `ticks` or `samples`.
pub fn unit(clock: Clock) -> &'static str {
    match clock {
        Clock::Calls => "none",
        Clock::Instructions => "instructions",
        Clock::Wall | Clock::Sampled => "ns",
        Clock::Tsc => "ticks",
        Clock::Samples => "samples",
    }
}

/// The word for the clock on the command line and in JSON.
pub fn clock_name(clock: Clock) -> &'static str {
    match clock {
        Clock::Calls => "calls",
        Clock::Instructions => "instructions",
        Clock::Wall => "wall",
        Clock::Tsc => "tsc",
        Clock::Sampled => "sampled",
        Clock::Samples => "samples",
    }
}
