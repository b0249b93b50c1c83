//! The code section: bodies in their original order, then the appended ones.

use crate::added;
use crate::analysis::Analysis;
use crate::body;
use crate::error::Error;
use crate::index::{OldFunc, SlotNumbers};
use crate::kinds::Kind;
use crate::offsets::{BodyOffsets, Code, Recorder};
use crate::plan::{Appended, Plan};
use std::collections::{HashMap, HashSet};
use wasm_encoder::CodeSection;

/// Which bodies' instructions are followed to their new places.
#[derive(Clone, Copy)]
pub(crate) struct Follow<'a> {
    /// For a map of offsets.
    pub all: bool,
    /// Functions with annotated instructions.
    pub annotated: &'a HashSet<OldFunc>,
}

/// The new code section, and what others need to know of it.
pub(crate) struct CodeWriter {
    pub section: CodeSection,
    /// Label indices of the blocks of functions with named labels.
    pub labels: HashMap<u32, Vec<u32>>,
    /// What was written, in order, and its length.
    pub parts: Vec<(Code, u32)>,
    /// Where followed bodies are among the parts.
    place: HashMap<OldFunc, usize>,
}

/// Rewrites every body.
pub(crate) fn write(
    a: &Analysis<'_>,
    plan: &Plan,
    follow: Follow<'_>,
) -> Result<CodeWriter, Error> {
    let mut code = CodeWriter {
        section: CodeSection::new(),
        labels: HashMap::new(),
        parts: Vec::new(),
        place: HashMap::new(),
    };
    let mut slots = SlotNumbers::new(a.function_count());
    // What is appended has to wait.
    let mut bodies: HashMap<OldFunc, (Vec<u8>, Option<BodyOffsets>)> = HashMap::new();
    for (i, function) in a.functions.iter().enumerate() {
        let old = OldFunc(a.imports.len() as u32 + i as u32);
        let recorder = Recorder::new(follow.all, follow.annotated.contains(&old));
        let body = body::rewrite(a, plan, old, function, &mut slots, recorder)?;
        if a.names.labels.contains_key(&old.0) {
            code.labels.insert(old.0, body.labels);
        }
        if matches!(plan.kinds[old.index()], Kind::Both { .. }) {
            code.thunk(a, plan, old, follow);
            bodies.insert(old, (body.bytes, body.offsets));
        } else {
            code.body(old, &body.bytes, body.offsets);
        }
    }
    for appended in &plan.appended {
        match *appended {
            Appended::Body(old) => {
                let (bytes, offsets) = bodies.remove(&old).expect("written above");
                code.body(old, &bytes, offsets);
            }
            Appended::Find => code.own(Code::Own, &added::find(plan), follow),
        }
    }
    Ok(code)
}

impl CodeWriter {
    fn body(&mut self, old: OldFunc, bytes: &[u8], offsets: Option<BodyOffsets>) {
        self.section.raw(bytes);
        if let Some(offsets) = offsets {
            self.place.insert(old, self.parts.len());
            self.parts.push((Code::Body(offsets), bytes.len() as u32));
        }
    }

    fn thunk(&mut self, a: &Analysis<'_>, plan: &Plan, old: OldFunc, follow: Follow<'_>) {
        self.own(Code::Thunk(old), &added::thunk(a, plan, old), follow);
    }

    fn own(&mut self, code: Code, bytes: &[u8], follow: Follow<'_>) {
        self.section.raw(bytes);
        if follow.all {
            self.parts.push((code, bytes.len() as u32));
        }
    }

    /// Where the instructions of a followed function went.
    pub fn offsets(&self, old: OldFunc) -> Option<&BodyOffsets> {
        match &self.parts[*self.place.get(&old)?] {
            (Code::Body(offsets), _) => Some(offsets),
            _ => None,
        }
    }
}
