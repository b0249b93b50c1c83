//! What becomes of each function: how it gets its node, and whether the node is its own.

use crate::Clock;
use crate::analysis::{Analysis, Callee, DefinedFunction, ImportedFunction};
use crate::asyncify;
use crate::filter::Selection;
use crate::index::{NewFunc, OldFunc};
use crate::instructions;
use crate::operators::{Operators, Wanted};
use crate::plan::Appended;
use std::collections::HashMap;
use wasm_xray_abi::map::SkippedFunction;

/// Most parameters and locals that V8 takes in a function.
const MAX_LOCALS: u64 = 50_000;
/// Most parameters of a function type, by the JavaScript API's limits.
const MAX_PARAMS: usize = 1_000;
/// Most bytes that V8 takes in a function body.
const MAX_BODY: usize = 7_654_321;
/// No call site and no function's own probes grow a body by more, in bytes.
const MAX_PROBE_BYTES: usize = 160;
/// Clock `instructions`: no instruction grows a body by more on top of that, in bytes.
const MAX_METER_BYTES: usize = 24;
/// Locals that probes may add to a function, the node's parameter included.
const EXTRA_LOCALS: u64 = 4;

/// What becomes of a function of the input.
///
/// A function that is left out by choice is of any of these kinds as well; where
/// another gets its own node, it gets its nearest instrumented caller's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An import. Where a table or a reference can reach it, it is imported once
    /// more for them, as the loader must know such calls: nobody else counts them.
    Import { twin: Option<NewFunc> },
    /// Only called directly: gets its node as an extra last parameter.
    Param,
    /// Not called directly: finds its node itself.
    Entry,
    /// Both: a thunk under the original identity finds the node and calls the body, which gets it as a parameter.
    Both { body: NewFunc },
    /// It calls nothing, so no call needs its node: it runs as it was, and who
    /// calls it counts, directly in a counter of the caller's node.
    Leaf {
        /// Where its body is if a table or the host can reach it: then a thunk under the original identity counts.
        body: Option<NewFunc>,
        /// Clock `instructions`: what each call of it costs.
        cost: u32,
    },
    /// Left out by choice, and nothing that it calls needs a node: runs as it was,
    /// but for taking what was passed, if it can be reached by those who pass.
    Silent { takes_pass: bool },
    /// Cannot be instrumented: runs as it was.
    Plain,
}

/// The kinds of all functions, and what follows from them.
pub(crate) struct Kinds {
    pub kinds: Vec<Kind>,
    pub skipped: Vec<SkippedFunction>,
    /// Imports to import once more, behind those of the probes.
    pub twins: Vec<OldFunc>,
    /// Functions to append.
    pub appended: Vec<Appended>,
}

/// Decides about each function of a module that gets `probe_imports` more imports.
pub(crate) fn decide(
    a: &Analysis<'_>,
    selection: &Selection,
    clock: Clock,
    probe_imports: u32,
) -> Kinds {
    let mut skipped = Vec::new();
    let mut kinds = Vec::with_capacity(a.function_count());
    let first_twin = a.imports.len() as u32 + probe_imports;
    let mut twins = Vec::new();
    for (i, import) in a.imports.iter().enumerate() {
        let old = OldFunc(i as u32);
        let mut twin = None;
        if a.referenced[i] && !selection.leaves_out(old) {
            match twin_refusal(a, import) {
                None => {
                    twin = Some(NewFunc(first_twin + twins.len() as u32));
                    twins.push(old);
                }
                Some(why) => skipped.push(SkippedFunction {
                    index: old.0,
                    reason: format!(
                        "its calls through tables and references are not counted: {why}"
                    ),
                }),
            }
        }
        kinds.push(Kind::Import { twin });
    }

    let first_appended = a.function_count() as u32 + probe_imports + twins.len() as u32;
    let mut appended = Vec::new();
    let mut append = |what| {
        appended.push(what);
        NewFunc(first_appended + appended.len() as u32 - 1)
    };
    let silent = match clock {
        Clock::Calls | Clock::Sampled | Clock::Wall => silent(a, selection),
        // What it executes is its caller's, so it needs the caller's node.
        Clock::Instructions => vec![false; a.functions.len()],
    };
    let mut refusals: HashMap<usize, String> = (a.functions.iter().enumerate())
        .filter_map(|(i, f)| Some((i, refusal(a, &f, clock)?)))
        .collect();
    // A function that is not instrumented calls others by their original type.
    let mut entered = a.reachable.clone();
    for &i in refusals.keys() {
        for callee in a.callees_of(&a.functions.get(i)) {
            entered[callee.function().index()] = true;
        }
    }
    for (i, &is_silent) in silent.iter().enumerate() {
        let refusal = refusals.remove(&i);
        let old = OldFunc(a.imports.len() as u32 + i as u32);
        let many_params = a.func_type(old).params().len() >= MAX_PARAMS;
        kinds.push(if is_silent {
            Kind::Silent {
                takes_pass: a.reachable[old.index()] && refusal.is_none(),
            }
        } else if let Some(reason) = refusal {
            let index = old.0;
            skipped.push(SkippedFunction { index, reason });
            Kind::Plain
        } else {
            // A thunk says when control is back with the host.
            let needs_thunk = clock == Clock::Sampled && entered[old.index()];
            let is_counted = a.called[old.index()] && !selection.leaves_out(old);
            let leaf = is_counted.then(|| leaf_cost(a, &a.functions.get(i), clock));
            match (a.called[old.index()], entered[old.index()], leaf.flatten()) {
                (_, entered, Some(cost)) => Kind::Leaf {
                    body: entered.then(|| append(Appended::Body(old))),
                    cost,
                },
                _ if many_params => Kind::Entry,
                (false, ..) if !needs_thunk => Kind::Entry,
                (true, false, _) => Kind::Param,
                (_, true, _) | (false, false, _) => Kind::Both {
                    body: append(Appended::Body(old)),
                },
            }
        });
    }
    Kinds {
        kinds,
        skipped,
        twins,
        appended,
    }
}

