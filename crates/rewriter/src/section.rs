//! The custom section `wasm-xray`; `docs/ARCHITECTURE.md` has its layout.

use crate::analysis::Analysis;
use crate::index::OldFunc;
use crate::plan::Plan;
use crate::sections::sized;
use wasm_encoder::{Encode, SectionId};
use wasm_xray_abi::layout::ABI_VERSION;
use wasm_xray_abi::map::ModuleMap;
use wasm_xray_abi::probe;

/// Appends the section.
pub(crate) fn append(a: &Analysis<'_>, plan: &Plan, map: &ModuleMap, out: &mut Vec<u8>) {
    sized(SectionId::Custom.into(), out, |out| {
        probe::SECTION.encode(out);
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
        for (slots, counters) in plan.slots.iter().zip(&plan.counters) {
            word(*slots);
            word(*counters);
        }
        for f in 0..a.function_count() as u32 {
            for (leaf, cost) in plan.counted(a, OldFunc(f)) {
                word(leaf.0);
                word(cost);
            }
        }
        let length = out.len();
        out.extend_from_slice(&[0; 4]);
        serde_json::to_writer(&mut *out, map).expect("a map of strings and numbers");
        let json = (out.len() - length - 4) as u32;
        out[length..length + 4].copy_from_slice(&json.to_le_bytes());
    });
}
