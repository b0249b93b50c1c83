//! Output of Binaryen's Asyncify: code that unwinds its stack and rewinds it later.
//!
//! To rewind, the host calls the export again, and every function that was on the
//! stack is entered a second time, with a global in a state that says so. Such an
//! entry is no call, so it is not counted.

use crate::Probes;
use crate::analysis::{Analysis, DefinedFunction};
use crate::plan::ProbeImport;
use crate::probe::{ProbeWriter, put};
use wasm_encoder::{BlockType, Instruction};
use wasm_xray_abi::layout::NODE_CALLS;
use wasmparser::{GlobalType, Operator, ValType};

/// The state's values.
const UNWINDING: i32 = 1;
const REWINDING: i32 = 2;

/// What the first pass sees of Asyncify.
#[derive(Default)]
pub(crate) struct Traces {
    /// The state, if it is imported, as in side modules.
    imported_state: Option<u32>,
    /// Functions that begin with `state = constant; data = parameter`: constant, state, data.
    setters: Vec<(i32, u32, u32)>,
}

impl Traces {
    /// Takes note of the imported global with index `index`.
    pub fn import(&mut self, index: u32, module: &str, name: &str, ty: GlobalType) {
        if (module, name) == ("env", "__asyncify_state")
            && ty.mutable
            && ty.content_type == ValType::I32
        {
            self.imported_state = Some(index);
        }
    }

    /// Takes note of a function by what [`Watch`] saw of it.
    pub fn function(&mut self, watch: &Watch) {
        if let [
            Some(Step::Constant(state)),
            Some(Step::Set(global)),
            Some(Step::Parameter),
            Some(Step::Set(data)),
        ] = watch.start
        {
            self.setters.push((state, global, data));
        }
    }

    /// The global with the state. Names are of no help, as tools shorten them; but
    /// the functions that start an unwinding and a rewinding are always there.
    pub fn state(&self) -> Option<u32> {
        let starts = |state| move |setter: &&(i32, u32, u32)| setter.0 == state;
        let unwinders = self.setters.iter().filter(starts(UNWINDING));
        let mut pairs = unwinders.filter(|&&(_, state, data)| {
            let rewinder = (REWINDING, state, data);
            self.setters.contains(&rewinder)
        });
        pairs.next().map(|pair| pair.1).or(self.imported_state)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Constant(i32),
    Set(u32),
    Parameter,
}

/// Looks at the operators of one function.
#[derive(Default)]
pub(crate) struct Watch {
    start: [Option<Step>; 4],
    seen: usize,
    /// The operator before was a `global.get` of this.
    got: Option<u32>,
    /// The global that is first compared with the state of rewinding.
    pub compared: Option<u32>,
}

impl Watch {
    /// Whether the next operator matters, whatever it is; else only each `global.get` does.
    pub fn needs_next(&self) -> bool {
        self.seen < self.start.len() || self.got.is_some()
    }

    pub fn operator(&mut self, op: &Operator<'_>) {
        if let Some(step) = self.start.get_mut(self.seen) {
            self.seen += 1;
            *step = match *op {
                Operator::I32Const { value } => Some(Step::Constant(value)),
                Operator::GlobalSet { global_index } => Some(Step::Set(global_index)),
                Operator::LocalGet { local_index: 0 } => Some(Step::Parameter),
                _ => None,
            };
        }
        let got = self.got.take();
        match *op {
            Operator::GlobalGet { global_index } => self.got = Some(global_index),
            Operator::I32Const { value: REWINDING } => self.compared = self.compared.or(got),
            _ => {}
        }
    }
}

/// The state's global if `function` can be entered to rewind.
pub(crate) fn state_in(a: &Analysis<'_>, function: &DefinedFunction<'_>) -> Option<u32> {
    let state = a.asyncify_state?;
    (function.compared == Some(state)).then_some(state)
}

impl ProbeWriter<'_> {
    /// Takes a call of `node` back that was counted, if the stack rewinds.
    pub(crate) fn take_back(&mut self, out: &mut Vec<u8>, node: u32) {
        let Some(state) = self.asyncify_state else {
            return;
        };
        put(out, Instruction::GlobalGet(state));
        put(out, Instruction::I32Const(REWINDING));
        put(out, Instruction::I32Eq);
        put(out, Instruction::If(BlockType::Empty));
        self.blocks += 1;
        if self.plan.probes == Probes::Inline {
            self.add(out, node, NODE_CALLS, -1);
        } else {
            put(out, Instruction::LocalGet(node));
            let uncount = self.plan.probe(ProbeImport::Uncount);
            put(out, Instruction::Call(uncount.0));
        }
        put(out, Instruction::End);
    }
}
