//! Modules through which JavaScript calls what it cannot call itself, or not
//! without losing bits: arguments and results that are floats or vectors go
//! through a memory, 16 bytes each.

use crate::hex;
use std::collections::HashMap;
use std::fmt::Write;
use wasmparser::{FuncType, GlobalType, HeapType, ValType};

/// The adapters of a script, one for each type.
#[derive(Default)]
pub struct Adapters {
    /// Encoded, in hex.
    pub modules: Vec<String>,
    by_text: HashMap<String, i32>,
}

/// In place of an adapter's number: JavaScript cannot call it at all.
pub const NOT_EXPRESSIBLE: i32 = -1;

impl Adapters {
    /// The adapter of a function of type `ty`; `None` if JavaScript does as well without.
    pub fn function(&mut self, ty: &FuncType) -> Option<i32> {
        let values = || ty.params().iter().chain(ty.results());
        if !values().any(needs_adapter) {
            return None;
        }
        if values().any(|ty| !has_text(ty)) {
            return values()
                .any(|ty| *ty == ValType::V128)
                .then_some(NOT_EXPRESSIBLE);
        }
        Some(self.add(function_text(ty)))
    }

    /// The same for a global.
    pub fn global(&mut self, ty: &GlobalType) -> Option<i32> {
        let name = ty.content_type;
        let whole = match ty.mutable {
            true => format!("(mut {name})"),
            false => name.to_string(),
        };
        needs_adapter(&name).then(|| {
            self.add(format!(
                r#"(module (import "host" "memory" (memory 1))
                  (import "host" "target" (global $g {whole}))
                  (func (export "run") ({name}.store (i32.const 0) (global.get $g))))"#
            ))
        })
    }

    fn add(&mut self, text: String) -> i32 {
        *self.by_text.entry(text).or_insert_with_key(|text| {
            let bytes = wat::parse_str(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            self.modules.push(hex(&bytes));
            self.modules.len() as i32 - 1
        })
    }
}

fn needs_adapter(ty: &ValType) -> bool {
    matches!(ty, ValType::F32 | ValType::F64 | ValType::V128)
}

/// Whether the type can be written down outside of its module.
fn has_text(ty: &ValType) -> bool {
    match ty {
        ValType::Ref(r) => matches!(r.heap_type(), HeapType::Abstract { shared: false, .. }),
        _ => true,
    }
}

fn function_text(ty: &FuncType) -> String {
    let mut text = String::from("(module (import \"host\" \"memory\" (memory 1))\n");
    let list = |key: &str, types: &[ValType]| {
        let types: Vec<String> = types.iter().map(ToString::to_string).collect();
        format!("({key} {})", types.join(" "))
    };
    let references = |types: &[ValType]| -> Vec<ValType> {
        types
            .iter()
            .copied()
            .filter(ValType::is_reference_type)
            .collect()
    };
    let mut put = |line: String| writeln!(text, "{line}").expect("a string takes everything");
    let (params, results) = (ty.params(), ty.results());
    put(format!(
        "(import \"host\" \"target\" (func $target {} {}))",
        list("param", params),
        list("result", results)
    ));
    // References are the adapter's own parameters and results.
    let (in_refs, out_refs) = (references(params), references(results));
    put(format!(
        "(func (export \"run\") {} {} {}",
        list("param", &in_refs),
        list("result", &out_refs),
        list("local", results)
    ));
    let mut reference = 0;
    for (i, ty) in params.iter().enumerate() {
        if ty.is_reference_type() {
            put(format!("(local.get {reference})"));
            reference += 1;
        } else {
            put(format!("({ty}.load offset={} (i32.const 0))", 16 * i));
        }
    }
    put("call $target".to_owned());
    let local = |i: usize| in_refs.len() + i;
    for i in (0..results.len()).rev() {
        put(format!("local.set {}", local(i)));
    }
    for (i, ty) in results.iter().enumerate() {
        if ty.is_reference_type() {
            put(format!("local.get {}", local(i)));
        } else {
            let to = 16 * i;
            put(format!(
                "({ty}.store offset={to} (i32.const 0) (local.get {}))",
                local(i)
            ));
        }
    }
    put("))".to_owned());
    text
}
