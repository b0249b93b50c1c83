//! The functions that a module defines, in few bytes each: a module may have a million.

use crate::index::OldFunc;
use std::collections::HashMap;
use std::ops::Range;
use wasmparser::{BinaryReader, FunctionBody};

/// What is known of a function that the module defines.
pub(crate) struct DefinedFunction<'a> {
    pub ty: u32,
    pub body: FunctionBody<'a>,
    /// Parameters are not among them.
    pub locals: u64,
    /// Direct callees in [`Analysis::callees`](crate::analysis::Analysis::callees),
    /// each once, or twice if there is a tail call among others.
    pub callees: Range<usize>,
    /// Call sites of every kind, to bound how much the body grows.
    pub sites: u32,
    /// Calls through a table or a reference.
    pub has_indirect_calls: bool,
    /// Without `end` and `else`.
    pub instructions: u32,
    pub has_loop: bool,
    /// It catches exceptions.
    pub has_handlers: bool,
    /// See [`Watch::compared`](crate::asyncify::Watch::compared).
    pub compared: Option<u32>,
}

/// All of them, by index without the imports.
pub(crate) struct Functions<'a> {
    module: &'a [u8],
    rows: Vec<Row>,
    /// [`DefinedFunction::compared`], which few have.
    compared: HashMap<u32, u32>,
}

/// A [`DefinedFunction`]; offsets fit, as a module has less than 4 GiB.
struct Row {
    ty: u32,
    start: u32,
    length: u32,
    locals: u32,
    /// Where its callees end; they start where those of the function before end.
    callees_end: u32,
    sites: u32,
    instructions: u32,
    has_indirect_calls: bool,
    has_loop: bool,
    has_handlers: bool,
}

impl<'a> Functions<'a> {
    pub fn new(module: &'a [u8]) -> Self {
        Functions {
            module,
            rows: Vec::new(),
            compared: HashMap::new(),
        }
    }

    pub fn reserve(&mut self, count: usize) {
        self.rows.reserve_exact(count);
    }

    /// Adds the next one, whose callees follow those of the one before.
    pub fn push(&mut self, function: &DefinedFunction<'a>) {
        if let Some(global) = function.compared {
            self.compared.insert(self.rows.len() as u32, global);
        }
        let range = function.body.range();
        self.rows.push(Row {
            ty: function.ty,
            start: range.start as u32,
            length: (range.end - range.start) as u32,
            // More than any engine takes is refused, however much it is.
            locals: u32::try_from(function.locals).unwrap_or(u32::MAX),
            callees_end: function.callees.end as u32,
            sites: function.sites,
            instructions: function.instructions,
            has_indirect_calls: function.has_indirect_calls,
            has_loop: function.has_loop,
            has_handlers: function.has_handlers,
        });
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn type_of(&self, index: usize) -> u32 {
        self.rows[index].ty
    }

    pub fn get(&self, index: usize) -> DefinedFunction<'a> {
        let row = &self.rows[index];
        let before = index.checked_sub(1).map(|before| &self.rows[before]);
        let first = before.map_or(0, |before| before.callees_end);
        let start = row.start as usize;
        let bytes = &self.module[start..start + row.length as usize];
        DefinedFunction {
            ty: row.ty,
            body: FunctionBody::new(BinaryReader::new(bytes, u64::from(row.start))),
            locals: u64::from(row.locals),
            callees: first as usize..row.callees_end as usize,
            sites: row.sites,
            has_indirect_calls: row.has_indirect_calls,
            instructions: row.instructions,
            has_loop: row.has_loop,
            has_handlers: row.has_handlers,
            compared: self.compared.get(&(index as u32)).copied(),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = DefinedFunction<'a>> {
        (0..self.rows.len()).map(|index| self.get(index))
    }

    /// The function with index `f`, unless it is one of the `imports` imported ones or none at all.
    pub fn find(&self, f: OldFunc, imports: usize) -> Option<DefinedFunction<'a>> {
        let index = f.index().checked_sub(imports)?;
        (index < self.rows.len()).then(|| self.get(index))
    }
}
