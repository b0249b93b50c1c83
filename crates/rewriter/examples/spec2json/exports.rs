//! The exports of a module that need an adapter.

use crate::adapter::Adapters;
use serde_json::{Map, Value};
use wasmparser::{
    CompositeInnerType, ExternalKind, FuncType, GlobalType, Parser, Payload, TypeRef,
};

/// Number of the adapter by name of the export; empty for a module that cannot be read.
pub fn adapters(bytes: &[u8], adapters: &mut Adapters) -> Map<String, Value> {
    let mut found = Map::new();
    // An export that is met before a fault is of no use: the engine refuses the module.
    let _ = read(bytes, adapters, &mut found);
    found
}

fn read(
    bytes: &[u8],
    adapters: &mut Adapters,
    found: &mut Map<String, Value>,
) -> wasmparser::Result<()> {
    let mut types: Vec<Option<FuncType>> = Vec::new();
    let mut functions: Vec<u32> = Vec::new();
    let mut globals: Vec<GlobalType> = Vec::new();
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::TypeSection(section) => {
                for group in section {
                    types.extend(group?.into_types().map(|ty| match ty.composite_type.inner {
                        CompositeInnerType::Func(ty) => Some(ty),
                        _ => None,
                    }));
                }
            }
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    match import?.ty {
                        TypeRef::Func(ty) | TypeRef::FuncExact(ty) => functions.push(ty),
                        TypeRef::Global(ty) => globals.push(ty),
                        _ => {}
                    }
                }
            }
            Payload::FunctionSection(section) => {
                for ty in section {
                    functions.push(ty?);
                }
            }
            Payload::GlobalSection(section) => {
                for global in section {
                    globals.push(global?.ty);
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export?;
                    let index = export.index as usize;
                    let adapter = match export.kind {
                        ExternalKind::Global => globals.get(index).and_then(|g| adapters.global(g)),
                        ExternalKind::Func | ExternalKind::FuncExact => functions
                            .get(index)
                            .and_then(|&ty| types.get(ty as usize)?.as_ref())
                            .and_then(|ty| adapters.function(ty)),
                        _ => None,
                    };
                    if let Some(adapter) = adapter {
                        found.insert(export.name.to_owned(), adapter.into());
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}
