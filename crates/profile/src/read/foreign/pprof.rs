//! pprof's format. Source: `proto/profile.proto` in <https://github.com/google/pprof>.
//!
//! Two passes over the file, so that samples are never all in memory as messages:
//! names first, which come after the samples in most files.

use std::collections::HashMap;

use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint};

use super::{Found, Frame, Functions, profile};
use crate::error::{Error, Result};
use crate::model::{Clock, Dropped, FunctionId, Kind, Origin, Profile, Thread};
use crate::pprof::{
    DEFAULT_SAMPLE_TYPE, FUNCTION, Function, LOCATION, Location, MAPPING, Mapping, SAMPLE,
    SAMPLE_TYPE, STRING_TABLE, Sample, TIME_NANOS, ValueType,
};
use crate::trie::Builder;
use crate::write::DROPPED_FRAME;

/// Whether the file starts with a sample type of at most two small numbers, as all do.
pub(super) fn looks_like(file: &[u8]) -> bool {
    match file {
        // Field 1, of 2 to 10 bytes.
        [0x0a, length @ 2..=10, message @ ..] => {
            let message = message.get(..usize::from(*length));
            message.is_some_and(|message| ValueType::decode(message).is_ok())
        }
        _ => false,
    }
}

pub(super) fn read(file: &[u8]) -> Result<Profile> {
    let mut tables = Tables::default();
    for_each_field(file, |field, at| tables.add(field, at))?;
    let values = tables.values()?;
    let addresses = tables.addresses();
    let mut reader = Reader {
        frames: tables.frames(&addresses)?,
        tables: &tables,
        values,
        functions: Functions::default(),
        threads: Vec::new(),
        threads_by_label: HashMap::new(),
    };
    for_each_field(file, |field, at| match field {
        Field::Bytes(SAMPLE, bytes) => reader.add_sample(decode(bytes, at, "a sample")?, at),
        _ => Ok(()),
    })?;
    reader.finish()
}

enum Field<'a> {
    Bytes(u32, &'a [u8]),
    Varint(u32, u64),
}

/// Visits the fields of the outermost message with their offsets.
fn for_each_field<'a>(
    file: &'a [u8],
    mut visit: impl FnMut(Field<'a>, usize) -> Result<()>,
) -> Result<()> {
    let mut rest = file;
    while !rest.is_empty() {
        let at = file.len() - rest.len();
        let broken = |error| {
            Error::at(
                at,
                format!("the file is no pprof profile any more: {error}"),
            )
        };
        let (tag, wire_type) = decode_key(&mut rest).map_err(broken)?;
        match wire_type {
            WireType::Varint => {
                let value = decode_varint(&mut rest).map_err(broken)?;
                visit(Field::Varint(tag, value), at)?;
            }
            WireType::LengthDelimited => {
                let length = decode_varint(&mut rest).map_err(broken)?;
                let split = usize::try_from(length).ok();
                let split = split.and_then(|length| rest.split_at_checked(length));
                let Some((bytes, after)) = split else {
                    return Err(Error::at(
                        at,
                        format!(
                            "truncated: a field of the pprof profile says it has {length} bytes, \
                             {} are left",
                            rest.len()
                        ),
                    ));
                };
                rest = after;
                visit(Field::Bytes(tag, bytes), at)?;
            }
            _ => {
                return Err(Error::at(
                    at,
                    format!(
                        "field {tag} of the pprof profile has type {wire_type:?}, which the format has not"
                    ),
                ));
            }
        }
    }
    Ok(())
}

fn decode<M: Message + Default>(bytes: &[u8], at: usize, what: &str) -> Result<M> {
    M::decode(bytes).map_err(|error| Error::at(at, format!("{what} is not valid: {error}")))
}

/// Everything but the samples.
#[derive(Default)]
struct Tables<'a> {
    sample_types: Vec<ValueType>,
    mappings: HashMap<u64, Mapping>,
    /// With their offsets.
    locations: HashMap<u64, (Location, usize)>,
    functions: HashMap<u64, Function>,
    strings: Vec<&'a str>,
    time_ns: i64,
    default_type: i64,
}

