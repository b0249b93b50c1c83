//! Modules at the sizes that real ones reach.

use wasm_encoder::ConstExpr;
use wasm_encoder::{
    BlockType, CodeSection, ElementSection, Elements, EntityType, ExportKind, ExportSection,
    Function, FunctionSection, ImportSection, InstructionSink, Module, RefType, TableSection,
    TableType, TypeSection, ValType,
};

/// A kind of module, and how much of it: functions, bytes, levels, locals, imports or targets.
#[derive(Clone, Copy, Debug)]
pub enum Large {
    /// So many functions, each calling the one before it; every third is in a table as well.
    Functions(u32),
    /// One function of so many bytes: arithmetic, and a call every 64 bytes.
    Body(u32),
    /// One function with blocks so deep, a call at each level.
    Nesting(u32),
    /// A function with so many locals.
    Locals(u32),
    /// So many imported functions, each called once and in a table.
    Imports(u32),
    /// One `br_table` with so many targets.
    Targets(u32),
    /// Bodies of 100 bytes with some calls, so many bytes in all.
    Bytes(u32),
}

/// Puts the module together: types () and (i32) → i32, `imports` of the first, `bodies` of the second.
fn module(imports: u32, bodies: Vec<Function>, in_table: impl Fn(u32) -> bool) -> Vec<u8> {
    let count = bodies.len() as u32;
    let mut module = Module::new();
    let mut types = TypeSection::new();
    types.ty().function([], []);
    types.ty().function([ValType::I32], [ValType::I32]);
    module.section(&types);
    let mut section = ImportSection::new();
    for i in 0..imports {
        section.import("env", &format!("f{i}"), EntityType::Function(0));
    }
    module.section(&section);
    let mut functions = FunctionSection::new();
    for _ in 0..count {
        functions.function(1);
    }
    module.section(&functions);
    let entries: Vec<u32> = (0..imports + count).filter(|&f| in_table(f)).collect();
    let mut tables = TableSection::new();
    tables.table(TableType {
        element_type: RefType::FUNCREF,
        table64: false,
        minimum: entries.len() as u64,
        maximum: None,
        shared: false,
    });
    module.section(&tables);
    let mut exports = ExportSection::new();
    exports.export("run", ExportKind::Func, imports + count - 1);
    module.section(&exports);
    let mut elements = ElementSection::new();
    let offset = ConstExpr::i32_const(0);
    elements.active(None, &offset, Elements::Functions(entries.into()));
    module.section(&elements);
    let mut code = CodeSection::new();
    for body in &bodies {
        code.function(body);
    }
    module.section(&code);
    module.finish()
}

fn body(locals: u32, write: impl FnOnce(&mut InstructionSink<'_>)) -> Function {
    let mut function = Function::new((locals > 0).then_some((locals, ValType::I32)));
    let mut sink = function.instructions();
    write(&mut sink);
    sink.end();
    function
}

/// Bytes of code that leave everything as it was.
fn arithmetic(sink: &mut InstructionSink<'_>, times: u32) {
    for i in 0..times {
        sink.local_get(0)
            .i32_const(i as i32 & 63)
            .i32_add()
            .local_set(0);
    }
}

fn leaf() -> Function {
    body(0, |sink| {
        sink.local_get(0);
    })
}

impl Large {
    pub fn module(self) -> Vec<u8> {
        match self {
            Large::Functions(n) => {
                let bodies = (0..n).map(|i| {
                    body(1, |sink| {
                        sink.local_get(0);
                        if i > 0 {
                            sink.call(i - 1);
                        }
                        sink.local_set(1).local_get(1);
                    })
                });
                module(0, bodies.collect(), |f| f % 3 == 0)
            }
            Large::Body(bytes) => {
                let large = body(0, |sink| {
                    for _ in 0..bytes / 64 {
                        arithmetic(sink, 8);
                        sink.local_get(0).call(0).local_set(0);
                    }
                    sink.local_get(0);
                });
                module(0, vec![leaf(), large], |f| f == 0)
            }
            Large::Nesting(levels) => {
                let deep = body(0, |sink| {
                    for _ in 0..levels {
                        sink.block(BlockType::Empty);
                        sink.local_get(0).call(0).br_if(0);
                    }
                    for _ in 0..levels {
                        sink.end();
                    }
                    sink.local_get(0);
                });
                module(0, vec![leaf(), deep], |f| f == 0)
            }
            Large::Locals(count) => {
                let many = body(count - 1, |sink| {
                    for local in 0..count {
                        sink.local_get(local).local_set(count - 1 - local);
                    }
                    sink.local_get(0).call(0);
                });
                module(0, vec![leaf(), many], |f| f == 0)
            }
            Large::Imports(count) => {
                let caller = body(0, |sink| {
                    for f in 0..count {
                        sink.call(f);
                    }
                    sink.local_get(0);
                });
                module(count, vec![caller], |f| f < count)
            }
            Large::Targets(count) => {
                let switch = body(0, |sink| {
                    sink.block(BlockType::Empty).block(BlockType::Empty);
                    let targets: Vec<u32> = (0..count).map(|i| i % 2).collect();
                    sink.local_get(0).br_table(targets, 1).end().end();
                    sink.local_get(0).call(0);
                });
                module(0, vec![leaf(), switch], |f| f == 0)
            }
            Large::Bytes(bytes) => {
                let bodies = (0..bytes / 100).map(|i| {
                    body(2, |sink| {
                        arithmetic(sink, 8);
                        sink.local_get(0);
                        if i > 0 {
                            sink.call(i - 1).call(i / 2);
                        }
                        sink.local_set(1);
                        arithmetic(sink, 4);
                        sink.local_get(1);
                    })
                });
                module(0, bodies.collect(), |f| f % 3 == 0)
            }
        }
    }
}
