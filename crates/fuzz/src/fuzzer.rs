//! One input after another.

use std::collections::HashSet;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::Target;
use crate::memory::{ALLOWANCE, peak_of};
use crate::mutate::{self, Random};

/// Inputs that are mutated further, at most.
const CORPUS_MAX: usize = 2000;

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// After so many inputs: the same ones on every run.
    Inputs(u64),
    /// After so long.
    Time(Duration),
}

/// An input that should not have done what it did.
#[derive(Debug)]
pub struct Failure {
    /// The input.
    pub input: Vec<u8>,
    /// What it did.
    pub problem: String,
}

/// What was tried.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Inputs.
    pub inputs: u64,
    /// Different answers of the target, but for numbers and quoted text in them.
    pub answers: usize,
    /// Most heap that an input took, in bytes.
    pub peak: usize,
    /// Longest time that an input took.
    pub slowest: Duration,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} inputs, {} different answers, at most {} KiB of heap and {:.1} ms for one",
            self.inputs,
            self.answers,
            self.peak >> 10,
            self.slowest.as_secs_f64() * 1e3
        )
    }
}

/// Tries a target.
pub struct Fuzzer {
    target: &'static Target,
    random: Random,
    corpus: Vec<Vec<u8>>,
    answers: HashSet<String>,
    summary: Summary,
}

impl Fuzzer {
    /// Starts from the target's seeds and kept cases. The same seed gives the
    /// same inputs.
    pub fn new(target: &'static Target, seed: u64) -> Fuzzer {
        let mut corpus = (target.seeds)();
        assert!(!corpus.is_empty(), "{} has no seeds", target.name);
        let cases = target.cases().unwrap_or_default();
        corpus.extend(cases.into_iter().map(|(_, input)| input));
        Fuzzer {
            target,
            random: Random::new(seed),
            corpus,
            answers: HashSet::new(),
            summary: Summary::default(),
        }
    }

    /// Tries the seeds, and then mutated ones up to the limit.
    ///
    /// # Errors
    ///
    /// The first input that fails.
    pub fn run(&mut self, limit: Limit) -> Result<Summary, Failure> {
        self.run_with(limit, |_, _| ())
    }

    /// As [`run`](Fuzzer::run); `before` is told of each input before it is tried.
    ///
    /// # Errors
    ///
    /// The first input that fails.
    pub fn run_with(
        &mut self,
        limit: Limit,
        mut before: impl FnMut(&Summary, &[u8]),
    ) -> Result<Summary, Failure> {
        for seed in self.corpus.clone() {
            before(&self.summary, &seed);
            self.try_one(seed)?;
        }
        let start = Instant::now();
        while match limit {
            Limit::Inputs(inputs) => self.summary.inputs < inputs,
            Limit::Time(time) => start.elapsed() < time,
        } {
            let input = mutate::input(&mut self.random, self.target, &self.corpus);
            before(&self.summary, &input);
            self.try_one(input)?;
        }
        Ok(self.summary.clone())
    }

    fn try_one(&mut self, input: Vec<u8>) -> Result<(), Failure> {
        let start = Instant::now();
        let (answer, peak) = match check(self.target, &input) {
            Ok(tried) => tried,
            Err(problem) => return Err(Failure { input, problem }),
        };
        self.summary.inputs += 1;
        self.summary.peak = self.summary.peak.max(peak);
        self.summary.slowest = self.summary.slowest.max(start.elapsed());
        if self.answers.insert(kind(&answer)) && self.corpus.len() < CORPUS_MAX {
            self.corpus.push(input);
        }
        self.summary.answers = self.answers.len();
        Ok(())
    }
}

/// Tries one input: its answer and the heap it took in bytes, or what is wrong.
///
/// # Errors
///
/// The target panicked, or took too much memory.
pub fn check(target: &Target, input: &[u8]) -> Result<(String, usize), String> {
    let run = AssertUnwindSafe(|| (target.run)(input));
    let (answer, peak) = peak_of(|| catch_unwind(run));
    let answer = answer.map_err(|panic| {
        let text = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied());
        format!("panicked: {}", text.unwrap_or("(no text)"))
    })?;
    let allowed = ALLOWANCE + input.len() * target.bytes_per_byte;
    if peak > allowed {
        return Err(format!(
            "took {peak} bytes of heap for an input of {}; {allowed} are allowed",
            input.len()
        ));
    }
    Ok((answer, peak))
}

/// The answer without numbers and quoted text, which come from the input.
fn kind(answer: &str) -> String {
    let mut kind = String::new();
    let mut rest = answer.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' | '`' => {
                while let Some(quoted) = rest.next()
                    && quoted != c
                {
                    // What follows a backslash does not end the text.
                    if quoted == '\\' {
                        rest.next();
                    }
                }
            }
            '0'..='9' => {
                let end = |c: char| !c.is_ascii_hexdigit() && c != 'x';
                rest = rest.as_str().trim_start_matches(|c| !end(c)).chars();
            }
            c => kind.push(c),
        }
    }
    kind
}
