//! Each target with the same inputs on every run, and with those that failed once.

use wasm_xray_fuzz::fuzzer::check;
use wasm_xray_fuzz::{Fuzzer, Limit, TARGETS, Target};

/// `answers`: how many different ones there are at least; a fuzzer that does not
/// get past a reader's first check would find no fault behind it.
fn bounded(name: &str, inputs: u64, answers: usize) {
    let target = Target::named(name).unwrap();
    match Fuzzer::new(target, 1).run(Limit::Inputs(inputs)) {
        Ok(summary) => {
            println!("{name}: {summary}");
            assert!(summary.answers >= answers, "{summary}");
        }
        Err(failure) => panic!("{name}: {}\n{:?}", failure.problem, failure.input),
    }
}

#[test]
fn blocks() {
    bounded("blocks", 100_000, 25);
}

#[test]
fn foreign() {
    bounded("foreign", 60_000, 25);
}

#[test]
fn options() {
    bounded("options", 100_000, 12);
}

#[test]
fn inputs_that_failed_once() {
    for target in TARGETS {
        for (file, input) in target.cases().unwrap() {
            if let Err(problem) = check(target, &input) {
                panic!("{file}: {problem}");
            }
        }
    }
}

/// The fuzzer itself finds what it should.
mod faults {
    use super::*;

    fn target(run: fn(&[u8]) -> String) -> &'static Target {
        Box::leak(Box::new(Target {
            name: "faulty",
            seeds: || vec![b"seed of this".to_vec()],
            words: &[],
            mend: None,
            run,
            bytes_per_byte: 10,
            max_len: 100,
        }))
    }

    fn problem(run: fn(&[u8]) -> String) -> String {
        let failure = Fuzzer::new(target(run), 1).run(Limit::Inputs(200_000));
        failure.unwrap_err().problem
    }

    #[test]
    fn a_panic_behind_three_checks() {
        let problem = problem(|input| match input {
            [b'S', b'E', b'E', ..] => panic!("too far"),
            [b'S', b'E', ..] => "two".into(),
            [b'S', ..] => "one".into(),
            _ => "none".into(),
        });
        assert_eq!(problem, "panicked: too far");
    }

    #[test]
    fn a_length_that_is_believed() {
        let problem = problem(|input| {
            let len = input
                .first_chunk()
                .map_or(0, |len| u32::from_le_bytes(*len));
            let room: Vec<u8> = Vec::with_capacity(len as usize >> 4);
            format!("{}", room.is_empty())
        });
        assert!(problem.starts_with("took "), "{problem}");
    }
}
