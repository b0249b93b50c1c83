//! Sections in every legal order: any of them may be missing, and custom sections may stand anywhere between them.

use wasm_encoder::{CustomSection, Module, RawSection};
use wasm_xray_rewriter::{Clock, Options, Probes, instrument};
use wasmparser::{Parser, Payload, Validator, WasmFeatures};

const KINDS: [(Probes, Clock); 7] = [
    (Probes::Inline, Clock::Calls),
    (Probes::Imported, Clock::Calls),
    (Probes::Inline, Clock::Sampled),
    (Probes::Imported, Clock::Sampled),
    (Probes::Imported, Clock::Wall),
    (Probes::Inline, Clock::Instructions),
    (Probes::Imported, Clock::Instructions),
];

/// A module with every section. Nothing refers to what another section has, but for functions and types.
const WHOLE: &str = r#"(module
    (import "e" "m" (memory 1))
    (func $f (call $f))
    (table 1 funcref)
    (memory 1 2)
    (tag (param))
    (global i32 (i32.const 1))
    (export "f" (func $f))
    (start $f)
    (elem declare func $f)
    (data "passive"))"#;
/// Type, function and code, which every module with functions has.
const NEEDED: [u8; 3] = [1, 3, 10];

/// Identifier and contents of each section but the custom ones.
fn sections(bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let sections = Parser::new(0).parse_all(bytes).filter_map(|payload| {
        let (id, range) = payload.unwrap().as_section()?;
        (id != 0).then(|| (id, bytes[range.start as usize..range.end as usize].to_vec()))
    });
    sections.collect()
}

/// Name and contents of each custom section, with the section before it that both modules have.
fn custom_sections(bytes: &[u8], common: &[u8]) -> Vec<(u8, String, Vec<u8>)> {
    let mut before = 0;
    let mut all = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.unwrap();
        if let Payload::CustomSection(section) = &payload {
            all.push((before, section.name().to_owned(), section.data().to_vec()));
        } else if let Some((id, _)) = payload.as_section()
            && common.contains(&id)
        {
            before = id;
        }
    }
    all
}

#[test]
fn any_section_may_be_missing_and_custom_sections_stay_where_they_are() {
    let mut whole = sections(&wat::parse_str(WHOLE).unwrap());
    // Not made by the text format where nothing needs it.
    let data = whole.iter().position(|(id, _)| *id == 10).unwrap();
    if whole.iter().all(|(id, _)| *id != 12) {
        whole.insert(data, (12, vec![1]));
    }
    let optional: Vec<u8> = whole
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| !NEEDED.contains(id))
        .collect();
    assert_eq!(optional, [2, 4, 5, 13, 6, 7, 8, 9, 12, 11]);
    let mut tried = 0;
    for subset in 0..1u32 << optional.len() {
        let has = |id: u8| {
            let at = optional.iter().position(|&other| other == id);
            at.is_none_or(|at| subset >> at & 1 == 1)
        };
        let kept: Vec<_> = whole.iter().filter(|(id, _)| has(*id)).collect();
        let mut module = Module::new();
        for (i, (id, data)) in kept.iter().enumerate() {
            let custom = |name: &str| CustomSection {
                name: format!("{name} {i}").into(),
                data: vec![i as u8, 0xff, *id].into(),
            };
            module.section(&custom("one"));
            module.section(&custom("two"));
            module.section(&RawSection { id: *id, data });
        }
        module.section(&CustomSection {
            name: "last".into(),
            data: b"\xfe"[..].into(),
        });
        let bytes = module.finish();
        if Validator::new_with_features(WasmFeatures::all())
            .validate_all(&bytes)
            .is_err()
        {
            continue; // A data section without its count or the other way round.
        }
        tried += 1;
        for (probes, clock) in KINDS {
            let options = Options {
                probes,
                clock,
                validate: true,
                ..Options::default()
            };
            let output = instrument(&bytes, &options).unwrap();
            Validator::new_with_features(WasmFeatures::all())
                .validate_all(&output.bytes)
                .unwrap_or_else(|e| panic!("{subset:b}: {e}"));
            let after = sections(&output.bytes);
            let common: Vec<u8> = kept
                .iter()
                .map(|(id, _)| *id)
                .filter(|id| after.iter().any(|(other, _)| other == id))
                .collect();
            let mut custom = custom_sections(&output.bytes, &common);
            assert_eq!(custom.pop().unwrap().1, "wasm-xray");
            assert_eq!(custom, custom_sections(&bytes, &common), "{subset:b}");
            for (id, data) in &kept {
                // What holds no function, type or memory index, and gets nothing added.
                if [4, 13, 12].contains(id) {
                    assert!(
                        after.contains(&(*id, data.clone())),
                        "section {id} of {subset:b}"
                    );
                }
            }
        }
    }
    assert!(tried > 500, "{tried}");
}
