//! What is in a module: the first of two passes over its bytes.

use crate::asyncify::{Traces, Watch};
use crate::custom;
use crate::error::Error;
use crate::functions::Functions;
use crate::index::{OldFunc, Places};
use crate::names::{self, Names};
use crate::operators::{Operators, Wanted};
use std::collections::BTreeSet;
use wasm_xray_abi::probe;
use wasmparser::{
    ConstExpr, ElementItems, ExternalKind, FuncType, FunctionBody, MemoryType, Operator, Parser,
    Payload, TypeRef,
};

pub(crate) use crate::functions::DefinedFunction;

/// What the plan is made from.
pub(crate) struct Analysis<'a> {
    /// Function types by type index, `None` for other types.
    pub types: Vec<Option<FunctionType>>,
    pub imports: Vec<ImportedFunction<'a>>,
    pub imported_globals: u32,
    pub imported_memories: u32,
    pub memories: Vec<MemoryType>,
    pub functions: Functions<'a>,
    /// Direct callees of all functions, those of one in a row.
    pub callees: Vec<Callee>,
    /// By function index: the host, a table or a reference can reach it.
    pub reachable: Vec<bool>,
    /// By function index: there is a `call` or `return_call` of it.
    pub called: Vec<bool>,
    /// By function index: an import that a table or reference can reach, as different from a mere re-export.
    pub referenced: Vec<bool>,
    pub has_tail_calls: bool,
    /// Global with the state of Asyncify, in a module that it was applied to.
    pub asyncify_state: Option<u32>,
    pub export_names: Vec<(u32, &'a str)>,
    pub names: Names<'a>,
    /// Functions of whose instructions a custom section says something.
    pub annotated: BTreeSet<OldFunc>,
}

/// What a function calls directly: once, or in many places in the same way.
/// There may be millions, so it is one word: the highest bit says whether by tail calls.
#[derive(Clone, Copy)]
pub(crate) struct Callee(u32);

impl Callee {
    const TAIL: u32 = 1 << 31;

    fn new(function: OldFunc, tail: bool) -> Callee {
        Callee(function.0 | if tail { Callee::TAIL } else { 0 })
    }

    pub fn function(self) -> OldFunc {
        OldFunc(self.0 & !Callee::TAIL)
    }

    pub fn tail(self) -> bool {
        self.0 & Callee::TAIL != 0
    }
}

/// A function type as its module declares it.
pub(crate) struct FunctionType {
    pub ty: FuncType,
    /// Its functions may call shared functions only.
    pub shared: bool,
}

pub(crate) struct ImportedFunction<'a> {
    pub module: &'a str,
    pub name: &'a str,
    pub ty: u32,
    /// What is imported has exactly this type.
    pub exact: bool,
}

impl<'a> Analysis<'a> {
    pub fn function_count(&self) -> usize {
        self.imports.len() + self.functions.len()
    }

    pub fn type_of(&self, f: OldFunc) -> u32 {
        match self.imports.get(f.index()) {
            Some(import) => import.ty,
            None => self.functions.type_of(f.index() - self.imports.len()),
        }
    }

    /// What a function of the module calls directly.
    pub fn callees_of(&self, function: &DefinedFunction<'_>) -> &[Callee] {
        &self.callees[function.callees.clone()]
    }

    /// The type of `f`; the analysis made sure that there is one.
    pub fn func_type(&self, f: OldFunc) -> &FuncType {
        &self.declared_type(self.type_of(f)).ty
    }

    /// The function type with index `ty`; the analysis made sure that those of functions are.
    pub fn declared_type(&self, ty: u32) -> &FunctionType {
        self.types[ty as usize]
            .as_ref()
            .expect("checked by analyze")
    }

    fn export(&mut self, function: u32, name: &'a str) -> Result<(), Error> {
        *self.reachable.get_mut(function as usize).ok_or_else(|| {
            Error::malformed(format!("export {name:?} of unknown function {function}"), 0)
        })? = true;
        self.export_names.push((function, name));
        Ok(())
    }

    fn refer(&mut self, function: u32, offset: u64) -> Result<(), Error> {
        let slot = self
            .reachable
            .get_mut(function as usize)
            .ok_or_else(|| Error::malformed(format!("unknown function {function}"), offset))?;
        *slot = true;
        self.referenced[function as usize] = true;
        Ok(())
    }

