//! Valid modules that nobody would write: each must come out valid, with every kind of probe.

use wasm_xray_rewriter::{Clock, ErrorKind, Options, Output, Probes, instrument};
use wasmparser::{Parser, Payload, Validator, WasmFeatures};

const KINDS: [(Probes, Clock); 7] = [
    (Probes::Inline, Clock::Calls),
    (Probes::Imported, Clock::Calls),
    (Probes::Inline, Clock::Instructions),
    (Probes::Imported, Clock::Instructions),
    (Probes::Inline, Clock::Sampled),
    (Probes::Imported, Clock::Sampled),
    (Probes::Imported, Clock::Wall),
];

fn validate(bytes: &[u8], what: &str) {
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(bytes)
        .unwrap_or_else(|e| panic!("{what}: {e}"));
}

/// Instruments with every kind of probes, with and without some functions left out.
fn outputs(bytes: &[u8], what: &str) -> Vec<Output> {
    validate(bytes, what);
    let mut all = Vec::new();
    for (probes, clock) in KINDS {
        for exclude in [None, Some("*a*"), Some("*")] {
            let mut options = Options {
                probes,
                clock,
                validate: true,
                offsets: true,
                ..Options::default()
            };
            if let Some(glob) = exclude {
                options.filter.exclude(glob).unwrap();
            }
            let what = format!("{what}, {probes:?}, {clock:?}, without {exclude:?}");
            let output = instrument(bytes, &options).unwrap_or_else(|e| panic!("{what}: {e}"));
            validate(&output.bytes, &what);
            let again = instrument(bytes, &options).unwrap();
            assert_eq!(
                output.bytes, again.bytes,
                "{what}: the same bytes each time"
            );
            let exports = |bytes| -> Vec<String> {
                let mut all = Vec::new();
                for payload in Parser::new(0).parse_all(bytes) {
                    if let Payload::ExportSection(section) = payload.unwrap() {
                        let one = |e: wasmparser::Result<wasmparser::Export<'_>>| {
                            e.unwrap().name.to_owned()
                        };
                        all.extend(section.into_iter().map(one));
                    }
                }
                all
            };
            assert_eq!(exports(bytes), exports(&output.bytes), "{what}");
            all.push(output);
        }
    }
    all
}

