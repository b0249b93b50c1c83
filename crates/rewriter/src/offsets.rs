//! Where the instructions of the instrumented module come from; `docs/FORMAT.md` has the bytes.

use crate::error::Error;
use crate::index::OldFunc;
use wasm_encoder::Encode;
use wasmparser::BinaryReader;

const MAGIC: &[u8; 8] = b"wxoffset";
const VERSION: u32 = 1;

/// Notes where each instruction of one body went, while the body is written.
#[derive(Default)]
pub(crate) struct Recorder {
    /// Start of the first instruction: in the output and in the input.
    first: Option<(u32, u32)>,
    /// Where the current run of equal lengths started, and the last instruction.
    run: (u32, u32),
    last: (u32, u32),
    pieces: Vec<u8>,
    /// Each instruction's offset in the input, and in the output without the probes before it.
    instructions: Option<Vec<(u32, u32)>>,
}

impl Recorder {
    /// `None` if nobody asks: `pieces` for a map of offsets, `instructions` for annotations.
    pub fn new(pieces: bool, instructions: bool) -> Option<Self> {
        (pieces || instructions).then(|| Recorder {
            instructions: instructions.then(Vec::new),
            ..Recorder::default()
        })
    }

    /// Whether every instruction has to be noted, and not only where lengths change.
    pub fn notes_each(&self) -> bool {
        self.instructions.is_some()
    }

    /// The instruction at `old` of the input's body starts, with the probes before
    /// it, at `with_probes` of the output's, and itself at `new`. To be called in
    /// order, and once more for the end.
    pub fn at(&mut self, old: usize, with_probes: usize, new: usize) {
        let here = (with_probes as u32, old as u32);
        if self.first.is_none() {
            self.first = Some(here);
            self.run = here;
        } else if here.0 - self.last.0 != here.1 - self.last.1 {
            (self.last.0 - self.run.0).encode(&mut self.pieces);
            (here.0 - self.last.0).encode(&mut self.pieces);
            (here.1 - self.last.1).encode(&mut self.pieces);
            self.run = here;
        }
        self.last = here;
        if let Some(instructions) = &mut self.instructions {
            instructions.push((here.1, new as u32));
        }
    }

    /// `start`: offset of the body in the input, its size not included.
    pub fn finish(mut self, old: OldFunc, start: u64) -> BodyOffsets {
        if self.last != self.run {
            (self.last.0 - self.run.0).encode(&mut self.pieces);
        }
        BodyOffsets {
            function: old.0,
            start,
            first: self.first.unwrap_or_default(),
            pieces: self.pieces,
            instructions: self.instructions.unwrap_or_default(),
        }
    }
}

/// Where the instructions of one body went.
pub(crate) struct BodyOffsets {
    function: u32,
    start: u64,
    first: (u32, u32),
    pieces: Vec<u8>,
    instructions: Vec<(u32, u32)>,
}

impl BodyOffsets {
    /// Offset in the output's body of the instruction at `old` in the input's;
    /// `None` if there is none, or if instructions were not asked for.
    pub fn instruction(&self, old: u32) -> Option<u32> {
        let at = self
            .instructions
            .binary_search_by_key(&old, |&(old, _)| old);
        Some(self.instructions[at.ok()?].1)
    }
}

type Range = std::ops::Range<u32>;

/// Calls `each` with every piece in order until it returns false: range in the
/// output, range in the input, and whether they are the same bytes or at least
/// instructions of the same lengths.
fn walk(
    first: (u32, u32),
    pieces: &[u8],
    mut each: impl FnMut(Range, Range, bool) -> bool,
) -> wasmparser::Result<()> {
    let (mut new, mut old) = first;
    let mut reader = BinaryReader::new(pieces, 0);
    while !reader.eof() {
        let copied = reader.read_var_u32()?;
        let (from_new, from_old) = (new, old);
        (new, old) = (new.saturating_add(copied), old.saturating_add(copied));
        if !each(from_new..new, from_old..old, true) || reader.eof() {
            break;
        }
        let (from_new, from_old) = (new, old);
        new = new.saturating_add(reader.read_var_u32()?);
        old = old.saturating_add(reader.read_var_u32()?);
        if !each(from_new..new, from_old..old, false) {
            break;
        }
    }
    Ok(())
}

/// What a function of the output is, in the order of the output.
pub(crate) enum Code {
    Body(BodyOffsets),
    /// A thunk of this function of the input: probes and a call.
    Thunk(OldFunc),
    /// Nothing of the input.
    Own,
}

/// Where the code of an instrumented module comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeOffsets {
    /// Offset of the contents of the code section in the original module.
    pub original_code: u64,
    /// Offset of the contents of the code section in the instrumented module.
    pub code: u64,
    functions: Vec<Function>,
    pieces: Vec<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Function {
    /// Offset in the instrumented module, its size not included.
    start: u64,
    length: u32,
    original: u32,
    /// `None` for a thunk.
    body: Option<Body>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Body {
    start: u64,
    first: (u32, u32),
    pieces: std::ops::Range<usize>,
}

/// A place in the original module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Original {
    /// Index of the function.
    pub function: u32,
    /// Offset of the instruction in the module in bytes; `None` in a thunk, whose code is all the rewriter's.
    pub offset: Option<u64>,
}

