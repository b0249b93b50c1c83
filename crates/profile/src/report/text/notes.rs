//! What a reader must know besides the figures: what was dropped, skipped and not seen.

use std::fmt::Write as _;

use super::table::{grouped, thousandths};
use crate::model::Profile;
use crate::names::escape;
use crate::query::error_bar::samples_per_second;
use wasm_xray_abi::map::Sampling;

/// Lines of one kind; JSON has all.
const MAX_LINES: usize = 20;

pub(super) fn notes(profile: &Profile) -> String {
    let mut out = String::new();
    let dropped = profile.dropped;
    if dropped.paths > 0 || dropped.calls > 0 {
        write!(
            out,
            "\nThe arena was full: {} new paths were not recorded, {} calls are counted for their \
             function but without a path. Record with a larger --arena.\n",
            grouped(dropped.paths),
            grouped(dropped.calls)
        )
        .expect("a string takes any text");
    }
    if let Some(sampling) = &profile.sampling {
        out += &samples(sampling, profile.clock_step_ns);
    } else if profile.clock_step_ns > 0 {
        let step = thousandths(profile.clock_step_ns.into());
        out += &format!(
            "\nThe clock's step is {step} µs: a self time below it (~) is no more than a guess.\n"
        );
    }
    let modules = profile
        .skipped_modules
        .iter()
        .map(|skipped| format!("module {}: {}", skipped.module, skipped.reason));
    let functions = profile.modules.iter().flat_map(|module| {
        module.map.skipped.iter().map(move |skipped| {
            let name = module.function_name(skipped.index);
            format!("{name} ({}): {}", module.label(), skipped.reason)
        })
    });
    list(&mut out, "Not instrumented", modules.chain(functions));
    if profile.left_out() > 0 {
        out += &format!(
            "\nLeft out by choice: {} functions. What they call hangs under their callers.\n",
            grouped(profile.left_out())
        );
    }
    let unmatched = profile.unmatched_globs();
    list(
        &mut out,
        "No function matches",
        unmatched.into_iter().map(str::to_owned),
    );
    list(&mut out, "Not seen", profile.unseen.iter().cloned());
    let warnings = profile.modules.iter().flat_map(|module| {
        let warnings = module.map.warnings.iter();
        warnings.map(move |warning| format!("{}: {warning}", module.label()))
    });
    list(&mut out, "Warnings", warnings);
    out
}

/// What the samples say, and what they do not.
fn samples(sampling: &Sampling, guess_below_ns: u32) -> String {
    if sampling.samples == 0 {
        return "\nNo sample was taken while WebAssembly ran, so no time is known. Calls are exact.\n"
            .to_owned();
    }
    format!(
        "\nCalls are exact, times are estimates from {} samples, {} a second: a self time is off by \
         no more than its ± with 95 % probability, and one below {} ms (~) is no more than a guess.\n",
        grouped(sampling.samples),
        grouped(samples_per_second(sampling)),
        thousandths(u64::from(guess_below_ns) / 1000)
    )
}

fn list(out: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let mut count = 0;
    for line in lines {
        if count == 0 {
            *out += &format!("\n{title}:\n");
        }
        count += 1;
        if count <= MAX_LINES {
            *out += &format!("  {}\n", escape(&line));
        }
    }
    if count > MAX_LINES {
        *out += &format!(
            "  and {} more (report --json lists all)\n",
            count - MAX_LINES
        );
    }
}
