//! Frames of stack traces: which instruction of the original module one stands for.

use crate::error::Error;
use crate::offsets::{CodeOffsets, Original};
use crate::{Options, instrument};
use std::ops::Range;
use wasmparser::{BinaryReader, FunctionBody, Parser, Payload, TypeRef};

/// A module that ran, to make sense of `wasm-function[12]:0x1a2b` in its stack traces.
pub struct Frames {
    /// The module that ran.
    bytes: Vec<u8>,
    imports: u32,
    bodies: Vec<Range<u64>>,
    /// `None`: it ran as it was.
    offsets: Option<CodeOffsets>,
}

impl Frames {
    /// Of a module that ran as it was.
    ///
    /// # Errors
    ///
    /// The bytes are not a core module.
    pub fn of_original(bytes: &[u8]) -> Result<Frames, Error> {
        crate::error::check_header(bytes)?;
        Frames::new(bytes.to_vec(), None)
    }

    /// Of what becomes of a module with these options: the same as in the run that had them.
    ///
    /// # Errors
    ///
    /// Those of [`instrument`].
    pub fn of_instrumented(original: &[u8], options: &Options) -> Result<Frames, Error> {
        let options = Options {
            offsets: true,
            ..options.clone()
        };
        let output = instrument(original, &options)?;
        Frames::new(output.bytes, output.offsets)
    }

    fn new(bytes: Vec<u8>, offsets: Option<CodeOffsets>) -> Result<Frames, Error> {
        let mut imports = 0;
        let mut bodies = Vec::new();
        for payload in Parser::new(0).parse_all(&bytes) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let ty = import?.ty;
                        imports +=
                            u32::from(matches!(ty, TypeRef::Func(_) | TypeRef::FuncExact(_)));
                    }
                }
                Payload::CodeSectionEntry(body) => bodies.push(body.range()),
                _ => {}
            }
        }
        Ok(Frames {
            bytes,
            imports,
            bodies,
            offsets,
        })
    }

    /// What a frame stands for in the original module: `function` is its index,
    /// `offset` that of the instruction in the module that ran. `None` if it has no
    /// such instruction, so that the frame is of another module or other options.
    pub fn original(&self, function: u32, offset: u64) -> Option<Original> {
        if !self.has(function, offset) {
            return None;
        }
        match &self.offsets {
            Some(offsets) => offsets.original(offset),
            None => Some(Original {
                function,
                offset: Some(offset),
            }),
        }
    }

    /// Whether the frame is of a function that the rewriter added, for which there
    /// is nothing in the original module.
    pub fn is_added(&self, function: u32, offset: u64) -> bool {
        self.has(function, offset) && self.original(function, offset).is_none()
    }

    /// Whether the module that ran has an instruction there.
    fn has(&self, function: u32, offset: u64) -> bool {
        let defined = function.checked_sub(self.imports);
        defined
            .and_then(|defined| self.bodies.get(defined as usize))
            .is_some_and(|body| body.contains(&offset) && self.is_instruction(body, offset))
    }

    fn is_instruction(&self, body: &Range<u64>, offset: u64) -> bool {
        let bytes = &self.bytes[body.start as usize..body.end as usize];
        let body = FunctionBody::new(BinaryReader::new(bytes, body.start));
        let Ok(mut operators) = body.get_operators_reader() else {
            return false;
        };
        while operators.original_position() < offset {
            if operators.read().is_err() {
                return false;
            }
        }
        operators.original_position() == offset
    }
}
