//! What becomes of each function: decided once, before anything is written.

use crate::analysis::{Analysis, Callee};
use crate::filter::Selection;
use crate::functions::DefinedFunction;
use crate::index::{NewFunc, OldFunc};
use crate::kinds::{self, Kind, Kinds};
use crate::{Clock, Options, Probes};
use std::collections::HashMap;
use wasm_encoder::ValType as EncodedType;
use wasm_xray_abi::map::SkippedFunction;
use wasm_xray_abi::probe;
use wasmparser::{FuncType, ValType};

/// The plan for a module.
pub(crate) struct Plan {
    pub clock: Clock,
    pub probes: Probes,
    pub kinds: Vec<Kind>,
    /// By function index, imports included: left out by choice, so without a node of its own.
    left_out: Vec<bool>,
    /// Child slots of each function's nodes by function index.
    pub slots: Vec<u32>,
    /// Counters of leaves in each function's nodes, by function index.
    pub counters: Vec<u32>,
    pub skipped: Vec<SkippedFunction>,
    /// Type of the function that takes the node as a parameter, by original type index; appended in this order.
    pub param_types: Vec<(u32, FuncType)>,
    param_type_index: HashMap<u32, u32>,
    /// Block types for bodies with several results (wall clock only), by original type; appended after `param_types`.
    pub block_types: Vec<(u32, FuncType)>,
    block_type_index: HashMap<u32, u32>,
    /// Imported probe functions in import order.
    pub probe_imports: Vec<ProbeImport>,
    /// Imports that are imported once more, behind the probes.
    pub twins: Vec<OldFunc>,
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
    Take,
    Uncount,
    Charge,
    Leave,
    Passed,
    Count,
}

/// A function appended to the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Appended {
    Body(OldFunc),
    /// Fills an empty slot, as [`ProbeImport::Slot`] with a function index in
    /// place of the id (inline probes): smaller where it is called, which is at every call site.
    Slot,
    /// Finds a callee's node without a slot (inline probes).
    Find,
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
            ProbeImport::Take => "take",
            ProbeImport::Uncount => "uncount",
            ProbeImport::Charge => "charge",
            ProbeImport::Leave => "leave",
            ProbeImport::Passed => "passed",
            ProbeImport::Count => "count",
        }
    }

    /// Index into [`PROBE_TYPES`].
    pub fn ty(self) -> u32 {
        match self {
            ProbeImport::Slot | ProbeImport::SlotTail => 7,
            ProbeImport::Call | ProbeImport::CallTail => 0,
            ProbeImport::Child => 1,
            ProbeImport::Enter | ProbeImport::SwapCurrent => 2,
            ProbeImport::Pass
            | ProbeImport::PassParent
            | ProbeImport::Exit
            | ProbeImport::Resume
            | ProbeImport::Uncount => 3,
            ProbeImport::Take | ProbeImport::Passed => 4,
            ProbeImport::Charge => 5,
            ProbeImport::Leave => 6,
            ProbeImport::Count => 8,
        }
    }
}

/// Parameters and results of the probe imports' types.
pub(crate) const PROBE_TYPES: [(&[EncodedType], &[EncodedType]); 9] = {
    const I32: EncodedType = EncodedType::I32;
    [
        (&[I32, I32, I32], &[I32]),
        (&[I32, I32], &[I32]),
        (&[I32], &[I32]),
        (&[I32], &[]),
        (&[], &[I32]),
        (&[I32, EncodedType::I64], &[]),
        (&[], &[]),
        (&[I32, I32, I32], &[EncodedType::I64]),
        (&[I32, I32], &[]),
    ]
};

impl Plan {
    /// Where a function of the input is found by exports, elements, references and the start section.
    pub fn identity(&self, f: OldFunc) -> NewFunc {
        match self.kinds[f.index()] {
            Kind::Import { twin: Some(twin) } => twin,
            _ => self.moved(f),
        }
    }

    /// Where a function of the input is itself (for [`Kind::Both`] its thunk).
    pub fn moved(&self, f: OldFunc) -> NewFunc {
        NewFunc(if f.0 < self.imports {
            f.0
        } else {
            f.0 + self.added_imports()
        })
    }

