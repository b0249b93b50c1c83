//! What becomes of each function: decided once, before anything is written.

use crate::analysis::{Analysis, ImportedFunction};
use crate::index::{NewFunc, OldFunc};
use crate::{Clock, Options, Probes};
use std::collections::HashMap;
use wasm_xray_abi::map::SkippedFunction;
use wasm_xray_abi::{layout, probe};
use wasmparser::{FuncType, Operator, ValType};

/// Most parameters and locals that V8 takes in a function.
const MAX_LOCALS: u64 = 50_000;
/// Most parameters of a function type, by the JavaScript API's limits.
const MAX_PARAMS: usize = 1_000;
/// Most bytes that V8 takes in a function body.
const MAX_BODY: usize = 7_654_321;
/// No call site and no function's own probes grow a body by more, in bytes.
const MAX_PROBE_BYTES: usize = 160;

/// What becomes of a function of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An import. With a thunk when a table or a reference can reach it, so that such calls are counted as well.
    Import { thunk: Option<NewFunc> },
    /// Only called directly: gets its node as an extra last parameter.
    Param,
    /// Not called directly: finds its node itself.
    Entry,
    /// Both: a thunk under the original identity finds the node and calls the body, which gets it as a parameter.
    Both { body: NewFunc },
    /// Runs as it was.
    Plain,
}

/// The plan for a module.
pub(crate) struct Plan {
    pub clock: Clock,
    pub probes: Probes,
    pub kinds: Vec<Kind>,
    pub skipped: Vec<SkippedFunction>,
    /// Type of the function that takes the node as a parameter, by original type index; appended in this order.
    pub param_types: Vec<(u32, FuncType)>,
    param_type_index: HashMap<u32, u32>,
    /// Block types for bodies with several results (wall clock only), by original type; appended after `param_types`.
    pub block_types: Vec<(u32, FuncType)>,
    block_type_index: HashMap<u32, u32>,
    /// Imported probe functions in import order.
    pub probe_imports: Vec<ProbeImport>,
    /// Types of the probe imports: `probe_type_base + parameters`.
    pub probe_type_base: u32,
    pub imports: u32,
    /// Functions appended after the original ones.
    pub appended: Vec<Appended>,
    pub own_memory: bool,
    /// Index of the runtime's memory in the output module (inline probes).
    pub runtime_memory: u32,
    /// Memories from this index on move up by one (inline probes).
    pub memory_shift_from: Option<u32>,
    /// Index of the global with the module's base.
    pub base_global: u32,
    /// A thunk may call its body as a tail call, so that loops of tail calls through tables do not grow the stack.
    pub tail_calls: bool,
}

/// A probe function that the module imports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProbeImport {
    Slot,
    SlotTail,
    Child,
    Call,
    CallTail,
    Enter,
    Pass,
    PassParent,
    Exit,
    Resume,
    SwapCurrent,
}

/// A function appended to the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Appended {
    Body(OldFunc),
    ImportThunk(OldFunc),
}

impl ProbeImport {
    pub fn name(self) -> &'static str {
        match self {
            ProbeImport::Slot => "slot",
            ProbeImport::SlotTail => "slot_tail",
            ProbeImport::Child => "child",
            ProbeImport::Call => "call",
            ProbeImport::CallTail => "call_tail",
            ProbeImport::Enter => "enter",
            ProbeImport::Pass => "pass",
            ProbeImport::PassParent => "pass_parent",
            ProbeImport::Exit => "exit",
            ProbeImport::Resume => "resume",
            ProbeImport::SwapCurrent => "swap_current",
        }
    }

    /// Index into [`PROBE_TYPES`].
    pub fn ty(self) -> u32 {
        match self {
            ProbeImport::Slot | ProbeImport::SlotTail => 0,
            ProbeImport::Call | ProbeImport::CallTail => 0,
            ProbeImport::Child => 1,
            ProbeImport::Enter | ProbeImport::SwapCurrent => 2,
            ProbeImport::Pass
            | ProbeImport::PassParent
            | ProbeImport::Exit
            | ProbeImport::Resume => 3,
        }
    }
}

/// Parameters and results (all i32) of the probe imports' types.
pub(crate) const PROBE_TYPES: [(usize, usize); 4] = [(3, 1), (2, 1), (1, 1), (1, 0)];

impl Plan {
    /// Where a function of the input is found by exports, elements, references and the start section.
    pub fn identity(&self, f: OldFunc) -> NewFunc {
        match self.kinds[f.index()] {
            Kind::Import { thunk: Some(thunk) } => thunk,
            _ => self.moved(f),
        }
    }

