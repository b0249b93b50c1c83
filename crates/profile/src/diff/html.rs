//! A diff as one page for people: no other file, no network, names are text.

use std::io::Write;

use super::text::{path_label, share, show_cost, signed, unit};
use super::{Change, Diff, DiffOptions, Figures, Pair, Spread};
use crate::error::{Error, Result};
use crate::model::{Weight, clock_name};
use crate::names::escape;
use crate::report::{MAX_BYTES, grouped};
use crate::write::{Limited, xml};

/// Rows of a table if the user does not say.
const DEFAULT_ROWS: usize = 500;

/// The look.
const STYLE: &str = include_str!("html/page.css");
/// Search; the page is complete without.
const SCRIPT: &str = include_str!("html/page.js");

pub(super) fn report(diff: &Diff, title: &str, options: DiffOptions) -> Result<String> {
    let mut out = Limited::new(MAX_BYTES);
    write(diff, title, options.limit_or(DEFAULT_ROWS), &mut out)?;
    String::from_utf8(out.into_bytes()).map_err(|error| Error::new(error.to_string()))
}

fn write(diff: &Diff, title: &str, limit: usize, out: &mut impl Write) -> Result<()> {
    let title = xml(&escape(title));
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n<dl>\n"
    )?;
    fact(out, "calls", &whole(diff.whole.calls, grouped))?;
    if diff.weight() == Weight::Cost {
        let what = format!("self {}", unit(diff));
        let show = |cost| show_cost(diff, cost);
        fact(out, &what, &whole(diff.whole.self_cost, show))?;
    }
    if let Some(spread) = &diff.whole_spread {
        fact(out, "all runs", &spans(diff, spread))?;
    }
    fact(out, "clock", clock_name(diff.clock))?;
    out.write_all(b"</dl>\n")?;
    for note in &diff.notes {
        writeln!(out, "<p class=\"note\">{}</p>", xml(&escape(note)))?;
    }
    out.write_all(b"<p><label>Find <input type=\"search\" id=\"find\"></label></p>\n")?;

    let changed: Vec<_> = diff
        .functions
        .iter()
        .filter(|row| row.figures.change() != Change::Same)
        .collect();
    let same = diff.functions.len() - changed.len();
    let widest = changed.iter().map(|row| changed_by(diff, &row.figures));
    let table = Table {
        diff,
        widest: widest.max().unwrap_or(0),
    };
    table.start("Functions", "function", out)?;
    for row in changed.iter().take(limit) {
        let module = match row.module.as_str() {
            "" => String::new(),
            module => format!(" <small>{}</small>", xml(&escape(module))),
        };
        let label = format!("{}{module}", xml(&escape(&row.name)));
        table.row(&row.figures, row.spread.as_ref(), &label, out)?;
    }
    end(changed.len(), limit, same, out)?;

    let widest = diff.paths.iter().map(|row| changed_by(diff, &row.figures));
    let table = Table {
        diff,
        widest: widest.max().unwrap_or(0),
    };
    table.start("Paths", "path", out)?;
    for row in diff.paths.iter().take(limit) {
        let (frames, dropped) = diff.frames(row);
        let dropped = if dropped { "(dropped paths) > " } else { "" };
        let label = xml(&format!("{dropped}{}", path_label(diff, &frames)));
        table.row(&row.figures, None, &label, out)?;
    }
    end(diff.paths.len(), limit, diff.same_paths, out)?;
    writeln!(out, "<script>{SCRIPT}</script>")?;
    Ok(())
}

fn fact(out: &mut impl Write, what: &str, text: &str) -> Result<()> {
    writeln!(out, "<dt>{what}</dt><dd>{}</dd>", xml(text))?;
    Ok(())
}

fn whole(pair: Pair, show: impl Fn(u64) -> String) -> String {
    let (before, after) = (show(pair.before), show(pair.after));
    format!("{before} → {after} ({})", share(pair))
}

fn spans(diff: &Diff, spread: &Spread) -> String {
    let Spread { before, after } = spread;
    let show = |cost| show_cost(diff, cost);
    format!(
        "{} to {} → {} to {}{}",
        show(before.least),
        show(before.most),
        show(after.least),
        show(after.most),
        if spread.is_noise() { ": noise" } else { "" }
    )
}

fn changed_by(diff: &Diff, figures: &Figures) -> u64 {
    let pair = figures.of(diff.weight());
    pair.after.abs_diff(pair.before)
}

struct Table<'a> {
    diff: &'a Diff,
    /// Greatest change, which gets the longest bar.
    widest: u64,
}

impl Table<'_> {
    fn start(&self, title: &str, label: &str, out: &mut impl Write) -> Result<()> {
        write!(
            out,
            "<h2>{title}</h2>\n<table><thead><tr><th></th><th>calls</th><th>change</th><th>%</th>"
        )?;
        if self.diff.weight() == Weight::Cost {
            let unit = unit(self.diff);
            write!(out, "<th>self {unit}</th><th>change</th><th>%</th>")?;
        }
        writeln!(
            out,
            "<th></th><th class=\"l\">{label}</th></tr></thead><tbody>"
        )?;
        Ok(())
    }

    fn row(
        &self,
        figures: &Figures,
        spread: Option<&Spread>,
        label: &str,
        out: &mut impl Write,
    ) -> Result<()> {
        let diff = self.diff;
        let kind = match figures.change() {
            Change::Added => "added",
            Change::Removed => "removed",
            Change::Changed | Change::Same => "",
        };
        let noise = spread.filter(|spread| spread.is_noise());
        let class = if noise.is_some() {
            " class=\"noise\""
        } else {
            ""
        };
        let said = noise.map_or(kind, |_| "noise");
        write!(out, "<tr{class}><td><i>{said}</i></td>")?;
        let cells = |out: &mut dyn Write, pair: Pair, show: &dyn Fn(u64) -> String| {
            write!(
                out,
                "<td>{}</td><td>{}</td><td>{}</td>",
                show(pair.after),
                signed(pair, show),
                share(pair)
            )
        };
        cells(out, figures.calls, &grouped)?;
        if diff.weight() == Weight::Cost {
            cells(out, figures.self_cost, &|cost| show_cost(diff, cost))?;
        }
        let pair = figures.of(diff.weight());
        let per_mille =
            u128::from(changed_by(diff, figures)) * 1000 / u128::from(self.widest.max(1));
        let direction = if pair.after > pair.before {
            "more"
        } else {
            "less"
        };
        let title = spread.map_or(String::new(), |spread| {
            format!(" title=\"all runs: {}\"", xml(&spans(diff, spread)))
        });
        writeln!(
            out,
            "<td><b class=\"{direction}\" style=\"width:{}.{:02}em\"></b></td><td class=\"l\"{title}>{label}</td></tr>",
            per_mille * 6 / 1000,
            per_mille * 6 % 1000 / 10
        )?;
        Ok(())
    }
}

fn end(count: usize, limit: usize, same: usize, out: &mut impl Write) -> Result<()> {
    out.write_all(b"</tbody></table>\n<p>")?;
    if count > limit {
        write!(out, "{} more changed, ", grouped((count - limit) as u64))?;
    }
    writeln!(out, "{} the same.</p>", grouped(same as u64))?;
    Ok(())
}
