//! Chrome's and Node's `.cpuprofile`. Source: `Profiler.Profile` in the DevTools
//! protocol.
//!
//! A sample lasts from its own time to the next one's, as in DevTools. Time in
//! `(idle)` is not the program's and is left out. Files that we wrote have more
//! than the format asks for: the clock and calls, which are taken from there.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;

use super::{Found, Frame, Functions, profile, text};
use crate::error::{Error, Result};
use crate::model::{Clock, Dropped, Kind, NodeId, Origin, Profile, Thread, Trie};
use crate::write::DROPPED_FRAME;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    #[serde(borrow)]
    nodes: Vec<Node<'a>>,
    /// Microseconds, as all times.
    #[serde(default)]
    end_time: Option<f64>,
    #[serde(default)]
    start_time: Option<f64>,
    #[serde(default)]
    samples: Vec<u64>,
    #[serde(default)]
    time_deltas: Vec<f64>,
    #[serde(borrow, default)]
    exporter: Option<Cow<'a, str>>,
    #[serde(default)]
    clock: Option<Clock>,
    #[serde(default)]
    dropped: Dropped,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node<'a> {
    id: u64,
    #[serde(borrow)]
    call_frame: CallFrame<'a>,
    #[serde(default)]
    hit_count: u64,
    #[serde(default)]
    children: Vec<u64>,
    /// In place of the children, in old files.
    parent: Option<u64>,
    /// Ours.
    #[serde(default)]
    calls: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallFrame<'a> {
    #[serde(borrow)]
    function_name: Cow<'a, str>,
    #[serde(borrow, default)]
    url: Cow<'a, str>,
    /// From 0 on.
    #[serde(default)]
    line_number: i64,
}

/// Longest time that is taken for one, in microseconds: 2^53 nanoseconds.
const MAX_MICROSECONDS: f64 = 9_007_199_254_740.0;

/// Whether the file is a JSON object with `nodes`.
pub(super) fn looks_like(file: &[u8]) -> bool {
    let start = &file[..file.len().min(64 << 10)];
    let tail = &file[file.len().saturating_sub(64 << 10)..];
    let has = |part: &[u8], key: &[u8]| part.windows(key.len()).any(|window| window == key);
    file.trim_ascii_start().starts_with(b"{")
        && has(start, b"\"nodes\"")
        && (has(start, b"\"callFrame\"") || has(tail, b"\"startTime\""))
}

pub(super) fn read(file: &[u8]) -> Result<Profile> {
    let json = text(file, "the .cpuprofile")?;
    let file: File = serde_json::from_str(json).map_err(|error| {
        Error::at(
            offset_of(json, error.line(), error.column()),
            format!("the .cpuprofile is not valid: {error}"),
        )
    })?;
    let is_ours = file
        .exporter
        .as_ref()
        .is_some_and(|exporter| exporter.starts_with("wasm-xray@"));
    let clock = match (file.clock.filter(|_| is_ours), file.samples.is_empty()) {
        (Some(clock), _) => clock,
        (None, false) => Clock::Sampled,
        // Only how often each node was hit.
        (None, true) => Clock::Samples,
    };
    let by_id = by_id(&file.nodes)?;
    let costs = match (is_ours, clock) {
        (true, Clock::Calls) => vec![0; file.nodes.len()],
        (true, _) | (false, Clock::Samples) => {
            file.nodes.iter().map(|node| node.hit_count).collect()
        }
        (false, _) => sampled_costs(&file, &by_id)?,
    };
    let mut builder = Builder {
        file: &file,
        costs: &costs,
        functions: Functions::default(),
        trie: Trie::default(),
        idle: 0,
    };
    builder.build(&by_id)?;
    let mut unseen = Vec::new();
    if builder.idle > 0 {
        let idle = builder.idle;
        let unit = if clock == Clock::Sampled {
            " ns"
        } else {
            " samples"
        };
        unseen.push(format!("{idle}{unit} in which the thread was idle"));
    }
    let thread = Thread {
        id: 1,
        name: "main".to_owned(),
        phase: None,
        trie: builder.trie,
    };
    let found = Found {
        clock,
        threads: vec![thread],
        origin: Origin::default(),
        dropped: if is_ours {
            file.dropped
        } else {
            Dropped::default()
        },
        unseen,
    };
    profile(builder.functions, found)
}

/// Where a line and column of serde_json are, from 1 on.
fn offset_of(json: &str, line: usize, column: usize) -> usize {
    let before = json.split_inclusive('\n').take(line.saturating_sub(1));
    before.map(str::len).sum::<usize>() + column.saturating_sub(1)
}

fn by_id(nodes: &[Node]) -> Result<HashMap<u64, usize>> {
    let mut by_id = HashMap::with_capacity(nodes.len());
    for (index, node) in nodes.iter().enumerate() {
        if by_id.insert(node.id, index).is_some() {
            return Err(Error::new(format!(
                "the .cpuprofile has two nodes with id {}",
                node.id
            )));
        }
    }
    Ok(by_id)
}