    /// Where a function of the input is itself (for [`Kind::Both`] its thunk).
    pub fn moved(&self, f: OldFunc) -> NewFunc {
        NewFunc(if f.0 < self.imports {
            f.0
        } else {
            f.0 + self.probe_imports.len() as u32
        })
    }

    /// Whether an import can be reached through a table or a reference, and is counted.
    pub fn has_import_thunks(&self) -> bool {
        // They are appended first.
        matches!(self.appended.first(), Some(Appended::ImportThunk(_)))
    }

    pub fn probe(&self, import: ProbeImport) -> NewFunc {
        let at = self.probe_imports.iter().position(|&p| p == import);
        NewFunc(self.imports + at.expect("each emitter uses the imports of its own kind") as u32)
    }

    /// Type of a function of original type `ty` with the node as an extra parameter.
    pub fn param_type(&self, ty: u32) -> u32 {
        self.param_type_index[&ty]
    }

    /// Type of a block with the results of original type `ty`, where it has several.
    pub fn block_type(&self, ty: u32) -> Option<u32> {
        self.block_type_index.get(&ty).copied()
    }

    pub fn global(&self, global: u32) -> u32 {
        if global < self.base_global {
            global
        } else {
            global + 1
        }
    }

    pub fn memory(&self, memory: u32) -> u32 {
        match self.memory_shift_from {
            Some(from) if memory >= from => memory + 1,
            _ => memory,
        }
    }

    /// Flags of the custom section.
    pub fn flags(&self) -> u32 {
        let inline = if self.probes == Probes::Inline {
            probe::FLAG_INLINE
        } else {
            0
        };
        let own = if self.own_memory {
            probe::FLAG_OWN_MEMORY
        } else {
            0
        };
        let wall = if self.clock == Clock::Wall {
            probe::FLAG_WALL
        } else {
            0
        };
        inline | own | wall
    }
}

/// Makes the plan.
pub(crate) fn plan(a: &Analysis<'_>, options: &Options) -> Plan {
    let probes = if options.clock == Clock::Wall {
        Probes::Imported
    } else {
        options.probes
    };
    let probe_imports = match (probes, options.clock) {
        (Probes::Inline, _) => {
            use ProbeImport::*;
            vec![Slot, SlotTail, Child, SwapCurrent]
        }
        (Probes::Imported, Clock::Calls) => {
            use ProbeImport::*;
            vec![Call, CallTail, Enter, Pass, PassParent, SwapCurrent]
        }
        (Probes::Imported, Clock::Wall) => {
            use ProbeImport::*;
            vec![
                Call,
                CallTail,
                Enter,
                Pass,
                PassParent,
                SwapCurrent,
                Exit,
                Resume,
            ]
        }
    };
    let imports = a.imports.len() as u32;
    let first_appended = a.function_count() as u32 + probe_imports.len() as u32;

    let mut skipped = Vec::new();
    let mut plain = vec![false; a.functions.len()];
    for (i, f) in a.functions.iter().enumerate() {
        let index = imports + i as u32;
        let params = a.func_type(OldFunc(index)).params().len() as u64;
        let growth = (f.sites as usize + 1).saturating_mul(MAX_PROBE_BYTES);
        let reason = if a.declared_type(f.ty).shared {
            "it is shared; it could only call shared probes".to_owned()
        } else if params + f.locals + EXTRA_LOCALS > MAX_LOCALS {
            format!(
                "{} locals; probes need {EXTRA_LOCALS} more, engines allow {MAX_LOCALS}",
                f.locals
            )
        } else if f.body.as_bytes().len() + growth > MAX_BODY {
            format!(
                "{} bytes; with probes it may exceed the {MAX_BODY} that engines allow",
                f.body.as_bytes().len()
            )
        } else {
            continue;
        };
        plain[i] = true;
        skipped.push(SkippedFunction { index, reason });
    }
    // A function that is not instrumented calls others by their original type.
    let mut entered = a.reachable.clone();
    for (f, _) in a.functions.iter().zip(&plain).filter(|(_, plain)| **plain) {
        let ops = f.body.get_operators_reader().expect("read by analyze");
        for op in ops {
            if let Ok(Operator::Call { function_index } | Operator::ReturnCall { function_index }) =
                op
            {
                entered[function_index as usize] = true;
            }
        }
    }

    let mut plan = Plan {
        clock: options.clock,
        probes,
        kinds: Vec::with_capacity(a.function_count()),
        skipped,
        param_types: Vec::new(),
        param_type_index: HashMap::new(),
        block_types: Vec::new(),
        block_type_index: HashMap::new(),
        probe_imports,
        probe_type_base: 0,
        imports,
        appended: Vec::new(),
        own_memory: false,
        runtime_memory: 0,
        memory_shift_from: None,
        base_global: a.imported_globals,
        tail_calls: a.has_tail_calls,
    };
    for i in 0..a.imports.len() {
        let refusal = thunk_refusal(a, &a.imports[i]);
        if let (true, Some(why)) = (a.referenced[i], refusal) {
            plan.skipped.push(SkippedFunction {
                index: i as u32,
                reason: format!("its calls through tables and references are not counted: {why}"),
            });
        }
        let thunk = (a.referenced[i] && refusal.is_none()).then(|| {
            plan.appended.push(Appended::ImportThunk(OldFunc(i as u32)));
            NewFunc(first_appended + plan.appended.len() as u32 - 1)
        });
        plan.kinds.push(Kind::Import { thunk });
    }
    for (i, &plain) in plain.iter().enumerate() {
        let old = OldFunc(imports + i as u32);
        let many_params = a.func_type(old).params().len() >= MAX_PARAMS;
        let kind = match (plain, a.called[old.index()], entered[old.index()]) {
            (true, ..) => Kind::Plain,
            (_, false, _) => Kind::Entry,
            _ if many_params => Kind::Entry,
            (_, true, false) => Kind::Param,
            (_, true, true) => {
                plan.appended.push(Appended::Body(old));
                Kind::Both {
                    body: NewFunc(first_appended + plan.appended.len() as u32 - 1),
                }
            }
        };
        plan.kinds.push(kind);
    }
    plan.skipped.sort_by_key(|skipped| skipped.index);
    plan_types(a, &mut plan);
    plan_memory(a, &mut plan);
    plan
}