    /// Where the body of a defined function is.
    pub fn body(&self, f: OldFunc) -> NewFunc {
        match self.kinds[f.index()] {
            Kind::Both { body }
            | Kind::Leaf {
                body: Some(body), ..
            } => body,
            _ => self.moved(f),
        }
    }

    /// Whether there is a thunk under the original identity of `f`.
    pub fn has_thunk(&self, f: OldFunc) -> bool {
        self.body(f) != self.moved(f)
    }

    /// Functions that the module imports beyond its own.
    pub fn added_imports(&self) -> u32 {
        (self.probe_imports.len() + self.twins.len()) as u32
    }

    pub fn probe(&self, import: ProbeImport) -> NewFunc {
        let at = self.probe_imports.iter().position(|&p| p == import);
        NewFunc(self.imports + at.expect("each emitter uses the imports of its own kind") as u32)
    }

    /// Whether a function has nodes of its own: it is not left out by choice.
    pub fn has_node(&self, f: OldFunc) -> bool {
        !self.left_out[f.index()]
    }

    /// Whether a direct call has a slot in the caller's nodes.
    fn has_slot(&self, callee: &Callee) -> bool {
        self.has_node(callee.function())
            && match self.kinds[callee.function().index()] {
                Kind::Import { .. } | Kind::Param | Kind::Both { .. } => true,
                Kind::Leaf { .. } => callee.tail(),
                Kind::Entry | Kind::Silent { .. } | Kind::Plain => false,
            }
    }

    /// Whether a direct call has a counter in the caller's nodes.
    fn has_counter(&self, callee: &Callee) -> bool {
        !callee.tail() && matches!(self.kinds[callee.function().index()], Kind::Leaf { .. })
    }

    /// The leaves that nodes of function `f` have counters for, with what a call of each costs.
    pub fn counted<'a>(
        &'a self,
        a: &'a Analysis<'_>,
        f: OldFunc,
    ) -> impl Iterator<Item = (OldFunc, u32)> + 'a {
        let callees = match f.index().checked_sub(a.imports.len()) {
            Some(defined) if self.counters[f.index()] > 0 => {
                a.callees_of(&a.functions.get(defined))
            }
            _ => &[],
        };
        callees
            .iter()
            .filter_map(|callee| match self.kinds[callee.function().index()] {
                Kind::Leaf { cost, .. } if self.has_counter(callee) => {
                    Some((callee.function(), cost))
                }
                _ => None,
            })
    }

    /// Whether the calls that `f` makes have places in nodes of its own.
    fn keeps_nodes(&self, f: OldFunc) -> bool {
        self.has_node(f) && !matches!(self.kinds[f.index()], Kind::Plain)
    }

    /// A function that the rewriter adds; those without a body of the input come last.
    pub fn added(&self, what: Appended) -> NewFunc {
        let at = self.appended.iter().rposition(|&appended| appended == what);
        let at = at.expect("planned for all who call it");
        NewFunc((self.kinds.len() + at) as u32 + self.added_imports())
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

    /// About how many bytes the module grows by, to have room for them at once.
    pub fn growth(&self, a: &Analysis<'_>) -> usize {
        let kinds = &self.kinds[self.imports as usize..];
        let bodies = a.functions.iter().zip(kinds);
        let bodies = bodies.map(|(f, kind)| self.body_growth(&f, *kind));
        let counters: usize = self.counters.iter().map(|&count| count as usize).sum();
        4096 + 64 * self.twins.len() + 14 * self.kinds.len() + 8 * counters + bodies.sum::<usize>()
    }

    /// The same for a body, a thunk included.
    pub fn body_growth(&self, f: &DefinedFunction<'_>, kind: Kind) -> usize {
        let (site, function, entry) = match self.probes {
            Probes::Inline => (50, 8, 136),
            Probes::Imported => (18, 8, 24),
        };
        let once = match kind {
            Kind::Import { .. } | Kind::Silent { .. } | Kind::Plain => return 8,
            Kind::Param => function,
            Kind::Entry => entry + function,
            Kind::Both { .. } => entry + function + 8,
            Kind::Leaf { body: None, .. } => 8,
            Kind::Leaf { .. } => entry + 8,
        };
        let metered = match self.clock {
            Clock::Instructions => 4 * f.instructions as usize,
            // Each call, the entry and the thunk say what runs.
            Clock::Sampled => 10 * (f.sites as usize + 2),
            Clock::Calls | Clock::Wall => 0,
        };
        once + site * f.sites as usize + metered
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
        let clock = match self.clock {
            Clock::Calls => 0,
            Clock::Instructions => probe::FLAG_INSTRUCTIONS,
            Clock::Sampled => probe::FLAG_SAMPLED,
            Clock::Wall => probe::FLAG_WALL,
        };
        inline | own | clock
    }
}

