//! What a user relies on: valid in gives valid out, and nothing but the probes changes.

#[path = "support/calls.rs"]
mod calls;
#[path = "support/random.rs"]
mod random;
#[path = "support/smith.rs"]
mod smith;

use std::path::Path;
use wasm_encoder::{CustomSection, Module};
use wasm_xray_rewriter::{Clock, ErrorKind, Filter, Options, Output, Probes, instrument};
use wasmparser::{ExternalKind, Parser, Payload, TypeRef, Validator, WasmFeatures};

static KINDS: [Options; 5] = [
    Options {
        probes: Probes::Inline,
        clock: Clock::Calls,
        validate: true,
        filter: Filter::ALL,
        module_name: String::new(),
        offsets: false,
    },
    Options {
        probes: Probes::Imported,
        clock: Clock::Calls,
        validate: true,
        filter: Filter::ALL,
        module_name: String::new(),
        offsets: false,
    },
    Options {
        probes: Probes::Imported,
        clock: Clock::Wall,
        validate: true,
        filter: Filter::ALL,
        module_name: String::new(),
        offsets: false,
    },
    Options {
        probes: Probes::Inline,
        clock: Clock::Sampled,
        validate: true,
        filter: Filter::ALL,
        module_name: String::new(),
        offsets: false,
    },
    Options {
        probes: Probes::Imported,
        clock: Clock::Sampled,
        validate: true,
        filter: Filter::ALL,
        module_name: String::new(),
        offsets: false,
    },
];

fn validate(bytes: &[u8]) {
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(bytes)
        .unwrap_or_else(|e| panic!("invalid output: {e}"));
}

fn rewritten(wat: &str, options: &Options) -> Output {
    let bytes = wat::parse_str(wat).expect("test program parses");
    let output = instrument(&bytes, options).expect("instruments");
    validate(&output.bytes);
    output
}

fn exports(bytes: &[u8]) -> Vec<(String, ExternalKind)> {
    let mut all = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        if let Payload::ExportSection(section) = payload.unwrap() {
            all.extend(
                section
                    .into_iter()
                    .map(|e| e.map(|e| (e.name.to_owned(), e.kind)).unwrap()),
            );
        }
    }
    all
}

fn imports(bytes: &[u8]) -> Vec<(String, String, TypeRef)> {
    let mut all = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        if let Payload::ImportSection(section) = payload.unwrap() {
            for import in section.into_imports() {
                let import = import.unwrap();
                all.push((import.module.to_owned(), import.name.to_owned(), import.ty));
            }
        }
    }
    all
}

fn custom_sections(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        if let Payload::CustomSection(section) = payload.unwrap() {
            all.push((section.name().to_owned(), section.data().to_vec()));
        }
    }
    all
}

/// The text of the instrumented module without the section that holds the map.
fn text(output: &Output) -> String {
    wasmprinter::print_bytes(&output.bytes).expect("prints")
}

#[test]
fn every_test_program_stays_valid_with_the_same_exports_and_imports() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/node/programs");
    let mut count = 0;
    for entry in std::fs::read_dir(programs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "wat") {
            continue;
        }
        count += 1;
        let bytes = wat::parse_file(&path).unwrap();
        for options in &KINDS {
            let output = instrument(&bytes, options).unwrap();
            validate(&output.bytes);
            assert_eq!(
                exports(&bytes),
                exports(&output.bytes),
                "{}",
                path.display()
            );
            let before = imports(&bytes);
            let after = imports(&output.bytes);
            assert_eq!(before, after[..before.len()], "{}", path.display());
            assert!(
                after[before.len()..]
                    .iter()
                    .all(|(module, ..)| module == "wasm-xray")
            );
            assert_eq!(
                output.bytes,
                instrument(&bytes, options).unwrap().bytes,
                "deterministic"
            );
        }
    }
    assert!(count > 10, "the programs were found");
}

