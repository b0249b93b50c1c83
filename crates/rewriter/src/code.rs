//! The code section: bodies in their original order, then the appended ones.

use crate::added;
use crate::analysis::Analysis;
use crate::body::{self, Body};
use crate::error::Error;
use crate::index::{OldFunc, Places};
use crate::offsets::{BodyOffsets, Code, Recorder};
use crate::plan::{Appended, Plan};
use std::collections::HashMap;
use wasm_encoder::Encode;

/// What others need to know of the code that was written.
#[derive(Default)]
pub(crate) struct Written {
    /// Label indices of the blocks of functions with named labels.
    pub labels: HashMap<u32, Vec<u32>>,
    /// For a map of offsets: what was written, in order, and its length.
    pub parts: Vec<(Code, u32)>,
}

/// Where the instructions of functions with annotated instructions go.
pub(crate) type Annotated = HashMap<OldFunc, BodyOffsets>;

/// Rewrites the annotated functions only to see where their instructions go, as
/// sections of annotations come before the code.
pub(crate) fn annotated(a: &Analysis<'_>, plan: &Plan) -> Result<Annotated, Error> {
    let mut places = Places::new(a.function_count());
    let mut all = HashMap::new();
    for &old in &a.annotated {
        if let Some(function) = a.functions.find(old, a.imports.len()) {
            let recorder = Recorder::new(false, true);
            let body = body::rewrite(a, plan, old, &function, &mut places, recorder)?;
            all.insert(old, body.offsets.expect("asked for"));
        }
    }
    Ok(all)
}

/// Writes the contents of the section to `out`; `follow`: for a map of offsets.
pub(crate) fn write(
    a: &Analysis<'_>,
    plan: &Plan,
    follow: bool,
    out: &mut Vec<u8>,
) -> Result<Written, Error> {
    let mut code = Writer {
        a,
        plan,
        follow,
        places: Places::new(a.function_count()),
        written: Written::default(),
    };
    ((a.functions.len() + plan.appended.len()) as u32).encode(out);
    for i in 0..a.functions.len() {
        let old = OldFunc((a.imports.len() + i) as u32);
        if plan.has_thunk(old) {
            code.own(Code::Thunk(old), &added::thunk(a, plan, old), out);
        } else {
            code.body(old, out)?;
        }
    }
    for appended in &plan.appended {
        match *appended {
            Appended::Body(old) => code.body(old, out)?,
            Appended::Slot => code.own(Code::Own, &added::fill(plan), out),
            Appended::Find => code.own(Code::Own, &added::find(plan), out),
        }
    }
    Ok(code.written)
}

struct Writer<'a, 'p> {
    a: &'p Analysis<'a>,
    plan: &'p Plan,
    follow: bool,
    places: Places,
    written: Written,
}

impl Writer<'_, '_> {
    fn body(&mut self, old: OldFunc, out: &mut Vec<u8>) -> Result<(), Error> {
        let (a, plan) = (self.a, self.plan);
        let function = a.functions.find(old, a.imports.len());
        let function = function.expect("has a body");
        let recorder = Recorder::new(self.follow, false);
        let Body {
            bytes,
            labels,
            offsets,
        } = body::rewrite(a, plan, old, &function, &mut self.places, recorder)?;
        bytes.encode(out);
        if a.names.labels.contains_key(&old.0) {
            self.written.labels.insert(old.0, labels);
        }
        if let Some(offsets) = offsets {
            let part = (Code::Body(offsets), bytes.len() as u32);
            self.written.parts.push(part);
        }
        Ok(())
    }

    fn own(&mut self, code: Code, bytes: &[u8], out: &mut Vec<u8>) {
        bytes.encode(out);
        if self.follow {
            self.written.parts.push((code, bytes.len() as u32));
        }
    }
}