/// Makes the plan.
pub(crate) fn plan(a: &Analysis<'_>, options: &Options, selection: &Selection) -> Plan {
    let probes = if options.clock == Clock::Wall {
        Probes::Imported
    } else {
        options.probes
    };
    let mut probe_imports = match (probes, options.clock) {
        (Probes::Inline, _) => {
            use ProbeImport::*;
            vec![Slot, SlotTail, Child, SwapCurrent]
        }
        (Probes::Imported, Clock::Calls | Clock::Instructions) => {
            use ProbeImport::*;
            let mut all = vec![
                Call,
                CallTail,
                Enter,
                Pass,
                PassParent,
                SwapCurrent,
                Take,
                Count,
            ];
            if options.clock == Clock::Instructions {
                all.push(Charge);
            }
            all
        }
        (Probes::Imported, Clock::Sampled) => {
            use ProbeImport::*;
            let mut all = vec![
                Call,
                CallTail,
                Enter,
                Pass,
                PassParent,
                SwapCurrent,
                Resume,
                Take,
                Leave,
            ];
            if a.has_tail_calls {
                all.extend([Passed, Exit]);
            }
            all
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
                Take,
            ]
        }
    };
    if probes == Probes::Imported && a.asyncify_state.is_some() {
        probe_imports.push(ProbeImport::Uncount);
    }
    let imports = a.imports.len() as u32;
    let Kinds {
        kinds,
        skipped,
        twins,
        mut appended,
    } = kinds::decide(a, selection, options.clock, probe_imports.len() as u32);
    let left_out: Vec<bool> = (0..a.function_count() as u32)
        .map(|f| selection.leaves_out(OldFunc(f)))
        .collect();
    if probes == Probes::Inline {
        appended.push(Appended::Slot);
    }
    if probes == Probes::Inline && left_out[imports as usize..].contains(&true) {
        appended.push(Appended::Find);
    }

    let mut plan = Plan {
        clock: options.clock,
        probes,
        kinds,
        left_out,
        slots: Vec::new(),
        counters: Vec::new(),
        skipped,
        param_types: Vec::new(),
        param_type_index: HashMap::new(),
        block_types: Vec::new(),
        block_type_index: HashMap::new(),
        probe_imports,
        twins,
        probe_type_base: 0,
        imports,
        appended,
        own_memory: false,
        runtime_memory: 0,
        memory_shift_from: None,
        base_global: a.imported_globals,
        tail_calls: a.has_tail_calls,
    };
    plan.skipped.sort_by_key(|skipped| skipped.index);
    plan_slots(a, &mut plan);
    plan_types(a, &mut plan);
    plan_memory(a, &mut plan);
    plan
}

fn plan_slots(a: &Analysis<'_>, plan: &mut Plan) {
    plan.slots = vec![0; a.function_count()];
    plan.counters = vec![0; a.function_count()];
    for (i, f) in a.functions.iter().enumerate() {
        let old = OldFunc(plan.imports + i as u32);
        if plan.keeps_nodes(old) {
            let callees = a.callees_of(&f);
            let number = |has: fn(&Plan, &Callee) -> bool| {
                callees.iter().filter(|callee| has(plan, callee)).count() as u32
            };
            let (slots, counters) = (number(Plan::has_slot), number(Plan::has_counter));
            plan.slots[old.index()] = slots;
            plan.counters[old.index()] = counters;
        }
    }
}

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
        for f in a.functions.iter() {
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
