//! The instructions around each kind of call.

use super::Place;
use super::{Out, ProbeWriter, put, put_call};
use crate::index::{Counter, NewFunc, OldFunc, Slot};
use crate::plan::{Appended, ProbeImport};
use wasm_encoder::Instruction;
use wasm_xray_abi::layout::{self, NODE_CALLS, NODE_PARENT, STATE_PASS};

impl ProbeWriter<'_> {
    /// Puts the callee's node into the scratch local and counts a call of it.
    fn count_callee(&mut self, out: &mut Out, f: OldFunc, slot: Option<Slot>, tail: bool) {
        let Some(slot) = slot else {
            if self.inline() {
                self.get(out, self.node);
                self.id(out, f);
                put(out, Instruction::Call(self.plan.added(Appended::Find).0));
                put(out, Instruction::LocalSet(self.scratch));
                self.add(out, self.scratch, NODE_CALLS, 1);
            } else {
                self.pass(out, self.node);
                self.id(out, f);
                self.call(out, ProbeImport::Enter);
                put(out, Instruction::LocalSet(self.scratch));
            }
            return;
        };
        let offset = layout::slot_offset(self.counters, slot.0);
        if self.inline() {
            return self.count_in_slot(out, f, offset, tail);
        }
        self.get(out, self.node);
        put(out, Instruction::I32Const(offset as i32));
        self.id(out, f);
        self.call(
            out,
            if tail {
                ProbeImport::CallTail
            } else {
                ProbeImport::Call
            },
        );
        put(out, Instruction::LocalSet(self.scratch));
    }

    /// See [`layout::SLOT_ONE`]: one addition counts, one test finds out that the
    /// slot is empty or its count at its end.
    fn count_in_slot(&mut self, out: &mut Out, f: OldFunc, offset: u32, tail: bool) {
        self.get(out, self.node);
        put(out, Instruction::I64Load(self.field(offset, 3)));
        put(out, Instruction::LocalTee(self.wide));
        put(out, Instruction::I64Const(0));
        put(out, Instruction::I64GeS);
        self.open_if(out);
        self.get(out, self.node);
        put(out, Instruction::I32Const(offset as i32));
        if tail {
            self.id(out, f);
            self.call(out, ProbeImport::SlotTail);
        } else {
            put(out, Instruction::I32Const(f.0 as i32));
            put(out, Instruction::Call(self.plan.added(Appended::Slot).0));
        }
        put(out, Instruction::LocalSet(self.wide));
        put(out, Instruction::End);
        self.get(out, self.node);
        self.get(out, self.wide);
        put(out, Instruction::I64Const(layout::SLOT_ONE as i64));
        put(out, Instruction::I64Add);
        put(out, Instruction::I64Store(self.field(offset, 3)));
        self.get(out, self.wide);
        put(out, Instruction::I32WrapI64);
        put(out, Instruction::LocalSet(self.scratch));
    }

    /// A direct call of a function that takes its node as a parameter.
    pub fn direct_call(
        &mut self,
        out: &mut Out,
        f: OldFunc,
        slot: Option<Slot>,
        target: NewFunc,
        tail: bool,
    ) {
        self.count_callee(out, f, slot, tail);
        self.get(out, self.scratch);
        put_call(out, target, tail);
        if !tail {
            self.returned(out);
        }
    }

    /// A direct call of a leaf, which counts nothing itself.
    pub fn leaf_call(
        &mut self,
        out: &mut Out,
        f: OldFunc,
        place: Option<Place>,
        target: NewFunc,
        tail: bool,
        cost: u32,
    ) {
        let slot = match place {
            Some(Place::Counter(counter)) => {
                self.count_in(out, counter);
                return put_call(out, target, tail);
            }
            Some(Place::Slot(slot)) => Some(slot),
            None => None,
        };
        self.count_callee(out, f, slot, tail);
        self.charge(out, self.scratch, cost);
        put_call(out, target, tail);
    }

    /// Counts a call in the function's own node.
    fn count_in(&self, out: &mut Out, counter: Counter) {
        let offset = layout::counter_offset(counter.0);
        if self.inline() {
            self.add(out, self.node, offset, 1);
        } else {
            self.get(out, self.node);
            put(out, Instruction::I32Const(offset as i32));
            self.call(out, ProbeImport::Count);
        }
    }

    /// A direct call of an import: a node of its own, counted here as it has no probes.
    pub fn import_call(&mut self, out: &mut Out, f: OldFunc, slot: Option<Slot>, tail: bool) {
        self.count_callee(out, f, slot, tail);
        self.take_back(out, self.scratch);
        self.runs(out, self.scratch);
        self.pass(out, self.scratch);
        if tail {
            put(out, Instruction::ReturnCall(f.0));
            return;
        }
        put(out, Instruction::Call(f.0));
        self.after_foreign_call(out);
    }

    /// A direct call of an import that is left out: what it calls back hangs under the caller.
    pub fn hidden_import_call(&self, out: &mut Out, target: NewFunc, tail: bool) {
        self.entry_call(out, target, tail);
        if !tail {
            self.after_foreign_call(out);
        }
    }

    /// A direct call of a function that is left out and takes its caller's node as a parameter.
    pub fn transparent_call(&self, out: &mut Out, target: NewFunc, tail: bool) {
        if !tail || !self.owns_node {
            self.get(out, self.node);
        } else if self.inline() {
            self.left(out);
            self.parent(out);
        } else {
            self.before_indirect(out, true);
            self.take(out);
        }
        put_call(out, target, tail);
    }

    /// A direct call of a function that needs no node.
    pub fn silent_call(&self, out: &mut Out, target: NewFunc, tail: bool) {
        if tail {
            self.exit(out);
            self.left(out);
        }
        put_call(out, target, tail);
    }

    /// Leaves the node of the function's caller on the stack (inline).
    pub(super) fn parent(&self, out: &mut Out) {
        self.get(out, self.node);
        put(out, Instruction::I32Load(self.field(NODE_PARENT, 2)));
    }

    /// Hands `node` to whatever is called next through a table, a reference or an import.
    pub fn pass(&self, out: &mut Out, node: u32) {
        if self.inline() {
            put(out, Instruction::I32Const(0));
            self.get(out, node);
            put(out, Instruction::I32Store(self.field(STATE_PASS, 2)));
        } else {
            self.get(out, node);
            self.call(out, ProbeImport::Pass);
        }
    }

    pub fn clear_pass(&self, out: &mut Out) {
        if self.inline() {
            put(out, Instruction::I32Const(0));
            put(out, Instruction::I32Const(0));
            put(out, Instruction::I32Store(self.field(STATE_PASS, 2)));
        } else {
            put(out, Instruction::I32Const(0));
            self.call(out, ProbeImport::Pass);
        }
    }

    /// Before a call through a table or a reference.
    pub fn before_indirect(&self, out: &mut Out, tail: bool) {
        if !tail || !self.owns_node {
            self.pass(out, self.node);
            return;
        }
        self.left(out);
        if self.inline() {
            put(out, Instruction::I32Const(0));
            self.parent(out);
            put(out, Instruction::I32Store(self.field(STATE_PASS, 2)));
        } else {
            self.exit(out);
            self.get(out, self.node);
            self.call(out, ProbeImport::PassParent);
        }
    }

    /// After a call of a function that may not have taken what was passed.
    pub fn after_indirect(&self, out: &mut Out) {
        self.clear_pass(out);
    }

    fn after_foreign_call(&self, out: &mut Out) {
        self.clear_pass(out);
        self.resume(out);
    }

    /// Clocks `wall` and `sampled`: control is back in this function.
    pub fn resume(&self, out: &mut Out) {
        if self.wall() {
            self.get(out, self.node);
            self.call(out, ProbeImport::Resume);
        }
        self.returned(out);
    }

    /// Wall clock: this function is left.
    pub fn exit(&self, out: &mut Out) {
        if self.wall() && self.owns_node {
            self.get(out, self.node);
            self.call(out, ProbeImport::Exit);
        }
    }

    /// A direct call of a function that is not instrumented: what it calls hangs under this one.
    pub fn plain_call(&self, out: &mut Out, target: NewFunc, tail: bool) {
        if tail {
            self.before_indirect(out, true);
            put(out, Instruction::ReturnCall(target.0));
            return;
        }
        self.get(out, self.node);
        self.call(out, ProbeImport::SwapCurrent);
        put(out, Instruction::LocalSet(self.saved));
        put(out, Instruction::Call(target.0));
        self.get(out, self.saved);
        self.call(out, ProbeImport::SwapCurrent);
        put(out, Instruction::Drop);
        self.resume(out);
    }

    /// A direct call of a function that finds its node itself and has one of its own.
    pub fn counted_entry_call(&self, out: &mut Out, target: NewFunc, tail: bool) {
        self.entry_call(out, target, tail);
        if !tail {
            self.returned(out);
        }
    }

    /// A direct call of what takes the node that is passed.
    pub fn entry_call(&self, out: &mut Out, target: NewFunc, tail: bool) {
        self.before_indirect(out, tail);
        put_call(out, target, tail);
    }
}
