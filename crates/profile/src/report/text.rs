//! Tables for people. Names come last, whole and escaped, so that no column depends on them.

mod notes;
mod table;

use self::table::Columns;
pub(crate) use self::table::{grouped, percent, render_columns, thousandths};
use super::ReportOptions;
use crate::error::Result;
use crate::model::{FunctionId, Profile, Weight, clock_name};
use crate::names::escape;
use crate::query::neighbours::{Neighbour, Party};
use crate::query::stats::{SortBy, Stats};
use crate::query::tree::TreeItem;

/// Rows of a table if the user does not say.
const DEFAULT_ROWS: usize = 30;

/// Deepest indentation in a tree, in levels; below it the depth is printed.
const MAX_INDENT: usize = 30;

pub(super) fn report(profile: &Profile, options: &ReportOptions) -> Result<String> {
    let by = options.by.unwrap_or_else(|| profile.default_sort());
    let view = View {
        profile,
        by,
        limit: options.limit_or(DEFAULT_ROWS),
        width: options.columns,
        only_module: match profile.modules.as_slice() {
            [module] => Some(module.label()),
            _ => None,
        },
        stats: profile.function_stats(),
        columns: Columns::new(profile, by),
    };
    let mut out = view.summary();
    if let Some(name) = &options.callers {
        for id in profile.find_functions(name)? {
            let title = format!("Callers of {}", view.label(id));
            out += &view.neighbours(&title, id, &profile.callers(id, view.by));
        }
    }
    if let Some(name) = &options.callees {
        for id in profile.find_functions(name)? {
            let title = format!("Callees of {}", view.label(id));
            out += &view.neighbours(&title, id, &profile.callees(id, view.by));
        }
    }
    if options.tree {
        out += &view.tree();
    }
    if options.callers.is_none() && options.callees.is_none() && !options.tree {
        out += &view.functions();
    }
    out += &notes::notes(profile);
    Ok(out)
}

struct View<'a> {
    profile: &'a Profile,
    by: SortBy,
    limit: usize,
    /// Most characters in a line.
    width: Option<usize>,
    /// Is not said again for each function.
    only_module: Option<&'a str>,
    /// By function.
    stats: Vec<Stats>,
    columns: Columns,
}

impl View<'_> {
    fn summary(&self) -> String {
        let profile = self.profile;
        let threads = match profile.threads.len() {
            1 => "1 thread".to_owned(),
            count => format!("{count} threads"),
        };
        let calls = table::grouped(profile.sum(Weight::Calls));
        let cost = match profile.weight() {
            Weight::Calls => String::new(),
            Weight::Cost => {
                let cost = self.columns.cost(profile.sum(Weight::Cost));
                format!(", {cost} {}", self.columns.unit())
            }
        };
        let clock = clock_name(profile.clock);
        let module = match self.only_module {
            Some("") | None => String::new(),
            Some(module) => format!(", module {}", escape(module)),
        };
        format!("{calls} calls{cost} in {threads}, clock {clock}{module}\n")
    }

    fn label(&self, id: FunctionId) -> String {
        let module = self.profile.module_name(id);
        let name = escape(&self.profile.function(id).name);
        match module {
            "" => name,
            _ if self.only_module.is_some() => name,
            _ => format!("{name} ({})", escape(module)),
        }
    }

    fn functions(&self) -> String {
        let ranking = self.profile.ranking(&self.stats, self.by);
        if ranking.is_empty() {
            return "\nNo call was recorded.\n".to_owned();
        }
        let mut rows = self.columns.header(match self.only_module {
            Some(_) => "function",
            None => "function (module)",
        });
        for id in ranking.iter().take(self.limit) {
            let label = self.label(*id);
            rows.push(self.columns.row(&self.stats[id.index()], label));
        }
        let rest = ranking.iter().skip(self.limit);
        let rest = table::add_up(rest.map(|id| &self.stats[id.index()]));
        self.finish(rows, ranking.len(), rest, "functions")
    }

    fn neighbours(&self, title: &str, of: FunctionId, neighbours: &[Neighbour]) -> String {
        let mut rows = self.columns.header(title);
        let own = format!("= {}", self.label(of));
        rows.push(self.columns.row(&self.stats[of.index()], own));
        for row in neighbours.iter().take(self.limit) {
            let label = match row.party {
                Party::Function(id) => self.label(id),
                Party::Host => "(host)".to_owned(),
                Party::DroppedPath => "(dropped paths)".to_owned(),
            };
            rows.push(self.columns.row(&row.stats, label));
        }
        let rest = table::add_up(neighbours.iter().skip(self.limit).map(|row| &row.stats));
        self.finish(rows, neighbours.len(), rest, "rows")
    }

    /// Ends a table with a line for the rows beyond the limit.
    fn finish(&self, mut rows: Vec<table::Row>, count: usize, rest: Stats, what: &str) -> String {
        if count > self.limit {
            let label = format!("and {} more {what}", count - self.limit);
            rows.push(self.columns.rest(&rest, label));
        }
        format!("\n{}", table::render(&rows, self.width))
    }

    fn tree(&self) -> String {
        let mut rows = self.columns.header("path");
        let mut last_thread = None;
        for row in self.profile.tree(self.limit) {
            let thread = &self.profile.threads[row.thread];
            if self.profile.threads.len() > 1 && last_thread != Some(row.thread) {
                last_thread = Some(row.thread);
                rows.push(table::Row::title(format!("[{}]", escape(&thread.label()))));
            }
            let label = match row.item {
                TreeItem::Hidden(1) => "(1 more callee)".to_owned(),
                TreeItem::Hidden(count) => format!("({count} more callees)"),
                TreeItem::Path(node) => {
                    let label = self.label(thread.trie.function(node));
                    let dropped = if thread.trie.is_overflow(node) {
                        "(dropped paths) "
                    } else {
                        ""
                    };
                    format!("{dropped}{label}")
                }
            };
            let depth = match row.depth {
                0..=MAX_INDENT => "  ".repeat(row.depth),
                depth => format!("{}[{depth}] ", "  ".repeat(MAX_INDENT)),
            };
            rows.push(self.columns.row(&row.stats, format!("{depth}{label}")));
        }
        format!("\n{}", table::render(&rows, self.width))
    }
}
