//! pprof's format, compressed with gzip as its readers expect. Source:
//! `proto/profile.proto` in <https://github.com/google/pprof>.
//!
//! A sample is a path, leaf first, with its own calls and cost; sums over paths,
//! without counting recursion twice, are the reader's. The address of a function
//! is its id, which its module's mapping maps to its index, so profiles with
//! modules at other places can be compared. Samples have the thread as label.

use std::collections::HashMap;
use std::io::Write;

use flate2::{Compression, GzBuilder};
use prost::Message;

use super::distinct::distinct_names;
use super::{DROPPED_FRAME, EXPORTER};
use crate::error::{Error, Result};
use crate::model::{Clock, NodeId, Profile, Thread, Weight, clock_name};
use crate::names::escape;
use crate::pprof::{Function, Label, Line, Location, Mapping, SAMPLE, Sample, ValueType};
use crate::trie::Step;

/// `Profile` without the tables that are written one message after the other.
/// Tags are those of `profile.proto`; fields that we do not use are left out.
#[derive(Clone, PartialEq, Message)]
struct Head {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "3")]
    mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    /// The first is empty.
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "9")]
    time_nanos: i64,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
    #[prost(int64, repeated, tag = "13")]
    comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    default_sample_type: i64,
}

pub(super) fn write(profile: &Profile, out: &mut impl Write) -> Result<()> {
    // No time and no file name in the header, so that the bytes are the same again.
    let mut out = GzBuilder::new().write(out, Compression::fast());
    let mut strings = Strings::default();
    let cost = match profile.clock {
        Clock::Calls => None,
        Clock::Instructions => Some(("instructions", "count")),
        Clock::Wall => Some(("wall", "nanoseconds")),
        Clock::Sampled => Some(("cpu", "nanoseconds")),
        Clock::Samples => Some(("samples", "count")),
        Clock::Tsc => Some(("ticks", "count")),
    };
    let sample_type: Vec<ValueType> = [("calls", "count")]
        .into_iter()
        .chain(cost)
        .map(|(name, unit)| ValueType {
            r#type: strings.add(name),
            unit: strings.add(unit),
        })
        .collect();
    let shown = sample_type[sample_type.len() - 1].clone();
    let key = strings.add("thread");
    let threads: Vec<Label> = profile
        .threads
        .iter()
        .map(|thread| Label {
            key,
            str: strings.add(&escape(&thread.label())),
        })
        .collect();
    let (location, function) = functions(profile, &mut strings);
    let head = Head {
        mapping: mappings(profile, &mut strings),
        location,
        function,
        time_nanos: signed(profile.origin.timestamp_ns),
        period: 1,
        default_sample_type: shown.r#type,
        period_type: Some(shown),
        comment: comments(profile)
            .iter()
            .map(|text| strings.add(text))
            .collect(),
        string_table: strings.table,
        sample_type,
    };
    out.write_all(&head.encode_to_vec())?;
    for (thread, label) in profile.threads.iter().zip(threads) {
        samples(profile, thread, label, cost.is_some(), &mut out)?;
    }
    out.finish()?;
    Ok(())
}

fn comments(profile: &Profile) -> Vec<String> {
    let dropped = profile.dropped;
    let exact = match profile.clock {
        Clock::Sampled | Clock::Samples => "times are estimates from samples",
        _ => "every call is counted, nothing is sampled",
    };
    let clock = clock_name(profile.clock);
    let mut comments = vec![format!("{EXPORTER}, clock {clock}: {exact}")];
    if dropped.paths > 0 || dropped.calls > 0 {
        comments.push(format!(
            "the arena was full: {} paths were not recorded, {} calls are below {DROPPED_FRAME}",
            dropped.paths, dropped.calls
        ));
    }
    comments.extend(profile.unseen.iter().map(|text| escape(text)));
    comments
}

