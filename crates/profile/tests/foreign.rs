//! Other tools' profiles: what they say, what is wrong with them, and our own
//! exports read back.

mod common;

use std::collections::BTreeMap;
use std::io::Write;

use common::any::any_profile;
use common::{calls, read, wall};
use proptest::prelude::*;
use wasm_xray_profile::{Clock, Format, Kind, Profile, ReportOptions, Weight, unit};

/// Calls, self and total by shown name; totals are of outermost activations.
fn figures(profile: &Profile) -> BTreeMap<String, (u64, u64, u64)> {
    let mut figures = BTreeMap::new();
    for (function, stats) in profile.functions.iter().zip(profile.function_stats()) {
        let sum: &mut (u64, u64, u64) = figures.entry(function.name.clone()).or_default();
        sum.0 += stats.calls;
        sum.1 += stats.self_cost;
        sum.2 += stats.total_cost;
    }
    figures
}

fn foreign(file: &[u8]) -> Profile {
    Profile::read(file, "").unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_profile_of_v8() {
    // 0–10 main, 10–30 inner, 30–35 idle, 35–40 wasm, then 2 µs until the end.
    let file = r#"{
        "nodes": [
            {"id": 1, "callFrame": {"functionName": "(root)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}, "hitCount": 0, "children": [2, 5]},
            {"id": 2, "callFrame": {"functionName": "main", "scriptId": "1", "url": "file:///app/main.mjs", "lineNumber": 9, "columnNumber": 0}, "hitCount": 1, "children": [3, 4]},
            {"id": 3, "callFrame": {"functionName": "", "scriptId": "1", "url": "file:///app/main.mjs", "lineNumber": 2, "columnNumber": 8}, "hitCount": 1},
            {"id": 4, "callFrame": {"functionName": "_ZN3app4main17h0123456789abcdefE", "scriptId": "2", "url": "wasm://wasm/app.wasm-0a1b2c3d", "lineNumber": 0, "columnNumber": 77}, "hitCount": 1},
            {"id": 5, "callFrame": {"functionName": "(idle)", "scriptId": "0", "url": "", "lineNumber": -1, "columnNumber": -1}, "hitCount": 1}
        ],
        "startTime": 1000000, "endTime": 1000042,
        "samples": [2, 3, 5, 4], "timeDeltas": [0, 10, 20, 5]
    }"#;
    let profile = foreign(file.as_bytes());
    assert_eq!(profile.clock, Clock::Sampled);
    assert_eq!(
        figures(&profile),
        BTreeMap::from([
            ("main".to_owned(), (0, 10_000, 37_000)),
            ("(anonymous)".to_owned(), (0, 20_000, 20_000)),
            ("app::main".to_owned(), (0, 7_000, 7_000)),
        ])
    );
    let rows: Vec<_> = profile
        .function_ids()
        .map(|id| {
            let function = profile.function(id);
            let place = (function.file.as_deref(), function.line);
            (profile.module_name(id), place, function.kind)
        })
        .collect();
    let script = Some("file:///app/main.mjs");
    assert_eq!(
        rows,
        [
            ("main.mjs", (script, Some(10)), Kind::JavaScript),
            ("main.mjs", (script, Some(3)), Kind::JavaScript),
            ("app.wasm", (None, None), Kind::Wasm),
        ]
    );
    assert_eq!(
        profile.unseen,
        [
            "5000 ns in which the thread was idle",
            "calls: the profile is one of samples, which do not count them"
        ]
    );
    let report = profile
        .report(&ReportOptions::from_json(r#"{"format": "text"}"#).unwrap())
        .unwrap();
    assert!(
        report.starts_with("0 calls, 37.000 µs in 1 thread, clock sampled\n"),
        "{report}"
    );
}

#[test]
fn folded_stacks() {
    let file = "main;a;b 3\nmain;a 2\n\n# a comment\nmain;a;b 4\nother thing;x 5\r\n";
    let profile = foreign(file.as_bytes());
    assert_eq!(
        (profile.clock, unit(profile.clock)),
        (Clock::Samples, "samples")
    );
    assert_eq!(
        figures(&profile),
        BTreeMap::from([
            ("main".to_owned(), (0, 0, 9)),
            ("a".to_owned(), (0, 2, 9)),
            ("b".to_owned(), (0, 7, 7)),
            ("other thing".to_owned(), (0, 0, 5)),
            ("x".to_owned(), (0, 5, 5)),
        ])
    );
    let again = profile.convert(Format::Folded).unwrap();
    assert_eq!(
        String::from_utf8(again).unwrap(),
        "main;a 2\nmain;a;b 7\nother thing;x 5\n"
    );
}

/// Protocol buffers by hand: a field with its bytes.
fn bytes(tag: u8, message: &[u8]) -> Vec<u8> {
    [&[tag << 3 | 2, message.len() as u8], message].concat()
}

fn varint(tag: u8, value: u8) -> Vec<u8> {
    assert!(value < 0x80);
    vec![tag << 3, value]
}

/// Samples first, as Go writes it: main → (parse, with lex inlined into it), twice.
fn pprof(unit: &str, values: [&[u8]; 2]) -> Vec<u8> {
    let sample = |locations: &[u8], values: &[u8]| {
        bytes(2, &[bytes(1, locations), bytes(2, values)].concat())
    };
    let function = |id, name| bytes(5, &[varint(1, id), varint(2, name), varint(4, 8)].concat());
    let line = |function| bytes(4, &[varint(1, function), varint(2, 33)].concat());
    let strings = [
        "", "samples", "count", "cpu", unit, "main", "parse", "lex", "a.go",
    ];
    let mut file = [
        bytes(1, &[varint(1, 1), varint(2, 2)].concat()),
        bytes(1, &[varint(1, 3), varint(2, 4)].concat()),
        sample(&[2, 1], values[0]),
        sample(&[1], values[1]),
        bytes(4, &[varint(1, 1), line(1)].concat()),
        bytes(4, &[varint(1, 2), line(3), line(2)].concat()),
        function(1, 5),
        function(2, 6),
        function(3, 7),
    ]
    .concat();
    for string in strings {
        file.extend(bytes(6, string.as_bytes()));
    }
    file
}

#[test]
fn a_profile_of_go() {
    let expected = |ns: u64| {
        BTreeMap::from([
            ("main".to_owned(), (0, 3 * ns, 10 * ns)),
            ("parse".to_owned(), (0, 0, 7 * ns)),
            ("lex".to_owned(), (0, 7 * ns, 7 * ns)),
        ])
    };
    for (name, clock, ns) in [
        ("nanoseconds", Clock::Sampled, 1),
        ("milliseconds", Clock::Sampled, 1_000_000),
        ("count", Clock::Samples, 1),
        ("bytes", Clock::Samples, 1),
    ] {
        let file = pprof(name, [&[1, 7], &[1, 3]]);
        let profile = foreign(&file);
        assert_eq!(
            (profile.clock, figures(&profile)),
            (clock, expected(ns)),
            "{name}"
        );
        assert_eq!(profile.functions[0].file.as_deref(), Some("a.go"));
        let says_unit = profile
            .unseen
            .iter()
            .any(|text| text.contains("cpu in bytes"));
        assert_eq!(says_unit, name == "bytes", "{:?}", profile.unseen);
        assert_eq!(Profile::read(&gzip(&file), "").unwrap(), profile);
    }
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn our_exports_say_the_same_when_read_back() {
    for input in [wall(), calls()] {
        let profile = read(&input);
        for format in [Format::Cpuprofile, Format::Pprof] {
            let again = foreign(&profile.convert(format).unwrap());
            assert_eq!(again.clock, profile.clock);
            let escaped: BTreeMap<_, _> = figures(&profile)
                .into_iter()
                .map(|(name, figures)| (wasm_xray_profile::escape(&name), figures))
                .collect();
            let mut found = figures(&again);
            // A .cpuprofile has threads as frames.
            found.retain(|name, _| escaped.contains_key(name));
            assert_eq!(found, escaped, "{format:?}");
            assert_eq!(again.dropped.calls, profile.dropped.calls, "{format:?}");
        }
    }
}

proptest! {
    #[test]
    fn exports_keep_every_sum(profile in any_profile(true)) {
        let sums = |profile: &Profile| (profile.sum(Weight::Calls), profile.sum(Weight::Cost));
        for format in [Format::Cpuprofile, Format::Pprof] {
            let again = foreign(&profile.convert(format).unwrap());
            prop_assert_eq!(sums(&again), sums(&profile));
        }
        let folded = profile.convert(Format::Folded).unwrap();
        if !folded.is_empty() {
            prop_assert_eq!(foreign(&folded).sum(Weight::Cost), profile.sum(Weight::Cost));
        }
    }
}

fn cpuprofile(nodes: &str, samples: &str, deltas: &str) -> Vec<u8> {
    format!(r#"{{"nodes":[{nodes}],"startTime":0,"samples":[{samples}],"timeDeltas":[{deltas}]}}"#)
        .into_bytes()
}

fn node(id: &str, more: &str) -> String {
    format!(r#"{{"id":{id},"callFrame":{{"functionName":"f{id}"}}{more}}}"#)
}

#[test]
fn bad_files() {
    let go = pprof("nanoseconds", [&[1, 7], &[1, 3]]);
    let changed = |at: usize, to: u8| {
        let mut file = go.clone();
        file[at] = to;
        file
    };
    let one = node("1", "");
    let circle = [
        node("1", r#","children":[2]"#),
        node("2", r#","children":[1]"#),
    ]
    .join(",");
    let twice = [
        node("1", r#","children":[3]"#),
        node("2", r#","children":[3]"#),
        node("3", ""),
    ]
    .join(",");
    let zipped = gzip(&go);
    let negative = pprof(
        "nanoseconds",
        [
            &[1, 7],
            &[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
        ],
    );
    for (name, file, offset, message) in [
        (
            "cpuprofile cut short",
            cpuprofile(&one, "1", "0")[..60].to_vec(),
            Some(59),
            "not valid: EOF",
        ),
        (
            "two nodes with an id",
            cpuprofile(&[&*one, &*one].join(","), "", ""),
            None,
            "two nodes with id 1",
        ),
        (
            "children in a circle",
            cpuprofile(&circle, "1", "0"),
            None,
            "go in a circle",
        ),
        (
            "its own child",
            cpuprofile(&node("1", r#","children":[1]"#), "1", "0"),
            None,
            "go in a circle",
        ),
        (
            "two parents",
            cpuprofile(&twice, "1", "0"),
            None,
            "node 3 of the .cpuprofile has two parents",
        ),
        (
            "no such child",
            cpuprofile(&node("1", r#","children":[7]"#), "", ""),
            None,
            "refers to node 7, which there is not",
        ),
        (
            "no such sample",
            cpuprofile(&one, "7", "0"),
            None,
            "sample 0 of the .cpuprofile is of node 7",
        ),
        (
            "one delta short",
            cpuprofile(&one, "1,1", "0"),
            None,
            "2 samples and 1 timeDeltas",
        ),
        (
            "time beyond 2^53",
            cpuprofile(&one, "1", "1e17"),
            None,
            "beyond 2^53",
        ),
        (
            "time beyond f64",
            cpuprofile(&one, "1", "1e999"),
            Some(100),
            "number out of range",
        ),
        (
            "id beyond 2^64",
            cpuprofile(&node("18446744073709551616", ""), "", ""),
            Some(35),
            "not valid",
        ),
        (
            "negative id",
            cpuprofile(&node("-1", ""), "", ""),
            Some(17),
            "not valid",
        ),
        (
            "no number",
            b"a;b 1\na;b\n".to_vec(),
            Some(6),
            "no number at its end",
        ),
        (
            "number beyond 2^64",
            b"a;b 1\na;b 18446744073709551616\n".to_vec(),
            Some(10),
            "below 2^64",
        ),
        (
            "negative number",
            b"a;b 1\na;b -5\n".to_vec(),
            Some(10),
            "\"-5\" is no count",
        ),
        ("no frames", b"a;b 1\n; 5\n".to_vec(), Some(6), "no frames"),
        (
            "not utf-8",
            b"a;b 1\na\xff 5\n".to_vec(),
            Some(7),
            "not UTF-8",
        ),
        (
            "pprof cut short",
            go[..go.len() - 3].to_vec(),
            Some(go.len() as u64 - 6),
            "truncated",
        ),
        (
            "pprof that claims 4 GB",
            [&go[..12], &[0x12, 0xff, 0xff, 0xff, 0xff, 0x0f]].concat(),
            Some(12),
            "says it has 4294967295 bytes, 0 are left",
        ),
        (
            "pprof that claims 2^64",
            [
                &go[..12],
                &[
                    0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1,
                ],
            ]
            .concat(),
            Some(12),
            "bytes, 0 are left",
        ),
        (
            "pprof with a wire type 7",
            changed(12, 0x17),
            Some(12),
            "no pprof profile any more",
        ),
        (
            "pprof with a fixed field",
            changed(12, 0x11),
            Some(12),
            "type SixtyFourBit",
        ),
        (
            "no such location",
            changed(16, 9),
            Some(12),
            "location 9, which there is not",
        ),
        (
            "one value short",
            pprof("nanoseconds", [&[1, 7], &[1]]),
            Some(22),
            "1 values; there are 2",
        ),
        ("negative value", negative, Some(22), "difference of two"),
        (
            "gzip cut short",
            zipped[..zipped.len() / 2].to_vec(),
            None,
            "cut short",
        ),
        (
            "gzip of nothing we know",
            gzip(b"hello"),
            None,
            "(at byte 0 of the unpacked file)",
        ),
    ] {
        let error = Profile::read(&file, "").expect_err(name);
        assert!(error.to_string().contains(message), "{name}: {error}");
        if offset.is_some() {
            assert_eq!(error.offset(), offset, "{name}: {error}");
        }
    }
    let error = Profile::read(b"a;b 1\n", &wall().1).unwrap_err();
    assert!(error.to_string().contains("leave out the map"), "{error}");
}

#[test]
fn every_truncation_is_an_error_or_a_profile() {
    let profile = read(&wall());
    for format in [Format::Cpuprofile, Format::Folded, Format::Pprof] {
        let file = profile.convert(format).unwrap();
        for len in 1..file.len() {
            match Profile::read(&file[..len], "") {
                Ok(part) => assert!(part.sum(Weight::Cost) <= profile.sum(Weight::Cost)),
                Err(error) => assert!(error.offset().is_none_or(|offset| offset <= len as u64)),
            }
        }
    }
}
