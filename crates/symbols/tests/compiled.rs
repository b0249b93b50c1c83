//! DWARF as the Rust compiler writes it. What must be found is in the source: see `shapes.rs`.

mod common;

use common::{SOURCE, compile, custom_section, with_custom};
use wasm_xray_symbols::{Found, Input, read, references};

/// Lines of `shapes.rs` with what the name of their function contains.
fn marks() -> Vec<(u32, String)> {
    let source = std::fs::read_to_string(SOURCE).unwrap();
    (1..)
        .zip(source.lines())
        .filter(|(_, line)| !line.starts_with("//"))
        .filter_map(|(number, line)| Some((number, line.split_once("// @ ")?.1.to_owned())))
        .collect()
}

fn find(module: &[u8]) -> Found {
    read(&Input {
        module,
        ..Input::default()
    })
    .unwrap()
}

/// Checks that each function of the source has its line, in each of its copies.
fn check(found: &Found, what: &str) {
    assert_eq!(found.notes, [""; 0], "{what}");
    let symbols = &found.symbols;
    for (line, mark) in marks() {
        let functions: Vec<u32> = (0..)
            .zip(&symbols.names)
            .filter(|(_, name)| {
                let name = name.as_deref().unwrap_or_default();
                match mark.as_str() {
                    // Instances for both shapes have the shape in their names, too.
                    "Square" | "Strip" => name.contains(&mark) && name.contains("area"),
                    "start" => name == "start",
                    "{{closure}}" => name.contains("closure"),
                    _ => name.contains(&mark),
                }
            })
            .map(|(function, _)| function)
            .collect();
        // Where the compiler optimizes, the closure is part of another function.
        let is_inlined = mark == "{{closure}}" && !what.contains("opt-level=0");
        let none = functions.is_empty();
        assert!(!none || is_inlined, "{what}: {mark} in {:?}", symbols.names);
        for function in functions {
            let (file, found) = symbols.sources.place(function).expect("its place is known");
            assert!(file.ends_with("tests/data/shapes.rs"), "{what}: {file}");
            assert_eq!(found, Some(line), "{what}: {mark}");
        }
    }
}

#[test]
fn declarations_are_found_in_every_version_of_dwarf() {
    for version in ["-Cdwarf-version=4", "-Cdwarf-version=5"] {
        for optimized in ["-Copt-level=0", "-Copt-level=2"] {
            let options = [version, optimized];
            let module = compile(&options.concat().replace(['-', '='], "_"), &options);
            assert!(references(&module).unwrap().has_dwarf);
            check(&find(&module), &options.concat());
        }
    }
}

#[test]
fn without_a_name_section_names_come_from_dwarf() {
    let module = compile(
        "nameless",
        &["-Copt-level=1", "-Csymbol-mangling-version=v0"],
    );
    let named = find(&module);
    let nameless = find(&with_custom(&module, |name, data| {
        (name != "name").then(|| data.to_vec())
    }));
    check(&nameless, "nameless");
    assert_eq!(nameless.code, named.code);
    let ours: Vec<usize> = (0..named.symbols.names.len())
        .filter(|function| named.symbols.sources.place(*function as u32).is_some())
        .collect();
    assert!(ours.len() >= 6);
    for function in ours {
        let name = nameless.symbols.names[function].as_deref().unwrap();
        assert!(name == "start" || name.starts_with("_R"), "{name}");
    }
}

#[test]
fn lines_alone_give_the_first_line_of_the_code() {
    let module = compile("lines", &["-Copt-level=0", "-Cdebuginfo=line-tables-only"]);
    let found = find(&module);
    assert_eq!(found.notes, [""; 0]);
    let start = found
        .symbols
        .names
        .iter()
        .position(|name| name.as_deref() == Some("start"));
    let (file, line) = found.symbols.sources.place(start.unwrap() as u32).unwrap();
    assert!(file.ends_with("shapes.rs"));
    let (expected, _) = marks()
        .into_iter()
        .find(|(_, mark)| mark == "start")
        .unwrap();
    assert_eq!(line, Some(expected));
}

#[test]
fn a_separate_file_gives_what_the_module_itself_would() {
    let whole = compile("whole", &["-Copt-level=1"]);
    let stripped = with_custom(&whole, |_, _| None);
    let url = custom_section("external_debug_info", b"\x0awhole.wasm");
    let split = [stripped.as_slice(), &url].concat();
    assert_eq!(
        references(&split).unwrap().debug.as_deref(),
        Some("whole.wasm")
    );
    let found = read(&Input {
        module: &split,
        debug: Some(&whole),
        source_map: None,
    });
    assert_eq!(found.unwrap(), find(&whole));
    // Without its code, as linkers and `wasm-split` leave it.
    let no_code = [&whole[..8], &with_custom_only(&whole)].concat();
    let found = read(&Input {
        module: &split,
        debug: Some(&no_code),
        source_map: None,
    })
    .unwrap();
    assert_eq!(found.symbols.sources, find(&whole).symbols.sources);
    let other = compile("other", &["-Copt-level=0"]);
    let refused = read(&Input {
        module: &split,
        debug: Some(&other),
        source_map: None,
    })
    .unwrap();
    assert!(
        refused.notes[0].contains("of another build"),
        "{:?}",
        refused.notes
    );
    assert!(refused.symbols.sources.is_empty());
}

fn with_custom_only(module: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (id, _, contents) in common::sections(module) {
        if id == 0 {
            bytes.extend(common::section(0, contents));
        }
    }
    bytes
}
