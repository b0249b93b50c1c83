//! Writes the new module: what its sections have beyond the old one's.

use crate::analysis::Analysis;
use crate::code::{self, Annotated, Written};
use crate::custom;
use crate::error::Error;
use crate::filter::Selection;
use crate::identity::Identity;
use crate::index::OldFunc;
use crate::kinds::Kind;
use crate::names;
use crate::offsets::CodeOffsets;
use crate::plan::{Appended, PROBE_TYPES, Plan, ProbeImport};
use crate::{Clock, Output, Probes, section};
use std::collections::HashMap;
use wasm_encoder::reencode::{Error as ReencodeError, Reencode, utils};
use wasm_encoder::{
    EntityType, FunctionSection, GlobalType, ImportSection, MemorySection, MemoryType, TypeSection,
    ValType,
};
use wasm_xray_abi::map::{ModuleMap, Sources};
use wasm_xray_abi::{layout, probe};

/// Maps the indices that moved.
pub(crate) struct Reencoder<'p> {
    pub plan: &'p Plan,
}

impl Reencode for Reencoder<'_> {
    type Error = Error;

    fn function_index(&mut self, func: u32) -> Result<u32, ReencodeError<Error>> {
        if func as usize >= self.plan.kinds.len() {
            return Err(ReencodeError::UserError(Error::malformed(
                format!("unknown function {func}"),
                0,
            )));
        }
        Ok(self.plan.identity(OldFunc(func)).0)
    }

    fn global_index(&mut self, global: u32) -> Result<u32, ReencodeError<Error>> {
        Ok(self.plan.global(global))
    }

    fn memory_index(&mut self, memory: u32) -> Result<u32, ReencodeError<Error>> {
        Ok(self.plan.memory(memory))
    }
}

/// What is written so far, beside the bytes; `sections.rs` writes them.
pub(crate) struct Emitter<'a, 'p> {
    pub a: &'p Analysis<'a>,
    pub plan: &'p Plan,
    /// Code is followed, for a map of offsets.
    pub follow: bool,
    pub annotated: Annotated,
    pub code: Written,
    /// Offset of the contents of the code section in the input and in the output.
    pub code_starts: (u64, u64),
    pub imports_written: bool,
    pub names_written: bool,
    pub dropped: Vec<String>,
    pub warnings: Vec<String>,
}

/// Writes the module, and with `offsets` where its code comes from.
pub(crate) fn emit(
    bytes: &[u8],
    a: &Analysis<'_>,
    plan: &Plan,
    identity: Identity,
    selection: Selection,
    offsets: bool,
) -> Result<Output, Error> {
    let mut emitter = Emitter {
        a,
        plan,
        follow: offsets,
        annotated: code::annotated(a, plan)?,
        code: Written::default(),
        code_starts: (0, 0),
        imports_written: false,
        names_written: false,
        dropped: Vec::new(),
        warnings: Vec::new(),
    };
    let mut out = Vec::with_capacity(bytes.len() + plan.growth(a));
    out.extend_from_slice(&bytes[..8]);
    emitter.sections(bytes, &mut out)?;
    emitter.warnings.extend(custom::dropped(&emitter.dropped));
    let map = ModuleMap {
        name: a.names.module.unwrap_or_default().to_owned(),
        hash: identity.hash,
        code: identity.code,
        imports: a.imports.len() as u32,
        names: names::function_names(a),
        sources: Sources::default(),
        skipped: plan.skipped.clone(),
        left_out: selection.count(),
        choice: selection.identity(),
        unmatched: selection.unmatched,
        warnings: emitter.warnings,
    };
    section::append(a, plan, &map, &mut out);
    let offsets = offsets.then(|| {
        let (original, new) = emitter.code_starts;
        CodeOffsets::new(original, new, emitter.code.parts)
    });
    Ok(Output {
        bytes: out,
        map: Some(map),
        offsets,
    })
}

/// Under which name each twin is imported: see [`probe::TWIN`].
fn twin_names(a: &Analysis<'_>, plan: &Plan, mut each: impl FnMut(OldFunc, &str)) {
    let mut before: HashMap<(&str, &str), u32> = HashMap::new();
    let mut twins = plan.twins.iter().peekable();
    for (i, import) in a.imports.iter().enumerate() {
        if twins.peek().is_none() {
            break;
        }
        let same = before.entry((import.module, import.name)).or_default();
        if let Some(&twin) = twins.next_if(|twin| twin.index() == i) {
            let text = serde_json::to_string(&(import.module, import.name, *same, i));
            each(twin, &text.expect("strings and numbers"));
        }
        *same += 1;
    }
}