impl<'a> Tables<'a> {
    fn add(&mut self, field: Field<'a>, at: usize) -> Result<()> {
        match field {
            Field::Bytes(SAMPLE_TYPE, bytes) => {
                self.sample_types.push(decode(bytes, at, "a sample type")?);
            }
            Field::Bytes(MAPPING, bytes) => {
                let mapping: Mapping = decode(bytes, at, "a mapping")?;
                self.mappings.insert(mapping.id, mapping);
            }
            Field::Bytes(LOCATION, bytes) => {
                let location: Location = decode(bytes, at, "a location")?;
                let id = location.id;
                if self.locations.insert(id, (location, at)).is_some() {
                    return Err(Error::at(at, format!("there are two locations {id}")));
                }
            }
            Field::Bytes(FUNCTION, bytes) => {
                let function: Function = decode(bytes, at, "a function")?;
                let id = function.id;
                if self.functions.insert(id, function).is_some() {
                    return Err(Error::at(at, format!("there are two functions {id}")));
                }
            }
            Field::Bytes(STRING_TABLE, bytes) => {
                let string = std::str::from_utf8(bytes)
                    .map_err(|_| Error::at(at, "a string is not UTF-8: is the file damaged?"))?;
                self.strings.push(string);
            }
            Field::Varint(TIME_NANOS, value) => self.time_ns = value as i64,
            Field::Varint(DEFAULT_SAMPLE_TYPE, value) => self.default_type = value as i64,
            _ => {}
        }
        Ok(())
    }

