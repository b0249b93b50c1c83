//! Firefox Profiler's processed profile format, version 70 (older ones it
//! upgrades). Source: `src/types/profile.ts` and `docs-developer/CHANGELOG-formats.md`
//! in its repository.
//!
//! A sample is a path with its own cost or calls as weight. Times are exact,
//! their order is not the order of events, which a trie does not know. A unit of
//! another clock than `wall` (a call, a tick) is shown as one microsecond of time.
//! The format has one weight, so with a clock that has costs calls are not in it.

use std::collections::HashMap;
use std::io::Write;

use serde_json::json;

use super::{DROPPED_FRAME, EXPORTER, List, Milliseconds, json as write_json, separate};
use crate::error::Result;
use crate::model::{Clock, Kind, NodeId, Profile, Thread, Trie, Weight, clock_name};
use crate::names::escape;

const VERSION: u32 = 70;
/// The raw format that version 70 came with.
const GECKO_VERSION: u32 = 36;
/// `ResourceType` of libraries.
const LIBRARY: u32 = 1;
/// Index into the categories.
const OTHER: u32 = 0;
const WASM: u32 = 1;
const IMPORT: u32 = 2;

pub(super) fn write(profile: &Profile, out: &mut impl Write) -> Result<()> {
    out.write_all(b"{\"meta\":")?;
    write_json(out, &meta(profile))?;
    out.write_all(b",\n\"libs\":[],\n\"shared\":{")?;
    write_functions(profile, out)?;
    let firsts = write_stacks(profile, out)?;
    out.write_all(b"},\n\"threads\":[")?;
    for (index, (thread, first)) in profile.threads.iter().zip(firsts).enumerate() {
        separate(out, index == 0)?;
        write_thread(profile, thread, index == 0, first, out)?;
    }
    out.write_all(b"\n]}\n")?;
    Ok(())
}

fn meta(profile: &Profile) -> serde_json::Value {
    let category = |name, color| json!({"name": name, "color": color, "subcategories": ["Other"]});
    let unit = match (profile.weight(), profile.clock) {
        (Weight::Calls, _) => "1 call is shown as 1 µs",
        (Weight::Cost, Clock::Instructions) => "1 instruction is shown as 1 µs",
        (Weight::Cost, Clock::Tsc) => "1 tick is shown as 1 µs",
        (Weight::Cost, Clock::Samples) => "1 sample is shown as 1 µs",
        (Weight::Cost, _) => "self times; their order is not the order of events",
    };
    let entry = |label, value: String| json!({"label": label, "format": "string", "value": value});
    json!({
        "interval": 0.001,
        "startTime": 0,
        "processType": 0,
        "product": "wasm-xray",
        "importedFrom": EXPORTER,
        "stackwalk": 1,
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": VERSION,
        "symbolicated": true,
        "symbolicationNotSupported": true,
        "categories": [category("Other", "grey"), category("WebAssembly", "blue"), category("Import", "yellow")],
        "markerSchema": [],
        "usesOnlyOneStackType": true,
        "sourceCodeIsNotOnSearchfox": true,
        "keepProfileThreadOrder": true,
        "initialVisibleThreads": (0..profile.threads.len()).collect::<Vec<_>>(),
        "extra": [{"label": "wasm-xray", "entries": [
            entry("Clock", clock_name(profile.clock).to_owned()),
            entry("Times", unit.to_owned()),
            entry("Paths not recorded", profile.dropped.paths.to_string()),
            entry("Calls without a path", profile.dropped.calls.to_string()),
        ]}],
    })
}

