//! The instructions of each probe.

mod calls;
mod sampled;

use crate::index::{Counter, NewFunc, OldFunc, Slot};
use crate::plan::{Plan, ProbeImport};
use crate::{Clock, Probes};
use wasm_encoder::{BlockType, Encode, Instruction, MemArg, MemArgTarget};
use wasm_xray_abi::layout::{
    ARENA_BASE, HASH_TABLE, NODE_CALLS, NODE_COST, NODE_KEY, STATE_CURRENT, STATE_HASH_SHIFT,
    STATE_PASS, hash_multipliers,
};

/// Writes probes into a function body. Locals are those of the function.
pub(crate) struct ProbeWriter<'p> {
    pub plan: &'p Plan,
    /// Holds the function's node.
    pub node: u32,
    /// The node is the function's own; else it is its nearest instrumented caller's.
    pub owns_node: bool,
    /// Counters of leaves in the function's nodes.
    pub counters: u32,
    /// Global that says whether the stack rewinds, where that matters.
    pub asyncify_state: Option<u32>,
    /// Scratch: the callee's node, or the parent in an entry.
    pub scratch: u32,
    /// Scratch: the previous `CURRENT`, or the function id in an entry.
    pub saved: u32,
    /// Scratch, an i64: what is in a slot (inline).
    pub wide: u32,
    /// Blocks that probes opened so far, for label names.
    pub blocks: u32,
}

/// Where a node of the caller's function counts or finds a callee.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Counter(Counter),
    Slot(Slot),
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

    /// Adds to the i64 at `offset` in `node` (inline).
    pub(crate) fn add(&self, out: &mut Out, node: u32, offset: u32, amount: i64) {
        self.get(out, node);
        self.get(out, node);
        put(out, Instruction::I64Load(self.field(offset, 3)));
        put(out, Instruction::I64Const(amount));
        put(out, Instruction::I64Add);
        put(out, Instruction::I64Store(self.field(offset, 3)));
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

    /// First thing in a function that got its node as a parameter: whoever called it has counted.
    pub fn prologue(&mut self, out: &mut Out) {
        if self.owns_node {
            self.take_back(out, self.node);
            self.runs(out, self.node);
        }
    }

    /// First thing in a function that finds its node itself, and counts the call.
    /// The caller takes it back if the stack may rewind.
    pub fn entry(&mut self, out: &mut Out, f: OldFunc) {
        if !self.owns_node {
            self.take(out);
            put(out, Instruction::LocalSet(self.node));
            return;
        }
        if !self.inline() {
            self.id(out, f);
            self.call(out, ProbeImport::Enter);
            put(out, Instruction::LocalSet(self.node));
            return;
        }
        let (parent, id) = (self.scratch, self.saved);
        self.take(out);
        put(out, Instruction::LocalSet(parent));
        self.id(out, f);
        put(out, Instruction::LocalSet(id));
        self.look_up(out);
        self.add(out, self.node, NODE_CALLS, 1);
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

    /// The body of a thunk: find the node, count, call `target` with the node as
    /// the last argument; a leaf, with its `leaf_cost`, does without.
    pub fn thunk(
        &mut self,
        out: &mut Out,
        f: OldFunc,
        params: u32,
        target: NewFunc,
        leaf_cost: Option<u32>,
    ) {
        if self.plan.clock == Clock::Sampled {
            return self.sampled_thunk(out, f, params, target);
        }
        self.entry(out, f);
        match leaf_cost {
            None => self.thunk_call(out, params, target, self.plan.tail_calls),
            Some(cost) => {
                self.charge(out, self.node, cost);
                (0..params).for_each(|param| self.get(out, param));
                put_call(out, target, self.plan.tail_calls);
            }
        }
    }

    /// Calls the body that belongs to a thunk.
    fn thunk_call(&self, out: &mut Out, params: u32, target: NewFunc, tail: bool) {
        (0..params).for_each(|param| self.get(out, param));
        self.get(out, self.node);
        put_call(out, target, tail);
    }

    /// Adds `cost` instructions to the cost of `node`.
    fn charge(&self, out: &mut Out, node: u32, cost: u32) {
        if self.plan.clock != Clock::Instructions {
            return;
        }
        if self.inline() {
            self.add(out, node, NODE_COST, cost.into());
        } else {
            self.get(out, node);
            put(out, Instruction::I64Const(cost.into()));
            self.call(out, ProbeImport::Charge);
        }
    }
}
