//! Clock `instructions`: what a function executes becomes its node's self cost.
//!
//! Every instruction of the specification's instruction set costs 1, bulk
//! operations too; `end`, `else` and the like delimit and cost nothing, as does
//! what the rewriter adds. `loop` counts again at each branch back to it.
//!
//! Straight code costs nothing to count: a constant is added to a local where
//! control may split or meet. The node's cost in memory is brought up to date
//! before what leaves the function: calls, returns, throws, and instructions
//! that can trap. Accesses are left out of the latter, as a store for each would
//! cost more than all the rest: one that traps, out of bounds or by a null
//! reference, loses what its function executed since its last call.

use crate::operators::{Operators, Wanted};
use crate::probe::ProbeWriter;
use wasm_encoder::InstructionSink;
use wasmparser::{Catch, FunctionBody, Operator};

/// How the cost gets into the node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The local holds the node's whole cost, to be stored. It is loaded again
    /// after a call, which may have added to the same node.
    Total,
    /// The local holds what the node does not have yet. A handler finds it 0,
    /// since everything that throws is counted before.
    Rest,
}

/// An open block of the input.
#[derive(Clone, Copy)]
struct Block {
    is_loop: bool,
    /// Control reaches its end in other ways than from the instruction before.
    meets: bool,
}

/// What follows an instruction.
enum Then {
    GoOn,
    Open { is_loop: bool, meets: bool },
    Close,
    Else,
    Handle,
    Load,
}

/// Counts the instructions of one function.
pub(crate) struct Meter {
    mode: Mode,
    /// The i64 local.
    local: u32,
    /// Instructions executed since the local was brought up to date.
    pending: u32,
    /// `Total`: the node's cost in memory is the local plus this, where that is known.
    stored: Option<u32>,
    /// `Rest`: the local is 0.
    is_zero: bool,
    blocks: Vec<Block>,
    then: Then,
    /// Code for the place that [`Meter::before`] or [`Meter::after`] was asked about.
    pub code: Vec<u8>,
}

impl Meter {
    /// `handlers`: the function catches exceptions.
    pub fn new(local: u32, inline: bool, handlers: bool) -> Meter {
        Meter {
            mode: if inline && !handlers {
                Mode::Total
            } else {
                Mode::Rest
            },
            local,
            pending: 0,
            stored: None,
            is_zero: true,
            blocks: Vec::new(),
            then: Then::GoOn,
            code: Vec::new(),
        }
    }

    /// Code for the start of the function, when its node is known.
    pub fn start(&mut self, probes: &ProbeWriter<'_>) {
        self.code.clear();
        self.load(probes);
    }

    /// So many instructions follow that neither branch, leave, open nor trap.
    pub fn plain(&mut self, instructions: u32) {
        self.pending += instructions;
    }

    /// Code in front of `op`, whose bytes start with `bytes`.
    pub fn before(&mut self, op: &Operator<'_>, bytes: &[u8], probes: &ProbeWriter<'_>) {
        use Operator as O;
        self.code.clear();
        self.then = following(op);
        match op {
            O::End | O::Delegate { .. } => {
                let Some(&block) = self.blocks.last() else {
                    return self.store(probes);
                };
                if block.meets {
                    self.add();
                }
            }
            O::Else | O::Catch { .. } | O::CatchAll => self.add(),
            _ => self.pending += 1,
        }
        match op {
            O::Loop { .. } => {
                // The instruction itself counts with each round.
                self.pending -= 1;
                self.add();
            }
            O::If { .. } => self.add(),
            O::Br { relative_depth }
            | O::BrIf { relative_depth }
            | O::BrOnNull { relative_depth }
            | O::BrOnNonNull { relative_depth }
            | O::BrOnCast { relative_depth, .. }
            | O::BrOnCastFail { relative_depth, .. }
            | O::BrOnCastDescEq { relative_depth, .. }
            | O::BrOnCastDescEqFail { relative_depth, .. } => {
                self.add();
                self.branch(*relative_depth, probes);
            }
            O::BrTable { targets } => {
                self.add();
                self.branch(targets.default(), probes);
                for target in targets.targets().flatten() {
                    self.branch(target, probes);
                }
            }
            O::TryTable { try_table } => {
                for catch in &try_table.catches {
                    let (Catch::One { label, .. }
                    | Catch::OneRef { label, .. }
                    | Catch::All { label }
                    | Catch::AllRef { label }) = *catch;
                    // All is counted when something throws.
                    self.target(label);
                }
            }
            _ if switches_stacks(op) => {
                self.add();
                self.store(probes);
                for block in &mut self.blocks {
                    block.meets = true;
                }
            }
            _ if leaves(op) || can_trap(bytes) => self.store(probes),
            _ => {}
        }
    }

    /// Code behind the instruction that [`before`](Self::before) was last asked about.
    pub fn after(&mut self, probes: &ProbeWriter<'_>) {
        self.code.clear();
        match std::mem::replace(&mut self.then, Then::GoOn) {
            Then::GoOn => {}
            Then::Open { is_loop, meets } => {
                self.blocks.push(Block { is_loop, meets });
                if is_loop {
                    self.meet();
                    self.pending = 1;
                }
            }
            Then::Close => {
                if self.blocks.pop().is_some_and(|block| block.meets) {
                    self.meet();
                }
            }
            Then::Else => self.meet(),
            Then::Handle => {
                if let Some(block) = self.blocks.last_mut() {
                    block.meets = true;
                }
                self.meet();
                self.is_zero = true;
            }
            Then::Load => self.load(probes),
        }
    }

    /// Control comes here from several places, each of which added its own.
    fn meet(&mut self) {
        self.pending = 0;
        self.stored = None;
        self.is_zero = false;
    }

