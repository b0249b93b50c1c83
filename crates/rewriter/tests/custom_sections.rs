//! What becomes of custom sections that know offsets or features of the module.

use wasm_encoder::{Encode, Module, RawSection};
use wasm_xray_rewriter::{Clock, Options, Output, Probes, instrument};
use wasmparser::{
    FunctionBody, KnownCustom, Operator, Parser, Payload, TypeRef, Validator, WasmFeatures,
};

const KINDS: [(Probes, Clock); 7] = [
    (Probes::Inline, Clock::Calls),
    (Probes::Imported, Clock::Calls),
    (Probes::Inline, Clock::Sampled),
    (Probes::Imported, Clock::Sampled),
    (Probes::Imported, Clock::Wall),
    (Probes::Inline, Clock::Instructions),
    (Probes::Imported, Clock::Instructions),
];

fn rewritten(bytes: &[u8], probes: Probes, clock: Clock) -> Output {
    let options = Options {
        probes,
        clock,
        validate: true,
        ..Options::default()
    };
    let output = instrument(bytes, &options).unwrap();
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(&output.bytes)
        .unwrap();
    output
}

fn warnings(output: &Output) -> &[String] {
    &output.map.as_ref().unwrap().warnings
}

/// The module with custom sections in front of the code section.
fn with_sections(wat: &str, custom: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let bytes = wat::parse_str(wat).unwrap();
    let mut module = Module::new();
    for payload in Parser::new(0).parse_all(&bytes) {
        let payload = payload.unwrap();
        let Some((id, range)) = payload.as_section() else {
            continue;
        };
        if id == 10 {
            for (name, data) in custom {
                module.section(&wasm_encoder::CustomSection {
                    name: (*name).into(),
                    data: data.into(),
                });
            }
        }
        let data = &bytes[range.start as usize..range.end as usize];
        module.section(&RawSection { id, data });
    }
    module.finish()
}

fn section<'a>(bytes: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    Parser::new(0)
        .parse_all(bytes)
        .find_map(|payload| match payload.unwrap() {
            Payload::CustomSection(section) if section.name() == wanted => Some(section.data()),
            _ => None,
        })
}

/// Imported functions and bodies.
fn functions(bytes: &[u8]) -> (u32, Vec<FunctionBody<'_>>) {
    let mut imports = 0;
    let mut bodies = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.unwrap() {
            Payload::ImportSection(section) => {
                let functions = section
                    .into_imports()
                    .filter(|i| matches!(i.as_ref().unwrap().ty, TypeRef::Func(_)));
                imports += functions.count() as u32;
            }
            Payload::CodeSectionEntry(body) => bodies.push(body),
            _ => {}
        }
    }
    (imports, bodies)
}

/// Offset in its body and instruction of each branch that can be hinted.
fn branches(body: &FunctionBody<'_>) -> Vec<(u32, String)> {
    let start = body.range().start;
    let mut reader = body.get_operators_reader().unwrap();
    let mut all = Vec::new();
    while !reader.eof() {
        let (op, offset) = reader.read_with_offset().unwrap();
        if matches!(op, Operator::If { .. } | Operator::BrIf { .. }) {
            all.push(((offset - start) as u32, format!("{op:?}")));
        }
    }
    all
}

const BRANCHES: &str = r#"(module
    (import "e" "f" (func $import))
    (table 1 funcref) (elem (i32.const 0) func $both)
    (func $both (param i32) (result i32 i32) (local i32)
      (call $import)
      (if (local.get 0) (then (call $import)))
      (block (br_if 0 (local.get 1)) (call $import))
      (call $both (i32.const 0)))
    (func $plain (param i32) (if (local.get 0) (then (nop))))
    (func (export "entry") (param i32)
      (loop (br_if 0 (local.get 0)) (call $both (i32.const 1)) (drop) (drop) (call $plain (i32.const 1)))))"#;

#[test]
fn branch_hints_point_to_the_same_branches() {
    let plain = wat::parse_str(BRANCHES).unwrap();
    let (imports, bodies) = functions(&plain);
    // Every branch, with hints in turn.
    let mut data = Vec::new();
    let mut taken = false;
    (bodies.len() as u32).encode(&mut data);
    for (i, body) in bodies.iter().enumerate() {
        (imports + i as u32).encode(&mut data);
        let branches = branches(body);
        (branches.len() as u32).encode(&mut data);
        for (offset, _) in branches {
            offset.encode(&mut data);
            data.extend([1, u8::from(taken)]);
            taken = !taken;
        }
    }
    let bytes = with_sections(BRANCHES, &[("metadata.code.branch_hint", data)]);
    for (probes, clock) in KINDS {
        let output = rewritten(&bytes, probes, clock);
        assert!(warnings(&output).is_empty(), "{:?}", warnings(&output));
        let (imports, bodies) = functions(&output.bytes);
        let mut hints = Vec::new();
        let mut seen_code = false;
        for payload in Parser::new(0).parse_all(&output.bytes) {
            match payload.unwrap() {
                Payload::CodeSectionStart { .. } => seen_code = true,
                Payload::CustomSection(section) => {
                    let KnownCustom::BranchHints(functions) = section.as_known() else {
                        continue;
                    };
                    assert!(!seen_code, "engines read hints before code");
                    let mut last = 0;
                    for function in functions {
                        let function = function.unwrap();
                        assert!(function.func > last, "in order of functions");
                        last = function.func;
                        let branches = branches(&bodies[(function.func - imports) as usize]);
                        for hint in function.hints {
                            let hint = hint.unwrap();
                            let branch = branches.iter().find(|(at, _)| *at == hint.func_offset);
                            let (_, branch) = branch.expect("a hint is at a branch");
                            hints.push((branch.clone(), hint.taken));
                        }
                    }
                }
                _ => {}
            }
        }
        let all = |branches: &[(&str, bool)]| {
            let mut all: Vec<_> = branches
                .iter()
                .map(|(name, taken)| (name.split_whitespace().next().unwrap().to_owned(), *taken))
                .collect();
            all.sort();
            all
        };
        let found: Vec<_> = hints
            .iter()
            .map(|(name, taken)| (name.as_str(), *taken))
            .collect();
        assert_eq!(
            all(&found),
            all(&[("If", false), ("BrIf", true), ("If", false), ("BrIf", true)])
        );
    }
}

