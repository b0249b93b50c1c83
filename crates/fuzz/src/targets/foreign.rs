//! Other tools' profiles: `.cpuprofile`, folded stacks, pprof, any of them in gzip.

use wasm_xray_profile::{Format, Profile, Weight};

use crate::Target;

pub(super) static FOREIGN: Target = Target {
    name: "foreign",
    seeds,
    words: &[
        b"\"nodes\":[",
        b"\"children\":[1]",
        b"\"parent\":2",
        b"\"timeDeltas\":[",
        b"18446744073709551616",
        b"9007199254740993",
        b"1e308",
        b"(root)",
        b"(idle)",
        b"(dropped paths)",
        b"wasm://wasm/",
        b"\x0a\x04\x08\x01\x10\x02",
        b"\x12\xff\xff\xff\xff\x0f",
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
        b";",
        b" 1\n",
    ],
    mend: None,
    run,
    // A node of a .cpuprofile takes some thirty bytes and becomes a node, a
    // function with its names, a module, and entries in four maps.
    bytes_per_byte: 200,
    max_len: 4 << 10,
};

fn seeds() -> Vec<Vec<u8>> {
    let folded = b"main;a;b 3\nmain;a 2\n(dropped paths);b 9\n".to_vec();
    let profile = Profile::read(&folded, "").expect("the seed is right");
    let convert = |format| profile.convert(format).expect("it is small");
    let pprof = convert(Format::Pprof);
    let plain = {
        let mut plain = Vec::new();
        let mut decoder = flate2::read::GzDecoder::new(pprof.as_slice());
        std::io::Read::read_to_end(&mut decoder, &mut plain).expect("we have just packed it");
        plain
    };
    let v8 = br#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","url":"","lineNumber":-1},"children":[2]},{"id":2,"callFrame":{"functionName":"f","url":"wasm://wasm/m-01234567","lineNumber":0}}],"startTime":1,"endTime":9,"samples":[2,2],"timeDeltas":[1,2]}"#;
    vec![
        folded,
        v8.to_vec(),
        convert(Format::Cpuprofile),
        pprof,
        plain,
    ]
}

fn run(input: &[u8]) -> String {
    match Profile::read(input, "") {
        Ok(profile) => {
            // What was read can be written, and says the same then.
            let file = profile.convert(Format::Compact).expect("it is small");
            let again = Profile::read(&file, &profile.map_json()).expect("we have just written it");
            assert_eq!(again.sum(Weight::Cost), profile.sum(Weight::Cost));
            assert_eq!(again.nodes(), profile.nodes());
            format!("{:?} {}", profile.clock, profile.threads.len().min(3))
        }
        Err(error) => {
            let end = input.len() as u64;
            assert!(error.offset().is_none_or(|offset| offset <= end), "{error}");
            without_numbers(error.message())
        }
    }
}

/// The kind of error: without what is quoted from the input.
fn without_numbers(message: &str) -> String {
    let words = message.split(|char: char| !char.is_ascii_alphabetic());
    let words = words.filter(|word| word.len() > 3).take(8);
    words.collect::<Vec<_>>().join(" ")
}