impl CodeOffsets {
    /// `lengths`: of each body in the output, in its order.
    pub(crate) fn new(original_code: u64, code: u64, parts: Vec<(Code, u32)>) -> Self {
        let mut offsets = CodeOffsets {
            original_code,
            code,
            functions: Vec::with_capacity(parts.len()),
            pieces: Vec::new(),
        };
        let mut at = code + leb_length(parts.len() as u32);
        for (part, length) in parts {
            at += leb_length(length);
            let (original, body) = match part {
                Code::Own => {
                    at += u64::from(length);
                    continue;
                }
                Code::Thunk(old) => (old.0, None),
                Code::Body(body) => {
                    let from = offsets.pieces.len();
                    offsets.pieces.extend_from_slice(&body.pieces);
                    let pieces = from..offsets.pieces.len();
                    let BodyOffsets { start, first, .. } = body;
                    (
                        body.function,
                        Some(Body {
                            start,
                            first,
                            pieces,
                        }),
                    )
                }
            };
            offsets.functions.push(Function {
                start: at,
                length,
                original,
                body,
            });
            at += u64::from(length);
        }
        offsets
    }

    /// The place in the original module that an offset in the instrumented module
    /// stands for: for a probe, the instruction that it was made for. `None`
    /// outside of function bodies, and in those that only the rewriter needs.
    pub fn original(&self, offset: u64) -> Option<Original> {
        let at = self.functions.partition_point(|f| f.start <= offset);
        let function = &self.functions[at.checked_sub(1)?];
        let within = u32::try_from(offset - function.start).ok()?;
        if within >= function.length {
            return None;
        }
        let offset = function.body.as_ref().map(|body| {
            let mut found = body.first.1;
            // The pieces were checked when they were read.
            let _ = walk(
                body.first,
                &self.pieces[body.pieces.clone()],
                |new, old, copied| {
                    if new.contains(&within) {
                        found = old.start + if copied { within - new.start } else { 0 };
                    }
                    new.end <= within
                },
            );
            body.start + u64::from(found)
        });
        Some(Original {
            function: function.original,
            offset,
        })
    }

    /// The bytes for a file.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        self.original_code.encode(&mut out);
        self.code.encode(&mut out);
        (self.functions.len() as u32).encode(&mut out);
        let mut end = self.code;
        for function in &self.functions {
            (function.start - end).encode(&mut out);
            function.length.encode(&mut out);
            end = function.start + u64::from(function.length);
            let thunk = u64::from(function.body.is_none());
            (u64::from(function.original) << 1 | thunk).encode(&mut out);
            if let Some(body) = &function.body {
                body.start.encode(&mut out);
                body.first.0.encode(&mut out);
                body.first.1.encode(&mut out);
                (body.pieces.len() as u32).encode(&mut out);
                out.extend_from_slice(&self.pieces[body.pieces.clone()]);
            }
        }
        out
    }

    /// Reads what [`encode`](Self::encode) wrote.
    ///
    /// # Errors
    ///
    /// If the bytes are something else or cut short, with the offset.
    pub fn decode(bytes: &[u8]) -> Result<Self, Error> {
        let Some(rest) = bytes.strip_prefix(MAGIC) else {
            return Err(Error::malformed(
                "not a map of code offsets: it does not start with `wxoffset`",
                0,
            ));
        };
        let mut reader = BinaryReader::new(rest, MAGIC.len() as u64);
        let version = reader.read_u32()?;
        if version != VERSION {
            let words = format!("a map of code offsets of version {version}, not {VERSION}");
            return Err(Error::malformed(words, 8));
        }
        let mut offsets = CodeOffsets {
            original_code: reader.read_var_u64()?,
            code: reader.read_var_u64()?,
            functions: Vec::new(),
            pieces: Vec::new(),
        };
        let mut end = offsets.code;
        for _ in 0..reader.read_var_u32()? {
            let start = end.saturating_add(reader.read_var_u64()?);
            let length = reader.read_var_u32()?;
            end = start.saturating_add(u64::from(length));
            let place = reader.original_position();
            let what = reader.read_var_u64()?;
            let original = u32::try_from(what >> 1)
                .map_err(|_| Error::malformed("a function's index is too large", place))?;
            let body = if what & 1 == 1 {
                None
            } else {
                let start = reader.read_var_u64()?;
                let first = (reader.read_var_u32()?, reader.read_var_u32()?);
                let length = reader.read_var_u32()? as usize;
                let place = reader.original_position();
                let pieces = reader.read_bytes(length)?;
                walk(first, pieces, |_, _, _| true)
                    .map_err(|e| Error::malformed(e.message(), place + e.offset()))?;
                let from = offsets.pieces.len();
                offsets.pieces.extend_from_slice(pieces);
                let pieces = from..offsets.pieces.len();
                Some(Body {
                    start,
                    first,
                    pieces,
                })
            };
            offsets.functions.push(Function {
                start,
                length,
                original,
                body,
            });
        }
        if !reader.eof() {
            return Err(Error::malformed(
                "more bytes than a map of code offsets has",
                reader.original_position(),
            ));
        }
        Ok(offsets)
    }
}

fn leb_length(value: u32) -> u64 {
    let bits = 32 - (value | 1).leading_zeros();
    u64::from(bits.div_ceil(7))
}