    fn refer_const(&mut self, expr: &ConstExpr<'_>) -> Result<(), Error> {
        let mut reader = expr.get_operators_reader();
        while !reader.eof() {
            let (op, offset) = reader.read_with_offset()?;
            if let Operator::RefFunc { function_index } = op {
                self.refer(function_index, offset)?;
            }
        }
        Ok(())
    }
}

/// Reads the whole module once.
pub(crate) fn analyze(bytes: &[u8]) -> Result<Analysis<'_>, Error> {
    let mut scan = Scan::new(bytes);
    for payload in Parser::new(0).parse_all(bytes) {
        scan.payload(payload?)?;
    }
    scan.finish(bytes)
}

/// The pass itself: what is read goes into the analysis at once.
struct Scan<'a> {
    a: Analysis<'a>,
    has_names: bool,
    /// Types of the functions that the module defines.
    types: Vec<u32>,
    places: Option<Places>,
    asyncify: Traces,
}

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Scan {
            a: Analysis {
                types: Vec::new(),
                imports: Vec::new(),
                imported_globals: 0,
                imported_memories: 0,
                memories: Vec::new(),
                functions: Functions::new(bytes),
                callees: Vec::new(),
                reachable: Vec::new(),
                called: Vec::new(),
                referenced: Vec::new(),
                has_tail_calls: false,
                asyncify_state: None,
                export_names: Vec::new(),
                names: Names::default(),
                annotated: BTreeSet::new(),
            },
            has_names: false,
            types: Vec::new(),
            places: None,
            asyncify: Traces::default(),
        }
    }

    fn payload(&mut self, payload: Payload<'a>) -> Result<(), Error> {
        match payload {
            Payload::TypeSection(section) => {
                for group in section {
                    for sub in group?.into_types() {
                        let shared = sub.composite_type.shared;
                        self.a.types.push(match sub.composite_type.inner {
                            wasmparser::CompositeInnerType::Func(ty) => {
                                Some(FunctionType { ty, shared })
                            }
                            _ => None,
                        });
                    }
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    self.import(import?)?;
                }
                self.functions_known();
            }
            Payload::FunctionSection(section) => {
                let bytes = section.range().end - section.range().start;
                self.types
                    .reserve_exact(section.count().min(bytes as u32) as usize);
                for ty in section {
                    self.types.push(ty?);
                }
                self.functions_known();
                self.a.functions.reserve(self.types.len());
            }
            Payload::TableSection(section) => {
                for table in section {
                    if let wasmparser::TableInit::Expr(expr) = table?.init {
                        self.a.refer_const(&expr)?;
                    }
                }
            }
            Payload::MemorySection(section) => {
                for memory in section {
                    self.a.memories.push(memory?);
                }
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    self.a.refer_const(&global?.init_expr)?;
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    if matches!(export.kind, ExternalKind::Func | ExternalKind::FuncExact) {
                        self.a.export(export.index, export.name)?;
                    }
                }
            }
            Payload::StartSection { func, range } => self.a.refer(func, range.start)?,
            Payload::ElementSection(section) => {
                for element in section {
                    self.element(element?.items)?;
                }
            }
            Payload::CodeSectionEntry(body) => self.body(body)?,
            // One is enough; the first counts.
            Payload::CustomSection(section) if section.name() == "name" && !self.has_names => {
                self.a.names = names::read(&section);
                self.has_names = true;
            }
            Payload::CustomSection(section) => self.a.annotated.extend(custom::annotated(&section)),
            _ => {}
        }
        Ok(())
    }

    /// Makes room for what is known of each function, as all sections that name one come later.
    fn functions_known(&mut self) {
        let count = self.a.imports.len() + self.types.len();
        for list in [
            &mut self.a.reachable,
            &mut self.a.called,
            &mut self.a.referenced,
        ] {
            list.resize(count, false);
        }
    }

    fn import(&mut self, import: wasmparser::Import<'a>) -> Result<(), Error> {
        if import.module == probe::MODULE {
            return Err(Error::reserved(import.name));
        }
        match import.ty {
            TypeRef::Func(ty) | TypeRef::FuncExact(ty) => {
                check_type(&self.a.types, ty, 0)?;
                self.a.imports.push(ImportedFunction {
                    module: import.module,
                    name: import.name,
                    ty,
                    exact: matches!(import.ty, TypeRef::FuncExact(_)),
                });
            }
            TypeRef::Global(ty) => {
                let index = self.a.imported_globals;
                self.asyncify.import(index, import.module, import.name, ty);
                self.a.imported_globals += 1;
            }
            TypeRef::Memory(_) => self.a.imported_memories += 1,
            TypeRef::Table(_) | TypeRef::Tag(_) => {}
        }
        Ok(())
    }

    fn element(&mut self, items: ElementItems<'a>) -> Result<(), Error> {
        match items {
            ElementItems::Functions(functions) => {
                for item in functions.into_iter_with_offsets() {
                    let (offset, function) = item?;
                    self.a.refer(function, offset)?;
                }
            }
            ElementItems::Expressions(_, exprs) => {
                for expr in exprs {
                    self.a.refer_const(&expr?)?;
                }
            }
        }
        Ok(())
    }

    fn body(&mut self, body: FunctionBody<'a>) -> Result<(), Error> {
        let Some(&ty) = self.types.get(self.a.functions.len()) else {
            return Err(different_lengths(body.range().start));
        };
        check_type(&self.a.types, ty, body.range().start)?;
        let count = self.a.reachable.len();
        let places = self.places.get_or_insert_with(|| Places::new(count));
        let function = scan_body(&mut self.a, ty, body, places, &mut self.asyncify)?;
        self.a.functions.push(&function);
        Ok(())
    }

    fn finish(mut self, bytes: &[u8]) -> Result<Analysis<'a>, Error> {
        if self.a.functions.len() != self.types.len() {
            return Err(different_lengths(bytes.len() as u64));
        }
        self.a.asyncify_state = self.asyncify.state();
        Ok(self.a)
    }
}