/// Nanoseconds in each node.
fn sampled_costs(file: &File, by_id: &HashMap<u64, usize>) -> Result<Vec<u64>> {
    if file.samples.len() != file.time_deltas.len() {
        return Err(Error::new(format!(
            "the .cpuprofile has {} samples and {} timeDeltas; it must be one for each",
            file.samples.len(),
            file.time_deltas.len()
        )));
    }
    let mut time = ns(file.start_time.unwrap_or(0.0), "startTime")?;
    let mut samples: Vec<(i128, usize)> = Vec::with_capacity(file.samples.len());
    for (at, (id, delta)) in file.samples.iter().zip(&file.time_deltas).enumerate() {
        time += ns(*delta, "a time delta")?;
        let node = by_id.get(id).ok_or_else(|| {
            Error::new(format!(
                "sample {at} of the .cpuprofile is of node {id}, which there is not"
            ))
        })?;
        samples.push((time, *node));
    }
    // V8 may write samples of several threads of its own out of order.
    samples.sort_by_key(|(time, _)| *time);
    let end = match file.end_time {
        Some(end) => ns(end, "endTime")?,
        None => time,
    };
    let ends = samples.iter().skip(1).map(|(time, _)| *time).chain([end]);
    let mut costs = vec![0u64; file.nodes.len()];
    for ((start, node), end) in samples.iter().zip(ends) {
        let cost = u64::try_from(end - start).unwrap_or(0);
        costs[*node] = costs[*node].saturating_add(cost);
    }
    Ok(costs)
}

fn ns(microseconds: f64, what: &str) -> Result<i128> {
    if microseconds.abs() <= MAX_MICROSECONDS {
        return Ok((microseconds * 1000.0).round() as i128);
    }
    // Times since some epoch in microseconds are whole numbers, and exact so far.
    if microseconds.abs() <= 9_007_199_254_740_992.0 {
        return Ok(microseconds as i128 * 1000);
    }
    Err(Error::new(format!(
        "{what} of the .cpuprofile is {microseconds} µs, beyond 2^53: times are not exact there"
    )))
}

struct Builder<'a> {
    file: &'a File<'a>,
    /// By node, as are `file.nodes`.
    costs: &'a [u64],
    functions: Functions,
    trie: Trie,
    /// Cost of `(idle)`.
    idle: u64,
}

impl Builder<'_> {
    /// Parents before children, without recursion.
    fn build(&mut self, by_id: &HashMap<u64, usize>) -> Result<()> {
        let nodes = &self.file.nodes;
        let children = children(nodes, by_id)?;
        let is_root: Vec<bool> = {
            let mut is_root = vec![true; nodes.len()];
            children
                .iter()
                .flatten()
                .for_each(|at| is_root[*at] = false);
            is_root
        };
        // Node, what it hangs under, and whether that is the frame for dropped paths.
        let mut open: Vec<(usize, Option<NodeId>, bool)> = (0..nodes.len())
            .rev()
            .filter(|at| is_root[*at])
            .map(|at| (at, None, false))
            .collect();
        let mut visited = 0;
        while let Some((at, parent, dropped)) = open.pop() {
            visited += 1;
            let name = nodes[at].call_frame.function_name.as_ref();
            let is_top = parent.is_none() && nodes[at].call_frame.url.is_empty();
            let leaves = || children[at].iter().all(|at| children[*at].is_empty());
            let (below, dropped_below) = match name {
                "(root)" if is_top => (None, false),
                "(idle)" if is_top => {
                    self.idle = self.idle.saturating_add(self.costs[at]);
                    (None, false)
                }
                DROPPED_FRAME if is_top && leaves() => (None, true),
                _ => (Some(self.push(at, parent, dropped)?), false),
            };
            let callees = children[at].iter().rev();
            open.extend(callees.map(|at| (*at, below, dropped_below)));
        }
        if visited < nodes.len() {
            return Err(Error::new(format!(
                "{} nodes of the .cpuprofile are below themselves: their children go in a circle",
                nodes.len() - visited
            )));
        }
        Ok(())
    }

    fn push(&mut self, at: usize, parent: Option<NodeId>, dropped: bool) -> Result<NodeId> {
        let node = &self.file.nodes[at];
        let function = self.functions.intern(&frame(&node.call_frame))?;
        let new = self.trie.push(parent, function)?;
        if dropped {
            self.trie.overflow.push(new);
        }
        self.trie.add(new, node.calls, self.costs[at]);
        Ok(new)
    }
}

/// By node, each node as the child of one other at most.
fn children(nodes: &[Node], by_id: &HashMap<u64, usize>) -> Result<Vec<Vec<usize>>> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let mut has_parent = vec![false; nodes.len()];
    let find = |id: u64, of: u64| {
        by_id.get(&id).copied().ok_or_else(|| {
            Error::new(format!(
                "node {of} of the .cpuprofile refers to node {id}, which there is not"
            ))
        })
    };
    for (index, node) in nodes.iter().enumerate() {
        let mut links: Vec<(usize, usize)> = Vec::with_capacity(node.children.len());
        for child in &node.children {
            links.push((index, find(*child, node.id)?));
        }
        if let Some(parent) = node.parent {
            links.push((find(parent, node.id)?, index));
        }
        for (parent, child) in links {
            if std::mem::replace(&mut has_parent[child], true) {
                return Err(Error::new(format!(
                    "node {} of the .cpuprofile has two parents",
                    nodes[child].id
                )));
            }
            children[parent].push(child);
        }
    }
    Ok(children)
}

fn frame<'a>(frame: &'a CallFrame) -> Frame<'a> {
    let url = frame.url.as_ref();
    let name = match frame.function_name.as_ref() {
        "" => "(anonymous)",
        name => name,
    };
    if let Some(module) = url.strip_prefix("wasm://wasm/") {
        return Frame {
            // V8 puts a hash behind the module's name.
            module: match module.rsplit_once('-') {
                Some((name, hash)) if is_hash(hash) && !name.is_empty() => name,
                _ => module,
            },
            name,
            file: "",
            line: None,
            kind: Kind::Wasm,
        };
    }
    Frame {
        name,
        module: url.rsplit('/').next().unwrap_or(url),
        file: url,
        line: match frame.line_number {
            0.. if !url.is_empty() => u32::try_from(frame.line_number + 1).ok(),
            _ => None,
        },
        kind: if url.is_empty() {
            Kind::Unknown
        } else {
            Kind::JavaScript
        },
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
