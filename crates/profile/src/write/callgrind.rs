//! callgrind's format: KCachegrind, QCachegrind and callgrind_annotate open it.
//! Source: "Callgrind Format Specification" in Valgrind's manual.
//!
//! Cost is known for each function and for each pair of caller and callee, over
//! all threads. The inclusive cost of a pair is that of the outermost
//! activations of the callee, as in `Profile::callers`, so those of a function's
//! callers add up to its total, and recursion never exceeds the whole.

use std::collections::HashMap;
use std::io::Write;

use super::EXPORTER;
use super::distinct::distinct_names;
use crate::error::Result;
use crate::model::{Clock, FunctionId, Profile, Weight};
use crate::names::escape;
use crate::query::neighbours::Party;
use crate::query::stats::{Stats, Totals};
use crate::trie::Step;

const LIMITS: &str = "\
# This format knows functions and pairs of caller and callee, so compared with
# the profile this file was made from:
#  - a path is cut into pairs: what a function cost when called from far above is not here;
#  - threads are added up;
#  - the inclusive cost of a pair is that of the callee's outermost activations:
#    callers add up to the function's total, a recursive call adds nothing to it;
#  - 'calls=' is at least 1, also where no call had returned;
#  - a line, where it is known, is the one at which the function begins.
";

pub(super) fn write(profile: &Profile, out: &mut impl Write) -> Result<()> {
    out.write_all(b"# callgrind format\nversion: 1\n")?;
    writeln!(out, "creator: {EXPORTER}")?;
    out.write_all(LIMITS.as_bytes())?;
    let dropped = profile.dropped;
    if dropped.paths > 0 || dropped.calls > 0 {
        writeln!(
            out,
            "# The arena was full: {} paths were not recorded; {} calls have the caller (dropped paths).",
            dropped.paths, dropped.calls
        )?;
    }
    out.write_all(b"positions: line\n")?;
    let cost = match profile.clock {
        Clock::Calls => None,
        Clock::Instructions => Some(("Ir", "WebAssembly instructions")),
        Clock::Wall | Clock::Sampled => Some(("Ns", "Nanoseconds")),
        Clock::Samples => Some(("Samples", "Samples")),
        Clock::Tsc => Some(("Ticks", "Ticks of the time stamp counter")),
    };
    for (name, meaning) in cost.into_iter().chain([("Calls", "Calls")]) {
        writeln!(out, "event: {name} : {meaning}")?;
    }
    match cost {
        Some((name, _)) => writeln!(out, "events: {name} Calls")?,
        None => out.write_all(b"events: Calls\n")?,
    }
    let mut writer = Writer {
        out,
        has_cost: cost.is_some(),
        modules: HashMap::new(),
        files: HashMap::new(),
        named: vec![false; profile.functions.len()],
        names: distinct_names(profile),
        profile,
    };
    writer.functions()
}

/// Calls and outermost totals of each pair, by caller and callee.
fn pairs(profile: &Profile) -> Vec<((Party, FunctionId), Stats)> {
    let mut pairs: HashMap<(Party, FunctionId), Stats> = HashMap::new();
    let mut active = vec![0u32; profile.functions.len()];
    for thread in &profile.threads {
        let trie = &thread.trie;
        let totals = Totals::new(trie);
        for step in trie.walk() {
            match step {
                Step::Enter(node) => {
                    let function = trie.function(node);
                    let caller = match trie.parent(node) {
                        Some(parent) => Party::Function(trie.function(parent)),
                        None if trie.is_overflow(node) => Party::DroppedPath,
                        None => Party::Host,
                    };
                    let pair = pairs.entry((caller, function)).or_default();
                    pair.add_own(trie, node);
                    if active[function.index()] == 0 {
                        pair.add_total(&totals, node);
                    }
                    active[function.index()] += 1;
                }
                Step::Leave(node) => active[trie.function(node).index()] -= 1,
            }
        }
    }
    let mut pairs: Vec<_> = pairs.into_iter().filter(|(_, s)| !s.is_zero()).collect();
    pairs.sort_unstable_by_key(|(pair, _)| *pair);
    pairs
}

struct Writer<'a, W> {
    out: &'a mut W,
    profile: &'a Profile,
    has_cost: bool,
    /// Number of each module's name: a name is written once, then its number.
    modules: HashMap<&'a str, usize>,
    /// The same of source files, or of modules where they are not known.
    files: HashMap<&'a str, usize>,
    names: Vec<String>,
    /// Whether a function's name was written.
    named: Vec<bool>,
}

