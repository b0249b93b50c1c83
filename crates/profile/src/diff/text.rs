//! A diff as tables for people.

use std::fmt::Write as _;

use super::{Change, Diff, DiffOptions, Figures, Pair, Span, Spread};
use crate::model::{Clock, Weight};
use crate::names::escape;
use crate::report::{grouped, percent, render_columns, thousandths};

/// Rows of a table if the user does not say.
const DEFAULT_ROWS: usize = 30;

/// Frames shown of a path: its root's side and its leaf's.
const FRAMES: (usize, usize) = (3, 5);

pub(super) fn report(diff: &Diff, options: DiffOptions) -> String {
    let limit = options.limit_or(DEFAULT_ROWS);
    let mut out = String::new();
    let mut line = |what: &str, text: String| {
        writeln!(out, "{what}: {text}").expect("a string takes any text");
    };
    line("calls", whole(diff.whole.calls, grouped));
    if diff.weight() == Weight::Cost {
        let what = format!("self {}", unit(diff));
        line(
            &what,
            whole(diff.whole.self_cost, |cost| show_cost(diff, cost)),
        );
        if let Some(spread) = &diff.whole_spread {
            line("all runs", runs(diff, spread));
        }
    }

    let changed: Vec<_> = diff
        .functions
        .iter()
        .filter(|row| row.figures.change() != Change::Same)
        .collect();
    let rows = changed.iter().take(limit).map(|row| {
        let name = escape(&row.name);
        let label = match row.module.as_str() {
            "" => name,
            module => format!("{name} ({})", escape(module)),
        };
        cells(diff, &row.figures, row.spread.as_ref(), label)
    });
    let same = diff.functions.len() - changed.len();
    out += &table(diff, "function (module)", rows, changed.len(), limit, same);

    let rows = diff.paths.iter().take(limit).map(|row| {
        let (frames, dropped) = diff.frames(row);
        let mut label = if dropped { "(dropped paths) > " } else { "" }.to_owned();
        label += &path_label(diff, &frames);
        cells(diff, &row.figures, None, label)
    });
    out += &table(diff, "path", rows, diff.paths.len(), limit, diff.same_paths);

    out.push('\n');
    for note in &diff.notes {
        out += note;
        out.push('\n');
    }
    out
}

fn whole(pair: Pair, show: impl Fn(u64) -> String) -> String {
    format!(
        "{} → {} ({})",
        show(pair.before),
        show(pair.after),
        share(pair)
    )
}

/// `990.000 to 1,010.000 → 1,150.000 to 1,230.000`
fn runs(diff: &Diff, spread: &Spread) -> String {
    let Spread { before, after } = spread;
    let span = |span: &Span| {
        let (least, most) = (show_cost(diff, span.least), show_cost(diff, span.most));
        format!("{least} to {most}")
    };
    let verdict = if spread.is_noise() {
        "noise"
    } else {
        "beyond noise"
    };
    format!("{} → {} ({verdict})", span(before), span(after))
}

pub(super) fn unit(diff: &Diff) -> &'static str {
    match diff.clock {
        Clock::Calls => "",
        Clock::Instructions => "instr",
        Clock::Wall | Clock::Sampled => "µs",
        Clock::Tsc => "ticks",
        Clock::Samples => "samples",
    }
}

pub(super) fn show_cost(diff: &Diff, cost: u64) -> String {
    match diff.clock {
        Clock::Wall | Clock::Sampled => thousandths(cost),
        Clock::Calls | Clock::Instructions | Clock::Tsc | Clock::Samples => grouped(cost),
    }
}

fn table(
    diff: &Diff,
    title: &str,
    rows: impl Iterator<Item = (Vec<String>, String)>,
    count: usize,
    limit: usize,
    same: usize,
) -> String {
    let what = title.split(' ').next().unwrap_or(title);
    if count == 0 {
        return format!("\nNo {what} changed, {} the same.\n", grouped(same as u64));
    }
    let mut header: Vec<String> = ["", "calls", "change", "%"].map(str::to_owned).to_vec();
    if diff.weight() == Weight::Cost {
        let unit = unit(diff);
        header.extend([format!("self {unit}"), "change".into(), "%".into()]);
        if diff.whole_spread.is_some() {
            header.push(String::new());
        }
    }
    let mut all = vec![(header, title.to_owned())];
    all.extend(rows);
    let mut out = format!("\n{}", render_columns(all));
    if count > limit {
        writeln!(
            out,
            "and {} more that changed",
            grouped((count - limit) as u64)
        )
        .expect("a string takes any text");
    }
    writeln!(out, "{} the same", grouped(same as u64)).expect("a string takes any text");
    out
}

fn cells(
    diff: &Diff,
    figures: &Figures,
    spread: Option<&Spread>,
    label: String,
) -> (Vec<String>, String) {
    let sign = match figures.change() {
        Change::Added => "added",
        Change::Removed => "removed",
        Change::Changed | Change::Same => "",
    };
    let mut cells = vec![
        sign.to_owned(),
        grouped(figures.calls.after),
        signed(figures.calls, grouped),
        share(figures.calls),
    ];
    if diff.weight() == Weight::Cost {
        let show = |cost| show_cost(diff, cost);
        cells.push(show(figures.self_cost.after));
        cells.push(signed(figures.self_cost, show));
        cells.push(share(figures.self_cost));
        if diff.whole_spread.is_some() {
            let noise = spread.is_some_and(Spread::is_noise);
            cells.push(if noise { "noise" } else { "" }.to_owned());
        }
    }
    (cells, label)
}

/// `+1,234`, `-5`, `0`
pub(super) fn signed(pair: Pair, show: impl Fn(u64) -> String) -> String {
    let sign = match pair.change() {
        0 => "",
        1.. => "+",
        _ => "-",
    };
    format!("{sign}{}", show(pair.after.abs_diff(pair.before)))
}

/// Change in percent of what it was before; nothing if there was nothing.
pub(super) fn share(pair: Pair) -> String {
    match (pair.before, pair.change()) {
        (_, 0) => "0%".to_owned(),
        (0, _) => "new".to_owned(),
        (before, 1..) => format!("+{}%", percent(pair.after - before, before)),
        (before, _) => format!("-{}%", percent(before - pair.after, before)),
    }
}

/// A long path loses its middle.
pub(super) fn path_label(diff: &Diff, path: &[usize]) -> String {
    let name = |index: &usize| escape(&diff.functions[*index].name);
    let (head, tail) = FRAMES;
    let frames: Vec<String> = if path.len() > head + tail + 1 {
        let hidden = path.len() - head - tail;
        let middle = format!("… {hidden} more …");
        let end = path[path.len() - tail..].iter().map(name);
        path[..head]
            .iter()
            .map(name)
            .chain([middle])
            .chain(end)
            .collect()
    } else {
        path.iter().map(name).collect()
    };
    frames.join(" > ")
}
