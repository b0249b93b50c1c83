//! Arguments and expected results.

use crate::hex;
use serde_json::{Value, json};
use wast::core::{NanPattern, V128Pattern, WastArgCore, WastRetCore};
use wast::token::{F32, F64};
use wast::{WastArg, WastRet};

pub fn argument(arg: &WastArg<'_>) -> Value {
    let WastArg::Core(arg) = arg else {
        return json!({"is": "component"});
    };
    match arg {
        WastArgCore::I32(v) => number(&v.to_le_bytes()),
        WastArgCore::I64(v) => number(&v.to_le_bytes()),
        WastArgCore::F32(v) => number(&v.bits.to_le_bytes()),
        WastArgCore::F64(v) => number(&v.bits.to_le_bytes()),
        WastArgCore::V128(v) => number(&v.to_le_bytes()),
        WastArgCore::RefNull(_) => json!({"is": "null"}),
        WastArgCore::RefExtern(n) | WastArgCore::RefHost(n) => json!({"is": "host", "n": n}),
    }
}

pub fn expected(result: &WastRet<'_>) -> Value {
    match result {
        WastRet::Core(result) => expected_core(result),
        _ => json!({"is": "component"}),
    }
}

fn expected_core(result: &WastRetCore<'_>) -> Value {
    use WastRetCore as R;
    match result {
        R::I32(v) => number(&v.to_le_bytes()),
        R::I64(v) => number(&v.to_le_bytes()),
        R::F32(v) => f32(v),
        R::F64(v) => f64(v),
        R::V128(v) => v128(v),
        R::RefNull(_) => json!({"is": "null"}),
        R::RefExtern(Some(n)) | R::RefHost(n) => json!({"is": "host", "n": n}),
        R::RefFunc(_) => json!({"is": "function"}),
        R::RefI31 | R::RefI31Shared => json!({"is": "i31"}),
        R::RefExtern(None) | R::RefAny | R::RefEq | R::RefArray | R::RefStruct => {
            json!({"is": "reference"})
        }
        R::Either(cases) => {
            json!({"either": cases.iter().map(expected_core).collect::<Vec<_>>()})
        }
    }
}

fn number(bytes: &[u8]) -> Value {
    json!({"bytes": hex(bytes)})
}

fn f32(v: &NanPattern<F32>) -> Value {
    match v {
        NanPattern::CanonicalNan => json!({"nan": "canonical", "size": 4}),
        NanPattern::ArithmeticNan => json!({"nan": "arithmetic", "size": 4}),
        NanPattern::Value(v) => number(&v.bits.to_le_bytes()),
    }
}

fn f64(v: &NanPattern<F64>) -> Value {
    match v {
        NanPattern::CanonicalNan => json!({"nan": "canonical", "size": 8}),
        NanPattern::ArithmeticNan => json!({"nan": "arithmetic", "size": 8}),
        NanPattern::Value(v) => number(&v.bits.to_le_bytes()),
    }
}

fn v128(v: &V128Pattern) -> Value {
    fn lanes<const N: usize>(lanes: impl IntoIterator<Item = [u8; N]>) -> Value {
        number(&lanes.into_iter().flatten().collect::<Vec<u8>>())
    }
    match v {
        V128Pattern::I8x16(v) => lanes(v.map(i8::to_le_bytes)),
        V128Pattern::I16x8(v) => lanes(v.map(i16::to_le_bytes)),
        V128Pattern::I32x4(v) => lanes(v.map(i32::to_le_bytes)),
        V128Pattern::I64x2(v) => lanes(v.map(i64::to_le_bytes)),
        V128Pattern::F32x4(v) => json!({"lanes": v.iter().map(f32).collect::<Vec<_>>()}),
        V128Pattern::F64x2(v) => json!({"lanes": v.iter().map(f64).collect::<Vec<_>>()}),
    }
}
