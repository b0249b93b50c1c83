//! Chrome's `.cpuprofile`: DevTools, VS Code and speedscope open it.
//! Source: `Profiler.Profile` in the DevTools protocol.
//!
//! A sample is a path and lasts as long as the path's own cost; a unit of
//! another clock than `wall` (a call, a tick) is shown as one microsecond. Times
//! are exact, their order is not the order of events, which a trie does not
//! know. Threads, if there are several, are the frames below the root. `calls`
//! of a node is ours; other tools pass over it.

use std::io::Write;

use serde::Serialize;

use super::{DROPPED_FRAME, EXPORTER, List, Microseconds, json};
use crate::error::Result;
use crate::model::{Clock, NodeId, Profile, Trie, Weight, clock_name};
use crate::names::escape;
use crate::trie::Children;

const ROOT: usize = 1;
/// Shown as nothing; its sample ends the last one.
const IDLE: usize = 2;
const FIRST: usize = 3;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CallFrame<'a> {
    function_name: &'a str,
    script_id: &'static str,
    url: &'a str,
    line_number: i64,
    column_number: i64,
}

impl<'a> CallFrame<'a> {
    /// `line` counts from 1; the format does from 0, and −1 is not known.
    fn new(function_name: &'a str, url: &'a str, line: Option<u32>) -> CallFrame<'a> {
        let line_number = line.map_or(-1, |line| i64::from(line) - 1);
        CallFrame {
            function_name,
            script_id: "0",
            url,
            line_number,
            column_number: line_number.min(0),
        }
    }

    fn to_json(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        json(&mut bytes, self)?;
        Ok(bytes)
    }
}

/// Where the nodes of a thread are among the file's.
struct Part<'a> {
    name: String,
    trie: &'a Trie,
    children: Children,
    /// Has a frame of its own, if there are several.
    thread: Option<usize>,
    /// The frame above what was dropped, if anything was.
    dropped: Option<usize>,
    /// The node of the trie's node 0.
    first: usize,
}

impl Part<'_> {
    fn id(&self, node: NodeId) -> usize {
        self.first + node.index()
    }

    /// Roots whose path is known, or those whose path was dropped.
    fn roots(&self, dropped: bool) -> impl Iterator<Item = usize> {
        self.children
            .roots()
            .filter(move |root| self.trie.is_overflow(*root) == dropped)
            .map(|root| self.id(root))
    }

    /// What is below the thread.
    fn top(&self) -> Vec<usize> {
        self.roots(false).chain(self.dropped).collect()
    }
}

pub(super) fn write(profile: &Profile, out: &mut impl Write) -> Result<()> {
    let weight = profile.weight();
    let frames = frames(profile)?;
    let parts = parts(profile);
    let top: Vec<usize> = parts
        .iter()
        .flat_map(|part| match part.thread {
            Some(thread) => vec![thread],
            None => part.top(),
        })
        .collect();

    out.write_all(b"{\"nodes\":[\n")?;
    let mut nodes = Nodes { out };
    let mut above = top;
    above.insert(0, IDLE);
    nodes.plain(ROOT, "(root)", &above)?;
    nodes.plain(IDLE, "(idle)", &[])?;
    for part in &parts {
        if let Some(thread) = part.thread {
            nodes.plain(thread, &escape(&part.name), &part.top())?;
        }
        if let Some(dropped) = part.dropped {
            let roots: Vec<usize> = part.roots(true).collect();
            nodes.plain(dropped, DROPPED_FRAME, &roots)?;
        }
        for node in part.trie.nodes() {
            let frame = &frames[part.trie.function(node).index()];
            let callees = part.children.of(node).map(|callee| part.id(callee));
            let (hits, calls) = (part.trie.own(node, weight), part.trie.calls(node));
            nodes.node(part.id(node), frame, hits, Some(calls), callees)?;
        }
    }
    write_samples(profile, &parts, out)
}

