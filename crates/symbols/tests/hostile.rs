//! Debug information that is cut, changed or made to be slow: notes, never a panic, and no long wait.

mod common;

use std::sync::OnceLock;

use common::{compile, custom_section, sections, with_custom};
use proptest::prelude::*;
use wasm_xray_symbols::{FileKind, Found, Input, parse_symbol_map, read, references};

fn module() -> &'static [u8] {
    static MODULE: OnceLock<Vec<u8>> = OnceLock::new();
    MODULE.get_or_init(|| compile("hostile", &["-Copt-level=1"]))
}

fn find(module: &[u8]) -> Found {
    read(&Input {
        module,
        ..Input::default()
    })
    .unwrap()
}

/// The module with one DWARF section changed.
fn changed(section: &str, change: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    with_custom(module(), |name, data| {
        Some(if name == section {
            change(data)
        } else {
            data.to_vec()
        })
    })
}

fn dwarf_sections() -> Vec<(String, usize)> {
    sections(module())
        .iter()
        .filter(|(id, ..)| *id == 0)
        .map(|(.., contents)| common::custom(contents))
        .filter(|(name, _)| name.starts_with(".debug_"))
        .map(|(name, data)| (name.to_owned(), data.len()))
        .collect()
}

#[test]
fn sections_cut_anywhere_are_survived() {
    let whole = find(module());
    for (section, length) in dwarf_sections() {
        for kept in (0..length).step_by((length / 20).max(1)) {
            let found = find(&changed(&section, |data| data[..kept].to_vec()));
            assert_eq!(found.symbols.names.len(), whole.symbols.names.len());
            if [".debug_abbrev", ".debug_info", ".debug_line"].contains(&section.as_str())
                && kept > 0
                && kept < length / 2
            {
                assert!(
                    !found.notes.is_empty(),
                    "{section} cut at {kept} without a note"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn changed_bytes_are_survived(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        which in any::<prop::sample::Index>(),
    ) {
        let all = dwarf_sections();
        let (section, _) = &all[which.index(all.len())];
        find(&changed(section, |data| {
            let mut data = data.to_vec();
            for (at, byte) in &changes {
                let at = at.index(data.len());
                data[at] = *byte;
            }
            data
        }));
    }

    #[test]
    fn any_module_is_survived(at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
        let mut bytes = module().to_vec();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        let input = Input { module: &bytes, debug: Some(&bytes), source_map: None };
        let _ = (read(&input), references(&bytes));
    }

    #[test]
    fn any_source_map_is_survived(text in r#"[A-Za-z0-9+/,;{}":\[\]]{0,200}"#, mappings in "[A-Za-z0-9+/,]{0,200}") {
        let map = format!(r#"{{"version":3,"sources":["a","b"],"mappings":"{mappings}"}}"#);
        for bytes in [text.as_bytes(), map.as_bytes()] {
            let input = Input { module: module(), debug: None, source_map: Some(bytes) };
            read(&input).unwrap();
        }
    }

    #[test]
    fn any_symbol_map_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..200), lines in r"([0-9]{1,9}:[\x00-\x7f]{0,20}\n){0,8}") {
        let _ = (parse_symbol_map(&bytes), parse_symbol_map(lines.as_bytes()), FileKind::of(&bytes));
    }
}

/// A module with 100 functions and the sections given.
fn with_sections(custom: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let text = format!("(module {})", "(func)".repeat(100));
    let mut bytes = wat::parse_str(text).unwrap();
    for (name, data) in custom {
        bytes.extend(custom_section(name, data));
    }
    bytes
}

/// `.debug_info` of one unit in version 4 with 32 bit, whose abbreviations are at an offset.
fn unit(abbreviations: u32, entries: &[u8]) -> Vec<u8> {
    let mut bytes = (entries.len() as u32 + 7).to_le_bytes().to_vec();
    bytes.extend(4u16.to_le_bytes());
    bytes.extend(abbreviations.to_le_bytes());
    bytes.push(4);
    bytes.extend(entries);
    bytes
}

const UNIT: u8 = 0x11;
const SUBPROGRAM: u8 = 0x2e;
const NAME: u8 = 0x03;
const STMT_LIST: u8 = 0x10;
const LOW_PC: u8 = 0x11;
const ADDR: u8 = 0x01;
const STRP: u8 = 0x0e;
const SEC_OFFSET: u8 = 0x17;
const REF4: u8 = 0x13;
const ABSTRACT_ORIGIN: u8 = 0x31;

#[test]
fn a_line_table_that_claims_millions_of_files_is_not_believed() {
    // Version 5, a header of 4 GB less a bit, 2^60 files.
    let mut line = 0xffff_ff00u32.to_le_bytes().to_vec();
    line.extend([5, 0, 4, 0]);
    line.extend(0xffff_ff00u32.to_le_bytes());
    line.extend([0xff; 64]);
    let abbreviations = vec![1, UNIT, 0, STMT_LIST, SEC_OFFSET, 0, 0, 0];
    let found = find(&with_sections(&[
        (".debug_abbrev", abbreviations),
        (".debug_info", unit(0, &[1, 0, 0, 0, 0])),
        (".debug_line", line),
    ]));
    assert!(
        found.notes[0].contains("no line table at offset 0x0"),
        "{:?}",
        found.notes
    );
}

#[test]
fn entries_that_lead_to_each_other_come_to_an_end() {
    // 100 subprograms whose origin is the entry itself.
    let abbreviations = vec![
        1,
        UNIT,
        1,
        0,
        0,
        2,
        SUBPROGRAM,
        0,
        LOW_PC,
        ADDR,
        ABSTRACT_ORIGIN,
        REF4,
        0,
        0,
        0,
    ];
    let mut entries = vec![1];
    for function in 0..100u32 {
        let offset = 11 + entries.len() as u32;
        entries.push(2);
        entries.extend((2 + 3 * function).to_le_bytes());
        entries.extend(offset.to_le_bytes());
    }
    let found = find(&with_sections(&[
        (".debug_abbrev", abbreviations),
        (".debug_info", unit(0, &entries)),
    ]));
    assert!(found.symbols.sources.is_empty());
}

#[test]
fn an_entry_with_too_many_attributes_costs_its_unit_alone() {
    // A million flags that take no byte.
    let mut abbreviations = vec![1, UNIT, 1, 0, 0, 2, SUBPROGRAM, 0];
    for _ in 0..1_000_000 {
        abbreviations.extend([0x3f, 0x19]);
    }
    abbreviations.extend([0, 0, 0]);
    let mut entries = vec![1];
    entries.extend(vec![2; 1_000_000]);
    let found = find(&with_sections(&[
        (".debug_abbrev", abbreviations),
        (".debug_info", unit(0, &entries)),
    ]));
    assert!(
        found.notes[0].contains("more than 100 attributes"),
        "{:?}",
        found.notes
    );
}

#[test]
fn names_that_share_one_long_text_are_not_read_forever() {
    // 100 functions, and each is named by nearly all of 8 MB.
    let abbreviations = vec![
        1, UNIT, 1, 0, 0, 2, SUBPROGRAM, 0, LOW_PC, ADDR, NAME, STRP, 0, 0, 0,
    ];
    let mut entries = vec![1];
    for function in 0..100u32 {
        entries.push(2);
        entries.extend((2 + 3 * function).to_le_bytes());
        entries.extend(function.to_le_bytes());
    }
    let mut text = vec![b'x'; 8 << 20];
    text.push(0);
    let found = find(&with_sections(&[
        (".debug_abbrev", abbreviations),
        (".debug_info", unit(0, &entries)),
        (".debug_str", text),
    ]));
    assert!(
        found.notes[0].contains("the same bytes again and again"),
        "{:?}",
        found.notes
    );
    assert!(
        found.symbols.names.iter().all(Option::is_none),
        "too long to be names"
    );
}

#[test]
fn abbreviations_in_the_middle_of_others_are_parsed_once() {
    // Thousands of units, each of which starts its abbreviations one byte later.
    let mut abbreviations = Vec::new();
    for code in 1..=100u8 {
        abbreviations.extend([code, UNIT, 0, 0, 0]);
    }
    abbreviations.push(0);
    let info: Vec<u8> = (0..50_000u32).flat_map(|at| unit(at % 500, &[1])).collect();
    let found = find(&with_sections(&[
        (".debug_abbrev", abbreviations),
        (".debug_info", info),
    ]));
    assert!(
        found.notes[0].contains("more units are"),
        "{:?}",
        found.notes
    );
}

#[test]
fn dwarf_64_and_lying_unit_lengths() {
    for info in [
        [
            [0xff; 4].as_slice(),
            &u64::MAX.to_le_bytes(),
            &[5, 0, 1, 8, 0],
        ]
        .concat(),
        [0xffff_fff0u32.to_le_bytes().as_slice(), &[0; 16]].concat(),
        vec![0; 4],
        vec![0; 64],
        vec![1],
    ] {
        let found = find(&with_sections(&[
            (".debug_info", info),
            (".debug_abbrev", vec![0]),
        ]));
        assert!(found.symbols.sources.is_empty());
    }
}
