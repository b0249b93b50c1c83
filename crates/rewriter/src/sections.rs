//! The sections of the new module, in the order of the old one's, straight into the output.

use crate::code;
use crate::custom::{self, Fate};
use crate::emit::Emitter;
use crate::error::Error;
use crate::names;
use wasm_encoder::reencode::{Error as ReencodeError, Reencode};
use wasm_encoder::{
    DataCountSection, ElementSection, Encode, ExportSection, FunctionSection, GlobalSection,
    ImportSection, MemorySection, Section, SectionId, StartSection, TableSection, TagSection,
    TypeSection,
};
use wasmparser::{CustomSectionReader, DataKind, DataSectionReader, Parser, Payload};

type Result<T> = std::result::Result<T, ReencodeError<Error>>;

/// Appends a section whose contents `write` appends: nothing is kept twice to know their size.
pub(crate) fn sized<T>(id: u8, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    out.push(id);
    let at = out.len();
    out.extend_from_slice(&[0x80, 0x80, 0x80, 0x80, 0]);
    let result = write(out);
    let size = (out.len() - at - 5) as u32;
    for (i, byte) in out[at..at + 5].iter_mut().enumerate() {
        *byte |= (size >> (7 * i) & 0x7f) as u8;
    }
    result
}

impl Emitter<'_, '_> {
    /// Appends what becomes of every section of `bytes`.
    pub(crate) fn sections(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
        for payload in Parser::new(0).parse_all(bytes) {
            let payload = payload?;
            let is_custom = matches!(payload, Payload::CustomSection(_));
            let is_before = matches!(
                payload,
                Payload::Version { .. } | Payload::TypeSection(_) | Payload::ImportSection(_)
            );
            if !is_custom && !is_before {
                self.own_imports(out)?;
            }
            match payload {
                Payload::TypeSection(section) => {
                    let mut types = TypeSection::new();
                    self.parse_type_section(&mut types, section)?;
                    types.append_to(out);
                }
                Payload::ImportSection(section) => {
                    let mut imports = ImportSection::new();
                    self.parse_import_section(&mut imports, section)?;
                    imports.append_to(out);
                }
                Payload::FunctionSection(section) => {
                    let mut functions = FunctionSection::new();
                    self.parse_function_section(&mut functions, section)?;
                    functions.append_to(out);
                }
                Payload::TableSection(section) => {
                    let mut tables = TableSection::new();
                    self.parse_table_section(&mut tables, section)?;
                    tables.append_to(out);
                }
                Payload::MemorySection(section) => {
                    let mut memories = MemorySection::new();
                    self.parse_memory_section(&mut memories, section)?;
                    memories.append_to(out);
                }
                Payload::TagSection(section) => {
                    let mut tags = TagSection::new();
                    self.parse_tag_section(&mut tags, section)?;
                    tags.append_to(out);
                }
                Payload::GlobalSection(section) => {
                    let mut globals = GlobalSection::new();
                    self.parse_global_section(&mut globals, section)?;
                    globals.append_to(out);
                }
                Payload::ExportSection(section) => {
                    let mut exports = ExportSection::new();
                    self.parse_export_section(&mut exports, section)?;
                    exports.append_to(out);
                }
                Payload::StartSection { func, .. } => {
                    let function_index = self.start_section(func)?;
                    StartSection { function_index }.append_to(out);
                }
                Payload::ElementSection(section) => {
                    let mut elements = ElementSection::new();
                    self.parse_element_section(&mut elements, section)?;
                    elements.append_to(out);
                }
                Payload::DataCountSection { count, .. } => {
                    DataCountSection { count }.append_to(out);
                }
                Payload::CodeSectionStart {
                    unchecked_range, ..
                } => self.code_section(unchecked_range.start, out)?,
                Payload::DataSection(section) => self.data_section(&section, out)?,
                Payload::CustomSection(section) => self.custom_section(&section, out),
                Payload::Version { .. } | Payload::CodeSectionEntry(_) | Payload::End(_) => {}
                other => {
                    let offset = other.as_section().map_or(0, |(_, range)| range.start);
                    let words = "a section that this version does not know";
                    return Err(ReencodeError::UserError(Error::malformed(words, offset)));
                }
            }
        }
        Ok(())
    }

    /// Appends the import section where the module has none.
    fn own_imports(&mut self, out: &mut Vec<u8>) -> Result<()> {
        if !self.imports_written {
            let mut imports = ImportSection::new();
            self.import_section(&mut imports)?;
            imports.append_to(out);
        }
        Ok(())
    }

    fn code_section(&mut self, original: u64, out: &mut Vec<u8>) -> Result<()> {
        let (a, plan, follow) = (self.a, self.plan, self.follow);
        let (start, written) = sized(SectionId::Code.into(), out, |out| {
            (out.len() as u64, code::write(a, plan, follow, out))
        });
        self.code = written.map_err(ReencodeError::UserError)?;
        self.code_starts = (original, start);
        Ok(())
    }

    /// Copies the data; offsets of active segments may name globals that moved.
    fn data_section(&mut self, section: &DataSectionReader<'_>, out: &mut Vec<u8>) -> Result<()> {
        sized(SectionId::Data.into(), out, |out| {
            section.count().encode(out);
            for segment in section.clone() {
                let segment = segment?;
                match segment.kind {
                    DataKind::Passive => 1u32.encode(out),
                    DataKind::Active {
                        memory_index,
                        offset_expr,
                    } => {
                        let memory = self.memory_index(memory_index)?;
                        let offset = self.const_expr(offset_expr)?;
                        match memory {
                            0 => 0u32.encode(out),
                            _ => [2, memory].iter().for_each(|word| word.encode(out)),
                        }
                        offset.encode(out);
                    }
                }
                segment.data.encode(out);
            }
            Ok(())
        })
    }

    fn custom_section(&mut self, section: &CustomSectionReader<'_>, out: &mut Vec<u8>) {
        let name = section.name();
        if name == "name" {
            return self.name_section(out);
        }
        match custom::fate(section, self.plan, &self.annotated) {
            Fate::Kept => custom::copy(out, name, section.data()),
            Fate::Rebuilt(data) => custom::copy(out, name, &data),
            Fate::Dropped => self.dropped.push(name.to_owned()),
            Fate::Malformed(why) => self.warnings.push(format!(
                "section `{name}` was dropped, as it is malformed: {why}"
            )),
        }
    }

    fn name_section(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.names_written, true) {
            let words = "a second name section was dropped";
            self.warnings.push(words.to_owned());
        } else if self.a.names.malformed {
            let words = "the name section is malformed: it was dropped";
            self.warnings.push(words.to_owned());
        } else {
            names::write(self.a, self.plan, &self.code.labels).append_to(out);
        }
    }
}
