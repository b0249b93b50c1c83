//! Each format of two hand-made profiles, byte for byte. `BLESS=1` rewrites the files.

mod common;

use std::io::Read;

use common::{calls, golden, read, wall};
use wasm_xray_profile::{Format, Profile, ReportFormat, ReportOptions};

fn profiles() -> [(&'static str, Profile); 2] {
    [("wall", read(&wall())), ("calls", read(&calls()))]
}

#[test]
fn converted() {
    for (name, profile) in profiles() {
        for (format_name, format) in Format::ALL {
            let bytes = profile.convert(format).unwrap();
            golden(&format!("{name}.{format_name}"), &plain(&bytes));
            assert_eq!(
                profile.convert(format).unwrap(),
                bytes,
                "the same bytes again"
            );
        }
        golden(&format!("{name}.map.json"), profile.map_json().as_bytes());
    }
}

/// Without gzip, which may change with its library.
fn plain(bytes: &[u8]) -> Vec<u8> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return bytes.to_vec();
    }
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(bytes)
        .read_to_end(&mut plain)
        .unwrap();
    plain
}

#[test]
fn reports() {
    for (name, profile) in profiles() {
        for (kind, options) in [
            ("table", r#"{"format": "text"}"#),
            ("short", r#"{"format": "text", "limit": 2, "by": "total"}"#),
            ("tree", r#"{"format": "text", "tree": true, "limit": 4}"#),
            (
                "sandwich",
                r##"{"format": "text", "callers": "#3", "callees": "#3"}"##,
            ),
            (
                "json",
                r##"{"callers": "#3", "callees": "#3", "tree": true, "limit": 3}"##,
            ),
        ] {
            let options = ReportOptions::from_json(options).unwrap();
            let report = profile.report(&options).unwrap();
            golden(&format!("{name}.report.{kind}"), report.as_bytes());
        }
    }
}

#[test]
fn no_output_holds_a_control_character() {
    let profile = read(&calls());
    let mut outputs: Vec<Vec<u8>> = [
        Format::Svg,
        Format::Folded,
        Format::Speedscope,
        Format::Json,
        Format::Cpuprofile,
        Format::Firefox,
        Format::Callgrind,
        Format::Csv,
    ]
    .map(|format| profile.convert(format).unwrap())
    .to_vec();
    let text = ReportOptions {
        format: ReportFormat::Text,
        ..ReportOptions::default()
    };
    outputs.push(profile.report(&text).unwrap().into_bytes());
    for output in outputs {
        let output = String::from_utf8(output).unwrap();
        let bad = output
            .chars()
            .find(|char| char.is_control() && *char != '\n');
        assert_eq!(bad, None, "{output}");
    }
    let svg = String::from_utf8(profile.convert(Format::Svg).unwrap()).unwrap();
    assert!(
        !svg.contains("<b ") && svg.matches("]]>").count() == 1,
        "{svg}"
    );
}
