//! The instructions of each probe.

use crate::index::{NewFunc, OldFunc, Slot};
use crate::plan::{Plan, ProbeImport, slot_offset};
use crate::{Clock, Probes};
use wasm_encoder::{BlockType, Encode, Instruction, MemArg, MemArgTarget};
use wasm_xray_abi::layout::{
    ARENA_BASE, HASH_TABLE, NODE_CALLS, NODE_COST, NODE_KEY, NODE_PARENT, STATE_CURRENT,
    STATE_HASH_SHIFT, STATE_PASS, hash_multipliers,
};

/// Writes probes into a function body. Locals are those of the function.
pub(crate) struct ProbeWriter<'p> {
    pub plan: &'p Plan,
    /// Holds the function's node.
    pub node: u32,
    /// The node is the function's own; else it is its nearest instrumented caller's.
    pub owns_node: bool,
    /// Global that says whether the stack rewinds, where that matters.
    pub asyncify_state: Option<u32>,
    /// Scratch: the callee's node, or the parent in an entry.
    pub scratch: u32,
    /// Scratch: the previous `CURRENT`, or the function id in an entry.
    pub saved: u32,
    /// Blocks that probes opened so far, for label names.
    pub blocks: u32,
}

type Out = Vec<u8>;

pub(crate) fn put(out: &mut Out, instruction: Instruction<'_>) {
    instruction.encode(out);
}

/// Calls `target`, as a tail call if `tail`.
pub(crate) fn put_call(out: &mut Out, target: NewFunc, tail: bool) {
    put(
        out,
        if tail {
            Instruction::ReturnCall(target.0)
        } else {
            Instruction::Call(target.0)
        },
    );
}

