//! Rewrites one function body: the second pass.
//!
//! What does not change is copied byte for byte, in runs as long as possible;
//! only operators that name a moved index, and those that need a probe, are
//! written anew.

use crate::analysis::{Analysis, DefinedFunction};
use crate::asyncify;
use crate::emit::Reencoder;
use crate::error::Error;
use crate::index::{OldFunc, SlotNumbers};
use crate::instructions::Meter;
use crate::kinds::Kind;
use crate::offsets::{BodyOffsets, Recorder};
use crate::operators::{Operators, Wanted};
use crate::plan::Plan;
use crate::probe::{ProbeWriter, put, put_call};
use crate::{Clock, Probes};
use wasm_encoder::reencode::Reencode;
use wasm_encoder::{BlockType, Encode, Instruction};
use wasmparser::{BinaryReader, Catch, Operator};

/// A rewritten body: locals and instructions, without its size.
pub(crate) struct Body {
    pub bytes: Vec<u8>,
    /// By label index of the input: label index of the output.
    pub labels: Vec<u32>,
    /// Where its instructions went, if that was asked for.
    pub offsets: Option<BodyOffsets>,
}

struct BodyWriter<'a, 'p> {
    a: &'p Analysis<'a>,
    plan: &'p Plan,
    probes: ProbeWriter<'p>,
    /// `None` in a function that is left as it was.
    instrumented: bool,
    out: Vec<u8>,
    /// Locals from this index on have moved up by one, behind the node's parameter.
    shift_locals_from: u32,
    blocks: Vec<Block>,
    /// Clock `instructions`.
    meter: Option<Meter>,
    labels: Vec<u32>,
    recorder: Option<Recorder>,
}

/// An open block of the input.
#[derive(Clone, Copy, Default)]
struct Block {
    /// A `try_table` within branches here, so control may come back to this function at its end (wall clock).
    caught: bool,
    is_loop: bool,
}

/// Rewrites the body of `old`; the recorder hears where its instructions go.
pub(crate) fn rewrite(
    a: &Analysis<'_>,
    plan: &Plan,
    old: OldFunc,
    function: &DefinedFunction<'_>,
    slots: &mut SlotNumbers,
    recorder: Option<Recorder>,
) -> Result<Body, Error> {
    let kind = plan.kinds[old.index()];
    let params = a.func_type(old).params().len() as u32;
    let locals = function.locals as u32;
    let takes_node = matches!(kind, Kind::Param | Kind::Both { .. });
    // The node is a parameter, or the first local after the function's own.
    let (node, first_extra) = if takes_node {
        (params, params + 1 + locals)
    } else {
        (params + locals, params + locals + 1)
    };
    let extra = match kind {
        Kind::Plain => 0,
        Kind::Entry => 3,
        Kind::Silent { .. } => 0,
        _ => 2 * u32::from(!function.callees.is_empty()),
    };
    let instrumented = !matches!(kind, Kind::Plain | Kind::Silent { .. });
    let meter = (instrumented && plan.clock == Clock::Instructions).then(|| {
        let inline = plan.probes == Probes::Inline;
        Meter::new(
            params + locals + u32::from(takes_node) + extra,
            inline,
            function.has_handlers,
        )
    });
    let mut w = BodyWriter {
        a,
        plan,
        probes: ProbeWriter {
            plan,
            node,
            owns_node: plan.has_node(old),
            asyncify_state: asyncify::state_in(a, function).map(|global| plan.global(global)),
            scratch: first_extra,
            saved: first_extra + 1,
            blocks: 0,
        },
        instrumented,
        out: Vec::with_capacity(function.body.as_bytes().len() * 3 / 2 + 64),
        shift_locals_from: if takes_node { params } else { u32::MAX },
        blocks: Vec::new(),
        meter,
        labels: Vec::new(),
        recorder,
    };
    w.locals(function, extra)?;
    match kind {
        Kind::Param | Kind::Both { .. } => w.probes.prologue(&mut w.out),
        Kind::Entry => w.probes.entry(&mut w.out, old, false),
        Kind::Silent { takes_pass: true } => w.probes.clear_pass(&mut w.out),
        Kind::Silent { .. } | Kind::Plain | Kind::Import { .. } => {}
    }
    if let Some(meter) = &mut w.meter {
        meter.start(&w.probes);
        w.out.extend_from_slice(&meter.code);
    }
    slots.next_function();
    w.operators(function, old, slots)?;
    let start = function.body.range().start;
    Ok(Body {
        bytes: w.out,
        labels: w.labels,
        offsets: w.recorder.map(|recorder| recorder.finish(old, start)),
    })
}

