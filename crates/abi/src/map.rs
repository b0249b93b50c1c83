//! Names and everything else about a profile that is not a count, as JSON.

use serde::{Deserialize, Serialize};

/// What the rewriter says about one module; carried in its custom section.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModuleMap {
    /// Module name: from the name section, else empty (the loader may know a better one).
    pub name: String,
    /// First 16 hex digits of the SHA-256 of the original module.
    pub hash: String,
    /// Identity of the code: a hash of everything but custom sections, so that a
    /// stripped module and its unstripped twin have the same. Empty if unknown.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// Number of imported functions; they have the lowest indices.
    pub imports: u32,
    /// Raw name of each function by original index, imports included: from the
    /// name section, else `module.field` of its import, else its first export, else `None`.
    pub names: Vec<Option<String>>,
    /// Where functions are defined in the source, as far as that is known.
    #[serde(default, skip_serializing_if = "Sources::is_empty")]
    pub sources: Sources,
    /// Functions that run as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedFunction>,
    /// How many functions were left out by choice, imports included.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out: u32,
    /// Which functions were left out by choice, as a hash; empty if none were.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub choice: String,
    /// Globs by which functions should have been chosen but that match none of
    /// this module, behind the name of their list: `include foo*`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unmatched: Vec<String>,
    /// What else the user should know: dropped sections, malformed names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// Source files and what is defined in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sources {
    /// Paths or addresses, as the debug information has them.
    pub files: Vec<String>,
    /// By ascending [`Place::function`].
    pub functions: Vec<Place>,
}

/// Where one function is defined: in JSON `[function, file, line]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u32, u32, u32)", into = "(u32, u32, u32)")]
pub struct Place {
    /// Index in the original module.
    pub function: u32,
    /// Index into [`Sources::files`].
    pub file: u32,
    /// From 1 on; 0 if only the file is known.
    pub line: u32,
}

impl From<(u32, u32, u32)> for Place {
    fn from((function, file, line): (u32, u32, u32)) -> Place {
        Place {
            function,
            file,
            line,
        }
    }
}

impl From<Place> for (u32, u32, u32) {
    fn from(place: Place) -> (u32, u32, u32) {
        (place.function, place.file, place.line)
    }
}

impl Sources {
    /// Whether no function's place is known.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// File, and line if it is known, of the function with an index.
    pub fn place(&self, function: u32) -> Option<(&str, Option<u32>)> {
        let at = self
            .functions
            .binary_search_by_key(&function, |place| place.function)
            .ok()?;
        let place = self.functions[at];
        let file = self.files.get(place.file as usize)?;
        Some((file, (place.line > 0).then_some(place.line)))
    }
}

/// What debug information says about the functions of one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Name of the module.
    pub module: Option<String>,
    /// Raw name of each function by original index, imports included; may be shorter than the module.
    pub names: Vec<Option<String>>,
    pub sources: Sources,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// A function that cannot be instrumented.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkippedFunction {
    /// Index in the original module.
    pub index: u32,
    pub reason: String,
}

/// `P.map.json`: what belongs to a profile file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileMap {
    /// 1.
    pub version: u32,
    pub clock: Clock,
    /// The smallest step of the clock, in ns, the largest of all threads; 0 if it
    /// is not known or the clock has none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub clock_step_ns: u32,
    /// Only with clock `sampled`, and only of our own profiles: how well times are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Sampling>,
    /// What probes add to times, the least of all threads; `None` if it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_cost: Option<ProbeCost>,
    pub threads: Vec<Thread>,
    pub modules: Vec<LoadedModule>,
    /// Arena overflow, summed over threads.
    #[serde(default)]
    pub dropped: Dropped,
    /// Modules that run as they were.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<SkippedModule>,
    /// What the profile does not show, in sentences: threads or processes without data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unseen: Vec<String>,
}

/// How well times that come from samples are known.
///
/// A sample stands for the time since the one before it, so it has a weight; `ns` and
/// `squares_us2` are what an error bar depends on, and add up over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sampling {
    /// Samples that found a function running, an imported one included.
    pub samples: u64,
    /// Their weights added up, in ns.
    pub ns: u64,
    /// The squares of their weights added up, in µs².
    pub squares_us2: u64,
}

/// What the probes of one call add to the times of a profile with clock `wall`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeCost {
    /// To the callee's self time, in ps.
    pub inner_ps: u32,
    /// To the caller's self time, in ps.
    pub outer_ps: u32,
}

impl ProbeCost {
    /// The less of both, each for itself.
    pub fn least(self, other: ProbeCost) -> ProbeCost {
        ProbeCost {
            inner_ps: self.inner_ps.min(other.inner_ps),
            outer_ps: self.outer_ps.min(other.outer_ps),
        }
    }
}

/// What self cost means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// Nothing: only calls are counted.
    #[default]
    Calls,
    /// WebAssembly instructions executed.
    Instructions,
    /// Nanoseconds of the host's clock.
    Wall,
    /// Ticks of the processor's time stamp counter; only in native XRay files.
    Tsc,
    /// Nanoseconds, estimated from samples: ours say how well ([`Sampling`]), other tools' do not.
    Sampled,
    /// Samples, or what another tool counts that says no more.
    Samples,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thread {
    /// Thread id in the blocks, never 0.
    pub id: u64,
    /// `main`, `worker 2`, `process 2 main`.
    pub name: String,
    /// Part of the run, as the program named it. A thread has an entry, with an id
    /// of its own and the same name, for each of its phases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
}

/// A module with its place among the function ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadedModule {
    /// Id of the module's function 0, at least 1.
    pub base: u32,
    pub map: ModuleMap,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dropped {
    pub paths: u64,
    pub calls: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkippedModule {
    /// Module name or hash.
    pub module: String,
    pub reason: String,
}
