//! What a module has for us.

use wasmparser::{BinaryReader, KnownCustom, Name, NameSectionReader, Parser, Payload, TypeRef};

use crate::bodies::Bodies;
use crate::dwarf::Dwarf;
use crate::error::Result;

/// Sections of a module, as far as they say something about its functions.
#[derive(Default)]
pub(crate) struct Module<'a> {
    pub bodies: Bodies,
    pub name: Option<&'a str>,
    /// By function index, as in the name section.
    function_names: Vec<(u32, &'a str)>,
    pub names_malformed: bool,
    pub dwarf: Dwarf<'a>,
    pub source_map_url: Option<&'a str>,
    pub debug_url: Option<&'a str>,
}

impl<'a> Module<'a> {
    pub fn read(bytes: &'a [u8]) -> Result<Module<'a>> {
        // Says what is wrong with the header better than the parser.
        wasm_xray_rewriter::code_identity(bytes)?;
        let mut module = Module::default();
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        if matches!(import?.ty, TypeRef::Func(_) | TypeRef::FuncExact(_)) {
                            module.bodies.imports += 1;
                        }
                    }
                }
                Payload::CodeSectionStart {
                    unchecked_range, ..
                } => {
                    module.bodies.code_start = unchecked_range.start;
                }
                Payload::CodeSectionEntry(body) => {
                    let range = body.range();
                    module.bodies.push(range.start, range.end);
                }
                Payload::CustomSection(section) => match section.as_known() {
                    KnownCustom::Name(names) => {
                        module.names_malformed = module.read_names(names).is_err();
                    }
                    _ => module.read_custom(section.name(), section.data()),
                },
                _ => {}
            }
        }
        Ok(module)
    }

    fn read_custom(&mut self, name: &str, data: &'a [u8]) {
        match name {
            "sourceMappingURL" => self.source_map_url = url(data),
            "external_debug_info" => self.debug_url = url(data),
            _ => self.dwarf.add_section(name, data),
        }
    }

    /// Keeps what comes before a fault.
    fn read_names(&mut self, section: NameSectionReader<'a>) -> wasmparser::Result<()> {
        for subsection in section {
            match subsection? {
                Name::Module { name, .. } => self.name = Some(name),
                Name::Function(map) => {
                    for naming in map {
                        let naming = naming?;
                        if !naming.name.is_empty() {
                            self.function_names.push((naming.index, naming.name));
                        }
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Names by function index; indices that no function has are left out.
    pub fn names(&self) -> Vec<Option<String>> {
        let mut names = vec![None; self.bodies.end() as usize];
        for (function, name) in &self.function_names {
            if let Some(entry) = names.get_mut(*function as usize) {
                *entry = Some((*name).to_owned());
            }
        }
        names
    }
}

/// A text with its length before it.
fn url(data: &[u8]) -> Option<&str> {
    let url = BinaryReader::new(data, 0).read_unlimited_string().ok()?;
    (!url.is_empty()).then_some(url)
}