fn different_lengths(offset: u64) -> Error {
    let words = "the function and code sections have different lengths";
    Error::malformed(words, offset)
}

fn check_type(types: &[Option<FunctionType>], ty: u32, offset: u64) -> Result<(), Error> {
    match types.get(ty as usize) {
        Some(Some(_)) => Ok(()),
        Some(None) => Err(Error::malformed(
            format!("type {ty} is not a function type"),
            offset,
        )),
        None => Err(Error::malformed(format!("unknown type {ty}"), offset)),
    }
}

fn scan_body<'a>(
    a: &mut Analysis<'a>,
    ty: u32,
    body: FunctionBody<'a>,
    places: &mut Places,
    asyncify: &mut Traces,
) -> Result<DefinedFunction<'a>, Error> {
    places.next_function();
    let mut locals = 0u64;
    for group in body.get_locals_reader()? {
        locals += u64::from(group?.0);
    }
    let first_callee = a.callees.len();
    let (mut sites, mut instructions) = (0, 0);
    let (mut has_indirect_calls, mut has_loop, mut has_handlers) = (false, false, false);
    let mut watch = Watch::default();
    let mut operators = Operators::new(&body, Wanted::default())?;
    loop {
        if !watch.needs_next() {
            operators.skip();
        }
        if operators.eof() {
            break;
        }
        let offset = body.range().start + operators.position() as u64;
        let op = operators.read()?;
        watch.operator(&op);
        instructions += u32::from(!matches!(op, Operator::End | Operator::Else));
        match op {
            Operator::Call { function_index } | Operator::ReturnCall { function_index } => {
                let tail = matches!(op, Operator::ReturnCall { .. });
                *a.called.get_mut(function_index as usize).ok_or_else(|| {
                    Error::malformed(format!("call of unknown function {function_index}"), offset)
                })? = true;
                let function = OldFunc(function_index);
                if places.is_new(function, tail) {
                    a.callees.push(Callee::new(function, tail));
                }
                sites += 1;
                a.has_tail_calls |= tail;
            }
            Operator::ReturnCallIndirect { .. } | Operator::ReturnCallRef { .. } => {
                sites += 1;
                has_indirect_calls = true;
                a.has_tail_calls = true;
            }
            Operator::CallIndirect { .. } | Operator::CallRef { .. } => {
                sites += 1;
                has_indirect_calls = true;
            }
            Operator::Loop { .. } => has_loop = true,
            Operator::Try { .. }
            | Operator::TryTable { .. }
            | Operator::Resume { .. }
            | Operator::ResumeThrow { .. }
            | Operator::ResumeThrowRef { .. } => has_handlers = true,
            Operator::RefFunc { function_index } => a.refer(function_index, offset)?,
            _ => {}
        }
    }
    instructions += operators.skipped();
    asyncify.function(&watch);
    Ok(DefinedFunction {
        ty,
        body,
        locals,
        callees: first_callee..a.callees.len(),
        sites,
        has_indirect_calls,
        instructions,
        has_loop,
        has_handlers,
        compared: watch.compared,
    })
}