impl<'a> BodyWriter<'a, '_> {
    /// Copies the local declarations and adds `extra` i32 to them, and the meter's i64.
    fn locals(&mut self, function: &DefinedFunction<'a>, extra: u32) -> Result<(), Error> {
        let mut reader = function.body.get_locals_reader()?;
        let groups = reader.get_count();
        let bytes = function.body.as_bytes();
        let start = function.body.range().start;
        let mut first = BinaryReader::new(bytes, start);
        first.read_var_u32()?;
        let groups_start = (first.original_position() - start) as usize;
        for _ in 0..groups {
            reader.read()?;
        }
        let groups_end = (reader.original_position() - start) as usize;
        (groups + u32::from(extra > 0) + u32::from(self.meter.is_some())).encode(&mut self.out);
        self.out.extend_from_slice(&bytes[groups_start..groups_end]);
        if extra > 0 {
            extra.encode(&mut self.out);
            wasm_encoder::ValType::I32.encode(&mut self.out);
        }
        if self.meter.is_some() {
            1u32.encode(&mut self.out);
            wasm_encoder::ValType::I64.encode(&mut self.out);
        }
        Ok(())
    }

    fn operators(
        &mut self,
        function: &DefinedFunction<'a>,
        old: OldFunc,
        slots: &mut SlotNumbers,
    ) -> Result<(), Error> {
        let wall = self.plan.clock == Clock::Wall && self.instrumented;
        let exits = wall && self.probes.owns_node;
        let bytes = function.body.as_bytes();
        let start = function.body.range().start;
        let mut operators = Operators::new(&function.body, self.wanted(old, wall))?;
        // The meter counts all, the recorder notes all, and any may name a memory.
        let all = self.meter.is_some()
            || self.recorder.is_some()
            || self.plan.memory_shift_from.is_some();
        // Bytes before `copied` are written; what lies between it and the current operator is waiting to be.
        let mut copied = operators.position();
        if exits {
            self.open_wrapper(old);
        }
        while !operators.eof() {
            if !all {
                operators.skip();
            }
            let here = operators.position();
            let offset = start + here as u64;
            let op = operators.read()?;
            let with_probes = self.out.len() + here - copied;
            if let Some(meter) = &mut self.meter {
                meter.before(&op, &bytes[here..], &self.probes);
                if !meter.code.is_empty() {
                    self.out.extend_from_slice(&bytes[copied..here]);
                    self.out.extend_from_slice(&meter.code);
                    copied = here;
                }
            }
            if let Some(recorder) = &mut self.recorder {
                recorder.at(here, with_probes, self.out.len() + here - copied);
            }
            if operators.eof() {
                self.out.extend_from_slice(&bytes[copied..here]);
                if exits {
                    put(&mut self.out, Instruction::End);
                    self.probes.exit(&mut self.out);
                }
                put(&mut self.out, Instruction::End);
                if let Some(recorder) = &mut self.recorder {
                    recorder.at(bytes.len(), self.out.len(), self.out.len());
                }
                break;
            }
            self.track_labels(&op);
            let next = operators.position();
            if self.replaces(&op, wall) {
                if !self.bump_local(&op, &bytes[copied..next], next - here) {
                    self.out.extend_from_slice(&bytes[copied..here]);
                    self.replace(op, offset, slots, wall)?;
                }
                copied = next;
            }
            if let Some(meter) = &mut self.meter {
                meter.after(&self.probes);
                if !meter.code.is_empty() {
                    self.out.extend_from_slice(&bytes[copied..next]);
                    self.out.extend_from_slice(&meter.code);
                    copied = next;
                }
            }
        }
        Ok(())
    }

    /// The operators that are more than copied, if not all have to be looked at.
    fn wanted(&self, old: OldFunc, wall: bool) -> Wanted {
        Wanted {
            locals: self.shift_locals_from != u32::MAX,
            control: wall || self.a.names.labels.contains_key(&old.0),
        }
    }

    /// The frequent case of a moved local, short before and after: `bytes` end with the instruction.
    fn bump_local(&mut self, op: &Operator<'_>, bytes: &[u8], length: usize) -> bool {
        use Operator as O;
        let (O::LocalGet { local_index: index }
        | O::LocalSet { local_index: index }
        | O::LocalTee { local_index: index }) = *op
        else {
            return false;
        };
        if length != 2 || index >= 0x7f {
            return false;
        }
        self.out.extend_from_slice(bytes);
        let last = self.out.len() - 1;
        self.out[last] += 1;
        true
    }

    /// Wraps the body in a block, so that branches to the function's label reach the exit probe behind it.
    fn open_wrapper(&mut self, old: OldFunc) {
        let ty = self.a.type_of(old);
        let results = self.a.func_type(old).results();
        let block = match (self.plan.block_type(ty), results) {
            (Some(ty), _) => BlockType::FunctionType(ty),
            (None, [one]) => BlockType::Result(
                Reencoder { plan: self.plan }
                    .val_type(*one)
                    .expect("types keep their indices"),
            ),
            (None, _) => BlockType::Empty,
        };
        put(&mut self.out, Instruction::Block(block));
        self.probes.blocks += 1;
    }

    fn track_labels(&mut self, op: &Operator<'_>) {
        if matches!(
            op,
            Operator::Block { .. }
                | Operator::Loop { .. }
                | Operator::If { .. }
                | Operator::Try { .. }
                | Operator::TryTable { .. }
        ) {
            self.labels
                .push(self.labels.len() as u32 + self.probes.blocks);
        }
    }

    /// Whether `op` is not simply copied.
    fn replaces(&self, op: &Operator<'_>, wall: bool) -> bool {
        use Operator as O;
        match op {
            O::LocalGet { local_index }
            | O::LocalSet { local_index }
            | O::LocalTee { local_index } => *local_index >= self.shift_locals_from,
            O::GlobalGet { global_index } | O::GlobalSet { global_index } => {
                *global_index >= self.plan.base_global
            }
            O::Call { .. } | O::ReturnCall { .. } | O::RefFunc { .. } => true,
            O::CallIndirect { .. }
            | O::ReturnCallIndirect { .. }
            | O::CallRef { .. }
            | O::ReturnCallRef { .. } => self.instrumented,
            O::GlobalAtomicGet { .. }
            | O::GlobalAtomicSet { .. }
            | O::GlobalAtomicRmwAdd { .. }
            | O::GlobalAtomicRmwSub { .. }
            | O::GlobalAtomicRmwAnd { .. }
            | O::GlobalAtomicRmwOr { .. }
            | O::GlobalAtomicRmwXor { .. }
            | O::GlobalAtomicRmwXchg { .. }
            | O::GlobalAtomicRmwCmpxchg { .. } => true,
            O::Return
            | O::Block { .. }
            | O::Loop { .. }
            | O::If { .. }
            | O::Try { .. }
            | O::TryTable { .. }
            | O::Catch { .. }
            | O::CatchAll
            | O::Delegate { .. }
            | O::End => wall,
            _ => self.plan.memory_shift_from.is_some(),
        }
    }

    fn replace(
        &mut self,
        op: Operator<'a>,
        offset: u64,
        slots: &mut SlotNumbers,
        wall: bool,
    ) -> Result<(), Error> {
        use Operator as O;
        let shifted = |w: &Self, local: u32| {
            if local >= w.shift_locals_from {
                local + 1
            } else {
                local
            }
        };
        match op {
            O::LocalGet { local_index } => {
                let local = shifted(self, local_index);
                put(&mut self.out, Instruction::LocalGet(local));
            }
            O::LocalSet { local_index } => {
                let local = shifted(self, local_index);
                put(&mut self.out, Instruction::LocalSet(local));
            }
            O::LocalTee { local_index } => {
                let local = shifted(self, local_index);
                put(&mut self.out, Instruction::LocalTee(local));
            }
            O::Call { function_index } => self.call(OldFunc(function_index), slots, false),
            O::ReturnCall { function_index } => self.call(OldFunc(function_index), slots, true),
            O::CallIndirect { .. } | O::CallRef { .. } => {
                self.probes.before_indirect(&mut self.out, false);
                self.reencode(op, offset)?;
                self.probes.after_indirect(&mut self.out);
            }
            O::ReturnCallIndirect { .. } | O::ReturnCallRef { .. } => {
                self.probes.before_indirect(&mut self.out, true);
                self.reencode(op, offset)?;
            }
            O::Return => {
                self.probes.exit(&mut self.out);
                put(&mut self.out, Instruction::Return);
            }
            _ => {
                if wall {
                    self.track_blocks(&op);
                }
                let closed = matches!(op, O::End | O::Delegate { .. }) && wall;
                let handler = matches!(op, O::Catch { .. } | O::CatchAll) && wall;
                self.reencode(op, offset)?;
                let caught = closed && self.blocks.pop().is_some_and(|b| b.caught && !b.is_loop);
                if handler || caught {
                    self.probes.resume(&mut self.out);
                }
            }
        }
        Ok(())
    }

    /// Wall clock: notes which blocks control reaches after an exception.
    fn track_blocks(&mut self, op: &Operator<'_>) {
        match op {
            Operator::TryTable { try_table } => {
                for catch in &try_table.catches {
                    let (Catch::One { label, .. }
                    | Catch::OneRef { label, .. }
                    | Catch::All { label }
                    | Catch::AllRef { label }) = *catch;
                    // A label beyond the blocks is the function's own: its exit probe follows at once.
                    if let Some(at) = self.blocks.len().checked_sub(label as usize + 1) {
                        self.blocks[at].caught = true;
                    }
                }
                self.blocks.push(Block::default());
            }
            Operator::Block { .. } | Operator::If { .. } | Operator::Try { .. } => {
                self.blocks.push(Block::default());
            }
            Operator::Loop { .. } => self.blocks.push(Block {
                is_loop: true,
                caught: false,
            }),
            _ => {}
        }
    }

    fn reencode(&mut self, op: Operator<'a>, offset: u64) -> Result<(), Error> {
        let instruction = Reencoder { plan: self.plan }.instruction(op).map_err(|e| {
            let e = Error::from(e);
            Error::malformed(e.to_string(), offset)
        })?;
        instruction.encode(&mut self.out);
        Ok(())
    }

    fn call(&mut self, f: OldFunc, slots: &mut SlotNumbers, tail: bool) {
        let out = &mut self.out;
        let moved = self.plan.moved(f);
        if !self.instrumented {
            put_call(out, moved, tail);
            return;
        }
        let target = match self.plan.kinds[f.index()] {
            Kind::Import { .. } | Kind::Param => moved,
            Kind::Both { body } => body,
            Kind::Entry => return self.probes.entry_call(out, moved, tail),
            Kind::Silent { .. } => return self.probes.silent_call(out, moved, tail),
            Kind::Plain => return self.probes.plain_call(out, moved, tail),
        };
        let is_import = f.0 < self.plan.imports;
        if self.plan.has_node(f) {
            // Functions without a node of their own have no slots either.
            let slot = self.probes.owns_node.then(|| slots.slot(f, tail));
            if is_import {
                self.probes.import_call(out, f, slot, tail);
            } else {
                self.probes.direct_call(out, f, slot, target, tail);
            }
        } else if is_import {
            self.probes.hidden_import_call(out, target, tail);
        } else {
            self.probes.transparent_call(out, target, tail);
        }
    }
}