impl<W: Write> Writer<'_, W> {
    fn functions(&mut self) -> Result<()> {
        let stats = self.profile.function_stats();
        let pairs = pairs(self.profile);
        let mut rest = pairs.as_slice();
        // In the order of `Party`, as the pairs are.
        let callers = self.profile.function_ids().map(Party::Function);
        for caller in callers.chain([Party::Host, Party::DroppedPath]) {
            let (own, others) = rest.split_at(rest.partition_point(|(pair, _)| pair.0 <= caller));
            rest = others;
            match caller {
                Party::Function(id) => {
                    self.out.write_all(b"\n")?;
                    self.module("", id)?;
                    self.function("", id)?;
                    let stats = &stats[id.index()];
                    self.costs(caller, stats.self_cost, stats.calls)?;
                }
                _ if own.is_empty() => continue,
                Party::Host => self.nobody("(host)", 1)?,
                Party::DroppedPath => self.nobody(super::DROPPED_FRAME, 2)?,
            }
            for ((_, callee), stats) in own {
                self.module("c", *callee)?;
                self.function("c", *callee)?;
                let line = self.line(Party::Function(*callee));
                writeln!(self.out, "calls={} {line}", stats.calls.max(1))?;
                self.costs(caller, stats.total_cost, stats.total_calls)?;
            }
        }
        let sum = |weight| {
            let threads = self.profile.threads.iter();
            threads.fold(0u64, |sum, t| sum.saturating_add(t.trie.sum(weight)))
        };
        let (cost, calls) = (sum(Weight::Cost), sum(Weight::Calls));
        self.out.write_all(b"\ntotals: ")?;
        if self.has_cost {
            write!(self.out, "{cost} ")?;
        }
        writeln!(self.out, "{calls}")?;
        Ok(())
    }

    /// A caller that is not a function.
    fn nobody(&mut self, name: &str, number: usize) -> Result<()> {
        let id = self.profile.functions.len() + number;
        writeln!(self.out, "\nob=???\nfl=???\nfn=({id}) {name}")?;
        Ok(())
    }

    fn module(&mut self, prefix: &str, id: FunctionId) -> Result<()> {
        let (object, file) = if prefix.is_empty() {
            ("ob", "fl")
        } else {
            ("cob", "cfi")
        };
        let profile = self.profile;
        let module = or_unknown(profile.module_name(id));
        write_name(self.out, object, &mut self.modules, module)?;
        let source = or_unknown(profile.file_or_module(id));
        write_name(self.out, file, &mut self.files, source)
    }

    fn function(&mut self, prefix: &str, id: FunctionId) -> Result<()> {
        let number = id.index() + 1;
        write!(self.out, "{prefix}fn=({number})")?;
        if !std::mem::replace(&mut self.named[id.index()], true) {
            write!(self.out, " {}", self.names[id.index()])?;
        }
        self.out.write_all(b"\n")?;
        Ok(())
    }

    /// Line of a function, or 0: nobody knows the line of a call.
    fn line(&self, party: Party) -> u32 {
        match party {
            Party::Function(id) => self.profile.function(id).line.unwrap_or(0),
            Party::Host | Party::DroppedPath => 0,
        }
    }

    fn costs(&mut self, of: Party, cost: u64, calls: u64) -> Result<()> {
        write!(self.out, "{} ", self.line(of))?;
        if self.has_cost {
            write!(self.out, "{cost} ")?;
        }
        writeln!(self.out, "{calls}")?;
        Ok(())
    }
}

/// What the format calls an unknown object or file.
fn or_unknown(name: &str) -> &str {
    if name.is_empty() { "???" } else { name }
}

/// A name and its number, or its number alone if it was written before.
fn write_name<'a>(
    out: &mut impl Write,
    key: &str,
    numbers: &mut HashMap<&'a str, usize>,
    name: &'a str,
) -> Result<()> {
    let next = numbers.len() + 1;
    let number = *numbers.entry(name).or_insert(next);
    if number == next {
        writeln!(out, "{key}=({number}) {}", escape(name))?;
    } else {
        writeln!(out, "{key}=({number})")?;
    }
    Ok(())
}
