//! Places of single instructions: a call must be on a line that has the call in it.

mod common;

use common::{SOURCE, compile};
use wasm_xray_symbols::{Input, locate, read};
use wasmparser::{Operator, Parser, Payload};

/// Offset and callee of each direct call of a module.
fn calls(module: &[u8]) -> Vec<(u64, u32)> {
    let mut all = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        let Ok(Payload::CodeSectionEntry(body)) = payload else {
            continue;
        };
        let mut operators = body.get_operators_reader().unwrap();
        while !operators.eof() {
            if let (Operator::Call { function_index }, at) = operators.read_with_offset().unwrap() {
                all.push((at, function_index));
            }
        }
    }
    all
}

#[test]
fn calls_are_on_the_lines_that_make_them() {
    let source = std::fs::read_to_string(SOURCE).unwrap();
    let lines: Vec<&str> = source.lines().collect();
    for options in [
        ["-Copt-level=0", "-Cdwarf-version=4"],
        ["-Copt-level=0", "-Cdwarf-version=5"],
        ["-Copt-level=1", "-Cdwarf-version=4"],
    ] {
        let module = compile(&options.concat().replace(['-', '='], "_"), &options);
        let calls = calls(&module);
        // In any order.
        let offsets: Vec<u64> = calls.iter().rev().map(|&(at, _)| at).collect();
        let input = Input {
            module: &module,
            ..Input::default()
        };
        let found = locate(&input, &offsets).unwrap();
        assert_eq!(found.names, read(&input).unwrap().symbols.names);
        let mut checked = 0;
        for (&(at, callee), place) in calls.iter().rev().zip(&found.places) {
            let name = found.names[callee as usize].as_deref().unwrap_or_default();
            let Some(word) = ["twice", "apply", "area"]
                .into_iter()
                .find(|word| name.contains(word) && !name.contains("closure"))
            else {
                continue;
            };
            let (file, line) = place.unwrap_or_else(|| panic!("{name} at {at:#x} has a place"));
            assert!(found.files[file as usize].ends_with("tests/data/shapes.rs"));
            let line = lines[line as usize - 1];
            assert!(
                line.contains(&format!("{word}(")) || line.contains(&format!("{word}::")),
                "{name}: {line}"
            );
            checked += 1;
        }
        assert!(checked >= 4, "{options:?}: {checked} calls");
    }
}

#[test]
fn a_source_map_holds_until_the_next_mapping_or_the_end_of_the_body() {
    let module = wat::parse_str("(module (func $f (nop) (nop) (nop)) (func $g (nop)))").unwrap();
    let mut bodies = Vec::new();
    for payload in Parser::new(0).parse_all(&module) {
        if let Ok(Payload::CodeSectionEntry(body)) = payload {
            bodies.push(body.range());
        }
    }
    let first = bodies[0].start + 1;
    // The second instruction on, line 4 of the only source. Nothing for the other function.
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef";
    let column = (first + 1) << 1;
    assert!((32..1024).contains(&column));
    let (low, high) = ((column & 31 | 32) as usize, (column >> 5) as usize);
    let all: Vec<char> = digits
        .iter()
        .map(|&d| d.into())
        .chain("ghijklmnopqrstuvwxyz0123456789+/".chars())
        .collect();
    let map = format!(
        r#"{{"version":3,"sources":["a.ts"],"mappings":"{}{}AGA"}}"#,
        all[low], all[high]
    );
    let offsets: Vec<u64> = vec![first, first + 1, first + 2, bodies[1].start + 1];
    let input = Input {
        module: &module,
        source_map: Some(map.as_bytes()),
        ..Input::default()
    };
    let found = locate(&input, &offsets).unwrap();
    assert_eq!(found.files, ["a.ts"]);
    assert_eq!(found.places, [None, Some((0, 4)), Some((0, 4)), None]);
}