/// The thunk of a function whose body takes the node as a parameter.
pub(crate) fn thunk(a: &Analysis<'_>, plan: &Plan, f: OldFunc) -> Vec<u8> {
    let params = a.func_type(f).params().len() as u32;
    let mut out = Vec::with_capacity(128);
    1u32.encode(&mut out);
    3u32.encode(&mut out);
    wasm_encoder::ValType::I32.encode(&mut out);
    let mut probes = ProbeWriter {
        plan,
        node: params,
        owns_node: plan.has_node(f),
        asyncify_state: None,
        scratch: params + 1,
        saved: params + 2,
        blocks: 0,
    };
    probes.thunk(&mut out, f, params, plan.body(f));
    put(&mut out, Instruction::End);
    out
}

/// The function that finds a callee's node without a slot: `(parent, id) → node`.
pub(crate) fn find(plan: &Plan) -> Vec<u8> {
    let mut out = Vec::with_capacity(96);
    1u32.encode(&mut out);
    1u32.encode(&mut out);
    wasm_encoder::ValType::I32.encode(&mut out);
    let mut probes = ProbeWriter {
        plan,
        node: 2,
        owns_node: true,
        asyncify_state: None,
        scratch: 0,
        saved: 1,
        blocks: 0,
    };
    probes.find(&mut out);
    put(&mut out, Instruction::End);
    out
}