/// Why an import cannot have a thunk.
fn thunk_refusal(a: &Analysis<'_>, import: &ImportedFunction<'_>) -> Option<&'static str> {
    let declared = a.declared_type(import.ty);
    if declared.shared {
        Some("it is shared; it could only call shared probes")
    } else if !declared.is_final && !import.exact {
        // What is imported may be of a subtype, to which the program may cast a reference to it.
        Some("its type may have subtypes, of which a thunk could not be")
    } else {
        None
    }
}

/// Locals that probes may add to a function, the node's parameter included.
const EXTRA_LOCALS: u64 = 4;

fn plan_types(a: &Analysis<'_>, plan: &mut Plan) {
    let mut next = a.types.len() as u32;
    for (i, f) in a.functions.iter().enumerate() {
        let kind = plan.kinds[a.imports.len() + i];
        if matches!(kind, Kind::Param | Kind::Both { .. })
            && !plan.param_type_index.contains_key(&f.ty)
        {
            let ty = &a.declared_type(f.ty).ty;
            let params = ty.params().iter().copied().chain([ValType::I32]);
            let with_node = FuncType::new(params, ty.results().iter().copied());
            plan.param_type_index.insert(f.ty, next);
            plan.param_types.push((f.ty, with_node));
            next += 1;
        }
    }
    if plan.clock == Clock::Wall {
        for f in &a.functions {
            let ty = &a.declared_type(f.ty).ty;
            if ty.results().len() > 1 && !plan.block_type_index.contains_key(&f.ty) {
                plan.block_type_index.insert(f.ty, next);
                plan.block_types
                    .push((f.ty, FuncType::new([], ty.results().iter().copied())));
                next += 1;
            }
        }
    }
    plan.probe_type_base = next;
}

fn plan_memory(a: &Analysis<'_>, plan: &mut Plan) {
    if plan.probes != Probes::Inline {
        return;
    }
    let own = match a.memories.as_slice() {
        [m] if a.imported_memories == 0 => Some(m),
        _ => None,
    };
    // V8 reaches memory 0 faster than the others, so the module keeps it where the loader can make that memory faithfully.
    plan.own_memory = own.is_some_and(|m| !m.memory64 && m.page_size_log2.is_none());
    plan.runtime_memory = a.imported_memories + u32::from(plan.own_memory);
    plan.memory_shift_from =
        (!plan.own_memory && !a.memories.is_empty()).then_some(a.imported_memories);
}

/// Offset of slot `slot` from the start of a node, in bytes.
pub(crate) fn slot_offset(slot: crate::index::Slot) -> u32 {
    layout::NODE_SLOTS + 4 * slot.0
}
