//! Every instruction of an instrumented module is traced back to the one that it was made for.

#[path = "support/calls.rs"]
mod calls;
#[path = "support/random.rs"]
mod random;
#[path = "support/smith.rs"]
mod smith;

use std::collections::BTreeMap;
use std::path::Path;
use wasm_xray_rewriter::{Clock, CodeOffsets, Options, Probes, instrument};
use wasmparser::{FunctionBody, Parser, Payload, TypeRef};

const KINDS: [(Probes, Clock); 7] = [
    (Probes::Inline, Clock::Calls),
    (Probes::Imported, Clock::Calls),
    (Probes::Inline, Clock::Sampled),
    (Probes::Imported, Clock::Sampled),
    (Probes::Imported, Clock::Wall),
    (Probes::Inline, Clock::Instructions),
    (Probes::Imported, Clock::Instructions),
];

/// Offset and name of each instruction of a body.
fn instructions(body: &FunctionBody<'_>) -> Vec<(u64, String)> {
    let mut reader = body.get_operators_reader().unwrap();
    let mut all = Vec::new();
    while !reader.eof() {
        let (op, offset) = reader.read_with_offset().unwrap();
        let words = format!("{op:?}");
        let end = words.find([' ', '{']).unwrap_or(words.len());
        all.push((offset, words[..end].to_owned()));
    }
    all
}

/// Number of imported functions, and the bodies.
fn functions(bytes: &[u8]) -> (u32, Vec<FunctionBody<'_>>) {
    let mut imports = 0;
    let mut bodies = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.unwrap() {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    let is_function =
                        matches!(import.unwrap().ty, TypeRef::Func(_) | TypeRef::FuncExact(_));
                    imports += u32::from(is_function);
                }
            }
            Payload::CodeSectionEntry(body) => bodies.push(body),
            _ => {}
        }
    }
    (imports, bodies)
}

/// Walks both modules; returns how many original instructions were found again.
fn check(bytes: &[u8], probes: Probes, clock: Clock, what: &str) -> usize {
    let options = Options {
        probes,
        clock,
        offsets: true,
        ..Options::default()
    };
    let output = instrument(bytes, &options).unwrap();
    let Some(offsets) = output.offsets else {
        assert!(output.map.is_none());
        return 0;
    };
    let offsets = {
        let decoded = CodeOffsets::decode(&offsets.encode()).unwrap();
        assert_eq!(decoded, offsets, "{what}: written and read back");
        decoded
    };
    let plain = Options {
        offsets: false,
        ..options
    };
    assert_eq!(
        instrument(bytes, &plain).unwrap().bytes,
        output.bytes,
        "{what}: asking changes nothing"
    );

    let (imports, originals) = functions(bytes);
    let (_, rewritten) = functions(&output.bytes);
    let mut found = 0;
    let mut seen = vec![false; originals.len()];
    for (i, body) in rewritten.iter().enumerate() {
        let new = instructions(body);
        let Some(first) = offsets.original(new[0].0) else {
            assert!(i >= originals.len(), "{what}: a body of the rewriter's own");
            assert!(new.iter().all(|&(at, _)| offsets.original(at).is_none()));
            continue;
        };
        if i < originals.len() {
            assert_eq!(
                first.function,
                imports + i as u32,
                "{what}: functions keep their order"
            );
        }
        assert_eq!(
            offsets.original(body.range().start).unwrap().function,
            first.function
        );
        assert_eq!(
            offsets.original(body.range().end - 1).unwrap().function,
            first.function
        );
        if first.offset.is_none() {
            assert!(
                new.iter()
                    .all(|&(at, _)| offsets.original(at) == Some(first)),
                "a thunk"
            );
            continue;
        }
        let original = (first.function - imports) as usize;
        assert!(
            !std::mem::replace(&mut seen[original], true),
            "{what}: one body each"
        );
        // By original instruction, what stands for it.
        let mut groups: BTreeMap<u64, Vec<&str>> = BTreeMap::new();
        let mut last = 0;
        for (at, name) in &new {
            let place = offsets.original(*at).expect("inside of a body");
            assert_eq!(place.function, first.function, "{what}");
            let offset = place.offset.expect("not a thunk");
            assert!(offset >= last, "{what}: in order");
            last = offset;
            groups.entry(offset).or_default().push(name);
        }
        let old = instructions(&originals[original]);
        assert_eq!(
            groups.keys().copied().collect::<Vec<_>>(),
            old.iter().map(|(at, _)| *at).collect::<Vec<_>>(),
            "{what}: function {}: every instruction, and no other place",
            first.function,
        );
        for (at, name) in &old {
            assert!(
                groups[at].contains(&name.as_str()),
                "{what}: {name} at {at:#x}: {:?}",
                groups[at]
            );
        }
        found += old.len();
    }
    assert!(
        seen.iter().all(|seen| *seen),
        "{what}: no function is missing"
    );
    assert_eq!(offsets.original(0), None);
    assert_eq!(offsets.original(output.bytes.len() as u64), None);
    found
}

fn check_kinds(bytes: &[u8], what: &str) -> usize {
    KINDS
        .map(|(probes, clock)| check(bytes, probes, clock, what))
        .into_iter()
        .sum()
}

#[test]
fn every_instruction_of_the_test_programs_and_of_generated_modules_is_found_again() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/node/programs");
    let mut found = 0;
    for entry in std::fs::read_dir(programs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "wat") {
            found += check_kinds(
                &wat::parse_file(&path).unwrap(),
                &path.display().to_string(),
            );
        }
    }
    for seed in 0..30 {
        found += check_kinds(&calls::module(seed), &format!("calls {seed}"));
        if let Some(bytes) = smith::module(seed) {
            found += check_kinds(&bytes, &format!("smith {seed}"));
        }
    }
    assert!(found > 60_000, "{found}");
}

#[test]
fn a_large_function_needs_few_bytes() {
    let body = "(drop (i32.add (i32.const 1) (i32.const 2)))".repeat(50_000);
    let bytes = wat::parse_str(format!("(module (func {body} (call 0)))")).unwrap();
    let options = Options {
        offsets: true,
        ..Options::default()
    };
    let offsets = instrument(&bytes, &options).unwrap().offsets.unwrap();
    let length = offsets.encode().len();
    assert!(length < 60, "{length} bytes: what was copied is one piece");
}

#[test]
fn bytes_that_are_no_map_are_an_error_with_an_offset() {
    let bytes =
        wat::parse_str("(module (func $f (call $f) (call $f)) (func (export \"e\") (call $f)))")
            .unwrap();
    let options = Options {
        offsets: true,
        ..Options::default()
    };
    let good = instrument(&bytes, &options)
        .unwrap()
        .offsets
        .unwrap()
        .encode();
    for end in 0..good.len() {
        let error = CodeOffsets::decode(&good[..end]).expect_err("cut short");
        assert!(error.offset().is_some(), "{error}");
    }
    let error = CodeOffsets::decode(b"\0asm\x01\0\0\0").unwrap_err();
    assert!(
        error.to_string().contains("not a map of code offsets"),
        "{error}"
    );
    let mut newer = good.clone();
    newer[8] = 9;
    assert!(
        CodeOffsets::decode(&newer)
            .unwrap_err()
            .to_string()
            .contains("version 9")
    );
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut damaged = good.clone();
            damaged[at] ^= 1 << bit;
            if let Ok(offsets) = CodeOffsets::decode(&damaged) {
                for offset in 0..bytes.len() as u64 * 4 {
                    let _ = offsets.original(offset);
                }
            }
        }
    }
}
