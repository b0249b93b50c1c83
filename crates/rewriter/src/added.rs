//! Bodies of functions that the rewriter adds.

use crate::Clock;
use crate::analysis::Analysis;
use crate::index::OldFunc;
use crate::kinds::Kind;
use crate::plan::{Plan, ProbeImport};
use crate::probe::{ProbeWriter, put};
use wasm_encoder::{Encode, Instruction};

/// The thunk of a function whose body takes the node as a parameter, or counts nothing itself.
pub(crate) fn thunk(a: &Analysis<'_>, plan: &Plan, f: OldFunc) -> Vec<u8> {
    let params = a.func_type(f).params().len() as u32;
    // Besides those of the probes, what was passed (clock `sampled`).
    let extra = 3 + u32::from(plan.clock == Clock::Sampled && plan.tail_calls);
    let mut out = Vec::with_capacity(128);
    1u32.encode(&mut out);
    extra.encode(&mut out);
    wasm_encoder::ValType::I32.encode(&mut out);
    let mut probes = ProbeWriter {
        plan,
        node: params,
        owns_node: plan.has_node(f),
        counters: 0,
        asyncify_state: None,
        scratch: params + 1,
        saved: params + 2,
        wide: 0,
        blocks: 0,
    };
    let cost = match plan.kinds[f.index()] {
        Kind::Leaf { cost, .. } => Some(cost),
        _ => None,
    };
    probes.thunk(&mut out, f, params, plan.body(f), cost);
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
        counters: 0,
        asyncify_state: None,
        scratch: 0,
        saved: 1,
        wide: 0,
        blocks: 0,
    };
    probes.find(&mut out);
    put(&mut out, Instruction::End);
    out
}

/// The function that fills an empty slot: `(node, slot offset, function index) → slot`.
pub(crate) fn fill(plan: &Plan) -> Vec<u8> {
    let mut out = Vec::with_capacity(16);
    0u32.encode(&mut out);
    for instruction in [
        Instruction::LocalGet(0),
        Instruction::LocalGet(1),
        Instruction::LocalGet(2),
        Instruction::GlobalGet(plan.base_global),
        Instruction::I32Add,
        Instruction::Call(plan.probe(ProbeImport::Slot).0),
        Instruction::End,
    ] {
        put(&mut out, instruction);
    }
    out
}