#[test]
fn annotations_of_any_kind_keep_their_data_and_the_function_itself_may_have_one() {
    let plain = wat::parse_str(BRANCHES).unwrap();
    let (_, bodies) = functions(&plain);
    let (offset, _) = branches(&bodies[0])[0];
    let mut data = Vec::new();
    1u32.encode(&mut data);
    1u32.encode(&mut data);
    2u32.encode(&mut data);
    data.extend([0, 2, 7, 8]);
    offset.encode(&mut data);
    data.extend([3, 1, 2, 3]);
    let bytes = with_sections(BRANCHES, &[("metadata.code.something", data)]);
    let output = rewritten(&bytes, Probes::Inline, Clock::Calls);
    let data = section(&output.bytes, "metadata.code.something").unwrap();
    assert_eq!(data[3..7], [0, 2, 7, 8]);
    assert_eq!(data[data.len() - 4..], [3, 1, 2, 3]);
}

#[test]
fn hints_that_point_nowhere_are_dropped_with_a_warning() {
    for data in [
        vec![1, 1, 1, 4, 1, 0],
        vec![1, 9, 1, 3, 1, 0],
        vec![1, 0, 1, 3, 1, 0],
        vec![7],
    ] {
        let bytes = with_sections(BRANCHES, &[("metadata.code.branch_hint", data)]);
        let output = rewritten(&bytes, Probes::Inline, Clock::Calls);
        assert_eq!(section(&output.bytes, "metadata.code.branch_hint"), None);
        let [warning] = warnings(&output) else {
            panic!("{:?}", warnings(&output))
        };
        assert!(warning.contains("metadata.code.branch_hint"), "{warning}");
        assert!(warning.contains("malformed"), "{warning}");
    }
}

#[test]
fn sections_of_linkers_and_debuggers_are_dropped_and_named_in_one_warning() {
    let stale = [
        ".debug_info",
        ".debug_line",
        "sourceMappingURL",
        "external_debug_info",
        "reloc.CODE",
        "linking",
        "metadata.code.call_targets",
    ];
    let kept = ["build_id", "producers", ".rustc", "metadata.other"];
    let custom: Vec<(&str, Vec<u8>)> = stale
        .iter()
        .chain(&kept)
        .map(|&name| (name, b"\x01\xffanything".to_vec()))
        .collect();
    let bytes = with_sections("(module (func))", &custom);
    for (probes, clock) in KINDS {
        let output = rewritten(&bytes, probes, clock);
        for name in stale {
            assert_eq!(section(&output.bytes, name), None, "{name}");
        }
        for name in kept {
            assert_eq!(
                section(&output.bytes, name),
                Some(&b"\x01\xffanything"[..]),
                "{name}"
            );
        }
        let [warning] = warnings(&output) else {
            panic!("{:?}", warnings(&output))
        };
        assert!(stale.iter().all(|name| warning.contains(name)), "{warning}");
    }
}

#[test]
fn the_list_of_features_has_the_second_memory_that_inline_probes_need() {
    let mut data = vec![2];
    for (prefix, name) in [(b'+', "simd128"), (b'-', "multimemory")] {
        data.push(prefix);
        name.encode(&mut data);
    }
    let bytes = with_sections(
        "(module (memory 1) (func))",
        &[("target_features", data.clone())],
    );
    let output = rewritten(&bytes, Probes::Imported, Clock::Calls);
    assert_eq!(section(&output.bytes, "target_features"), Some(&data[..]));
    let output = rewritten(&bytes, Probes::Inline, Clock::Calls);
    let mut expected = vec![2];
    for name in ["simd128", "multimemory"] {
        expected.push(b'+');
        name.encode(&mut expected);
    }
    assert_eq!(
        section(&output.bytes, "target_features"),
        Some(&expected[..])
    );
}

#[test]
fn of_two_name_sections_the_first_is_kept() {
    let name = |text: &str| {
        let mut map = vec![1, 0];
        text.encode(&mut map);
        let mut data = vec![1];
        map.encode(&mut data);
        data
    };
    let bytes = with_sections(
        "(module (func))",
        &[("name", name("first")), ("name", name("second"))],
    );
    let output = rewritten(&bytes, Probes::Inline, Clock::Calls);
    assert_eq!(
        output.map.as_ref().unwrap().names,
        [Some("first".to_owned())]
    );
    let sections = Parser::new(0).parse_all(&output.bytes);
    let names =
        sections.filter(|p| matches!(p, Ok(Payload::CustomSection(s)) if s.name() == "name"));
    assert_eq!(names.count(), 1);
    assert_eq!(warnings(&output), ["a second name section was dropped"]);
}
