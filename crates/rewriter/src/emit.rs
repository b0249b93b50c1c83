//! Writes the new module, section by section.

use crate::analysis::Analysis;
use crate::code::{self, CodeWriter, Follow};
use crate::custom::{self, Fate};
use crate::error::Error;
use crate::filter::Selection;
use crate::identity::Identity;
use crate::index::OldFunc;
use crate::kinds::Kind;
use crate::names;
use crate::offsets::CodeOffsets;
use crate::plan::{Appended, PROBE_TYPES, Plan, ProbeImport};
use crate::{Output, Probes, section};
use std::borrow::Cow;
use std::collections::HashMap;
use wasm_encoder::reencode::{Error as ReencodeError, Reencode, utils};
use wasm_encoder::{
    CodeSection, CustomSection, EntityType, FunctionSection, GlobalType, ImportSection,
    MemorySection, MemoryType, Module, SectionId, TypeSection, ValType,
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

struct Emitter<'a, 'p> {
    a: &'p Analysis<'a>,
    plan: &'p Plan,
    /// Written first, as sections before it say where its instructions are.
    code: CodeWriter,
    imports_written: bool,
    names_written: bool,
    dropped: Vec<String>,
    warnings: Vec<String>,
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
    let follow = Follow {
        all: offsets,
        annotated: &a.annotated,
    };
    let mut module = Module::new();
    let mut emitter = Emitter {
        a,
        plan,
        code: code::write(a, plan, follow)?,
        imports_written: false,
        names_written: false,
        dropped: Vec::new(),
        warnings: Vec::new(),
    };
    emitter.parse_core_module(&mut module, wasmparser::Parser::new(0), bytes)?;
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
        unmatched: selection.unmatched,
        warnings: emitter.warnings,
    };
    let data = section::encode(a, plan, &map);
    module.section(&CustomSection {
        name: probe::SECTION.into(),
        data: Cow::Owned(data),
    });
    let output = module.finish();
    let offsets = offsets.then(|| {
        let parts = emitter.code.parts;
        CodeOffsets::new(code_start(bytes), code_start(&output), parts)
    });
    Ok(Output {
        bytes: output,
        map: Some(map),
        offsets,
    })
}

/// Offset of the contents of the code section.
fn code_start(bytes: &[u8]) -> u64 {
    let sections = wasmparser::Parser::new(0).parse_all(bytes);
    let starts = sections.filter_map(|payload| match payload {
        Ok(wasmparser::Payload::CodeSectionStart {
            unchecked_range, ..
        }) => Some(unchecked_range.start),
        _ => None,
    });
    starts.last().unwrap_or_default()
}

/// Under which name each twin is imported: see [`probe::TWIN`].
fn twin_names(a: &Analysis<'_>, plan: &Plan) -> Vec<String> {
    let mut before: HashMap<(&str, &str), u32> = HashMap::new();
    let mut twins = plan.twins.iter().peekable();
    let mut names = Vec::with_capacity(plan.twins.len());
    for (i, import) in a.imports.iter().enumerate() {
        let same = before.entry((import.module, import.name)).or_default();
        if twins.next_if(|twin| twin.index() == i).is_some() {
            let text = serde_json::to_string(&(import.module, import.name, *same, i));
            names.push(text.expect("strings and numbers"));
        }
        *same += 1;
    }
    names
}

impl Emitter<'_, '_> {
    fn name_section(&mut self, module: &mut Module) {
        if std::mem::replace(&mut self.names_written, true) {
            let words = "a second name section was dropped";
            self.warnings.push(words.to_owned());
        } else if self.a.names.malformed {
            let words = "the name section is malformed: it was dropped";
            self.warnings.push(words.to_owned());
        } else {
            module.section(&names::write(self.a, self.plan, &self.code.labels));
        }
    }

    fn import_section(&mut self, imports: &mut ImportSection) -> Result<(), ReencodeError<Error>> {
        self.imports_written = true;
        let plan = self.plan;
        for import in &plan.probe_imports {
            let ty = EntityType::Function(plan.probe_type_base + import.ty());
            imports.import(probe::MODULE, import.name(), ty);
        }
        for (old, name) in plan.twins.iter().zip(twin_names(self.a, plan)) {
            let import = &self.a.imports[old.index()];
            let ty = if import.exact {
                EntityType::FunctionExact(import.ty)
            } else {
                EntityType::Function(import.ty)
            };
            imports.import(probe::MODULE, &name, ty);
        }
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
            let memory = MemoryType {
                minimum: u64::from(layout::ARENA_BASE >> 16),
                maximum: None,
                memory64: false,
                shared: false,
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

    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        _after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Result<(), ReencodeError<Error>> {
        let too_early = matches!(before, Some(SectionId::Type | SectionId::Import));
        if !self.imports_written && !too_early {
            let mut imports = ImportSection::new();
            self.import_section(&mut imports)?;
            module.section(&imports);
        }
        Ok(())
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
                Appended::Body(old) => self.plan.param_type(self.a.type_of(old)),
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

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        _section: wasmparser::CodeSectionReader<'_>,
    ) -> Result<(), ReencodeError<Error>> {
        *code = std::mem::take(&mut self.code.section);
        Ok(())
    }

    fn parse_custom_section(
        &mut self,
        module: &mut Module,
        section: wasmparser::CustomSectionReader<'_>,
    ) -> Result<(), ReencodeError<Error>> {
        let name = section.name();
        if name == "name" {
            self.name_section(module);
            return Ok(());
        }
        match custom::fate(&section, self.plan, &self.code) {
            Fate::Kept => custom::copy(module, name, section.data()),
            Fate::Rebuilt(data) => custom::copy(module, name, &data),
            Fate::Dropped => self.dropped.push(name.to_owned()),
            Fate::Malformed(why) => self.warnings.push(format!(
                "section `{name}` was dropped, as it is malformed: {why}"
            )),
        }
        Ok(())
    }
}
