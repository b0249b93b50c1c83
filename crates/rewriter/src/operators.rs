//! The operators of a body: those that matter are decoded, the rest is skipped.
//!
//! To decode every operator costs more than all else that the rewriter does. Most
//! are a byte and at most a number or two, which [`SHAPES`] is enough to step over.
//! What it does not have, and whatever is unusual (numbers of full length, memory
//! indices, the end of the body), is left to wasmparser, and so are all errors.

use wasmparser::{
    BinaryReader, BlockType, FrameKind, FunctionBody, Operator, OperatorsReader,
    OperatorsReaderAllocations, Result,
};

/// What follows an opcode.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Not for stepping over: to be decoded.
    Decode,
    Nothing,
    /// An index, or a constant: LEB128 of up to 32 bits.
    Number32,
    Number64,
    Memory,
    Bytes4,
    Bytes8,
    /// A block type, and a frame is opened.
    Open(FrameKind),
    Else,
    End,
}

type Shapes = [Shape; 256];

/// By opcode; WebAssembly core specification, "Binary Format", section 5.4 "Instructions".
const SHAPES: Shapes = {
    let mut shapes = [Shape::Decode; 256];
    let mut opcode = 0;
    while opcode < 256 {
        shapes[opcode] = match opcode {
            0x02 => Shape::Open(FrameKind::Block),
            0x03 => Shape::Open(FrameKind::Loop),
            0x04 => Shape::Open(FrameKind::If),
            0x05 => Shape::Else,
            0x0b => Shape::End,
            // unreachable, nop, return, drop, select; numeric; ref.is_null, ref.eq, ref.as_non_null
            0x00 | 0x01 | 0x0f | 0x1a | 0x1b | 0x45..=0xc4 | 0xd1 | 0xd3 | 0xd4 => Shape::Nothing,
            // br, br_if, call, return_call; local, global, table; memory.size, memory.grow; i32.const;
            // ref.func, br_on_null, br_on_non_null
            0x0c | 0x0d | 0x10 | 0x12 | 0x20..=0x26 | 0x3f..=0x41 | 0xd2 | 0xd5 | 0xd6 => {
                Shape::Number32
            }
            0x28..=0x3e => Shape::Memory,
            0x42 => Shape::Number64,
            0x43 => Shape::Bytes4,
            0x44 => Shape::Bytes8,
            _ => Shape::Decode,
        };
        opcode += 1;
    }
    shapes
};

/// Groups of operators that a caller wants to see. It may be given others, too.
#[derive(Clone, Copy, Default)]
pub(crate) struct Wanted {
    /// `local.get`, `local.set`, `local.tee`.
    pub locals: bool,
    /// What opens and closes blocks, and `return`.
    pub control: bool,
    /// What opens and closes blocks, branches, leaves the function or traps without accessing anything.
    pub flow: bool,
    /// What names a memory.
    pub memories: bool,
}

impl Wanted {
    /// The operators to step over: not calls, globals, `loop`, and `ref.func`, which everybody wants.
    const fn shapes(self) -> Shapes {
        let mut shapes = SHAPES;
        let mut opcode = 0;
        while opcode < 256 {
            let wanted = match opcode {
                0x10 | 0x12 | 0x03 | 0x23 | 0x24 | 0xd2 => true,
                0x20..=0x22 => self.locals,
                0x02 | 0x04 | 0x05 | 0x0b | 0x0f => self.control || self.flow,
                // unreachable, br, br_if; division and truncation; br_on_null, br_on_non_null
                0x00 | 0x0c | 0x0d => self.flow,
                0x6d..=0x70 | 0x7f..=0x82 | 0xa8..=0xab | 0xae..=0xb1 => self.flow,
                0xd5 | 0xd6 => self.flow,
                0x28..=0x40 => self.memories,
                _ => false,
            };
            if wanted {
                shapes[opcode] = Shape::Decode;
            }
            opcode += 1;
        }
        shapes
    }

    fn table(self) -> &'static Shapes {
        static TABLES: [Shapes; 16] = {
            let mut tables = [SHAPES; 16];
            let mut bits = 0;
            while bits < tables.len() {
                let wanted = Wanted {
                    locals: bits & 1 != 0,
                    control: bits & 2 != 0,
                    flow: bits & 4 != 0,
                    memories: bits & 8 != 0,
                };
                tables[bits] = wanted.shapes();
                bits += 1;
            }
            tables
        };
        let bits = [self.locals, self.control, self.flow, self.memories];
        let bits = (0..).zip(bits).map(|(at, bit)| usize::from(bit) << at);
        &TABLES[bits.sum::<usize>()]
    }
}