/// Functions, their frames and modules; the one after the functions is [`DROPPED_FRAME`].
fn write_functions(profile: &Profile, out: &mut impl Write) -> Result<()> {
    let count = profile.functions.len() + 1;
    let mut strings: Vec<String> = profile
        .functions
        .iter()
        .map(|f| escape(&f.name))
        .chain([DROPPED_FRAME.to_owned()])
        .collect();
    let mut modules: HashMap<&str, usize> = HashMap::new();
    let mut resources = Vec::new();
    for id in profile.function_ids() {
        let module = profile.module_name(id);
        let next = modules.len();
        resources.push(match module {
            "" => -1,
            _ => *modules.entry(module).or_insert_with(|| {
                strings.push(escape(module));
                next
            }) as i64,
        });
    }
    resources.push(-1);
    let mut files: HashMap<&str, usize> = HashMap::new();
    let mut sources = Vec::new();
    let mut file_names = Vec::new();
    let mut lines = Vec::new();
    for function in &profile.functions {
        let next = files.len();
        sources.push(function.file.as_deref().map(|file| {
            *files.entry(file).or_insert_with(|| {
                file_names.push(strings.len());
                strings.push(escape(file));
                next
            })
        }));
        lines.push(function.line);
    }
    sources.push(None);
    lines.push(None);
    let none = vec![(); files.len()];
    let ones = vec![1; files.len()];
    let categories: Vec<u32> = profile
        .functions
        .iter()
        .map(|function| match function.kind {
            Kind::Wasm | Kind::Native => WASM,
            Kind::Import => IMPORT,
            Kind::JavaScript | Kind::Unknown | Kind::Group => OTHER,
        })
        .chain([OTHER])
        .collect();
    let each: Vec<usize> = (0..count).collect();
    let nulls = vec![(); count];
    let no = vec![false; count];
    let zeros = vec![0; count];
    let mut table = |name: &str, value: &serde_json::Value| {
        write!(out, "\"{name}\":")?;
        write_json(out, value)?;
        Ok::<(), crate::error::Error>(out.write_all(b",\n")?)
    };
    table(
        "funcTable",
        &json!({
            "length": count, "name": each, "isJS": no, "relevantForJS": no, "resource": resources,
            "source": sources, "lineNumber": lines, "columnNumber": nulls, "originalLocation": nulls,
        }),
    )?;
    table(
        "frameTable",
        &json!({
            "length": count, "address": vec![-1; count], "lib": vec![-1; count], "inlineDepth": zeros,
            "category": categories, "subcategory": zeros, "func": each, "nativeSymbol": nulls,
            "innerWindowID": zeros, "line": nulls, "column": nulls, "originalLocation": nulls,
        }),
    )?;
    table(
        "resourceTable",
        &json!({
            "length": modules.len(), "name": (count..count + modules.len()).collect::<Vec<_>>(),
            "host": vec![(); modules.len()], "type": vec![LIBRARY; modules.len()],
        }),
    )?;
    table(
        "nativeSymbols",
        &json!({"length": 0, "libIndex": [], "address": [], "name": [], "functionSize": []}),
    )?;
    table(
        "sources",
        &json!({
            "length": files.len(), "id": none, "filename": file_names, "startLine": ones,
            "startColumn": ones, "sourceMapURL": none, "content": none,
        }),
    )?;
    table(
        "sourceLocationTable",
        &json!({"length": 0, "source": [], "line": [], "column": []}),
    )?;
    table("stringArray", &json!(strings))
}

/// A stack for each node, all threads in one table, below an own root for what
/// was dropped. Where each thread begins.
fn write_stacks(profile: &Profile, out: &mut impl Write) -> Result<Vec<usize>> {
    // Each thread's nodes follow a stack of `DROPPED_FRAME`, used or not.
    let mut firsts = Vec::new();
    let mut length = 0;
    for thread in &profile.threads {
        firsts.push(length + 1);
        length += 1 + thread.trie.len();
    }
    write!(out, "\"stackTable\":{{\"length\":{length},\"frame\":[")?;
    let mut list = List::default();
    for thread in &profile.threads {
        list.push(out, profile.functions.len())?;
        for node in thread.trie.nodes() {
            list.push(out, thread.trie.function(node).index())?;
        }
    }
    out.write_all(b"],\"prefixOffset\":[")?;
    let mut list = List::default();
    for thread in &profile.threads {
        list.push(out, 0)?;
        for node in thread.trie.nodes() {
            list.push(out, prefix_offset(&thread.trie, node))?;
        }
    }
    out.write_all(b"]}")?;
    Ok(firsts)
}

/// How far before the node its caller is; 0 for a root.
fn prefix_offset(trie: &Trie, node: NodeId) -> usize {
    match trie.parent(node) {
        Some(parent) => node.index() - parent.index(),
        None if trie.is_overflow(node) => node.index() + 1,
        None => 0,
    }
}

fn write_thread(
    profile: &Profile,
    thread: &Thread,
    is_main: bool,
    first: usize,
    out: &mut impl Write,
) -> Result<()> {
    let weight = profile.weight();
    let trie = &thread.trie;
    let own = |node| trie.own(node, weight);
    let nodes = || trie.nodes().filter(|node| own(*node) > 0);
    let end = trie.sum(weight);
    writeln!(
        out,
        "{{\"name\":{},\"isMainThread\":{is_main},\"processType\":\"default\",\"processName\":\"wasm-xray\",\
         \"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,\
         \"unregisterTime\":null,\"pausedRanges\":[],\"pid\":\"{}\",\"tid\":{},",
        json!(escape(&thread.label())),
        profile.origin.process_id,
        thread.id,
    )?;
    out.write_all(
        b"\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],\"category\":[]},\n",
    )?;
    // One more sample without a stack, to say when the last one ends.
    write!(
        out,
        "\"samples\":{{\"length\":{},\"weightType\":\"{}\",\"stack\":[",
        nodes().count() + 1,
        match weight {
            Weight::Calls => "samples",
            Weight::Cost => "tracing-ms",
        }
    )?;
    let mut list = List::default();
    for node in nodes() {
        list.push(out, first + node.index())?;
    }
    list.push(out, "null")?;
    out.write_all(b"],\n\"time\":[")?;
    let mut list = List::default();
    let mut time = 0u64;
    for node in nodes() {
        list.push(out, Milliseconds::new(profile, time))?;
        time = time.saturating_add(own(node));
    }
    list.push(out, Milliseconds::new(profile, end))?;
    out.write_all(b"],\n\"weight\":[")?;
    let mut list = List::default();
    for node in nodes() {
        match weight {
            Weight::Calls => list.push(out, own(node))?,
            Weight::Cost => list.push(out, Milliseconds::new(profile, own(node)))?,
        }
    }
    list.push(out, 0)?;
    out.write_all(b"]}}")?;
    Ok(())
}
