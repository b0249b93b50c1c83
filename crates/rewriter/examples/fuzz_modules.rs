//! `fuzz_modules FIRST COUNT [--text]`: generated modules for `tests/fuzz/run.mjs`, one JSON
//! object a line. With `--text` the modules themselves, for whoever looks into a failure.

#[path = "../tests/support/calls.rs"]
mod calls;
#[path = "../tests/support/counting.rs"]
mod counting;
#[path = "../tests/support/expose.rs"]
mod expose;
#[path = "../tests/support/random.rs"]
mod random;
#[path = "../tests/support/smith.rs"]
mod smith;

use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use wasmparser::{CompositeInnerType, ExternalKind, FuncType, Operator, Parser, Payload, TypeRef};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let numbers: Vec<u64> = args.iter().filter_map(|arg| arg.parse().ok()).collect();
    let [first, count] = numbers[..] else {
        eprintln!("usage: fuzz_modules FIRST COUNT [--text]");
        std::process::exit(2);
    };
    let text = args.iter().any(|arg| arg == "--text");
    let mut out = BufWriter::new(std::io::stdout().lock());
    for seed in first..first + count {
        let Some((source, bytes)) = module(seed) else {
            continue;
        };
        let line = if text {
            wasmprinter::print_bytes(&bytes).expect("prints")
        } else {
            describe(seed, source, &bytes).to_string()
        };
        writeln!(out, "{line}").expect("stdout can be written");
    }
}

/// Odd seeds are programs of calls.
fn module(seed: u64) -> Option<(&'static str, Vec<u8>)> {
    let (source, bytes) = if seed % 2 == 1 {
        ("calls", calls::module(seed))
    } else {
        ("smith", smith::module(seed)?)
    };
    (!waits(&bytes)).then(|| (source, expose::expose(&bytes)))
}

/// Whether it may wait for a thread that is not there.
fn waits(bytes: &[u8]) -> bool {
    let mut bodies = Parser::new(0)
        .parse_all(bytes)
        .filter_map(|payload| match payload {
            Ok(Payload::CodeSectionEntry(body)) => Some(body),
            _ => None,
        });
    bodies.any(|body| {
        let operators = body
            .get_operators_reader()
            .expect("a generated module can be read");
        operators.into_iter().any(|op| {
            matches!(
                op,
                Ok(Operator::MemoryAtomicWait32 { .. } | Operator::MemoryAtomicWait64 { .. })
            )
        })
    })
}

fn describe(seed: u64, source: &str, bytes: &[u8]) -> Value {
    let counting = counting::counting(bytes).expect("a generated module can be written");
    json!({
        "seed": seed,
        "source": source,
        "functions": functions(bytes),
        "bytes": hex(bytes),
        "counting": hex(&counting),
    })
}

fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).expect("four bits");
    let digits = bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]);
    digits.collect()
}

/// Name and parameters of each exported function.
fn functions(bytes: &[u8]) -> Vec<Value> {
    let mut types: Vec<Option<FuncType>> = Vec::new();
    let mut functions: Vec<u32> = Vec::new();
    let mut imported = 0;
    let mut exported = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.expect("a generated module can be read") {
            Payload::TypeSection(section) => {
                for group in section {
                    let group = group.expect("a type");
                    types.extend(group.into_types().map(|ty| match ty.composite_type.inner {
                        CompositeInnerType::Func(ty) => Some(ty),
                        _ => None,
                    }));
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    if let TypeRef::Func(ty) = import.expect("an import").ty {
                        functions.push(ty);
                    }
                }
                imported = functions.len();
            }
            Payload::FunctionSection(section) => {
                functions.extend(section.into_iter().map(|ty| ty.expect("a function")));
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export.expect("an export");
                    if export.kind == ExternalKind::Func {
                        let ty = functions[export.index as usize] as usize;
                        let ty = types[ty].as_ref().expect("a function's type");
                        let params: Vec<String> =
                            ty.params().iter().map(ToString::to_string).collect();
                        exported.push(json!({
                            "name": export.name,
                            "params": params,
                            "imported": (export.index as usize) < imported,
                        }));
                    }
                }
            }
            _ => {}
        }
    }
    exported
}