/// What is nasty, and a module with it.
const MODULES: [(&str, &str); 15] = [
    (
        "memories and tables of every kind at once",
        r#"(module
            (import "e" "m" (memory i64 1 2 shared))
            (import "e" "t" (table i64 1 2 funcref))
            (memory $a 1) (memory $b i64 1 4) (memory $c 1 2 shared) (memory $d 4 (pagesize 1))
            (table $x 3 funcref) (table $y i64 1 funcref (ref.func $f))
            (data $p "passive") (data (memory $b) (i64.const 3) "active") (data (memory $d) (i32.const 0) "x")
            (elem (table $y) (i64.const 0) func $f) (elem declare func $g)
            (func $f (result i32) (i32.load8_u $b (i64.const 4)))
            (func $g (result i32)
              (memory.init $c $p (i32.const 0) (i32.const 0) (i32.const 3))
              (memory.copy $a $c (i32.const 0) (i32.const 0) (i32.const 1))
              (drop (i32.atomic.rmw.add $c (i32.const 0) (i32.const 1)))
              (drop (memory.atomic.wait32 0 (i64.const 0) (i32.const 0) (i64.const 0)))
              (drop (v128.load8_lane $d 0 (i32.const 0) (v128.const i64x2 0 0)))
              (drop (memory.grow $b (i64.const 1)))
              (table.set $x (i32.const 1) (ref.func $g))
              (i32.add (call_indirect $y (result i32) (i64.const 0)) (call $f)))
            (func (export "run") (result i32) (i32.add (call $f) (call $g))))"#,
    ),
    (
        "recursive groups of types, subtypes and casts",
        r#"(module
            (rec (type $node (sub (struct (field $next (ref null $node)) (field $visit (ref $visit)))))
                 (type $visit (func (param (ref null $node)) (result i32)))
                 (type $list (array (mut (ref null $node)))))
            (rec (type $leaf (sub final $node (struct (field (ref null $node)) (field (ref $visit)) (field i32)))))
            (type $base (sub (func (result anyref)))) (type $derived (sub final $base (func (result (ref $leaf)))))
            (elem declare func $count $make)
            (func $count (type $visit)
              (if (result i32) (ref.is_null (local.get 0))
                (then (i32.const 0))
                (else (i32.add (i32.const 1) (return_call_ref $visit
                  (struct.get $node $next (local.get 0)) (struct.get $node $visit (local.get 0)))))))
            (func $make (type $derived)
              (struct.new $leaf (ref.null $node) (ref.func $count) (i32.const 7)))
            (func (export "run") (result i32) (local $l (ref null $list))
              (local.set $l (array.new_default $list (i32.const 4)))
              (array.set $list (local.get $l) (i32.const 0) (call $make))
              (block $not (result anyref)
                (br_on_cast_fail $not anyref (ref $leaf) (call_ref $base (ref.func $make)))
                (return (call $count)))
              (drop) (call $count (array.get $list (local.get $l) (i32.const 0)))))"#,
    ),
    (
        "tags that come and go",
        r#"(module
            (import "e" "tag" (tag $in (param i32 i64)))
            (tag $own (param externref)) (tag $empty)
            (export "in" (tag $in)) (export "own" (tag $own)) (export "in again" (tag $in))
            (func $throw (param i32) (result i32 i64)
              (if (local.get 0) (then (throw $in (i32.const 1) (i64.const 2))))
              (throw $empty))
            (func $both (export "both") (param i32) (result i32 i64)
              (block $all (result exnref)
                (block $pair (result i32 i64 exnref)
                  (return (try_table (result i32 i64) (catch_ref $in $pair) (catch_all_ref $all)
                    (call $throw (local.get 0)))))
                (throw_ref))
              (throw_ref))
            (func (export "out of the function") (param i32) (result i32 i64)
              (try_table (catch $in 0) (call $both (local.get 0)) (drop) (drop))
              (unreachable)))"#,
    ),
    (
        "old exceptions with delegates out of the function",
        r#"(module (tag $e (param i32)) (func $f (throw $e (i32.const 1)))
            (func (export "run") (result i32)
              try (result i32)
                try call $f i32.const 1 drop delegate 1
                i32.const 2
              catch $e
                try (result i32) i32.const 0 catch_all rethrow 1 end drop
              catch_all
                i32.const 4
              end
              try call $f delegate 0))"#,
    ),
    (
        "a start function that calls imports, which are imported again and again and exported",
        r#"(module
            (import "e" "f" (func $f1 (param i32))) (import "e" "f" (func $f2 (param i32)))
            (import "e" "f" (func $f3 (param i32))) (import "" "" (func $n)) (import "" "" (func $n2))
            (table 6 funcref) (elem (i32.const 0) $f1 $f2 $f3 $f1 $n)
            (export "f" (func $f1)) (export "f again" (func $f1)) (export "" (func $n2)) (export "g" (func $g))
            (global funcref (ref.func $f2)) (global (export "h") funcref (ref.func $g))
            (func $g (param i32) (return_call $f3 (local.get 0)))
            (func $start (call $f1 (i32.const 1)) (call $f2 (i32.const 2)) (call $n) (call $n2) (call $g (i32.const 3)))
            (start $start))"#,
    ),
    (
        "only an import that starts, and one function",
        r#"(module (import "e" "f" (func $f)) (func (export "g")) (start $f))"#,
    ),
    (
        "names that are the rewriter's own",
        r#"(module $wasm-xray
            (import "wasm-xray.find" "slot" (func $wasm-xray.slot (param i32 i32 i32) (result i32)))
            (import "e" "memory0" (memory 1)) (import "e" "base" (global $base i32))
            (func $wasm-xray.find (export "xr_enter") (result i32)
              (call $wasm-xray.slot (global.get $base) (i32.load (i32.const 0)) (i32.const 0)))
            (func (export "wasm-xray") (result i32) (call $wasm-xray.find)))"#,
    ),
    (
        "segments with expressions",
        r#"(module
            (import "e" "at" (global $at i32)) (import "e" "f" (global $f funcref))
            (global $own i32 (i32.const 2)) (global $mine funcref (ref.func $a))
            (memory 1) (table 20 funcref) (table $any 3 anyref (ref.i31 (i32.const 1)))
            (data (i32.add (global.get $at) (i32.mul (global.get $own) (i32.const 2))) "x")
            (elem (i32.sub (global.get $own) (i32.const 1)) funcref (global.get $f) (global.get $mine) (ref.func $b) (ref.null func))
            (elem $p (ref null func) (ref.func $a) (global.get $mine))
            (elem $q declare funcref (ref.func $b))
            (func $a) (func $b (call $a) (table.init 0 $p (i32.const 5) (i32.const 0) (i32.const 2)) (elem.drop $p))
            (export "a" (func $a)) (export "own" (global $own)))"#,
    ),
    (
        "a function of a type with a thousand parameters and a thousand results",
        "", // made below
    ),
    (
        "a branch table in dead code, and blocks after the end of control",
        r#"(module (func $f (param i32) (result i32 i64 f32 f64)
              (block (result i32 i64 f32 f64)
                (unreachable) (br_table 0 1 0 1) (drop) (i32.const 1) (call $f) (br 0)
                (loop (result i32 i64 f32 f64) (br 0) (call $f) (return)))
              (return_call $f (i32.const 0)) (call $f))
            (func (export "run") (call $f (i32.const 0)) (drop) (drop) (drop) (drop)))"#,
    ),
    (
        "tail calls of every kind in every place",
        r#"(module
            (import "e" "f" (func $import (result i32))) (type $t (func (result i32)))
            (table 2 funcref) (elem (i32.const 0) $a $import)
            (func $a (result i32) (return_call $import))
            (func $b (result i32) (block (loop (if (i32.const 1) (then (return_call $a)) (else (return_call $b))))) (unreachable))
            (func $c (result i32) (try_table (return_call_indirect (type $t) (i32.const 1))) (unreachable))
            (func $d (result i32) (return_call_ref $t (ref.func $c)))
            (elem declare func $c) (export "b" (func $b)) (export "c" (func $c)) (export "d" (func $d)))"#,
    ),
    (
        "stack switching",
        r#"(module
            (type $f (func)) (type $c (cont $f)) (tag $yield)
            (elem declare func $gen)
            (func $gen (suspend $yield) (suspend $yield))
            (func (export "run") (local $k (ref null $c))
              (local.set $k (cont.new $c (ref.func $gen)))
              (loop $again
                (block $on (result (ref $c))
                  (resume $c (on $yield $on) (local.get $k))
                  (return))
                (local.set $k) (call $gen2) (br $again)))
            (func $gen2))"#,
    ),
    (
        "wide arithmetic, relaxed SIMD and bulk tables",
        r#"(module
            (table $t 4 externref) (table $u 4 externref)
            (func $a (param i64 i64) (result i64 i64)
              (i64.add128 (local.get 0) (local.get 1) (i64.mul_wide_s (local.get 0) (local.get 1))))
            (func (export "run") (result i64)
              (drop (f32x4.relaxed_madd (v128.const i64x2 0 0) (v128.const i64x2 0 0) (v128.const i64x2 0 0)))
              (table.copy $t $u (i32.const 0) (i32.const 1) (i32.const 2))
              (table.fill $t (i32.const 0) (ref.null extern) (i32.const 1))
              (drop (table.grow $u (ref.null extern) (i32.const 1)))
              (call $a (i64.const 1) (i64.const 2)) (drop)))"#,
    ),
    (
        "functions that only the host can put anywhere",
        r#"(module (table (export "t") 4 funcref) (func $a (export "a") (call $b)) (func $b (export "b"))
            (func (export "c") (param i32) (call_indirect (local.get 0)) (call $a)))"#,
    ),
    (
        "an empty function section beside imports of everything",
        r#"(module (import "e" "f" (func)) (import "e" "t" (table 0 funcref)) (import "e" "m" (memory 0))
            (import "e" "g" (global (mut i32))) (import "e" "x" (tag)) (export "f" (func 0)))"#,
    ),
];

