//! A diff as one JSON object. Paths are lists of indices into `functions`, so
//! with a limit those functions that a path needs are there all the same.

use std::io::Write;

use serde_json::json;

use super::{Diff, DiffOptions, Figures, Pair, Spread};
use crate::error::{Error, Result};
use crate::model::{clock_name, unit};
use crate::report::MAX_BYTES;
use crate::write::Limited;

pub(super) fn report(diff: &Diff, options: DiffOptions) -> Result<String> {
    let mut out = Limited::new(MAX_BYTES);
    write(diff, options, &mut out)?;
    String::from_utf8(out.into_bytes()).map_err(|error| Error::new(error.to_string()))
}

fn write(diff: &Diff, options: DiffOptions, out: &mut impl Write) -> Result<()> {
    let limit = options.limit_or(usize::MAX);
    let paths = &diff.paths[..limit.min(diff.paths.len())];
    let functions = match limit {
        usize::MAX => limit,
        _ => {
            let needed = paths.iter().flat_map(|row| diff.frames(row).0).max();
            limit.max(needed.map_or(0, |index| index + 1))
        }
    };
    let functions = &diff.functions[..functions.min(diff.functions.len())];
    write!(
        out,
        "{{\n\"clock\":\"{}\",\n\"unit\":\"{}\",\n\"exact\":{},\n\"runs\":[{},{}],\n\"notes\":{},\n\"whole\":{{{}{}}},\n\"functions\":[",
        clock_name(diff.clock),
        unit(diff.clock),
        diff.is_exact(),
        diff.runs.0,
        diff.runs.1,
        json!(diff.notes),
        figures(&diff.whole),
        spread(diff.whole_spread),
    )?;
    for (index, row) in functions.iter().enumerate() {
        write!(
            out,
            "{}\n{{\"module\":{},\"name\":{},{}{}}}",
            if index > 0 { "," } else { "" },
            json!(row.module),
            json!(row.name),
            figures(&row.figures),
            spread(row.spread),
        )?;
    }
    write!(
        out,
        "\n],\n\"moreFunctions\":{},\n\"paths\":[",
        diff.functions.len() - functions.len()
    )?;
    for (index, row) in paths.iter().enumerate() {
        let (frames, dropped) = diff.frames(row);
        write!(
            out,
            "{}\n{{\"path\":{},{}{}}}",
            if index > 0 { "," } else { "" },
            json!(frames),
            if dropped { "\"dropped\":true," } else { "" },
            figures(&row.figures)
        )?;
    }
    write!(
        out,
        "\n],\n\"morePaths\":{},\n\"samePaths\":{}\n}}\n",
        diff.paths.len() - paths.len(),
        diff.same_paths
    )?;
    Ok(())
}

/// `[before, after]` each.
fn figures(figures: &Figures) -> String {
    let pair = |pair: Pair| format!("[{},{}]", pair.before, pair.after);
    format!(
        "\"change\":\"{}\",\"calls\":{},\"self\":{},\"total\":{}",
        figures.change().as_str(),
        pair(figures.calls),
        pair(figures.self_cost),
        pair(figures.total_cost)
    )
}

/// Least and most of the runs before and of those after.
fn spread(spread: Option<Spread>) -> String {
    let Some(spread) = spread else {
        return String::new();
    };
    let Spread { before, after } = spread;
    format!(
        ",\"spread\":[[{},{}],[{},{}]],\"noise\":{}",
        before.least,
        before.most,
        after.least,
        after.most,
        spread.is_noise()
    )
}