#[test]
fn a_module_without_functions_is_left_alone() {
    let bytes =
        wat::parse_str(r#"(module (import "a" "b" (func $f)) (export "f" (func $f)))"#).unwrap();
    let output = instrument(&bytes, &KINDS[0]).unwrap();
    assert_eq!(output.bytes, bytes);
    assert!(output.map.is_none());
}

#[test]
fn the_map_names_every_function_by_its_original_index() {
    let output = rewritten(
        r#"(module $m (import "env" "now" (func)) (func $named) (func (export "out")) (func))"#,
        &KINDS[0],
    );
    let map = output.map.unwrap();
    assert_eq!(map.name, "m");
    assert_eq!(map.imports, 1);
    let names: Vec<_> = map.names.iter().map(Option::as_deref).collect();
    assert_eq!(names, [Some("env.now"), Some("named"), Some("out"), None]);
    assert_eq!(map.hash.len(), 16);
}

#[test]
fn the_own_memory_keeps_index_0_when_the_loader_can_make_it() {
    let own = |memory: &str, options| {
        let output = rewritten(&format!("(module (memory {memory}) (func))"), options);
        imports(&output.bytes)
            .iter()
            .any(|(_, name, _)| name == "memory0")
    };
    assert!(own("1 2", &KINDS[0]));
    assert!(
        !own("1 2", &KINDS[1]),
        "imported probes need no second memory"
    );
    assert!(
        !own("i64 1 2", &KINDS[0]),
        "not every engine lets a loader make one"
    );
}

#[test]
fn memories_behind_the_runtimes_move_up() {
    let output = rewritten(
        r#"(module (import "e" "m" (memory 1)) (memory $b 1) (memory $c 1)
             (data (memory $c) (i32.const 0) "x")
             (func (export "f") (result i32)
               (i32.store8 $b (i32.const 0) (i32.load8_u $c (i32.const 0)))
               (memory.copy $b $c (i32.const 0) (i32.const 0) (i32.const 1))
               (memory.size $c)))"#,
        &KINDS[0],
    );
    let text = text(&output);
    assert!(text.contains("memory.copy $b $c"), "{text}");
    assert!(text.contains("memory.size $c"), "{text}");
    assert!(text.contains("(memory $b (;2;)"), "{text}");
}

#[test]
fn custom_sections_are_kept_byte_for_byte_and_stale_ones_dropped_with_a_warning() {
    let with = |name: &str, data: &[u8], module: &mut Module| {
        module.section(&CustomSection {
            name: name.into(),
            data: data.into(),
        });
    };
    let rest = wat::parse_str("(module (func $f))").unwrap();
    let mut module = Module::new();
    with("dylink.0", &[1, 4, 0, 0, 0, 0], &mut module);
    with("producers-of-mine", b"\xff\x00anything", &mut module);
    with(".debug_info", b"stale", &mut module);
    with("sourceMappingURL", b"\x05a.map", &mut module);
    let mut bytes = module.finish();
    bytes.extend_from_slice(&rest[8..]);
    let output = instrument(&bytes, &KINDS[0]).unwrap();
    let sections = custom_sections(&output.bytes);
    let names: Vec<_> = sections.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        ["dylink.0", "producers-of-mine", "name", "wasm-xray"]
    );
    assert_eq!(
        output.bytes[8..11],
        [0, 15, 8],
        "dylink.0 is the first section"
    );
    assert_eq!(sections[1].1, b"\xff\x00anything");
    let warnings = output.map.unwrap().warnings;
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn a_malformed_name_section_is_dropped_with_a_warning() {
    let mut bytes = wat::parse_str("(module (func (export \"f\")))").unwrap();
    bytes.extend_from_slice(&[0, 9, 4]);
    bytes.extend_from_slice(b"name\x01\x7f\x01\x00");
    let output = instrument(&bytes, &KINDS[0]).unwrap();
    validate(&output.bytes);
    let map = output.map.unwrap();
    assert_eq!(map.names, [Some("f".to_owned())]);
    assert_eq!(
        map.warnings,
        ["the name section is malformed: it was dropped"]
    );
    assert!(
        custom_sections(&output.bytes)
            .iter()
            .all(|(name, _)| name != "name")
    );
}

#[test]
fn names_of_locals_and_labels_follow_their_function() {
    let output = rewritten(
        r#"(module (func $leaf)
             (func $both (export "both") (param $p i32) (local $l i64)
               (call $leaf)
               (block $outer (loop $inner (call $leaf) (br_if $inner (local.get $p)) (br $outer)))
               (local.set $l (i64.const 1)))
             (func $caller (call $both (i32.const 0))))"#,
        &KINDS[0],
    );
    let text = text(&output);
    for name in [
        "local $l i64",
        "block $outer",
        "loop $inner",
        "local.set $l",
        "local.get $p",
    ] {
        assert!(text.contains(name), "{name} is missing in {text}");
    }
}