#[test]
fn each_comes_out_valid() {
    for (what, text) in MODULES {
        let text = if text.is_empty() {
            let many = "i32 ".repeat(1_000);
            let gets: String = (0..1_000).map(|i| format!("(local.get {i})")).collect();
            let zeros = "(i32.const 0)".repeat(1_000);
            let drops = "(drop)".repeat(1_000);
            format!(
                "(module (func $a (export \"a\") (param {many}) (result {many}) {gets})
                   (func (export \"run\") (call $a {zeros}) {drops}))"
            )
        } else {
            text.to_owned()
        };
        let bytes = wat::parse_str(&text).unwrap_or_else(|e| panic!("{what}: {e}"));
        let outputs = outputs(&bytes, what);
        for output in &outputs {
            let skipped = output.map.iter().flat_map(|map| &map.skipped);
            for skipped in skipped {
                assert!(!skipped.reason.is_empty(), "{what}");
            }
        }
    }
}

#[test]
fn what_came_out_is_not_taken_again() {
    let bytes = wat::parse_str(MODULES[0].1).unwrap();
    for output in outputs(&bytes, MODULES[0].0) {
        let error = instrument(&output.bytes, &Options::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Reserved);
    }
}

#[test]
fn the_probes_names_are_refused_with_a_reason() {
    for import in ["(func)", "(global i32)", "(memory 1)"] {
        let text = format!(r#"(module (import "wasm-xray" "base" {import}) (func))"#);
        let bytes = wat::parse_str(text).unwrap();
        let error = instrument(&bytes, &Options::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Reserved);
        assert!(
            error
                .to_string()
                .contains("imports \"base\" from \"wasm-xray\""),
            "{error}"
        );
    }
}

#[test]
fn custom_sections_stand_between_all_others() {
    let bytes = wat::parse_str(MODULES[4].1).unwrap();
    let custom = |name: &str| {
        [
            &[0, name.len() as u8 + 2, name.len() as u8][..],
            name.as_bytes(),
            b"!",
        ]
        .concat()
    };
    let mut padded = bytes[..8].to_vec();
    let mut at = 8;
    while at < bytes.len() {
        padded.extend(custom(&format!("before {}", bytes[at])));
        let mut reader = wasmparser::BinaryReader::new(&bytes[at + 1..], 0);
        let size = reader.read_var_u32().unwrap() as usize;
        let end = at + 1 + reader.original_position() as usize + size;
        padded.extend_from_slice(&bytes[at..end]);
        at = end;
    }
    padded.extend(custom("last"));
    for output in outputs(&padded, "custom sections everywhere") {
        let names = |bytes| -> Vec<String> {
            let mut names = Vec::new();
            for payload in Parser::new(0).parse_all(bytes) {
                if let Payload::CustomSection(section) = payload.unwrap() {
                    names.push(section.name().to_owned());
                }
            }
            names
        };
        let mut expected = names(&padded);
        expected.push("wasm-xray".to_owned());
        assert_eq!(names(&output.bytes), expected);
    }
}
