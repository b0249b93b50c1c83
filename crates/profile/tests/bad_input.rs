//! What is wrong, where, and what to do: never a panic.

mod common;

use common::{CompactRecord, block, compact, header, map, wall, xray};
use wasm_xray_abi::block::VERSION_XRAY;
use wasm_xray_profile::{Format, Merger, Profile, ReportOptions};

fn error(file: &[u8], map: &str) -> (Option<u64>, String) {
    let error = Profile::read(file, map).expect_err("the input is bad");
    (error.offset(), error.to_string())
}

#[test]
fn bad_files() {
    let magic = &header(1)[..8];
    let v = wasm_xray_abi::block::VERSION_COMPACT;
    let one = |record: CompactRecord| compact(&[(1, &[record])]);
    let cut = |mut file: Vec<u8>, by: usize| {
        file.truncate(file.len() - by);
        file
    };
    let lying = |size: u32| [header(v), size.to_le_bytes().to_vec(), vec![1; 12]].concat();
    let after_header = |bytes: &[u8]| [header(v), bytes.to_vec()].concat();
    let two = [(1, 0, 1, 0, 1, 1), (1, 0, 1, 0, 1, 1)];
    for (name, file, offset, message) in [
        ("empty", vec![], 0, "is empty"),
        (
            "a module",
            b"\0asm\x01\0\0\0".to_vec(),
            0,
            "WebAssembly module",
        ),
        (
            "json",
            b"{}".to_vec(),
            0,
            "looks like JSON, but not like a .cpuprofile",
        ),
        ("yaml", b"---\n- {}".to_vec(), 0, "looks like YAML"),
        ("text", b"hello, world, hello".to_vec(), 0, "forpyarx"),
        ("half a magic", magic[..3].to_vec(), 0, "first eight bytes"),
        (
            "magic only",
            magic.to_vec(),
            0,
            "truncated: the file header needs 32 bytes, 8 are left",
        ),
        ("another version", header(99), 8, "version 0x63"),
        (
            "half a block header",
            after_header(&[1; 7]),
            32,
            "truncated: a block header",
        ),
        (
            "block smaller than its header",
            lying(15),
            32,
            "says it has 15 bytes",
        ),
        (
            "block of 4 GB",
            lying(u32::MAX),
            32,
            "the file ends after 16",
        ),
        ("thread 0", compact(&[(0, &[])]), 40, "thread id 0"),
        (
            "cut record",
            cut(one((1, 0, 1, 0, 1, 1)), 8),
            32,
            "truncated",
        ),
        (
            "half a record",
            after_header(&block(1, &[1; 20])),
            48,
            "a record needs 32 bytes, 20 are left",
        ),
        ("node 0", one((0, 0, 1, 0, 1, 1)), 48, "node 0"),
        (
            "its own parent",
            one((7, 7, 1, 0, 1, 1)),
            52,
            "its own parent",
        ),
        (
            "later parent",
            one((7, 8, 1, 0, 1, 1)),
            52,
            "parent 8, which does not come before",
        ),
        ("node twice", compact(&[(1, &two)]), 80, "occurs twice"),
        ("function 0", one((1, 0, 0, 0, 1, 1)), 56, "function id 0"),
        (
            "negative function",
            one((1, 0, u32::MAX, 0, 1, 1)),
            56,
            "function id -1",
        ),
        ("unknown flags", one((1, 0, 1, 6, 1, 1)), 60, "flags 0x6"),
        (
            "overflow node with a parent",
            compact(&[(1, &[(1, 0, 1, 0, 1, 1), (2, 1, 1, 1, 1, 1)])]),
            84,
            "an overflow node",
        ),
        (
            "parent is an overflow node",
            compact(&[(1, &[(1, 0, 1, 1, 1, 1), (2, 1, 1, 0, 1, 1)])]),
            84,
            "an overflow node",
        ),
        (
            "parent in another thread",
            compact(&[(1, &[(1, 0, 1, 0, 1, 1)]), (2, &[(2, 1, 1, 0, 1, 1)])]),
            100,
            "parent 1",
        ),
        (
            "xray path without end",
            [header(VERSION_XRAY), block(1, &[1, 0, 0, 0])].concat(),
            52,
            "the path of a record needs 4 bytes, 0 are left",
        ),
        (
            "xray record without time",
            [header(VERSION_XRAY), block(1, &[0; 14])].concat(),
            60,
            "the time of a record needs 8 bytes, 2 are left",
        ),
        (
            "xray block of 4 GB",
            [header(VERSION_XRAY), vec![0xff; 16]].concat(),
            32,
            "the file ends after 16",
        ),
        (
            "xray negative id",
            xray(&[(1, &[(&[0x8000_0000], 1, 1)])]),
            48,
            "function id -2147483648",
        ),
    ] {
        let (found, text) = error(&file, "");
        assert_eq!(found, Some(offset), "{name}: {text}");
        assert!(text.contains(message), "{name}: {text}");
    }
}