#[test]
fn a_function_at_an_engine_limit_is_left_as_it_was_and_listed() {
    let locals = "(local i32)".repeat(49_998);
    let wat = format!(
        "(module (func $many (param i32) {locals} (call $leaf)) (func $leaf)
           (func (export \"run\") (call $many (i32.const 0))))"
    );
    for options in &KINDS {
        let map = rewritten(&wat, options).map.unwrap();
        assert_eq!(map.skipped.len(), 1);
        assert_eq!(map.skipped[0].index, 0);
        assert!(
            map.skipped[0].reason.contains("49998 locals"),
            "{}",
            map.skipped[0].reason
        );
    }
}

#[test]
fn a_function_with_as_many_parameters_as_engines_allow_still_gets_its_node() {
    let params = "(param i32)".repeat(1_000);
    let args = "(i32.const 1)".repeat(1_000);
    let wat = format!("(module (func $f {params}) (func (export \"run\") (call $f {args})))");
    for options in &KINDS {
        assert!(rewritten(&wat, options).map.unwrap().skipped.is_empty());
    }
}

#[test]
fn bad_input_says_what_and_where() {
    let component = b"\0asm\x0d\0\x01\0";
    let cases: [(&[u8], ErrorKind, &str); 6] = [
        (b"", ErrorKind::NotWasm, "the file is empty"),
        (b"hello, world", ErrorKind::NotWasm, "00 61 73 6d"),
        (b"\0asm", ErrorKind::Malformed, "cut short"),
        (component, ErrorKind::Component, "component"),
        (b"\0asm\x02\0\0\0", ErrorKind::Malformed, "version"),
        (
            b"\0asm\x01\0\0\0\x01\x7f\x01",
            ErrorKind::Malformed,
            "offset",
        ),
    ];
    for (bytes, kind, words) in cases {
        let error = instrument(bytes, &KINDS[0]).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn every_truncation_of_a_module_is_an_error_or_a_module_never_a_panic() {
    let bytes = wat::parse_file(
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/node/programs/exits.wat"),
    )
    .unwrap();
    for validate in [false, true] {
        for end in 0..bytes.len() {
            let _ = instrument(
                &bytes[..end],
                &Options {
                    validate,
                    ..KINDS[0].clone()
                },
            );
        }
        for at in 8..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 0x55;
            let _ = instrument(
                &broken,
                &Options {
                    validate,
                    ..KINDS[2].clone()
                },
            );
        }
    }
}

/// Leaves out some functions of a generated module, all of them now and then.
fn some_left_out(seed: u32) -> Filter {
    let mut filter = Filter::ALL;
    filter.min_instructions(seed % 50);
    for digit in (0..10).filter(|digit| seed.is_multiple_of(digit + 2)) {
        filter.exclude(&format!("func[*{digit}]")).unwrap();
        // Exports and imports have names that begin with any letter.
        let letter = char::from(b'a' + (digit + seed) as u8 % 26);
        filter.exclude(&format!("*{letter}*")).unwrap();
    }
    if seed.is_multiple_of(10) {
        filter.exclude("*").unwrap();
    }
    filter
}

#[test]
fn generated_modules_stay_valid() {
    let mut with_functions = 0;
    for seed in 0..150 {
        let smith = smith::module(seed).into_iter();
        for bytes in smith.chain([calls::module(seed)]) {
            for options in &KINDS {
                let output =
                    instrument(&bytes, options).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
                with_functions += usize::from(output.map.is_some());
                validate(&output.bytes);
                let again = instrument(&bytes, options).expect("as before");
                assert_eq!(
                    output.bytes, again.bytes,
                    "seed {seed}: the same bytes each time"
                );
                let filtered = Options {
                    filter: some_left_out(seed as u32),
                    ..options.clone()
                };
                let output = instrument(&bytes, &filtered).expect("instruments with a filter");
                validate(&output.bytes);
            }
        }
    }
    assert!(with_functions > 750, "{with_functions}");
}
