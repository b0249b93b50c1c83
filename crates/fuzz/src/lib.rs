//! Fuzzing of whatever reads bytes from outside, with stable Rust and without
//! further tools.
//!
//! A [`Target`] is a function that must not panic, whatever its input, and must
//! not take more memory than the input's length accounts for. `tests/bounded.rs`
//! tries each with a fixed number of inputs, the same on every run; the program
//! `fuzz` goes on for as long as it is told:
//!
//! ```text
//! cargo run --release -p wasm-xray-fuzz -- blocks --seconds 600 --seed 7
//! ```
//!
//! Inputs are mutated seeds. A target answers with a text for each input; an
//! input with an answer that was not seen before is mutated further, and so the
//! fuzzer gets past one check of a reader after another without being told by
//! the compiler which code it has reached.
//!
//! A new target goes into `targets/` and [`TARGETS`]; an input that failed once
//! goes into `cases/TARGET/`, where the tests find it.

#![deny(unsafe_op_in_unsafe_fn)]
#![warn(clippy::undocumented_unsafe_blocks)]

pub mod fuzzer;
pub mod memory;
pub mod mutate;
pub mod targets;

pub use fuzzer::{Failure, Fuzzer, Limit, Summary};
pub use mutate::Random;
pub use targets::TARGETS;

/// Something that reads bytes.
pub struct Target {
    /// Its name on the command line, and of its folder in `cases/`.
    pub name: &'static str,
    /// Input that is right, to start from; at least one.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Pieces that input is made of: magic numbers, keywords.
    pub words: &'static [&'static [u8]],
    /// Puts lengths and the like in order after a mutation, so that what is
    /// behind them is reached; half of the inputs are mended.
    pub mend: Option<fn(&mut Vec<u8>)>,
    /// Reads the input, and panics if what must hold does not. The answer is
    /// what was wrong with the input, or what it is.
    pub run: fn(&[u8]) -> String,
    /// Heap that one byte of input may take at its peak, in bytes, besides
    /// [`memory::ALLOWANCE`].
    pub bytes_per_byte: usize,
    /// Longest input, in bytes.
    pub max_len: usize,
}

impl Target {
    /// The target of this name.
    pub fn named(name: &str) -> Option<&'static Target> {
        TARGETS.iter().copied().find(|target| target.name == name)
    }

    /// Inputs that failed once, with their file names.
    ///
    /// # Errors
    ///
    /// The folder cannot be read.
    pub fn cases(&self) -> std::io::Result<Vec<(String, Vec<u8>)>> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("cases")
            .join(self.name);
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let mut cases = Vec::new();
        for entry in folder.read_dir()? {
            let path = entry?.path();
            cases.push((path.display().to_string(), std::fs::read(&path)?));
        }
        cases.sort();
        Ok(cases)
    }
}
