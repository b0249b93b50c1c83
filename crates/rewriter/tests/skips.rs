//! What cannot be instrumented is left as it was, function by function, and listed.

#[path = "support/large.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod large;

use wasm_xray_rewriter::{Clock, Options, Probes, instrument};
use wasmparser::{Validator, WasmFeatures};

const KINDS: [(Probes, Clock); 5] = [
    (Probes::Inline, Clock::Calls),
    (Probes::Imported, Clock::Calls),
    (Probes::Inline, Clock::Sampled),
    (Probes::Imported, Clock::Sampled),
    (Probes::Imported, Clock::Wall),
];

/// The output as text, and what was skipped, with every kind of probe.
fn every_kind(wat: &str) -> Vec<(String, Vec<(u32, String)>)> {
    let bytes = wat::parse_str(wat).expect("test program parses");
    let kinds = KINDS.iter().map(|&(probes, clock)| {
        let options = Options {
            probes,
            clock,
            validate: true,
            ..Options::default()
        };
        let output = instrument(&bytes, &options).expect("instruments");
        Validator::new_with_features(WasmFeatures::all())
            .validate_all(&output.bytes)
            .expect("valid output");
        let map = output.map.expect("there are functions");
        let skipped = map.skipped.into_iter().map(|s| (s.index, s.reason));
        let text = wasmprinter::print_bytes(&output.bytes).expect("prints");
        (text, skipped.collect())
    });
    kinds.collect()
}

#[test]
fn shared_functions_run_as_they_were_beside_instrumented_ones() {
    let wat = r#"(module
        (type $shared (shared (func (param i32) (result i32))))
        (type $unshared (func (param i32) (result i32)))
        (import "e" "imported" (func $imported (type $shared)))
        (table shared 2 (ref null (shared func)))
        (elem (table 0) (i32.const 0) (ref null (shared func))
          (item ref.func $imported) (item ref.func $leaf))
        (func $leaf (type $shared) (i32.add (local.get 0) (i32.const 1)))
        (func $caller (type $shared) (return_call $leaf (call $leaf (local.get 0))))
        (func $unshared (type $unshared)
          (call $imported (call $caller (call $leaf (local.get 0)))))
        (func (export "run") (result i32) (call $unshared (i32.const 1))))"#;
    for (text, skipped) in every_kind(wat) {
        let indices: Vec<u32> = skipped.iter().map(|(index, _)| *index).collect();
        assert_eq!(indices, [0, 1, 2]);
        assert!(skipped.iter().all(|(_, why)| why.contains("shared")));
        assert!(text.contains("call $leaf"), "{text}");
    }
}

#[test]
fn an_import_in_a_reference_is_imported_once_more_with_its_own_type() {
    // The instance may import a function of type $sub, and finds it by its cast: no other function may take its place.
    let wat = r#"(module
        (type $super (sub (func)))
        (type $sub (sub $super (func)))
        (import "e" "\"f\"" (func $open (type $super)))
        (import "e" "\"f\"" (func $again (param i32)))
        (import "wasm:js-string" "length" (func $length (param externref) (result i32)))
        (elem declare func $open $again $length)
        (func (export "open") (result i32) (ref.test (ref $sub) (ref.func $open)))
        (func (export "rest") (result funcref funcref) (ref.func $again) (ref.func $length)))"#;
    for (text, skipped) in every_kind(wat) {
        let twins: Vec<&str> = text
            .lines()
            .filter(|line| line.contains(r#"(import "wasm-xray" "[\u{22}e"#))
            .collect();
        assert_eq!(twins.len(), 2, "{text}");
        assert!(
            twins[0].contains(",0,0]") && twins[0].contains("(type $super)"),
            "{}",
            twins[0]
        );
        assert!(
            twins[1].contains(",1,1]") && twins[1].contains("(param i32)"),
            "{}",
            twins[1]
        );
        assert!(!text.contains("ref.func $open\n"), "{text}");
        assert_eq!(skipped.len(), 1, "{skipped:?}");
        assert_eq!(skipped[0].0, 2);
        assert!(skipped[0].1.contains("the engine may provide it"));
    }
}

#[test]
fn a_function_of_a_megabyte_and_a_half_is_not_skipped() {
    let bytes = large::Large::Body(1_500_000).module();
    for (probes, clock) in [
        (Probes::Inline, Clock::Calls),
        (Probes::Inline, Clock::Instructions),
        (Probes::Imported, Clock::Instructions),
    ] {
        let options = Options {
            probes,
            clock,
            ..Options::default()
        };
        let output = instrument(&bytes, &options).unwrap();
        let map = output.map.unwrap();
        assert_eq!(map.skipped, [], "{clock:?} {probes:?}");
        Validator::new_with_features(WasmFeatures::all())
            .validate_all(&output.bytes)
            .unwrap();
    }
}
