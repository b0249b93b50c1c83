//! The runtime's options in a string.

use wasm_xray::{FLAGS, Options};

use crate::Target;

pub(super) static OPTIONS: Target = Target {
    name: "options",
    seeds: || {
        let defaults = FLAGS.map(|flag| format!("{}={}", flag.name, flag.default));
        vec![
            defaults.join(" ").into_bytes(),
            b"layout=xray:no_flush='yes',buffers_max=\"3\"".to_vec(),
            b"grace_period_ms=1".to_vec(),
        ]
    },
    words: &[
        b"per_thread_allocator_max=",
        b"shadow_stack_max=",
        b"buffers_max=",
        b"no_flush=",
        b"layout=",
        b"global_allocator_max=",
        b"=",
        b" ",
        b":",
        b",",
        b"'",
        b"\"",
        b"yes",
        b"no",
        b"true",
        b"xray",
        b"compact",
        b"4294967296",
        b"65536",
        "é".as_bytes(),
        b"\0",
    ],
    mend: None,
    run,
    bytes_per_byte: 16,
    max_len: 4 << 10,
};

fn run(input: &[u8]) -> String {
    let text = String::from_utf8_lossy(input);
    match Options::parse(&text) {
        Ok(options) => {
            assert_eq!(options.check(), Ok(()), "parsed options are within bounds");
            // What is parsed can be said again.
            assert_eq!(Options::parse(&options.to_string()), Ok(options));
            format!("{options:?}")
        }
        Err(error) => {
            let at = error.at.expect("an error in a text has a place");
            assert!(
                text[at..].starts_with(error.flag),
                "the place is the flag's"
            );
            format!("{:?} {error}", error.problem)
        }
    }
}
