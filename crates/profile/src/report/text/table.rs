//! Columns of figures.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::model::{Clock, Profile, Weight};
use crate::query::error_bar::ErrorBar;
use crate::query::stats::{SortBy, Stats};

/// Runs shorter than this are shown in microseconds, in nanoseconds.
const SHORT_NS: u64 = 10_000_000;

/// Labels are cut to no less than this many characters.
const MIN_LABEL: usize = 16;

/// One line: figures, right-aligned, and a label.
pub(super) struct Row {
    cells: Vec<String>,
    label: String,
}

impl Row {
    /// A line without figures.
    pub fn title(label: String) -> Row {
        Row {
            cells: Vec::new(),
            label,
        }
    }
}

/// What a table shows of [`Stats`], by the profile's clock: calls, self, total and
/// their shares, or calls, total calls and their shares.
pub(super) struct Columns {
    clock: Clock,
    weight: Weight,
    /// Weight of the whole profile.
    whole: u64,
    /// Whether to show what a call costs on average.
    average: bool,
    /// Self costs below this are marked.
    step: u64,
    /// What self times may be off by, if they come from samples.
    bar: Option<ErrorBar>,
}

impl Columns {
    pub fn new(profile: &Profile, by: SortBy) -> Columns {
        let weight = profile.weight();
        Columns {
            clock: profile.clock,
            weight,
            whole: profile.sum(weight),
            average: by == SortBy::Average,
            step: profile.clock_step_ns.into(),
            bar: profile.error_bar(),
        }
    }

    /// The unit of [`Columns::cost`].
    pub fn unit(&self) -> &'static str {
        match self.clock {
            Clock::Calls => "",
            Clock::Instructions => "instr",
            Clock::Wall | Clock::Sampled if self.whole < SHORT_NS => "µs",
            Clock::Wall | Clock::Sampled => "ms",
            Clock::Tsc => "ticks",
            Clock::Samples => "samples",
        }
    }

    pub fn header(&self, label: &str) -> Vec<Row> {
        let mut cells = match self.weight {
            Weight::Calls => ["calls", "calls %", "total calls", "total %"]
                .map(str::to_owned)
                .to_vec(),
            Weight::Cost => {
                let unit = self.unit();
                let cost = |what| format!("{what} {unit}");
                let mut cells = vec!["calls".into(), cost("self")];
                if self.bar.is_some() {
                    cells.push(cost("±"));
                }
                cells.extend(["self %".into(), cost("total"), "total %".into()]);
                cells
            }
        };
        if self.average {
            cells.push(match self.clock {
                Clock::Wall | Clock::Sampled => "ns a call".to_owned(),
                _ => "a call".to_owned(),
            });
        }
        vec![Row {
            cells,
            label: label.to_owned(),
        }]
    }

    pub fn row(&self, stats: &Stats, label: String) -> Row {
        let (own, total) = (stats.own(self.weight), stats.total(self.weight));
        let mut cells = vec![grouped(stats.calls)];
        if self.weight == Weight::Cost {
            let guess = if own < self.step { "~" } else { "" };
            cells.push(format!("{guess}{}", self.cost(own)));
            cells.extend(self.bar.map(|bar| self.cost(bar.of(own))));
        }
        cells.push(percent(own, self.whole));
        cells.push(match self.weight {
            Weight::Calls => grouped(total),
            Weight::Cost => self.cost(total),
        });
        cells.push(percent(total, self.whole));
        if self.average {
            let tenths = stats.average(self.weight, 10);
            let whole = u64::try_from(tenths / 10).unwrap_or(u64::MAX);
            cells.push(format!("{}.{}", grouped(whole), tenths % 10));
        }
        Row { cells, label }
    }

    /// The sum of several rows. Their totals contain each other, so there is no sum of those.
    pub fn rest(&self, stats: &Stats, label: String) -> Row {
        let mut row = self.row(stats, label);
        let totals = 2 + usize::from(self.average);
        let first = row.cells.len() - totals;
        for cell in &mut row.cells[first..] {
            cell.clear();
        }
        row
    }

    /// A cost in [`Columns::unit`].
    pub fn cost(&self, cost: u64) -> String {
        match self.clock {
            Clock::Calls | Clock::Instructions | Clock::Tsc | Clock::Samples => grouped(cost),
            _ if self.whole < SHORT_NS => thousandths(cost),
            // Rounded to microseconds.
            Clock::Wall | Clock::Sampled => {
                thousandths(cost / 1000 + u64::from(cost % 1000 >= 500))
            }
        }
    }
}

/// Calls and self cost of several rows together.
pub(super) fn add_up<'a>(rows: impl Iterator<Item = &'a Stats>) -> Stats {
    rows.fold(Stats::default(), |sum, row| Stats {
        calls: sum.calls.saturating_add(row.calls),
        self_cost: sum.self_cost.saturating_add(row.self_cost),
        ..sum
    })
}

/// `1234567` as `1,234.567`.
pub(crate) fn thousandths(number: u64) -> String {
    format!("{}.{:03}", grouped(number / 1000), number % 1000)
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// With two decimals, rounded; nothing of nothing is 0.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let (part, whole) = (u128::from(part), u128::from(whole.max(1)));
    let hundredths = (part * 10_000 + whole / 2) / whole;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Lines of right-aligned cells and a label.
pub(crate) fn render_columns(lines: Vec<(Vec<String>, String)>) -> String {
    let row = |(cells, label)| Row { cells, label };
    render(&lines.into_iter().map(row).collect::<Vec<_>>(), None)
}

/// `width`: most characters in a line; labels are cut to fit, to no less than [`MIN_LABEL`].
pub(super) fn render(rows: &[Row], width: Option<usize>) -> String {
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let cell_width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.cells.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(cell_width).collect();
    let taken: usize = widths.iter().map(|width| width + 2).sum();
    let room = width.map_or(usize::MAX, |width| {
        width.saturating_sub(taken).max(MIN_LABEL)
    });
    let mut out = String::new();
    for row in rows {
        for (column, width) in widths.iter().enumerate() {
            let cell = row.cells.get(column).map_or("", String::as_str);
            write!(out, "{cell:>width$}  ").expect("a string takes any text");
        }
        out += &shortened(&row.label, room);
        out.push('\n');
    }
    out
}

/// Cut in its middle, where names differ least from each other.
fn shortened(label: &str, room: usize) -> Cow<'_, str> {
    let count = label.chars().count();
    if count <= room {
        return Cow::Borrowed(label);
    }
    let head = room / 2;
    let tail = room - head - 1;
    let start: String = label.chars().take(head).collect();
    let end: String = label.chars().skip(count - tail).collect();
    Cow::Owned(format!("{start}…{end}"))
}