    /// A branch to the block `depth` blocks out; beyond them it leaves the function.
    fn branch(&mut self, depth: u32, probes: &ProbeWriter<'_>) {
        if !self.target(depth) {
            self.store(probes);
        }
    }

    /// Whether there is such a block: its end, or a loop's start, can be reached from here.
    fn target(&mut self, depth: u32) -> bool {
        let Some(at) = self.blocks.len().checked_sub(depth as usize + 1) else {
            return false;
        };
        let block = &mut self.blocks[at];
        block.meets |= !block.is_loop;
        true
    }

    /// Adds what is pending to the local.
    fn add(&mut self) {
        if self.pending == 0 {
            return;
        }
        self.value();
        let local = self.local;
        self.sink().local_set(local);
        self.stored = (self.stored == Some(self.pending)).then_some(0);
        self.pending = 0;
        self.is_zero = false;
    }

    fn sink(&mut self) -> InstructionSink<'_> {
        InstructionSink::new(&mut self.code)
    }

    /// Leaves the local plus what is pending on the stack.
    fn value(&mut self) {
        let pending = i64::from(self.pending);
        if self.mode == Mode::Rest && self.is_zero {
            self.sink().i64_const(pending);
            return;
        }
        let local = self.local;
        self.sink().local_get(local);
        if pending > 0 {
            self.sink().i64_const(pending).i64_add();
        }
    }

    /// `Total`: takes the node's cost into the local.
    fn load(&mut self, probes: &ProbeWriter<'_>) {
        if self.mode == Mode::Total {
            probes.load_cost(&mut self.code);
            let local = self.local;
            self.sink().local_set(local);
            self.stored = Some(0);
            self.pending = 0;
        }
    }

    /// Brings the node up to date.
    fn store(&mut self, probes: &ProbeWriter<'_>) {
        match self.mode {
            Mode::Total if self.stored == Some(self.pending) => {}
            Mode::Total => {
                probes.node(&mut self.code);
                self.value();
                probes.store_cost(&mut self.code);
                self.stored = Some(self.pending);
            }
            Mode::Rest if self.is_zero && self.pending == 0 => {}
            Mode::Rest => {
                probes.begin_charge(&mut self.code);
                self.value();
                probes.end_charge(&mut self.code);
                if !self.is_zero {
                    let local = self.local;
                    self.sink().i64_const(0).local_set(local);
                    self.is_zero = true;
                }
                self.pending = 0;
            }
        }
    }
}

/// What each call of a function costs that does nothing but compute: it has one
/// way through, and nothing on it traps. Accesses are not among it, as one that
/// traps loses what was executed before.
pub(crate) fn constant_cost(body: &FunctionBody<'_>) -> Option<u32> {
    let bytes = body.as_bytes();
    let mut operators = Operators::new(body, Wanted::default()).ok()?;
    let mut cost = 0;
    while !operators.eof() {
        let at = &bytes[operators.position()..];
        operators.read().ok()?;
        match at[0] {
            0x0b => {}
            // nop, block, drop, select, locals, globals, numbers
            0x01 | 0x02 | 0x1a..=0x1c | 0x20..=0x24 | 0x41..=0xc4 if !can_trap(at) => cost += 1,
            _ => return None,
        }
    }
    Some(cost)
}

fn following(op: &Operator<'_>) -> Then {
    use Operator as O;
    let open = |is_loop, meets| Then::Open { is_loop, meets };
    match op {
        O::Block { .. } | O::Try { .. } | O::TryTable { .. } => open(false, false),
        O::If { .. } => open(false, true),
        O::Loop { .. } => open(true, false),
        O::End | O::Delegate { .. } => Then::Close,
        O::Else => Then::Else,
        O::Catch { .. } | O::CatchAll => Then::Handle,
        O::Call { .. } | O::CallIndirect { .. } | O::CallRef { .. } => Then::Load,
        _ if switches_stacks(op) => Then::Load,
        _ => Then::GoOn,
    }
}

/// Whether `op` hands control to another stack, to come back later or elsewhere.
fn switches_stacks(op: &Operator<'_>) -> bool {
    use Operator as O;
    matches!(
        op,
        O::Suspend { .. }
            | O::Resume { .. }
            | O::ResumeThrow { .. }
            | O::ResumeThrowRef { .. }
            | O::Switch { .. }
    )
}

/// Whether `op` hands control to another function.
fn leaves(op: &Operator<'_>) -> bool {
    use Operator as O;
    matches!(
        op,
        O::Return
            | O::Call { .. }
            | O::CallIndirect { .. }
            | O::CallRef { .. }
            | O::ReturnCall { .. }
            | O::ReturnCallIndirect { .. }
            | O::ReturnCallRef { .. }
            | O::Throw { .. }
            | O::ThrowRef
            | O::Rethrow { .. }
    )
}

/// Whether the instruction that `bytes` start with can trap and is not a mere access. True for one that is not known here.
fn can_trap(bytes: &[u8]) -> bool {
    match bytes[0] {
        0x00 => true,                                           // unreachable
        0x6d..=0x70 | 0x7f..=0x82 => true,                      // integer division
        0xa8..=0xab | 0xae..=0xb1 => true,                      // truncation of floats
        0x01..=0xc4 | 0xd0..=0xd6 | 0xfd | 0xfe => false, // all else of one byte, vectors, atomics
        0xfb => !matches!(bytes[1], 0..=8 | 11..=15 | 20..=30), // casts, accesses, what makes objects of values
        // Saturating truncation, data.drop, elem.drop, table.grow, table.size, wide arithmetic.
        0xfc => !matches!(bytes[1], 0..=7 | 9 | 13 | 15 | 16 | 19..=22),
        _ => true,
    }
}
