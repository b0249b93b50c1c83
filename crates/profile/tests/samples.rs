//! Times that come from samples: how well they are known, and how reports say so.

mod common;

use common::{compact, read};
use wasm_xray_profile::{Merger, Profile, ReportFormat, ReportOptions, Sampling};

/// Two functions that take `first` and `second` ns by `samples` samples of equal weight.
fn sampled(first: u64, second: u64, samples: u64) -> Profile {
    let ns = first + second;
    let us = ns / 1000 / samples.max(1);
    let sampling =
        serde_json::json!({"samples": samples, "ns": ns, "squares_us2": samples * us * us});
    let module = serde_json::json!({"name": "m", "hash": "h", "imports": 0, "names": ["f", "g"]});
    let map = serde_json::json!({
        "version": 1, "clock": "sampled", "sampling": sampling, "threads": [{"id": 1, "name": "main"}],
        "modules": [{"base": 1, "map": module}],
    });
    let records = [(1, 0, 1, 0, 10, first), (2, 0, 2, 0, 20, second)];
    read(&(compact(&[(1, &records)]), map.to_string()))
}

fn report(profile: &Profile, format: ReportFormat) -> String {
    let options = ReportOptions {
        format,
        ..ReportOptions::default()
    };
    profile.report(&options).unwrap()
}

#[test]
fn the_bar_is_that_of_a_binomial() {
    // 900 of 1,000 samples: 1.96 · √(0.9 · 0.1 / 1000) = 1.859 points.
    let profile = sampled(900_000_000, 100_000_000, 1000);
    let bar = profile.error_bar().unwrap();
    assert_eq!(bar.of(900_000_000), 18_594_193);
    assert_eq!(bar.of(100_000_000), 18_594_193);
    // 1.96 · √(0.5 · 0.5 / 1000) = 3.10 points.
    assert_eq!(bar.max_hundredths(), 310);
    // Nothing was seen: less than 3 of 1,000, and all of it.
    assert_eq!(bar.of(0), 3_000_000);
    assert_eq!(bar.of(1_000_000_000), 3_000_000);
    // 1.96² samples are as many as their bar.
    assert_eq!(profile.clock_step_ns, 3_841_600);
}

#[test]
fn uneven_samples_say_less() {
    let even = sampled(500_000_000, 500_000_000, 1000);
    let mut uneven = even.clone();
    // Half of the time is one sample's: (Σw)² / Σw² is some 4.
    uneven.sampling = Some(Sampling {
        squares_us2: 500_000 * 500_000 + 999 * 500 * 500,
        ..even.sampling.unwrap()
    });
    let hundredths = |profile: &Profile| profile.error_bar().unwrap().max_hundredths();
    assert_eq!((hundredths(&even), hundredths(&uneven)), (310, 4902));
}

#[test]
fn two_parts_are_known_better_than_one() {
    let part = sampled(400_000_000, 600_000_000, 1000);
    let mut merger = Merger::new();
    merger.add(part.clone()).unwrap();
    merger.add(part.clone()).unwrap();
    let merged = merger.finish().unwrap();
    assert_eq!(merged.sampling.unwrap().samples, 2000);
    assert_eq!(merged.clock_step_ns, part.clock_step_ns);
    assert_eq!(merged.error_bar().unwrap().max_hundredths(), 219);
}

#[test]
fn reports_say_what_is_known() {
    let profile = sampled(999_000_000, 1_000_000, 1000);
    let text = report(&profile, ReportFormat::Text);
    assert!(
        text.contains("calls  self ms   ± ms  self %  total ms  total %  function"),
        "{text}"
    );
    assert!(
        text.contains("~1.000  3.000    0.10     1.000     0.10  g"),
        "{text}"
    );
    assert!(
        text.contains("estimates from 1,000 samples, 1,000 a second")
            && text.contains("below 3.841 ms (~)"),
        "{text}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&report(&profile, ReportFormat::Json)).unwrap();
    assert_eq!(
        json["sampling"],
        serde_json::json!({"samples": 1000, "perSecond": 1000, "maxErrorPoints": 3.1})
    );
    assert_eq!(json["functions"][1]["selfError"], 3_000_000);
}

#[test]
fn a_run_too_short_for_a_sample_says_so() {
    let profile = sampled(0, 0, 0);
    assert!(profile.error_bar().is_none());
    let text = report(&profile, ReportFormat::Text);
    assert!(text.contains("No sample was taken"), "{text}");
    assert!(text.starts_with("30 calls"), "{text}");
}
