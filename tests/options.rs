//! Options from a string, as XRay's flags.

#![cfg(not(target_arch = "wasm32"))]

use proptest::prelude::*;
use wasm_xray::{FLAGS, Layout, Options};

fn error(text: &str) -> String {
    Options::parse(text).unwrap_err().to_string()
}

#[test]
fn no_flag_means_the_defaults() {
    for text in ["", "  ", ",,:\n\t\r"] {
        assert_eq!(Options::parse(text), Ok(Options::default()));
    }
    assert_eq!(Options::default().check(), Ok(()));
    // Segments of 64 frames, 16 bytes each and the links.
    assert_eq!(Options::default().shadow_stack_segments(), 1008);
}

#[test]
fn flags_are_separated_as_xrays() {
    let expected = Options {
        per_thread_allocator_max: 1 << 20,
        shadow_stack_max: 4096,
        buffers_max: 3,
        no_flush: true,
        layout: Layout::Xray,
        fold_recursion: true,
    };
    for separator in [" ", ",", ":", "\n", " , "] {
        let text = [
            "per_thread_allocator_max=1048576",
            "shadow_stack_max='4096'",
            "buffers_max=\"3\"",
            "no_flush=yes",
            "layout=xray",
            "fold_recursion=true",
        ]
        .join(separator);
        assert_eq!(Options::parse(&text), Ok(expected), "{text}");
        assert_eq!(Options::parse(&expected.to_string()), Ok(expected));
    }
}

#[test]
fn the_later_value_counts() {
    let options = Options::parse("no_flush=true buffers_max=1 no_flush=0 buffers_max=2").unwrap();
    assert!(!options.no_flush);
    assert_eq!(options.buffers_max, 2);
}

#[test]
fn every_flag_takes_its_default_and_its_bounds() {
    for flag in FLAGS {
        let parse = |value: &dyn std::fmt::Display| {
            Options::parse(&format!("{}={value}", flag.name)).is_ok()
        };
        assert!(parse(&flag.default));
        assert!(
            Options::parse(&format!("{}={}", flag.name, flag.default)) == Ok(Options::default())
        );
        if flag.name != "layout" {
            let (min, max) = (u64::from(flag.bounds.0), u64::from(flag.bounds.1));
            assert!(parse(&min) && parse(&max), "{}", flag.name);
            assert!(!parse(&(max + 1)), "{}", flag.name);
            assert!(min == 0 || !parse(&(min - 1)), "{}", flag.name);
        }
    }
}

#[test]
fn errors_say_what_to_do() {
    assert_eq!(
        error("buffers_max=1 bufers_max=2"),
        "option \"bufers_max\" at byte 14: unknown; there are per_thread_allocator_max shadow_stack_max buffers_max no_flush layout fold_recursion"
    );
    assert_eq!(
        error("per_thread_allocator_max=16384"),
        "option \"per_thread_allocator_max\" at byte 0: out of bounds: give 65536 to 4294639616 bytes"
    );
    assert_eq!(
        error(" buffers_max=99999999999999999999999"),
        "option \"buffers_max\" at byte 1: out of bounds: give 1 to 65536 threads"
    );
    for number in ["", "x", "-1", "1k", "0x10", "1.5", "+4096"] {
        let text = format!("shadow_stack_max={number}");
        let error = Options::parse(&text).map_err(|error| error.to_string());
        assert!(
            error.as_ref().is_err_and(|error| error.contains("bytes")),
            "{text}: {error:?}"
        );
    }
    assert_eq!(
        error("grace_period_ms=5"),
        "option \"grace_period_ms\" at byte 0: has no effect here, as nothing is copied or waited for: leave it out"
    );
    assert_eq!(
        error("no_flush"),
        "option \"no_flush\" at byte 0: no value: write name=value"
    );
    assert_eq!(
        error("no_flush=maybe"),
        "option \"no_flush\" at byte 0: neither yes nor no: give yes, true, 1, no, false or 0"
    );
    assert_eq!(
        error("layout='xray"),
        "option \"layout\" at byte 0: the quote does not end: close it"
    );
    assert_eq!(
        error("layout=json"),
        "option \"layout\" at byte 0: not a layout: give compact or xray"
    );
}

#[test]
fn a_struct_is_checked_too() {
    let options = Options {
        buffers_max: 0,
        ..Options::default()
    };
    assert_eq!(
        options.check().unwrap_err().to_string(),
        "option \"buffers_max\": out of bounds: give 1 to 65536 threads"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 10 } else { 2000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_string_is_too_strange(text in "(?s).{0,40}") {
        let _ = Options::parse(&text).map_err(|error| error.to_string());
    }

    #[test]
    fn no_string_of_pieces_of_flags_is_too_strange(
        pieces in prop::collection::vec(prop_oneof![
            Just("buffers_max"), Just("no_flush"), Just("layout"), Just("="), Just(" "), Just(":"),
            Just("'"), Just("\""), Just("1"), Just("xray"), Just("é"), Just("\0"),
        ], 0..12)
    ) {
        let text = pieces.concat();
        match Options::parse(&text) {
            Ok(options) => prop_assert_eq!(options.check(), Ok(())),
            Err(error) => prop_assert!(text[error.at.unwrap()..].starts_with(error.flag)),
        }
    }
}
