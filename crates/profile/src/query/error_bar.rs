//! How well times that come from samples are known.
//!
//! A sample falls into a function with the probability of its share `p` of the time, so of
//! `n` samples a share is off by no more than 1.96 · √(p · (1 − p) / n), with 95 %
//! probability. Samples are not evenly spaced, and one stands for the time since the one
//! before it; `n` is then the number of equal ones that would say as much:
//! (Σ weight)² / Σ weight² (Kish's effective sample size).

use wasm_xray_abi::map::Sampling;

use crate::model::{Profile, Weight};

/// Quantile of the normal distribution for an interval of 95 %.
const Z: f64 = 1.96;

/// Half the width of the interval when there are (next to) no samples: "rule of three".
const FEW: f64 = 3.0;

/// The error bar of self times.
#[derive(Clone, Copy, Debug)]
pub struct ErrorBar {
    /// What one sample stands for, in ns: the time per sample of [`Sampling`]'s effective size.
    sample_ns: f64,
    /// Time of the whole profile, in ns.
    whole_ns: f64,
}

impl ErrorBar {
    /// What a self time may be off by, in ns, with 95 % probability; never more than the whole.
    pub fn of(&self, self_ns: u64) -> u64 {
        let own = self_ns as f64;
        let others = (self.whole_ns - own).max(0.0);
        let deviation = (own * self.sample_ns * others / self.whole_ns).sqrt();
        let half = (Z * deviation).max(FEW * self.sample_ns);
        half.min(self.whole_ns).round() as u64
    }

    /// What the share of any function may be off by at most, in hundredths of a percentage
    /// point, with 95 % probability.
    pub fn max_hundredths(&self) -> u64 {
        let half = Z * (self.sample_ns / self.whole_ns).sqrt() / 2.0;
        (half.min(1.0) * 10_000.0).round() as u64
    }
}

impl Profile {
    /// The error bar of self times; `None` unless they come from samples and it is known of how many.
    pub fn error_bar(&self) -> Option<ErrorBar> {
        let sample_ns = sample_ns(&self.sampling?)?;
        let whole_ns = self.sum(Weight::Cost) as f64;
        (whole_ns > 0.0).then_some(ErrorBar {
            sample_ns,
            whole_ns,
        })
    }
}

/// What one sample stands for, in ns; `None`: there is none.
fn sample_ns(sampling: &Sampling) -> Option<f64> {
    if sampling.ns == 0 || sampling.squares_us2 == 0 {
        return None;
    }
    Some(sampling.squares_us2 as f64 * 1e6 / sampling.ns as f64)
}

/// A self time below this, in ns, is smaller than its own error bar: it is no more than a guess.
pub(crate) fn guess_below_ns(sampling: &Sampling) -> u32 {
    sample_ns(sampling).map_or(0, |ns| (Z * Z * ns).round() as u32)
}

/// Samples a second that were really taken while functions ran; 0 if there is none.
pub(crate) fn samples_per_second(sampling: &Sampling) -> u64 {
    let scaled = u128::from(sampling.samples) * 1_000_000_000;
    let rate = scaled.checked_div(sampling.ns.into()).unwrap_or(0);
    u64::try_from(rate).unwrap_or(u64::MAX)
}

/// Samples of two threads or processes together.
pub(crate) fn add(one: Sampling, other: Sampling) -> Sampling {
    Sampling {
        samples: one.samples.saturating_add(other.samples),
        ns: one.ns.saturating_add(other.ns),
        squares_us2: one.squares_us2.saturating_add(other.squares_us2),
    }
}