#[test]
fn every_truncation_is_an_error_or_ends_at_a_block() {
    let (file, map) = wall();
    let blocks = [32, file.len()];
    let xray_file = Profile::read(&file, &map)
        .unwrap()
        .convert(Format::Xray)
        .unwrap();
    for file in [file, xray_file] {
        let mut accepted = Vec::new();
        for len in 0..file.len() {
            match Profile::read(&file[..len], &map) {
                Ok(_) => accepted.push(len),
                Err(error) => assert!(error.offset().unwrap() <= len as u64, "{error}"),
            }
        }
        assert!(
            accepted.contains(&blocks[0]) && accepted.len() <= 3,
            "{accepted:?}"
        );
    }
}

#[test]
fn bad_maps() {
    let file = compact(&[(1, &[(1, 0, 1, 0, 1, 1)])]);
    let good = map("calls", &[(1, "main")], 0, &[Some("a")]);
    let changed = |from: &str, to: &str| {
        assert!(good.contains(from), "{good}");
        good.replacen(from, to, 1)
    };
    let twice = {
        let mut map: serde_json::Value = serde_json::from_str(&good).unwrap();
        let mut other = map["modules"][0].clone();
        other["map"]["hash"] = "other".into();
        map["modules"].as_array_mut().unwrap().push(other);
        map.to_string()
    };
    for (name, map, message) in [
        ("cut", good[..20].to_owned(), "function map is not valid"),
        (
            "another version",
            changed("\"version\":1", "\"version\":2"),
            "version 2",
        ),
        ("unknown clock", changed("calls", "sundial"), "sundial"),
        (
            "base 0",
            changed("\"base\":1", "\"base\":0"),
            "ids go from 1",
        ),
        (
            "base too high",
            changed("\"base\":1", "\"base\":4294967295"),
            "ids go from 1",
        ),
        ("thread 0", changed("\"id\":1", "\"id\":0"), "thread id 0"),
        ("overlap", twice, "id 1 to two modules"),
        ("neither", "hello".to_owned(), "neither a function map"),
        (
            "yaml without ids",
            "- {name: a}".to_owned(),
            "neither a function map",
        ),
        (
            "yaml id 0",
            "- {id: 0, function-name: a}".to_owned(),
            "function id 0",
        ),
        (
            "yaml id far off",
            "- {id: 2000000000, function-name: a}".to_owned(),
            "large gaps",
        ),
        (
            "yaml alias",
            "- &a {id: 1}\n- *a".to_owned(),
            "neither a function map",
        ),
        (
            "yaml nesting",
            "[".repeat(100_000),
            "neither a function map",
        ),
    ] {
        let (_, text) = error(&file, &map);
        assert!(text.contains(message), "{name}: {text}");
    }
}

#[test]
fn unknown_function_ids_are_kept() {
    let file = compact(&[(1, &[(1, 0, 77, 0, 5, 0)])]);
    let profile = Profile::read(&file, &map("calls", &[], 0, &[Some("a")])).unwrap();
    assert_eq!(profile.functions[0].name, "func#77");
    assert_eq!(profile.function_stats()[0].calls, 5);
}

#[test]
fn numbers_beyond_2_to_the_64_saturate() {
    let max = u64::MAX;
    let file = compact(&[
        (1, &[(1, 0, 1, 0, max, max), (2, 1, 1, 0, max, max)]),
        (2, &[(1, 0, 1, 0, max, max)]),
    ]);
    let profile = Profile::read(&file, &map("wall", &[], 0, &[Some("a")])).unwrap();
    assert_eq!(profile.function_stats()[0].total_cost, max);
    for (_, format) in Format::ALL {
        profile.convert(format).unwrap();
    }
}

#[test]
fn bad_requests() {
    assert!(
        "pdf"
            .parse::<Format>()
            .unwrap_err()
            .to_string()
            .contains("speedscope, cpuprofile, firefox")
    );
    for (options, message) in [
        ("{\"by\": \"name\"}", "name"),
        ("{\"sort\": 1}", "sort"),
        ("", "not valid"),
    ] {
        let error = ReportOptions::from_json(options).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    assert!(Merger::new().finish().is_err());
    let mut merger = Merger::new();
    let file = compact(&[(1, &[(1, 0, 1, 0, 1, 1)])]);
    merger
        .add(Profile::read(&file, &map("calls", &[], 0, &[])).unwrap())
        .unwrap();
    let other = Profile::read(&file, &map("wall", &[], 0, &[])).unwrap();
    let error = merger.add(other).unwrap_err().to_string();
    assert!(
        error.contains("clock calls and one with clock wall"),
        "{error}"
    );
    assert_eq!(merger.finish().unwrap().threads.len(), 1);
}
