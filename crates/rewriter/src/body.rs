//! Rewrites one function body: the second pass.
//!
//! What does not change is copied byte for byte, in runs as long as possible;
//! only operators that name a moved index, and those that need a probe, are
//! written anew.

mod replaced;

use crate::analysis::{Analysis, DefinedFunction};
use crate::asyncify;
use crate::emit::Reencoder;
use crate::error::Error;
use crate::index::{OldFunc, Places};
use crate::instructions::Meter;
use crate::kinds::Kind;
use crate::offsets::{BodyOffsets, Recorder};
use crate::operators::{Operators, Wanted};
use crate::plan::Plan;
use crate::probe::{ProbeWriter, put};
use crate::{Clock, Probes};
use wasm_encoder::reencode::Reencode;
use wasm_encoder::{BlockType, Encode, Instruction};
use wasmparser::{BinaryReader, Operator};

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
    /// A `try_table` within branches here, so control may come back to this function at its end (clocks `wall` and `sampled`).
    caught: bool,
    is_loop: bool,
}

/// Rewrites the body of `old`; the recorder hears where its instructions go.
pub(crate) fn rewrite(
    a: &Analysis<'_>,
    plan: &Plan,
    old: OldFunc,
    function: &DefinedFunction<'_>,
    places: &mut Places,
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
        Kind::Plain | Kind::Silent { .. } | Kind::Leaf { .. } => 0,
        Kind::Entry => 3,
        _ => 2 * u32::from(!function.callees.is_empty()),
    };
    let instrumented = !matches!(kind, Kind::Plain | Kind::Silent { .. } | Kind::Leaf { .. });
    let first_wide = params + locals + u32::from(takes_node) + extra;
    // Slots are 64 bits wide.
    let wide =
        u32::from(instrumented && plan.probes == Probes::Inline && plan.slots[old.index()] > 0);
    let meter = (instrumented && plan.clock == Clock::Instructions).then(|| {
        let inline = plan.probes == Probes::Inline;
        Meter::new(first_wide + wide, inline, function.has_handlers)
    });
    // Indices may get longer.
    let length = function.body.as_bytes().len();
    let room = length + length / 8 + plan.body_growth(function, kind);
    let mut w = BodyWriter {
        a,
        plan,
        probes: ProbeWriter {
            plan,
            node,
            owns_node: plan.has_node(old),
            counters: plan.counters[old.index()],
            asyncify_state: asyncify::state_in(a, function).map(|global| plan.global(global)),
            scratch: first_extra,
            saved: first_extra + 1,
            wide: first_wide,
            blocks: 0,
        },
        instrumented,
        out: Vec::with_capacity(room),
        shift_locals_from: if takes_node { params } else { u32::MAX },
        blocks: Vec::new(),
        meter,
        labels: Vec::new(),
        recorder,
    };
    w.locals(function, extra, wide)?;
    match kind {
        Kind::Param | Kind::Both { .. } => w.probes.prologue(&mut w.out),
        Kind::Entry => {
            w.probes.entry(&mut w.out, old);
            w.probes.prologue(&mut w.out);
        }
        Kind::Silent { takes_pass: true } => w.probes.clear_pass(&mut w.out),
        Kind::Silent { .. } | Kind::Leaf { .. } | Kind::Plain | Kind::Import { .. } => {}
    }
    if let Some(meter) = &mut w.meter {
        meter.start(&w.probes);
        w.out.extend_from_slice(&meter.code);
    }
    places.next_function();
    w.operators(function, old, places)?;
    let start = function.body.range().start;
    Ok(Body {
        bytes: w.out,
        labels: w.labels,
        offsets: w.recorder.map(|recorder| recorder.finish(old, start)),
    })
}

impl<'a> BodyWriter<'a, '_> {
    /// Copies the local declarations and adds `extra` i32 to them, `wide` i64, and the meter's i64.
    fn locals(
        &mut self,
        function: &DefinedFunction<'a>,
        extra: u32,
        wide: u32,
    ) -> Result<(), Error> {
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
        let wide = wide + u32::from(self.meter.is_some());
        (groups + u32::from(extra > 0) + u32::from(wide > 0)).encode(&mut self.out);
        self.out.extend_from_slice(&bytes[groups_start..groups_end]);
        if extra > 0 {
            extra.encode(&mut self.out);
            wasm_encoder::ValType::I32.encode(&mut self.out);
        }
        if wide > 0 {
            wide.encode(&mut self.out);
            wasm_encoder::ValType::I64.encode(&mut self.out);
        }
        Ok(())
    }

    fn operators(
        &mut self,
        function: &DefinedFunction<'a>,
        old: OldFunc,
        places: &mut Places,
    ) -> Result<(), Error> {
        let wall = self.plan.clock == Clock::Wall && self.instrumented;
        let exits = wall && self.probes.owns_node;
        let catches = self.plan.clock == Clock::Sampled && self.instrumented;
        let control = wall || (catches && function.has_handlers);
        let bytes = function.body.as_bytes();
        let start = function.body.range().start;
        let mut operators = Operators::new(&function.body, self.wanted(old, control))?;
        // Annotations may be of any instruction.
        let each = self.recorder.as_ref().is_some_and(Recorder::notes_each);
        // Bytes before `copied` are written; what lies between it and the current operator is waiting to be.
        let mut copied = operators.position();
        if exits {
            self.open_wrapper(old);
        }
        while !operators.eof() {
            if !each {
                let (from, skipped) = (operators.position(), operators.skipped());
                let new = self.out.len() + from - copied;
                operators.skip();
                while let Some(index) = operators.step_local() {
                    if u32::from(bytes[index]) >= self.shift_locals_from {
                        self.out.extend_from_slice(&bytes[copied..index]);
                        self.out.push(bytes[index] + 1);
                        copied = index + 1;
                    }
                    operators.skip();
                }
                if operators.position() > from {
                    if let Some(recorder) = &mut self.recorder {
                        recorder.at(from, new, new);
                    }
                    if let Some(meter) = &mut self.meter {
                        meter.plain(operators.skipped() - skipped);
                    }
                }
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
            if self.replaces(&op, control) {
                self.out.extend_from_slice(&bytes[copied..here]);
                self.replace(op, offset, places, control)?;
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
    fn wanted(&self, old: OldFunc, control: bool) -> Wanted {
        Wanted {
            locals: self.shift_locals_from != u32::MAX,
            control: control || self.a.names.labels.contains_key(&old.0),
            flow: self.meter.is_some(),
            memories: self.plan.memory_shift_from.is_some(),
        }
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
}
