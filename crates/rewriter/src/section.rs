//! The custom section `wasm-xray`; `docs/ARCHITECTURE.md` has its layout.

use crate::analysis::Analysis;
use crate::plan::Plan;
use wasm_xray_abi::layout::ABI_VERSION;
use wasm_xray_abi::map::ModuleMap;

/// Encodes the section's contents.
pub(crate) fn encode(a: &Analysis<'_>, plan: &Plan, map: &ModuleMap) -> Vec<u8> {
    let mut out = Vec::new();
    let mut word = |word: u32| out.extend_from_slice(&word.to_le_bytes());
    word(ABI_VERSION);
    word(a.function_count() as u32);
    word(plan.flags());
    if plan.own_memory {
        let memory = &a.memories[0];
        for limit in [memory.initial, memory.maximum.unwrap_or(u64::MAX)] {
            word(limit as u32);
            word((limit >> 32) as u32);
        }
        word(u32::from(memory.shared));
    }
    for slots in &plan.slots {
        word(*slots);
    }
    let json = serde_json::to_vec(map).expect("a map of strings and numbers");
    out.extend_from_slice(&(json.len() as u32).to_le_bytes());
    out.extend_from_slice(&json);
    out
}
