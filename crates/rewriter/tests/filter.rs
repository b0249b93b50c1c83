//! Which functions a filter chooses.

use wasm_xray_rewriter::{ErrorKind, Filter, ModuleMap, Options, instrument};
use wasmparser::{Validator, WasmFeatures};

const MODULE: &str = r#"(module $app
    (import "env" "now" (func $now))
    (func $_ZN3app5parse17h0123456789abcdefE (call $now))
    (func (export "main") (export "_Z4initi") (call $small) (call $_ZN3app5parse17h0123456789abcdefE))
    (func $small (drop (i32.const 1)))
    (func $looping (loop))
    (func))"#;

/// The filter with `attribute_list` and `[list, glob]` pairs.
fn filter(globs: &[[&str; 2]], min_instructions: u32, attribute_list: &str) -> Filter {
    let mut filter = Filter::default();
    for [list, glob] in globs {
        match *list {
            "include" => filter.include(glob),
            _ => filter.exclude(glob),
        }
        .expect("a good glob");
    }
    filter.min_instructions(min_instructions);
    filter.attribute_list(attribute_list).expect("a good list");
    filter
}

fn map_with(filter: Filter) -> ModuleMap {
    let options = Options {
        validate: true,
        filter,
        ..Options::default()
    };
    let bytes = wat::parse_str(MODULE).expect("parses");
    let output = instrument(&bytes, &options).expect("instruments");
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(&output.bytes)
        .expect("valid output");
    output.map.expect("there are functions")
}

#[test]
fn a_function_is_known_by_all_its_names() {
    for (glob, left_out) in [
        ("env.now", 1),
        ("app::parse", 1),
        ("app::*", 1),
        ("_ZN3app5parse17h0123456789abcdefE", 1),
        ("main", 1),
        ("init(int)", 1),
        ("init(???)", 1),
        ("_Z4initi", 1),
        ("func[5]", 1),
        ("*", 6),
        ("app!*", 6),
        ("a*!small", 1),
        ("*!main", 1),
        ("app*", 1),
        ("other!*", 0),
        ("parse", 0),
        ("Main", 0),
        ("", 0),
    ] {
        let mut chosen = Filter::default();
        if glob.is_empty() {
            let error = chosen.exclude(glob).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Filter);
            continue;
        }
        chosen.exclude(glob).unwrap();
        let map = map_with(chosen);
        assert_eq!(map.left_out, left_out, "{glob}");
        let unmatched: Vec<String> = (left_out == 0)
            .then(|| format!("exclude {glob}"))
            .into_iter()
            .collect();
        assert_eq!(map.unmatched, unmatched, "{glob}");
    }
}

#[test]
fn a_module_without_a_name_is_known_by_the_name_given_or_its_hash() {
    let bytes = wat::parse_str("(module (func $f))").unwrap();
    for (given, glob) in [("script", "script!f"), ("", "wasm-????????!f")] {
        let options = Options {
            filter: filter(&[["exclude", glob]], 0, ""),
            module_name: given.to_owned(),
            ..Options::default()
        };
        assert_eq!(
            instrument(&bytes, &options).unwrap().map.unwrap().left_out,
            1
        );
    }
}

#[test]
fn the_first_rule_that_applies_decides() {
    let list = "[always]\nfun:small=arg1 # and its argument\n fun:main\n\n# comment\n[never]\nfun:loop*\nfun:main\n";
    for (globs, min, list, left_out) in [
        (vec![], 0, "", 0),
        // The empty one has none, $small two instructions, the others two, but $looping has a loop.
        (vec![], 1, "", 1),
        (vec![], 3, "", 4),
        (vec![["include", "main"]], 0, "", 5),
        (vec![["include", "main"], ["include", "env.*"]], 0, "", 4),
        (vec![["include", "main"], ["exclude", "m*"]], 0, "", 6),
        // $small and main always, $looping never.
        (vec![], 0, list, 1),
        (vec![], 1000, list, 3),
        (vec![["include", "nothing"]], 0, list, 4),
        (vec![["exclude", "small"]], 0, list, 2),
    ] {
        let map = map_with(filter(&globs, min, list));
        assert_eq!(map.left_out, left_out, "{globs:?} {min} {list}");
    }
}

#[test]
fn globs_of_every_list_are_named_if_they_match_nothing() {
    let list = "[never]\nfun:a\nfun:a\n[always]\nfun:b*\nfun:main";
    let globs = [["include", "x"], ["include", "*"], ["exclude", "y?"]];
    let unmatched = map_with(filter(&globs, 0, list)).unmatched;
    assert_eq!(
        unmatched,
        ["include x", "exclude y?", "always fun:b*", "never fun:a"]
    );
}

#[test]
fn an_attribute_list_that_means_nothing_is_an_error_with_its_line() {
    for (list, line, words) in [
        ("fun:a", "line 1", "[always] or [never]"),
        ("[always]\n\nfun:", "line 3", "no name"),
        ("[always]\nsrc:a.c", "line 2", "fun:"),
        ("[address]\n", "line 1", "no section [address]"),
        ("[always\n", "line 1", "]"),
        ("[never]\nmain", "line 2", "fun:"),
    ] {
        let error = Filter::default().attribute_list(list).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Filter);
        let message = error.to_string();
        assert!(
            message.contains(line) && message.contains(words),
            "{message}"
        );
    }
}
