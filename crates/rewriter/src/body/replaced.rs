//! The operators that do not stay as they are.

use super::{Block, BodyWriter};
use crate::emit::Reencoder;
use crate::error::Error;
use crate::index::{OldFunc, Places};
use crate::kinds::Kind;
use crate::probe::{Place, put, put_call};
use wasm_encoder::reencode::Reencode;
use wasm_encoder::{Encode, Instruction};
use wasmparser::{Catch, Operator};

impl<'a> BodyWriter<'a, '_> {
    /// Whether `op` is not simply copied.
    pub(super) fn replaces(&self, op: &Operator<'_>, control: bool) -> bool {
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
            | O::End => control,
            _ => self.plan.memory_shift_from.is_some(),
        }
    }

    pub(super) fn replace(
        &mut self,
        op: Operator<'a>,
        offset: u64,
        places: &mut Places,
        control: bool,
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
            O::Call { function_index } => self.call(OldFunc(function_index), places, false),
            O::ReturnCall { function_index } => self.call(OldFunc(function_index), places, true),
            O::CallIndirect { .. } | O::CallRef { .. } => {
                self.probes.before_indirect(&mut self.out, false);
                self.reencode(op, offset)?;
                self.probes.after_indirect(&mut self.out);
                self.probes.returned(&mut self.out);
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
                if control {
                    self.track_blocks(&op);
                }
                let closed = matches!(op, O::End | O::Delegate { .. }) && control;
                let handler = matches!(op, O::Catch { .. } | O::CatchAll) && control;
                self.reencode(op, offset)?;
                let caught = closed && self.blocks.pop().is_some_and(|b| b.caught && !b.is_loop);
                if handler || caught {
                    self.probes.resume(&mut self.out);
                }
            }
        }
        Ok(())
    }

    /// Clocks `wall` and `sampled`: notes which blocks control reaches after an exception.
    fn track_blocks(&mut self, op: &Operator<'_>) {
        match op {
            Operator::TryTable { try_table } => {
                for catch in &try_table.catches {
                    let (Catch::One { label, .. }
                    | Catch::OneRef { label, .. }
                    | Catch::All { label }
                    | Catch::AllRef { label }) = *catch;
                    // A label beyond the blocks is the function's own: it is left at once.
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

    fn call(&mut self, f: OldFunc, places: &mut Places, tail: bool) {
        let out = &mut self.out;
        let moved = self.plan.moved(f);
        if !self.instrumented {
            put_call(out, moved, tail);
            return;
        }
        let target = match self.plan.kinds[f.index()] {
            Kind::Import { .. } | Kind::Param => moved,
            Kind::Both { body } => body,
            Kind::Leaf { cost, .. } => {
                let place = self.probes.owns_node.then(|| match tail {
                    false => Place::Counter(places.counter(f)),
                    true => Place::Slot(places.slot(f, true)),
                });
                let target = self.plan.body(f);
                return self.probes.leaf_call(out, f, place, target, tail, cost);
            }
            Kind::Entry => return self.probes.counted_entry_call(out, moved, tail),
            Kind::Silent { .. } => return self.probes.silent_call(out, moved, tail),
            Kind::Plain => return self.probes.plain_call(out, moved, tail),
        };
        let is_import = f.0 < self.plan.imports;
        if self.plan.has_node(f) {
            // Functions without a node of their own have no slots either.
            let slot = self.probes.owns_node.then(|| places.slot(f, tail));
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
