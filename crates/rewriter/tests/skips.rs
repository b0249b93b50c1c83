//! What cannot be instrumented is left as it was, function by function, and listed.

use wasm_xray_rewriter::{Clock, Options, Probes, instrument};
use wasmparser::{Validator, WasmFeatures};

const KINDS: [(Probes, Clock); 3] = [
    (Probes::Inline, Clock::Calls),
    (Probes::Imported, Clock::Calls),
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
fn an_import_whose_type_may_have_subtypes_keeps_its_casts() {
    // The instance may import a function of type $sub; a thunk would be of type $super.
    let wat = r#"(module
        (type $super (sub (func)))
        (type $sub (sub $super (func)))
        (type $final (func))
        (import "e" "open" (func $open (type $super)))
        (import "e" "closed" (func $closed (type $final)))
        (elem declare func $open $closed)
        (func (export "open") (result i32) (ref.test (ref $sub) (ref.func $open)))
        (func (export "closed") (result funcref) (ref.func $closed)))"#;
    for (text, skipped) in every_kind(wat) {
        assert_eq!(skipped.len(), 1, "{skipped:?}");
        assert_eq!(skipped[0].0, 0);
        assert!(skipped[0].1.contains("subtypes"), "{}", skipped[0].1);
        assert!(text.contains("ref.func $open"), "{text}");
        assert!(!text.contains("ref.func $closed\n"), "a thunk: {text}");
    }
}