/// Reads the operators of one body.
pub(crate) struct Operators<'a> {
    /// The body, with its locals.
    bytes: &'a [u8],
    /// Offset of the body in the module.
    start: u64,
    at: usize,
    /// See [`Operators::skipped`].
    skipped: u32,
    table: &'static Shapes,
    /// Open frames, the function's first. Kept here, as wasmparser's reader cannot be moved.
    frames: Vec<FrameKind>,
    allocations: Option<OperatorsReaderAllocations>,
}

impl<'a> Operators<'a> {
    pub fn new(body: &FunctionBody<'a>, wanted: Wanted) -> Result<Self> {
        let start = body.range().start;
        let first = body.get_operators_reader()?.original_position();
        Ok(Operators {
            bytes: body.as_bytes(),
            start,
            at: (first - start) as usize,
            skipped: 0,
            table: wanted.table(),
            frames: vec![FrameKind::Block],
            allocations: None,
        })
    }

    /// Nothing is left to read.
    pub fn eof(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// Offset in the body of what is read next.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Instructions that were stepped over, without `end` and `else`.
    pub fn skipped(&self) -> u32 {
        self.skipped
    }

    /// Steps over what is not wanted. Never over the last operator.
    pub fn skip(&mut self) {
        if self.frames.is_empty() {
            return;
        }
        let bytes = self.bytes;
        // Kept in registers: this loop sees every operator of the module.
        let (mut at, mut skipped) = (self.at, self.skipped);
        while let Some(&opcode) = bytes.get(at) {
            let shape = self.table[usize::from(opcode)];
            let Some(next) = after(shape, bytes, at + 1).filter(|&next| next < bytes.len()) else {
                break;
            };
            match shape {
                Shape::Open(kind) => self.frames.push(kind),
                Shape::Else | Shape::End => {
                    if !self.close(shape) {
                        break;
                    }
                    at = next;
                    continue;
                }
                _ => {}
            }
            at = next;
            skipped += 1;
        }
        (self.at, self.skipped) = (at, skipped);
    }

    /// Whether `else` or `end` may be stepped over here; then the frames know.
    fn close(&mut self, shape: Shape) -> bool {
        if shape == Shape::Else {
            let frame = self.frames.last_mut();
            let Some(frame) = frame.filter(|frame| **frame == FrameKind::If) else {
                return false;
            };
            *frame = FrameKind::Else;
            return true;
        }
        // The function's own end can only be the last operator.
        self.frames.len() > 1 && self.frames.pop().is_some()
    }

    /// Steps over an operator of a local that is named by one byte, less than
    /// `0x7f`; returns the offset of that byte in the body.
    #[inline(always)]
    pub fn step_local(&mut self) -> Option<usize> {
        // The last operator is never one of these, as its index is followed by others.
        if self.frames.is_empty() {
            return None;
        }
        let &[0x20..=0x22, 0..0x7f, _] = self.bytes.get(self.at..self.at + 3)? else {
            return None;
        };
        self.at += 2;
        self.skipped += 1;
        Some(self.at - 1)
    }

    /// Decodes the next operator.
    ///
    /// # Errors
    ///
    /// Those of wasmparser, with the offset in the module.
    pub fn read(&mut self) -> Result<Operator<'a>> {
        if let Some(op) = self.short() {
            return Ok(op);
        }
        let from = self.start + self.at as u64;
        let mut rest = BinaryReader::new(&self.bytes[self.at..], from);
        if self.frames.is_empty() {
            // For wasmparser's own error.
            let mut reader = OperatorsReader::new(BinaryReader::new(&[0x0b, 0x0b], from - 1));
            reader.read()?;
            reader.read()?;
        }
        // These need the frame that they are in; in a wrong one, the reader below says so.
        let frame = self.frames.last().copied();
        let op = match (self.bytes.get(self.at), frame) {
            (Some(0x05), Some(FrameKind::If)) => {
                rest.read_u8()?;
                Operator::Else
            }
            (Some(0x07), Some(FrameKind::LegacyTry | FrameKind::LegacyCatch)) => {
                rest.read_u8()?;
                let tag_index = rest.read_var_u32()?;
                Operator::Catch { tag_index }
            }
            (Some(0x18), Some(FrameKind::LegacyTry)) => {
                rest.read_u8()?;
                let relative_depth = rest.read_var_u32()?;
                Operator::Delegate { relative_depth }
            }
            (Some(0x19), Some(FrameKind::LegacyTry | FrameKind::LegacyCatch)) => {
                rest.read_u8()?;
                Operator::CatchAll
            }
            _ => {
                let allocations = self.allocations.take().unwrap_or_default();
                let mut reader = OperatorsReader::new_with_allocs(rest, allocations);
                let op = reader.read()?;
                rest = reader.get_binary_reader();
                self.allocations = Some(reader.into_allocations());
                op
            }
        };
        self.at = (rest.original_position() - self.start) as usize;
        self.frame(&op);
        Ok(op)
    }