/// By defined function: it is left out, and so is everything that it can reach. The host is out of its reach.
fn silent(a: &Analysis<'_>, selection: &Selection) -> Vec<bool> {
    let imports = a.imports.len();
    let mut silent: Vec<bool> = (imports..)
        .zip(a.functions.iter())
        .map(|(i, f)| selection.leaves_out(OldFunc(i as u32)) && !f.has_indirect_calls)
        .collect();
    let is_silent = |silent: &[bool], callee: &Callee| {
        let defined = callee.function().index().checked_sub(imports);
        defined.is_some_and(|i| silent[i])
    };
    if !silent.contains(&true) {
        return silent;
    }
    let mut callers: Vec<Vec<u32>> = vec![Vec::new(); silent.len()];
    let mut loud = Vec::new();
    for (i, f) in a.functions.iter().enumerate() {
        if !silent[i] {
            continue;
        }
        let callees = a.callees_of(&f);
        if callees.iter().all(|callee| is_silent(&silent, callee)) {
            for callee in callees {
                callers[callee.function().index() - imports].push(i as u32);
            }
        } else {
            loud.push(i);
        }
    }
    // What calls one that is not silent is not silent either.
    for &i in &loud {
        silent[i] = false;
    }
    while let Some(i) = loud.pop() {
        for caller in std::mem::take(&mut callers[i]) {
            if std::mem::replace(&mut silent[caller as usize], false) {
                loud.push(caller as usize);
            }
        }
    }
    silent
}

/// What each call of a function costs that its callers can count: it calls
/// nothing, and the cost is always the same.
fn leaf_cost(a: &Analysis<'_>, f: &DefinedFunction<'_>, clock: Clock) -> Option<u32> {
    if f.sites > 0 || f.has_handlers || asyncify::state_in(a, f).is_some() {
        return None;
    }
    match clock {
        Clock::Calls => Some(0),
        Clock::Instructions if f.has_loop => None,
        Clock::Instructions => instructions::constant_cost(&f.body),
        // Their time would be their callers'.
        Clock::Sampled | Clock::Wall => None,
    }
}

/// Why a function cannot get probes.
fn refusal(a: &Analysis<'_>, f: &DefinedFunction<'_>, clock: Clock) -> Option<String> {
    let declared = a.declared_type(f.ty);
    let params = declared.ty.params().len() as u64;
    let size = f.body.as_bytes().len();
    let mut growth = (f.sites as usize + 1).saturating_mul(MAX_PROBE_BYTES);
    let mut extra_locals = EXTRA_LOCALS;
    if clock == Clock::Instructions {
        let mut metered = f.instructions as usize;
        if size + growth + metered.saturating_mul(MAX_METER_BYTES) > MAX_BODY {
            metered = flow_operators(f).unwrap_or(metered);
        }
        growth = growth.saturating_add(metered.saturating_mul(MAX_METER_BYTES));
        extra_locals += 1;
    }
    if declared.shared {
        Some("it is shared; it could only call shared probes".to_owned())
    } else if params + f.locals + extra_locals > MAX_LOCALS {
        Some(format!(
            "{} locals; probes need {extra_locals} more, engines allow {MAX_LOCALS}",
            f.locals
        ))
    } else if size + growth > MAX_BODY {
        Some(format!(
            "{size} bytes; with probes it may exceed the {MAX_BODY} that engines allow"
        ))
    } else {
        None
    }
}

/// How many operators a meter writes code at, at most; the others grow nothing.
fn flow_operators(f: &DefinedFunction<'_>) -> wasmparser::Result<usize> {
    let wanted = Wanted {
        flow: true,
        ..Wanted::default()
    };
    let mut operators = Operators::new(&f.body, wanted)?;
    let mut count = 0;
    while !operators.eof() {
        operators.skip();
        operators.read()?;
        count += 1;
    }
    Ok(count)
}

/// Why an import cannot be imported once more.
fn twin_refusal(a: &Analysis<'_>, import: &ImportedFunction<'_>) -> Option<&'static str> {
    if a.declared_type(import.ty).shared {
        Some("it is shared; the loader could not put a function of its own in its place")
    } else if import.module.starts_with("wasm:") {
        Some("the engine may provide it, and then the loader does not know it")
    } else {
        None
    }
}
