//! speedscope's file format. Source: `file-format-spec.ts` in its repository.
//!
//! One `sampled` profile for each thread and weight: a sample is a path, its
//! weight the path's own cost or calls. Times are exact, their order is not the
//! order of events, which a trie does not know.

use std::io::Write;

use serde::Serialize;

use super::{DROPPED_FRAME, EXPORTER, PathText, for_each_path, json, separate};
use crate::error::Result;
use crate::model::{Clock, FunctionId, Profile, Thread, Weight};
use crate::names::escape;

#[derive(Serialize)]
struct Frame<'a> {
    name: &'a str,
    /// The source file, else the module.
    #[serde(skip_serializing_if = "str::is_empty")]
    file: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

pub(super) fn write(profile: &Profile, out: &mut impl Write) -> Result<()> {
    out.write_all(b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n\"shared\":{\"frames\":[")?;
    for id in profile.function_ids() {
        let frame = Frame {
            name: &escape(&profile.function(id).name),
            file: &escape(profile.file_or_module(id)),
            line: profile.function(id).line,
        };
        separate(out, id == FunctionId(0))?;
        json(out, &frame)?;
    }
    separate(out, profile.functions.is_empty())?;
    json(
        out,
        &Frame {
            name: DROPPED_FRAME,
            file: "",
            line: None,
        },
    )?;
    out.write_all(b"\n]},\n\"profiles\":[")?;
    let mut first = true;
    for (thread, weight) in views(profile) {
        separate(out, first)?;
        first = false;
        write_view(profile, thread, weight, out)?;
    }
    out.write_all(b"\n],\n")?;
    writeln!(
        out,
        "\"name\":\"wasm-xray\",\"activeProfileIndex\":0,\"exporter\":\"{EXPORTER}\"}}"
    )?;
    Ok(())
}

/// Cost first, as the first one is opened; threads without calls are left out.
fn views(profile: &Profile) -> Vec<(&Thread, Weight)> {
    let weights: &[Weight] = match profile.weight() {
        Weight::Calls => &[Weight::Calls],
        Weight::Cost => &[Weight::Cost, Weight::Calls],
    };
    let called = |thread: &&Thread| thread.trie.sum(Weight::Calls) > 0;
    let mut threads: Vec<&Thread> = profile.threads.iter().filter(called).collect();
    if threads.is_empty() {
        threads.extend(profile.threads.first());
    }
    threads
        .into_iter()
        .flat_map(|thread| weights.iter().map(move |weight| (thread, *weight)))
        .collect()
}

fn write_view(
    profile: &Profile,
    thread: &Thread,
    weight: Weight,
    out: &mut impl Write,
) -> Result<()> {
    let (what, unit) = match (weight, profile.clock) {
        (Weight::Calls, _) | (_, Clock::Calls) => ("calls", "none"),
        (Weight::Cost, Clock::Instructions) => ("instructions", "none"),
        (Weight::Cost, Clock::Wall | Clock::Sampled) => ("time", "nanoseconds"),
        (Weight::Cost, Clock::Samples) => ("samples", "none"),
        (Weight::Cost, Clock::Tsc) => ("ticks", "none"),
    };
    let trie = &thread.trie;
    out.write_all(b"{\"type\":\"sampled\",\"name\":")?;
    json(out, &format!("{}: {what}", escape(&thread.label())))?;
    write!(
        out,
        ",\"unit\":\"{unit}\",\"startValue\":0,\"endValue\":{},\n\"samples\":[",
        trie.sum(weight)
    )?;
    let frames: Vec<Vec<u8>> = (0..profile.functions.len())
        .map(|index| index.to_string().into_bytes())
        .collect();
    let dropped = profile.functions.len().to_string();
    let mut path = PathText::new(b',');
    let mut weights = String::new();
    for_each_path(
        trie,
        &frames,
        Some(dropped.as_bytes()),
        &mut path,
        |node, path| {
            let own = trie.own(node, weight);
            if own > 0 {
                separate(out, weights.is_empty())?;
                out.write_all(b"[")?;
                out.write_all(path)?;
                out.write_all(b"]")?;
                if !weights.is_empty() {
                    weights.push(',');
                }
                weights += &own.to_string();
            }
            Ok(())
        },
    )?;
    write!(out, "],\n\"weights\":[{weights}]}}")?;
    Ok(())
}