/// Ids of mappings are places in [`Profile::modules`], from 1.
fn mappings(profile: &Profile, strings: &mut Strings) -> Vec<Mapping> {
    (1..)
        .zip(&profile.modules)
        .map(|(id, module)| Mapping {
            id,
            memory_start: module.base.into(),
            memory_limit: u64::from(module.base) + module.map.names.len() as u64,
            filename: strings.add(&escape(module.label())),
            build_id: strings.add(&escape(&module.map.hash)),
            has_functions: true,
        })
        .collect()
}

/// Ids of functions and of their one location are places in
/// [`Profile::functions`], from 1; the one after them is [`DROPPED_FRAME`].
fn functions(profile: &Profile, strings: &mut Strings) -> (Vec<Location>, Vec<Function>) {
    let names = distinct_names(profile);
    let mut locations = Vec::with_capacity(names.len() + 1);
    let mut functions = Vec::with_capacity(names.len() + 1);
    for (id, name) in profile.function_ids().zip(names) {
        let function = profile.function(id);
        let line = i64::from(function.line.unwrap_or_default());
        locations.push(location(
            id.index(),
            function.module.map_or(0, |module| u64::from(module.0) + 1),
            function.id.0.into(),
            line,
        ));
        functions.push(Function {
            id: id.index() as u64 + 1,
            name: strings.add(&name),
            system_name: match profile.raw_name(id).map(escape) {
                Some(raw) if raw != name => strings.add(&raw),
                _ => 0,
            },
            filename: strings.add(&escape(profile.file_or_module(id))),
            start_line: line,
        });
    }
    let dropped = profile.functions.len();
    locations.push(location(dropped, 0, 0, 0));
    functions.push(Function {
        id: dropped as u64 + 1,
        name: strings.add(DROPPED_FRAME),
        system_name: 0,
        filename: 0,
        start_line: 0,
    });
    (locations, functions)
}

fn location(index: usize, mapping_id: u64, address: u64, line: i64) -> Location {
    let id = index as u64 + 1;
    Location {
        id,
        mapping_id,
        address,
        line: vec![Line {
            function_id: id,
            line,
        }],
    }
}

fn samples(
    profile: &Profile,
    thread: &Thread,
    label: Label,
    has_cost: bool,
    out: &mut impl Write,
) -> Result<()> {
    let trie = &thread.trie;
    let is_dropped = |node: NodeId| trie.parent(node).is_none() && trie.is_overflow(node);
    // From the root on.
    let mut path: Vec<u64> = Vec::new();
    let mut sample = Sample {
        label: vec![label],
        ..Sample::default()
    };
    let mut bytes = Vec::new();
    let mut written = 0u64;
    for step in trie.walk() {
        let node = match step {
            Step::Enter(node) => node,
            Step::Leave(node) => {
                path.truncate(path.len() - if is_dropped(node) { 2 } else { 1 });
                continue;
            }
        };
        if is_dropped(node) {
            path.push(profile.functions.len() as u64 + 1);
        }
        path.push(trie.function(node).index() as u64 + 1);
        let (calls, cost) = (trie.own(node, Weight::Calls), trie.own(node, Weight::Cost));
        if calls == 0 && cost == 0 {
            continue;
        }
        sample.location_id.clear();
        sample.location_id.extend(path.iter().rev());
        sample.value.clear();
        sample.value.push(signed(calls));
        if has_cost {
            sample.value.push(signed(cost));
        }
        bytes.clear();
        prost::encoding::message::encode(SAMPLE, &sample, &mut bytes);
        written += bytes.len() as u64;
        if written > super::MAX_BYTES as u64 {
            return Err(Error::new(super::limited::too_large(super::MAX_BYTES)));
        }
        out.write_all(&bytes)?;
    }
    Ok(())
}

/// The format has no unsigned numbers.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Texts by their number.
struct Strings {
    table: Vec<String>,
    numbers: HashMap<String, i64>,
}

impl Default for Strings {
    fn default() -> Strings {
        Strings {
            table: vec![String::new()],
            numbers: HashMap::from([(String::new(), 0)]),
        }
    }
}

impl Strings {
    fn add(&mut self, text: &str) -> i64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.table.len() as i64;
        self.table.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }
}
