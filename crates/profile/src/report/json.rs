//! The object of `docs/report.schema.json`, one row to a line. Numbers are exact;
//! beyond 2^53 a reader in JavaScript rounds them.

use std::io::Write;

use serde::Serialize;

use super::ReportOptions;
use crate::error::{Error, Result};
use crate::model::{FunctionId, Profile, clock_name, unit};
use crate::query::error_bar::{ErrorBar, samples_per_second};
use crate::query::neighbours::{Neighbour, Party};
use crate::query::stats::Stats;
use crate::query::tree::TreeItem;
use crate::write::{PathText, for_each_path};

pub(crate) fn write_json(
    profile: &Profile,
    options: &ReportOptions,
    out: &mut impl Write,
) -> Result<()> {
    let by = options.by.unwrap_or_else(|| profile.default_sort());
    let limit = options.limit_or(usize::MAX);
    let mut object = Object { out, fields: 0 };
    object.field("clock", &clock_name(profile.clock))?;
    object.field("unit", &unit(profile.clock))?;
    if profile.clock_step_ns > 0 {
        object.field("clockStepNs", &profile.clock_step_ns)?;
    }
    if let Some(sampling) = &profile.sampling {
        let row = SamplingRow {
            samples: sampling.samples,
            per_second: samples_per_second(sampling),
            max_error_points: profile
                .error_bar()
                .map(|bar| bar.max_hundredths() as f64 / 100.0),
        };
        object.field("sampling", &row)?;
    }
    if let Some(cost) = profile.probe_cost {
        let (inner, outer) = (cost.inner_ps, cost.outer_ps);
        object.field("probeCostPs", &ProbeCostRow { inner, outer })?;
    }
    let threads = profile.threads.iter().map(|thread| ThreadRow {
        id: thread.id,
        name: &thread.name,
        phase: thread.phase.as_deref(),
    });
    object.array("threads", threads)?;
    object.field("dropped", &profile.dropped)?;
    object.array("skipped", skipped(profile))?;
    if profile.left_out() > 0 {
        object.field("leftOut", &profile.left_out())?;
    }
    let unmatched = profile.unmatched_globs();
    if !unmatched.is_empty() {
        object.array("unmatched", unmatched)?;
    }
    object.array("unseen", &profile.unseen)?;
    object.array("warnings", warnings(profile))?;
    let stats = profile.function_stats();
    let ranking = profile.ranking(&stats, by);
    let functions = ranking.iter().take(limit);
    let bar = profile.error_bar();
    object.array(
        "functions",
        functions.map(|id| FunctionRow::new(profile, *id, &stats[id.index()], bar)),
    )?;
    if let Some(name) = &options.callers {
        write_neighbours(
            &mut object,
            "callers",
            profile,
            name,
            |id| profile.callers(id, by),
            limit,
        )?;
    }
    if let Some(name) = &options.callees {
        write_neighbours(
            &mut object,
            "callees",
            profile,
            name,
            |id| profile.callees(id, by),
            limit,
        )?;
    }
    if options.tree {
        write_tree(&mut object, profile, limit)?;
    }
    if options.paths {
        write_paths(&mut object, profile)?;
    }
    object.finish()
}

#[derive(Serialize)]
struct ProbeCostRow {
    inner: u32,
    outer: u32,
}

#[derive(Serialize)]
struct ThreadRow<'a> {
    id: u64,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    phase: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SamplingRow {
    samples: u64,
    per_second: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_error_points: Option<f64>,
}

/// A function that ran as it was, or with neither index nor name a whole module.
#[derive(Serialize)]
struct SkippedRow<'a> {
    module: &'a str,
    index: Option<u32>,
    name: Option<String>,
    reason: &'a str,
}

#[derive(Serialize)]
struct WarningRow<'a> {
    module: &'a str,
    warning: &'a str,
}

#[derive(Serialize)]
struct FunctionRow<'a> {
    id: u32,
    module: &'a str,
    index: u32,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<&'a str>,
    kind: &'static str,
    calls: u64,
    #[serde(rename = "self")]
    self_cost: u64,
    #[serde(rename = "selfError", skip_serializing_if = "Option::is_none")]
    self_error: Option<u64>,
    total: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

impl<'a> FunctionRow<'a> {
    fn new(
        profile: &'a Profile,
        id: FunctionId,
        stats: &Stats,
        bar: Option<ErrorBar>,
    ) -> FunctionRow<'a> {
        let function = profile.function(id);
        FunctionRow {
            id: function.id.0,
            module: profile.module_name(id),
            index: function.index,
            name: &function.name,
            raw: profile.raw_name(id).filter(|raw| *raw != function.name),
            kind: function.kind.as_str(),
            calls: stats.calls,
            self_cost: stats.self_cost,
            self_error: bar.map(|bar| bar.of(stats.self_cost)),
            total: stats.total_cost,
            file: function.file.as_deref(),
            line: function.line,
        }
    }
}

#[derive(Serialize)]
struct FiguresRow {
    calls: u64,
    #[serde(rename = "self")]
    self_cost: u64,
    total: u64,
    #[serde(rename = "totalCalls")]
    total_calls: u64,
}

impl From<Stats> for FiguresRow {
    fn from(stats: Stats) -> FiguresRow {
        FiguresRow {
            calls: stats.calls,
            self_cost: stats.self_cost,
            total: stats.total_cost,
            total_calls: stats.total_calls,
        }
    }
}

