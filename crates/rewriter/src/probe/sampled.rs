//! Clock `sampled`: saying which node runs, for a sampler on another thread.
//!
//! A function says so when it is entered and after each call that may have said
//! otherwise; when it leaves by a tail call it says that its caller runs, in case what it
//! calls says nothing. A thunk, which is all that the host can reach, says in the end that the host
//! runs again: the node of `CURRENT`. If another function called it instead, that one says
//! next that it runs.

use super::{Out, ProbeWriter, put};
use crate::Clock;
use crate::index::{NewFunc, OldFunc};
use crate::plan::ProbeImport;
use wasm_encoder::{BlockType, Instruction};
use wasm_xray_abi::layout::{STATE_CURRENT, STATE_PASS, STATE_RUNNING};

impl ProbeWriter<'_> {
    fn sampled(&self) -> bool {
        self.plan.clock == Clock::Sampled
    }

    /// `node` runs from now on; imported probes said so when they counted the call.
    pub(super) fn runs(&self, out: &mut Out, node: u32) {
        if self.sampled() && self.inline() {
            put(out, Instruction::I32Const(0));
            self.get(out, node);
            put(out, Instruction::I32Store(self.field(STATE_RUNNING, 2)));
        }
    }

    /// A call has returned to this function.
    pub fn returned(&self, out: &mut Out) {
        if !self.sampled() {
            return;
        }
        self.runs(out, self.node);
        if !self.inline() {
            self.get(out, self.node);
            self.call(out, ProbeImport::Resume);
        }
    }

    /// A tail call leaves this function: its caller runs, unless the callee says otherwise.
    pub(super) fn left(&self, out: &mut Out) {
        if !self.sampled() || !self.owns_node {
            return;
        }
        if self.inline() {
            put(out, Instruction::I32Const(0));
            self.parent(out);
            put(out, Instruction::I32Store(self.field(STATE_RUNNING, 2)));
        } else {
            self.node(out);
            self.call(out, ProbeImport::Exit);
        }
    }

    /// Control goes back to the host, or to a function that says so itself.
    fn leave(&self, out: &mut Out) {
        if self.inline() {
            put(out, Instruction::I32Const(0));
            self.load_state(out, STATE_CURRENT);
            put(out, Instruction::I32Store(self.field(STATE_RUNNING, 2)));
        } else {
            self.call(out, ProbeImport::Leave);
        }
    }

    /// As [`thunk`](Self::thunk). In a module with tail calls it stays one for those who
    /// pass a node, so that loops of tail calls through tables do not grow the stack.
    pub(super) fn sampled_thunk(
        &mut self,
        out: &mut Out,
        f: OldFunc,
        params: u32,
        target: NewFunc,
    ) {
        let passed = self.saved + 1;
        if self.plan.tail_calls {
            if self.inline() {
                self.load_state(out, STATE_PASS);
            } else {
                self.call(out, ProbeImport::Passed);
            }
            put(out, Instruction::LocalSet(passed));
        }
        self.entry(out, f);
        if self.plan.tail_calls {
            self.get(out, passed);
            put(out, Instruction::If(BlockType::Empty));
            self.blocks += 1;
            self.thunk_call(out, params, target, true);
            put(out, Instruction::End);
        }
        self.thunk_call(out, params, target, false);
        self.leave(out);
    }
}