impl ProbeWriter<'_> {
    fn inline(&self) -> bool {
        self.plan.probes == Probes::Inline
    }

    fn wall(&self) -> bool {
        self.plan.clock == Clock::Wall
    }

    /// A field of the arena: its address is the offset on the stack plus this.
    fn field(&self, offset: u32, align: u32) -> MemArg {
        MemArg {
            offset: u64::from(ARENA_BASE + offset),
            align,
            target: MemArgTarget::Memory(self.plan.runtime_memory),
            ordering: None,
        }
    }

    fn call(&self, out: &mut Out, import: ProbeImport) {
        put(out, Instruction::Call(self.plan.probe(import).0));
    }

    fn get(&self, out: &mut Out, local: u32) {
        put(out, Instruction::LocalGet(local));
    }

    fn load_state(&self, out: &mut Out, offset: u32) {
        put(out, Instruction::I32Const(0));
        put(out, Instruction::I32Load(self.field(offset, 2)));
    }

    /// Leaves the function id of `f` on the stack.
    fn id(&self, out: &mut Out, f: OldFunc) {
        put(out, Instruction::GlobalGet(self.plan.base_global));
        if f.0 != 0 {
            put(out, Instruction::I32Const(f.0 as i32));
            put(out, Instruction::I32Add);
        }
    }

    /// `node.calls += 1`, but for a call that rewinds the stack.
    fn count(&self, out: &mut Out, node: u32) {
        self.get(out, node);
        self.get(out, node);
        put(out, Instruction::I64Load(self.field(NODE_CALLS, 3)));
        self.one_call(out);
        put(out, Instruction::I64Add);
        put(out, Instruction::I64Store(self.field(NODE_CALLS, 3)));
    }

    /// Leaves the function's node on the stack.
    pub fn node(&self, out: &mut Out) {
        self.get(out, self.node);
    }

    /// Leaves the cost of the function's node on the stack (inline).
    pub fn load_cost(&self, out: &mut Out) {
        self.node(out);
        put(out, Instruction::I64Load(self.field(NODE_COST, 3)));
    }

    /// Takes node and cost from the stack (inline).
    pub fn store_cost(&self, out: &mut Out) {
        put(out, Instruction::I64Store(self.field(NODE_COST, 3)));
    }

    /// Adds what is put on the stack before [`end_charge`](Self::end_charge) to the node's cost.
    pub fn begin_charge(&self, out: &mut Out) {
        self.node(out);
        if self.inline() {
            self.load_cost(out);
        }
    }

    pub fn end_charge(&self, out: &mut Out) {
        if self.inline() {
            put(out, Instruction::I64Add);
            self.store_cost(out);
        } else {
            self.call(out, ProbeImport::Charge);
        }
    }

    /// First thing in a function that got its node as a parameter.
    pub fn prologue(&mut self, out: &mut Out) {
        if self.owns_node {
            self.counted(out, self.node);
        }
    }

    /// Counts a call of `node`, which imported probes have counted already.
    fn counted(&mut self, out: &mut Out, node: u32) {
        if self.inline() {
            self.count(out, node);
        } else {
            self.take_back(out, node);
        }
    }

    /// First thing in a function that finds its node itself, and counts the call unless `counted_later`.
    pub fn entry(&mut self, out: &mut Out, f: OldFunc, counted_later: bool) {
        if !self.owns_node {
            self.take(out);
            put(out, Instruction::LocalSet(self.node));
            return;
        }
        if !self.inline() {
            self.id(out, f);
            self.call(out, ProbeImport::Enter);
            put(out, Instruction::LocalSet(self.node));
            if !counted_later {
                self.take_back(out, self.node);
            }
            return;
        }
        let (parent, id) = (self.scratch, self.saved);
        self.take(out);
        put(out, Instruction::LocalSet(parent));
        self.id(out, f);
        put(out, Instruction::LocalSet(id));
        self.look_up(out);
        if !counted_later {
            self.count(out, self.node);
        }
    }

    /// Leaves the caller's node on the stack: what was passed, or the one under which calls from the host hang.
    fn take(&self, out: &mut Out) {
        if !self.inline() {
            self.call(out, ProbeImport::Take);
            return;
        }
        self.load_state(out, STATE_PASS);
        put(out, Instruction::LocalTee(self.scratch));
        self.load_state(out, STATE_CURRENT);
        self.get(out, self.scratch);
        put(out, Instruction::Select);
        self.clear_pass(out);
    }

    /// The whole of [`Plan::find`]: parent and id are its parameters.
    pub fn find(&mut self, out: &mut Out) {
        self.look_up(out);
        self.get(out, self.node);
    }

    /// Puts into the node's local the child of the scratch local whose id is in the other one.
    fn look_up(&mut self, out: &mut Out) {
        let (parent, id) = (self.scratch, self.saved);
        let (function_multiplier, mix) = hash_multipliers();
        self.get(out, id);
        put(out, Instruction::I32Const(function_multiplier as i32));
        put(out, Instruction::I32Mul);
        self.get(out, parent);
        put(out, Instruction::I32Xor);
        put(out, Instruction::I32Const(mix as i32));
        put(out, Instruction::I32Mul);
        self.load_state(out, STATE_HASH_SHIFT);
        put(out, Instruction::I32ShrU);
        put(out, Instruction::I32Const(2));
        put(out, Instruction::I32Shl);
        put(out, Instruction::I32Load(self.field(HASH_TABLE, 2)));
        put(out, Instruction::LocalTee(self.node));

        put(out, Instruction::I64Load(self.field(NODE_KEY, 3)));
        self.get(out, id);
        put(out, Instruction::I64ExtendI32U);
        self.get(out, parent);
        put(out, Instruction::I64ExtendI32U);
        put(out, Instruction::I64Const(32));
        put(out, Instruction::I64Shl);
        put(out, Instruction::I64Or);
        put(out, Instruction::I64Ne);
        self.open_if(out);
        self.get(out, parent);
        self.get(out, id);
        self.call(out, ProbeImport::Child);
        put(out, Instruction::LocalSet(self.node));
        put(out, Instruction::End);
    }

    fn open_if(&mut self, out: &mut Out) {
        put(out, Instruction::If(BlockType::Empty));
        self.blocks += 1;
    }

    /// Puts the callee's node into the scratch local; without a slot it is looked up.
    fn find_callee(&mut self, out: &mut Out, f: OldFunc, slot: Option<Slot>, tail: bool) {
        let Some(slot) = slot else {
            if self.inline() {
                self.get(out, self.node);
                self.id(out, f);
                put(out, Instruction::Call(self.plan.find().0));
            } else {
                self.pass(out, self.node);
                self.id(out, f);
                self.call(out, ProbeImport::Enter);
            }
            put(out, Instruction::LocalSet(self.scratch));
            return;
        };
        let offset = slot_offset(slot);
        let import = match (self.inline(), tail) {
            (true, false) => ProbeImport::Slot,
            (true, true) => ProbeImport::SlotTail,
            (false, false) => ProbeImport::Call,
            (false, true) => ProbeImport::CallTail,
        };
        if self.inline() {
            self.get(out, self.node);
            put(out, Instruction::I32Load(self.field(offset, 2)));
            put(out, Instruction::LocalTee(self.scratch));
            put(out, Instruction::I32Eqz);
            self.open_if(out);
        }
        self.get(out, self.node);
        put(out, Instruction::I32Const(offset as i32));
        self.id(out, f);
        self.call(out, import);
        put(out, Instruction::LocalSet(self.scratch));
        if self.inline() {
            put(out, Instruction::End);
        }
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
        self.find_callee(out, f, slot, tail);
        self.get(out, self.scratch);
        put_call(out, target, tail);
    }

    /// A direct call of an import: a node of its own, counted here as it has no probes.
    pub fn import_call(&mut self, out: &mut Out, f: OldFunc, slot: Option<Slot>, tail: bool) {
        self.find_callee(out, f, slot, tail);
        self.counted(out, self.scratch);
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
            self.get(out, self.node);
            put(out, Instruction::I32Load(self.field(NODE_PARENT, 2)));
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
        }
        put_call(out, target, tail);
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
        } else if self.inline() {
            put(out, Instruction::I32Const(0));
            self.get(out, self.node);
            put(out, Instruction::I32Load(self.field(NODE_PARENT, 2)));
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

    /// Wall clock: control is back in this function.
    pub fn resume(&self, out: &mut Out) {
        if self.wall() {
            self.get(out, self.node);
            self.call(out, ProbeImport::Resume);
        }
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

    /// A direct call of a function that finds its node itself.
    pub fn entry_call(&self, out: &mut Out, target: NewFunc, tail: bool) {
        self.before_indirect(out, tail);
        put_call(out, target, tail);
    }

    /// The body of a thunk: find the node, call `target` with it as the last argument.
    pub fn thunk(&mut self, out: &mut Out, f: OldFunc, params: u32, target: NewFunc) {
        self.entry(out, f, true);
        for param in 0..params {
            self.get(out, param);
        }
        self.get(out, self.node);
        put_call(out, target, self.plan.tail_calls);
    }
}