#[derive(Serialize)]
struct NeighbourRow {
    /// Of the function asked for.
    of: u32,
    /// File id of the caller or callee; none for the host and for dropped paths.
    function: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dropped: bool,
    #[serde(flatten)]
    figures: FiguresRow,
}

#[derive(Serialize)]
struct TreeLine {
    thread: u64,
    depth: usize,
    function: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<usize>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dropped: bool,
    #[serde(flatten)]
    figures: FiguresRow,
}

fn skipped(profile: &Profile) -> impl Iterator<Item = SkippedRow<'_>> {
    let modules = profile.skipped_modules.iter().map(|skipped| SkippedRow {
        module: &skipped.module,
        index: None,
        name: None,
        reason: &skipped.reason,
    });
    let functions = profile.modules.iter().flat_map(|module| {
        module.map.skipped.iter().map(|skipped| SkippedRow {
            module: module.label(),
            index: Some(skipped.index),
            name: Some(module.function_name(skipped.index)),
            reason: &skipped.reason,
        })
    });
    modules.chain(functions)
}

fn warnings(profile: &Profile) -> impl Iterator<Item = WarningRow<'_>> {
    profile.modules.iter().flat_map(|module| {
        module.map.warnings.iter().map(|warning| WarningRow {
            module: module.label(),
            warning,
        })
    })
}

fn write_neighbours(
    object: &mut Object<impl Write>,
    key: &str,
    profile: &Profile,
    name: &str,
    neighbours: impl Fn(FunctionId) -> Vec<Neighbour>,
    limit: usize,
) -> Result<()> {
    let functions = profile.find_functions(name)?;
    let rows = functions.into_iter().flat_map(|id| {
        neighbours(id)
            .into_iter()
            .take(limit)
            .map(move |row| NeighbourRow {
                of: profile.function(id).id.0,
                function: match row.party {
                    Party::Function(other) => Some(profile.function(other).id.0),
                    Party::Host | Party::DroppedPath => None,
                },
                dropped: row.party == Party::DroppedPath,
                figures: row.stats.into(),
            })
    });
    object.array(key, rows)
}

fn write_tree(object: &mut Object<impl Write>, profile: &Profile, limit: usize) -> Result<()> {
    let rows = profile.tree(limit).into_iter().map(|row| {
        let thread = &profile.threads[row.thread];
        let (node, hidden) = match row.item {
            TreeItem::Path(node) => (Some(node), None),
            TreeItem::Hidden(callees) => (None, Some(callees)),
        };
        TreeLine {
            thread: thread.id,
            depth: row.depth,
            function: node.map(|node| profile.function(thread.trie.function(node)).id.0),
            hidden,
            dropped: node.is_some_and(|node| thread.trie.is_overflow(node)),
            figures: row.stats.into(),
        }
    });
    object.array("tree", rows)
}

/// Written by hand: there can be millions, each with hundreds of ids.
fn write_paths(object: &mut Object<impl Write>, profile: &Profile) -> Result<()> {
    let frames: Vec<Vec<u8>> = profile
        .functions
        .iter()
        .map(|function| function.id.0.to_string().into_bytes())
        .collect();
    object.key("paths")?;
    let out = &mut object.out;
    out.write_all(b"[")?;
    let mut first = true;
    for thread in &profile.threads {
        let trie = &thread.trie;
        for_each_path(
            trie,
            &frames,
            None,
            &mut PathText::new(b','),
            |node, path| {
                let (calls, cost) = (trie.calls(node), trie.self_cost(node));
                if calls == 0 && cost == 0 {
                    return Ok(());
                }
                out.write_all(if first { b"\n" } else { b",\n" })?;
                first = false;
                write!(out, "{{\"thread\":{},\"path\":[", thread.id)?;
                out.write_all(path)?;
                write!(out, "],\"calls\":{calls},\"self\":{cost}")?;
                if trie.is_overflow(node) {
                    out.write_all(b",\"dropped\":true")?;
                }
                out.write_all(b"}")?;
                Ok(())
            },
        )?;
    }
    out.write_all(b"\n]")?;
    Ok(())
}

/// A JSON object, written field by field.
struct Object<W> {
    out: W,
    fields: usize,
}

impl<W: Write> Object<W> {
    fn key(&mut self, key: &str) -> Result<()> {
        self.out
            .write_all(if self.fields == 0 { b"{\n" } else { b",\n" })?;
        self.fields += 1;
        write!(self.out, "\"{key}\":")?;
        Ok(())
    }

    fn value(&mut self, value: &impl Serialize) -> Result<()> {
        serde_json::to_writer(&mut self.out, value).map_err(|error| Error::new(error.to_string()))
    }

    fn field(&mut self, key: &str, value: &impl Serialize) -> Result<()> {
        self.key(key)?;
        self.value(value)
    }

    fn array(&mut self, key: &str, rows: impl IntoIterator<Item: Serialize>) -> Result<()> {
        self.key(key)?;
        self.out.write_all(b"[")?;
        let mut first = true;
        for row in rows {
            self.out.write_all(if first { b"\n" } else { b",\n" })?;
            first = false;
            self.value(&row)?;
        }
        self.out.write_all(if first { b"]" } else { b"\n]" })?;
        Ok(())
    }

    fn finish(mut self) -> Result<()> {
        self.out.write_all(b"\n}\n")?;
        Ok(())
    }
}
