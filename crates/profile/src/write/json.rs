//! What the formats in JSON have in common.

use std::fmt;
use std::io::Write;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::model::{Clock, Profile};

/// What wrote the file.
pub(super) const EXPORTER: &str = concat!("wasm-xray@", env!("CARGO_PKG_VERSION"));

pub(super) fn json(out: &mut impl Write, value: &(impl Serialize + ?Sized)) -> Result<()> {
    serde_json::to_writer(out, value).map_err(|error| Error::new(error.to_string()))
}

/// Starts a new line of an array.
pub(super) fn separate(out: &mut impl Write, first: bool) -> Result<()> {
    out.write_all(if first { b"\n" } else { b",\n" })?;
    Ok(())
}

/// The elements of an array of numbers.
#[derive(Default)]
pub(super) struct List {
    length: usize,
}

impl List {
    pub fn push(&mut self, out: &mut impl Write, value: impl fmt::Display) -> Result<()> {
        let comma = if self.length > 0 { "," } else { "" };
        self.length += 1;
        write!(out, "{comma}{value}")?;
        Ok(())
    }
}

/// A weight where only times can be said: nanoseconds exactly, with decimals, a
/// call, an instruction, a tick or a sample as one microsecond.
pub(super) struct Microseconds {
    ns: u128,
}

impl Microseconds {
    pub fn new(profile: &Profile, weight: u64) -> Microseconds {
        let unit = match profile.clock {
            Clock::Wall | Clock::Sampled => 1,
            Clock::Calls | Clock::Instructions | Clock::Tsc | Clock::Samples => 1000,
        };
        Microseconds {
            ns: u128::from(weight) * unit,
        }
    }
}

impl fmt::Display for Microseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        decimal(f, self.ns, 3)
    }
}

/// As [`Microseconds`].
pub(super) struct Milliseconds(Microseconds);

impl Milliseconds {
    pub fn new(profile: &Profile, weight: u64) -> Milliseconds {
        Milliseconds(Microseconds::new(profile, weight))
    }
}

impl fmt::Display for Milliseconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        decimal(f, self.0.ns, 6)
    }
}

/// `number` / 10^`digits`, without zeros at the end.
fn decimal(f: &mut fmt::Formatter<'_>, number: u128, digits: u32) -> fmt::Result {
    let one = 10u128.pow(digits);
    write!(f, "{}", number / one)?;
    match number % one {
        0 => Ok(()),
        rest => {
            let digits = digits as usize;
            let fraction = format!("{rest:0digits$}");
            write!(f, ".{}", fraction.trim_end_matches('0'))
        }
    }
}