    fn string(&self, index: i64) -> Result<&'a str> {
        let string = usize::try_from(index).ok();
        let string = string.and_then(|index| self.strings.get(index));
        string.copied().ok_or_else(|| {
            Error::new(format!(
                "the pprof profile refers to string {index}, but has {}",
                self.strings.len()
            ))
        })
    }

    /// Which values of a sample are the calls and the cost, and of what clock.
    fn values(&self) -> Result<Values> {
        let mut types = Vec::new();
        for value in &self.sample_types {
            types.push((self.string(value.r#type)?, self.string(value.unit)?));
        }
        let default = self.string(self.default_type)?;
        let calls = types.iter().position(|kind| *kind == ("calls", "count"));
        let shown = types
            .iter()
            .position(|(name, _)| *name == default && !default.is_empty());
        let Some(last) = types.len().checked_sub(1) else {
            return Err(Error::at(
                0,
                "the pprof profile does not say what its samples count",
            ));
        };
        let cost = Some(shown.unwrap_or(last)).filter(|cost| Some(*cost) != calls);
        let Some(cost) = cost else {
            return Ok(Values {
                calls,
                cost,
                ns: 1,
                clock: Clock::Calls,
                other_unit: None,
            });
        };
        let (name, unit) = types[cost];
        let mut other_unit = None;
        let (clock, ns) = match (name, unit, calls.is_some()) {
            ("wall", "nanoseconds", true) => (Clock::Wall, 1),
            ("ticks", "count", true) => (Clock::Tsc, 1),
            ("instructions", "count", true) => (Clock::Instructions, 1),
            (_, "nanoseconds", _) => (Clock::Sampled, 1),
            (_, "microseconds", _) => (Clock::Sampled, 1_000),
            (_, "milliseconds", _) => (Clock::Sampled, 1_000_000),
            (_, "seconds", _) => (Clock::Sampled, 1_000_000_000),
            (_, "count", _) => (Clock::Samples, 1),
            _ => {
                other_unit = Some(format!("the unit of the costs, which are {name} in {unit}"));
                (Clock::Samples, 1)
            }
        };
        Ok(Values {
            calls,
            cost: Some(cost),
            ns,
            clock,
            other_unit,
        })
    }

    /// Names for the locations of which nothing but an address is known.
    fn addresses(&self) -> HashMap<u64, String> {
        let locations = self.locations.iter();
        locations
            .filter(|(_, (location, _))| location.line.is_empty())
            .map(|(id, (location, _))| (*id, format!("{:#x}", location.address)))
            .collect()
    }

    /// What each location stands for, innermost first: several functions, if one
    /// was inlined into another.
    fn frames(&self, addresses: &'a HashMap<u64, String>) -> Result<HashMap<u64, Vec<Frame<'a>>>> {
        let mut frames = HashMap::with_capacity(self.locations.len());
        for (id, (location, at)) in &self.locations {
            let module = match self.mappings.get(&location.mapping_id) {
                Some(mapping) => self.string(mapping.filename)?,
                None => "",
            };
            let mut of_location = Vec::with_capacity(location.line.len());
            for line in &location.line {
                let function = self.functions.get(&line.function_id).ok_or_else(|| {
                    Error::at(
                        *at,
                        format!(
                            "location {id} is of function {}, which there is not",
                            line.function_id
                        ),
                    )
                })?;
                of_location.push(self.frame(function, module)?);
            }
            if let Some(address) = addresses.get(id) {
                of_location.push(Frame {
                    name: address,
                    module,
                    file: "",
                    line: None,
                    kind: Kind::Unknown,
                });
            }
            frames.insert(*id, of_location);
        }
        Ok(frames)
    }

    fn frame(&self, function: &Function, module: &'a str) -> Result<Frame<'a>> {
        let name = self.string(function.name)?;
        let file = self.string(function.filename)?;
        // Not where there is none: we put the module there, as pprof shows it.
        let file = if file == module { "" } else { file };
        let raw = match self.string(function.system_name)? {
            "" => name,
            raw => raw,
        };
        Ok(Frame {
            name: raw,
            module,
            file,
            line: u32::try_from(function.start_line).ok(),
            kind: Kind::Unknown,
        })
    }
}

struct Values {
    calls: Option<usize>,
    cost: Option<usize>,
    /// Unit of the cost, if it is a time, in nanoseconds.
    ns: u64,
    clock: Clock,
    /// A sentence about a unit that no clock has.
    other_unit: Option<String>,
}

struct Reader<'a> {
    tables: &'a Tables<'a>,
    frames: HashMap<u64, Vec<Frame<'a>>>,
    values: Values,
    functions: Functions,
    /// By the label `thread`, empty if there is none.
    threads: Vec<(&'a str, Builder)>,
    threads_by_label: HashMap<&'a str, usize>,
}

impl Reader<'_> {
    fn add_sample(&mut self, sample: Sample, at: usize) -> Result<()> {
        if sample.value.len() != self.tables.sample_types.len() {
            return Err(Error::at(
                at,
                format!(
                    "a sample has {} values; there are {} sample types",
                    sample.value.len(),
                    self.tables.sample_types.len()
                ),
            ));
        }
        let value = |index: Option<usize>| match index.map(|index| sample.value[index]) {
            None => Ok(0),
            Some(value) => u64::try_from(value).map_err(|_| {
                Error::at(
                    at,
                    format!("a sample has the value {value}: is the profile a difference of two?"),
                )
            }),
        };
        let calls = value(self.values.calls)?;
        let cost = value(self.values.cost)?.saturating_mul(self.values.ns);
        let thread = self.thread(&sample)?;
        // From the root on.
        let mut path: Vec<Frame> = Vec::with_capacity(sample.location_id.len());
        for location in sample.location_id.iter().rev() {
            let frames = self.frames.get(location).ok_or_else(|| {
                Error::at(
                    at,
                    format!("a sample is of location {location}, which there is not"),
                )
            })?;
            path.extend(frames.iter().rev());
        }
        let (overflow, path) = match path.as_slice() {
            [first, _] if first.name == DROPPED_FRAME => (true, &path[1..]),
            path => (false, path),
        };
        let trie = &mut self.threads[thread].1;
        let mut node = None;
        for frame in path {
            let function: FunctionId = self.functions.intern(frame)?;
            node = Some(trie.node(node, function, overflow)?);
        }
        match node {
            Some(node) => trie.add(node, calls, cost),
            None if calls == 0 && cost == 0 => {}
            None => return Err(Error::at(at, "a sample has no locations")),
        }
        Ok(())
    }

    fn thread(&mut self, sample: &Sample) -> Result<usize> {
        let mut name = "";
        for label in &sample.label {
            if self.tables.string(label.key)? == "thread" {
                name = self.tables.string(label.str)?;
            }
        }
        let next = self.threads.len();
        let thread = *self.threads_by_label.entry(name).or_insert(next);
        if thread == next {
            self.threads.push((name, Builder::default()));
        }
        Ok(thread)
    }

    fn finish(self) -> Result<Profile> {
        let mut threads = Vec::with_capacity(self.threads.len());
        for (id, (name, trie)) in (1..).zip(self.threads) {
            threads.push(Thread {
                id,
                name: if name.is_empty() { "main" } else { name }.to_owned(),
                phase: None,
                trie: trie.finish()?,
            });
        }
        let found = Found {
            clock: self.values.clock,
            threads,
            origin: Origin {
                timestamp_ns: u64::try_from(self.tables.time_ns).unwrap_or(0),
                process_id: 0,
            },
            dropped: Dropped::default(),
            unseen: self.values.other_unit.into_iter().collect(),
        };
        profile(self.functions, found)
    }
}
