//! Exports everything of a module but its functions, so that a test sees what it does to it.

use wasm_encoder::reencode::{Reencode, RoundtripReencoder};
use wasm_encoder::{ExportKind, ExportSection, Module, RawSection, SectionId};
use wasmparser::{Parser, Payload, TypeRef};

/// Prefix of the added exports' names.
const PREFIX: &str = "exposed ";

/// How many of each index space there are.
#[derive(Default)]
struct Counts {
    tables: u32,
    memories: u32,
    globals: u32,
    tags: u32,
}

impl Counts {
    fn import(&mut self, ty: TypeRef) {
        match ty {
            TypeRef::Table(_) => self.tables += 1,
            TypeRef::Memory(_) => self.memories += 1,
            TypeRef::Global(_) => self.globals += 1,
            TypeRef::Tag(_) => self.tags += 1,
            TypeRef::Func(_) | TypeRef::FuncExact(_) => {}
        }
    }

    fn export(&self, exports: &mut ExportSection) {
        let kinds = [
            ("table", ExportKind::Table, self.tables),
            ("memory", ExportKind::Memory, self.memories),
            ("global", ExportKind::Global, self.globals),
            ("tag", ExportKind::Tag, self.tags),
        ];
        for (name, kind, count) in kinds {
            for index in 0..count {
                exports.export(&format!("{PREFIX}{name} {index}"), kind, index);
            }
        }
    }
}

/// # Panics
///
/// If the module cannot be read.
pub fn expose(bytes: &[u8]) -> Vec<u8> {
    let mut counts = Counts::default();
    let mut written = false;
    let mut module = Module::new();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.expect("a generated module can be read");
        match &payload {
            Payload::ImportSection(section) => {
                for import in section.clone().into_imports() {
                    counts.import(import.expect("an import").ty);
                }
            }
            Payload::TableSection(section) => counts.tables += section.count(),
            Payload::MemorySection(section) => counts.memories += section.count(),
            Payload::GlobalSection(section) => counts.globals += section.count(),
            Payload::TagSection(section) => counts.tags += section.count(),
            _ => {}
        }
        if let Payload::ExportSection(section) = payload {
            let mut exports = ExportSection::new();
            RoundtripReencoder
                .parse_export_section(&mut exports, section)
                .expect("exports can be read");
            counts.export(&mut exports);
            module.section(&exports);
            written = true;
            continue;
        }
        let Some((id, range)) = payload.as_section() else {
            continue;
        };
        let behind_exports = id > SectionId::Export as u8 && id != SectionId::Tag as u8;
        if behind_exports && !written {
            let mut exports = ExportSection::new();
            counts.export(&mut exports);
            module.section(&exports);
            written = true;
        }
        let data = &bytes[range.start as usize..range.end as usize];
        module.section(&RawSection { id, data });
    }
    module.finish()
}