fn frames(profile: &Profile) -> Result<Vec<Vec<u8>>> {
    profile
        .function_ids()
        .map(|id| {
            let function = profile.function(id);
            let url = match (&function.file, profile.module_name(id)) {
                (Some(file), _) if file.starts_with('/') => format!("file://{}", escape(file)),
                (Some(file), _) => escape(file),
                (None, "") => String::new(),
                (None, module) => format!("wasm://wasm/{}", escape(module)),
            };
            CallFrame::new(&escape(&function.name), &url, function.line).to_json()
        })
        .collect()
}

fn parts(profile: &Profile) -> Vec<Part<'_>> {
    let mut next = FIRST;
    let mut take = |count: usize| {
        next += count;
        next - count
    };
    let several = profile.threads.len() > 1;
    profile
        .threads
        .iter()
        .map(|thread| {
            let trie = &thread.trie;
            let any_dropped = trie.nodes().any(|node| trie.is_overflow(node));
            Part {
                name: thread.label(),
                trie,
                children: trie.children(),
                thread: several.then(|| take(1)),
                dropped: any_dropped.then(|| take(1)),
                first: take(trie.len()),
            }
        })
        .collect()
}

struct Nodes<'a, W> {
    out: &'a mut W,
}

impl<W: Write> Nodes<'_, W> {
    /// A node that is no function's.
    fn plain(&mut self, id: usize, name: &str, children: &[usize]) -> Result<()> {
        let frame = CallFrame::new(name, "", None).to_json()?;
        self.node(id, &frame, 0, None, children.iter().copied())
    }

    fn node(
        &mut self,
        id: usize,
        frame: &[u8],
        hits: u64,
        calls: Option<u64>,
        children: impl Iterator<Item = usize>,
    ) -> Result<()> {
        if id != ROOT {
            self.out.write_all(b",\n")?;
        }
        write!(self.out, "{{\"id\":{id},\"callFrame\":")?;
        self.out.write_all(frame)?;
        write!(self.out, ",\"hitCount\":{hits}")?;
        if let Some(calls) = calls {
            write!(self.out, ",\"calls\":{calls}")?;
        }
        self.out.write_all(b",\"children\":[")?;
        let mut list = List::default();
        for child in children {
            list.push(self.out, child)?;
        }
        self.out.write_all(b"]}")?;
        Ok(())
    }
}

/// The time of a sample is when it starts, so each delta is the cost before it.
fn write_samples(profile: &Profile, parts: &[Part], out: &mut impl Write) -> Result<()> {
    let weight = profile.weight();
    let samples = || {
        parts.iter().flat_map(|part| {
            let own = |node| part.trie.own(node, weight);
            let nodes = part.trie.nodes().filter(move |node| own(*node) > 0);
            nodes.map(move |node| (part.id(node), own(node)))
        })
    };
    let sums = parts.iter().map(|part| part.trie.sum(weight));
    let end = sums.fold(0, u64::saturating_add);
    let end = Microseconds::new(profile, end);
    write!(
        out,
        "\n],\n\"startTime\":0,\"endTime\":{end},\n\"samples\":["
    )?;
    let mut list = List::default();
    for (id, _) in samples() {
        list.push(out, id)?;
    }
    list.push(out, IDLE)?;
    out.write_all(b"],\n\"timeDeltas\":[")?;
    let mut list = List::default();
    list.push(out, 0)?;
    for (_, own) in samples() {
        list.push(out, Microseconds::new(profile, own))?;
    }
    out.write_all(b"],\n\"exporter\":")?;
    json(out, &EXPORTER)?;
    let unit = match (weight, profile.clock) {
        (Weight::Calls, _) => "1 call is shown as 1 µs",
        (Weight::Cost, Clock::Instructions) => "1 instruction is shown as 1 µs",
        (Weight::Cost, Clock::Tsc) => "1 tick is shown as 1 µs",
        (Weight::Cost, Clock::Samples) => "1 sample is shown as 1 µs",
        (Weight::Cost, _) => "time",
    };
    out.write_all(b",\"clock\":")?;
    json(out, &clock_name(profile.clock))?;
    out.write_all(b",\"unit\":")?;
    json(out, &unit)?;
    let dropped = profile.dropped;
    writeln!(
        out,
        ",\"dropped\":{{\"paths\":{},\"calls\":{}}}}}",
        dropped.paths, dropped.calls
    )?;
    Ok(())
}