    /// The most frequent operators, where what follows is an index of up to 28 bits or nothing.
    #[inline]
    fn short(&mut self) -> Option<Operator<'a>> {
        if self.frames.is_empty() {
            return None;
        }
        let (bytes, at) = (self.bytes, self.at + 1);
        let opcode = *bytes.get(self.at)?;
        let (index, end) = match opcode {
            0x0b if self.frames.len() > 1 => (0, at),
            0x0f => (0, at),
            0x02..=0x04 if *bytes.get(at)? == 0x40 => (0, at + 1),
            0x0c | 0x0d | 0x10 | 0x20..=0x24 => {
                let end = number(bytes, at, 4)?;
                let sevens = bytes[at..end].iter().rev();
                (
                    sevens.fold(0, |sum, byte| sum << 7 | u32::from(byte & 0x7f)),
                    end,
                )
            }
            _ => return None,
        };
        let blockty = BlockType::Empty;
        let op = match opcode {
            0x02 => Operator::Block { blockty },
            0x03 => Operator::Loop { blockty },
            0x04 => Operator::If { blockty },
            0x0b => Operator::End,
            0x0c => Operator::Br {
                relative_depth: index,
            },
            0x0d => Operator::BrIf {
                relative_depth: index,
            },
            0x0f => Operator::Return,
            0x10 => Operator::Call {
                function_index: index,
            },
            0x20 => Operator::LocalGet { local_index: index },
            0x21 => Operator::LocalSet { local_index: index },
            0x22 => Operator::LocalTee { local_index: index },
            0x23 => Operator::GlobalGet {
                global_index: index,
            },
            _ => Operator::GlobalSet {
                global_index: index,
            },
        };
        if opcode <= 0x0b {
            self.frame(&op);
        }
        self.at = end;
        Some(op)
    }

    fn frame(&mut self, op: &Operator<'_>) {
        let kind = match op {
            Operator::Block { .. } => FrameKind::Block,
            Operator::Loop { .. } => FrameKind::Loop,
            Operator::If { .. } => FrameKind::If,
            Operator::Try { .. } => FrameKind::LegacyTry,
            Operator::TryTable { .. } => FrameKind::TryTable,
            Operator::Else => FrameKind::Else,
            Operator::Catch { .. } => FrameKind::LegacyCatch,
            Operator::CatchAll => FrameKind::LegacyCatchAll,
            Operator::End | Operator::Delegate { .. } => {
                self.frames.pop();
                return;
            }
            _ => return,
        };
        if matches!(
            kind,
            FrameKind::Else | FrameKind::LegacyCatch | FrameKind::LegacyCatchAll
        ) {
            self.frames.pop();
        }
        self.frames.push(kind);
    }
}

/// Where the operator ends whose immediates start at `at`, if it is not to be decoded.
#[inline(always)]
fn after(shape: Shape, bytes: &[u8], at: usize) -> Option<usize> {
    match shape {
        Shape::Decode => None,
        Shape::Nothing | Shape::Else | Shape::End => Some(at),
        Shape::Number32 => number(bytes, at, 4),
        Shape::Number64 => number(bytes, at, 9),
        // Another bit than those of the alignment says that more follows.
        Shape::Memory if *bytes.get(at)? < 0x10 => number(bytes, at + 1, 4),
        Shape::Memory => None,
        Shape::Bytes4 => Some(at + 4),
        Shape::Bytes8 => Some(at + 8),
        // A type index of one byte, nothing, or a type of numbers or vectors.
        Shape::Open(_) if !matches!(bytes.get(at)?, 0..=0x40 | 0x7b..=0x7f) => None,
        Shape::Open(_) => Some(at + 1),
    }
}

/// Where a LEB128 number ends that is at most `most` bytes long; a longer one may have too many bits.
#[inline(always)]
fn number(bytes: &[u8], mut at: usize, most: usize) -> Option<usize> {
    let end = at + most;
    while at < end {
        let byte = *bytes.get(at)?;
        at += 1;
        if byte < 0x80 {
            return Some(at);
        }
    }
    None
}
