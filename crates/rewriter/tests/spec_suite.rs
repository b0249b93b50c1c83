//! Every module of the specification's tests, valid or not: what is valid stays
//! valid under every kind of probe, and nothing makes the rewriter panic. Each is
//! tried with a wrong byte as well.

#[path = "support/suite.rs"]
mod suite;
#[path = "support/suite_modules.rs"]
mod suite_modules;

use std::hash::{DefaultHasher, Hash, Hasher};
use suite_modules::modules;
use wasm_xray_rewriter::{Clock, Options, Probes, instrument};
use wasmparser::{Validator, WasmFeatures};

const KINDS: [(Probes, Clock); 5] = [
    (Probes::Inline, Clock::Calls),
    (Probes::Imported, Clock::Calls),
    (Probes::Inline, Clock::Sampled),
    (Probes::Imported, Clock::Sampled),
    (Probes::Imported, Clock::Wall),
];

fn is_valid(bytes: &[u8]) -> Result<(), wasmparser::BinaryReaderError> {
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(bytes)
        .map(|_| ())
}

/// What happened to the modules of one script.
#[derive(Default)]
struct Outcome {
    valid: usize,
    invalid: usize,
    faults: Vec<String>,
}

/// One byte is another: which one, and what it becomes, depends on the module alone.
fn damaged(bytes: &[u8]) -> Vec<u8> {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let random = hasher.finish();
    let mut damaged = bytes.to_vec();
    // The header stays, else nothing behind it is read.
    if let Some(rest) = damaged.get_mut(8..).filter(|rest| !rest.is_empty()) {
        let at = (random >> 8) as usize % rest.len();
        rest[at] ^= (random as u8).max(1);
    }
    damaged
}

fn try_module(bytes: &[u8], at: &str, outcome: &mut Outcome) {
    let accepted = is_valid(bytes).is_ok();
    if accepted {
        outcome.valid += 1;
    } else {
        outcome.invalid += 1;
        let checking = Options {
            validate: true,
            ..Options::default()
        };
        if instrument(bytes, &checking).is_ok() {
            outcome
                .faults
                .push(format!("{at}: an invalid module was accepted"));
        }
    }
    for (probes, clock) in KINDS {
        let options = Options {
            probes,
            clock,
            ..Options::default()
        };
        // Without validation an invalid module may give anything, but no panic.
        let fault = match instrument(bytes, &options) {
            _ if !accepted => continue,
            Ok(output) => match is_valid(&output.bytes) {
                Ok(()) => continue,
                Err(e) => format!("invalid output: {e}"),
            },
            Err(e) => format!("refused: {e}"),
        };
        outcome
            .faults
            .push(format!("{at} ({probes:?}, {clock:?}): {fault}"));
    }
}

fn try_modules(script: &suite::Script) -> Outcome {
    let mut outcome = Outcome::default();
    modules(script, |at, bytes| {
        for bytes in [damaged(&bytes), bytes] {
            try_module(&bytes, at, &mut outcome);
        }
    });
    outcome
}

#[test]
fn modules_of_the_specifications_tests_stay_valid() {
    let outcomes = suite::each(&suite::scripts(), try_modules);
    let valid: usize = outcomes.iter().map(|o| o.valid).sum();
    let invalid: usize = outcomes.iter().map(|o| o.invalid).sum();
    let faults: Vec<String> = outcomes.into_iter().flat_map(|o| o.faults).collect();
    println!("{valid} valid and {invalid} invalid modules");
    assert!(valid > 5_300 && invalid > 15_000, "the suite was found");
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