impl Emitter<'_, '_> {
    pub(crate) fn import_section(
        &mut self,
        imports: &mut ImportSection,
    ) -> Result<(), ReencodeError<Error>> {
        self.imports_written = true;
        let plan = self.plan;
        for import in &plan.probe_imports {
            let ty = EntityType::Function(plan.probe_type_base + import.ty());
            imports.import(probe::MODULE, import.name(), ty);
        }
        twin_names(self.a, plan, |old, name| {
            let import = &self.a.imports[old.index()];
            let ty = if import.exact {
                EntityType::FunctionExact(import.ty)
            } else {
                EntityType::Function(import.ty)
            };
            imports.import(probe::MODULE, name, ty);
        });
        let base = GlobalType {
            val_type: ValType::I32,
            mutable: false,
            shared: false,
        };
        imports.import(probe::MODULE, probe::BASE, EntityType::Global(base));
        if plan.probes == Probes::Inline {
            if plan.own_memory {
                let memory = Reencoder { plan }.memory_type(self.a.memories[0])?;
                imports.import(probe::MODULE, probe::OWN_MEMORY, EntityType::Memory(memory));
            }
            let shared = plan.clock == Clock::Sampled;
            let memory = MemoryType {
                minimum: u64::from(layout::ARENA_BASE >> 16),
                // The loader's is never larger. A shared memory must have one, and with
                // one always a loader makes this one shared by changing a byte.
                maximum: Some(1 << 16),
                memory64: false,
                shared,
                page_size_log2: None,
            };
            imports.import(probe::MODULE, probe::MEMORY, EntityType::Memory(memory));
        }
        Ok(())
    }
}

impl Reencode for Emitter<'_, '_> {
    type Error = Error;

    fn function_index(&mut self, func: u32) -> Result<u32, ReencodeError<Error>> {
        Reencoder { plan: self.plan }.function_index(func)
    }

    fn global_index(&mut self, global: u32) -> Result<u32, ReencodeError<Error>> {
        Ok(self.plan.global(global))
    }

    fn memory_index(&mut self, memory: u32) -> Result<u32, ReencodeError<Error>> {
        Ok(self.plan.memory(memory))
    }

    fn parse_type_section(
        &mut self,
        types: &mut TypeSection,
        section: wasmparser::TypeSectionReader<'_>,
    ) -> Result<(), ReencodeError<Error>> {
        utils::parse_type_section(self, types, section)?;
        for (_, ty) in self.plan.param_types.iter().chain(&self.plan.block_types) {
            let ty = self.func_type(ty.clone())?;
            types.ty().func_type(&ty);
        }
        for (params, results) in PROBE_TYPES {
            types
                .ty()
                .function(params.iter().copied(), results.iter().copied());
        }
        Ok(())
    }

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Result<(), ReencodeError<Error>> {
        utils::parse_import_section(self, imports, section)?;
        self.import_section(imports)
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        _section: wasmparser::FunctionSectionReader<'_>,
    ) -> Result<(), ReencodeError<Error>> {
        for (f, kind) in self
            .a
            .functions
            .iter()
            .zip(&self.plan.kinds[self.a.imports.len()..])
        {
            functions.function(match kind {
                Kind::Param => self.plan.param_type(f.ty),
                _ => f.ty,
            });
        }
        for appended in &self.plan.appended {
            functions.function(match *appended {
                Appended::Body(old) => match self.plan.kinds[old.index()] {
                    Kind::Leaf { .. } => self.a.type_of(old),
                    _ => self.plan.param_type(self.a.type_of(old)),
                },
                Appended::Slot => self.plan.probe_type_base + ProbeImport::Slot.ty(),
                Appended::Find => self.plan.probe_type_base + ProbeImport::Child.ty(),
            });
        }
        Ok(())
    }

    fn parse_memory_section(
        &mut self,
        memories: &mut MemorySection,
        section: wasmparser::MemorySectionReader<'_>,
    ) -> Result<(), ReencodeError<Error>> {
        if self.plan.own_memory {
            return Ok(());
        }
        utils::parse_memory_section(self, memories, section)
    }
}
