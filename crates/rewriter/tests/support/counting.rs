//! The simplest way to count instructions, slow and without a doubt: one is added to a
//! counter of its function before every single one. What the clock `instructions` is checked against.

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{
    ConstExpr, ExportKind, ExportSection, Function, GlobalSection, GlobalType, Instruction, Module,
    SectionId, ValType,
};
use wasmparser::{FunctionBody, Operator, Parser, Payload, TypeRef};

struct Counter {
    imported_functions: u32,
    functions: u32,
    first_global: u32,
    /// Bodies rewritten so far.
    done: u32,
    globals_written: bool,
    exports_written: bool,
}

/// The module with counters: exported i64 globals, `executed:` and the function's index.
pub fn counting(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let mut counter = Counter {
        imported_functions: 0,
        functions: 0,
        first_global: 0,
        done: 0,
        globals_written: false,
        exports_written: false,
    };
    for payload in Parser::new(0).parse_all(bytes) {
        match payload? {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    match import?.ty {
                        TypeRef::Func(_) | TypeRef::FuncExact(_) => counter.imported_functions += 1,
                        TypeRef::Global(_) => counter.first_global += 1,
                        _ => {}
                    }
                }
            }
            Payload::FunctionSection(section) => counter.functions = section.count(),
            Payload::GlobalSection(section) => counter.first_global += section.count(),
            _ => {}
        }
    }
    let mut module = Module::new();
    counter.parse_core_module(&mut module, Parser::new(0), bytes)?;
    Ok(module.finish())
}

impl Counter {
    fn add_globals(&mut self, globals: &mut GlobalSection) {
        self.globals_written = true;
        let ty = GlobalType {
            val_type: ValType::I64,
            mutable: true,
            shared: false,
        };
        for _ in 0..self.functions {
            globals.global(ty, &ConstExpr::i64_const(0));
        }
    }

    fn add_exports(&mut self, exports: &mut ExportSection) {
        self.exports_written = true;
        for i in 0..self.functions {
            let name = format!("executed:{}", self.imported_functions + i);
            exports.export(&name, ExportKind::Global, self.first_global + i);
        }
    }
}

impl Reencode for Counter {
    type Error = std::convert::Infallible;

    fn intersperse_section_hook(
        &mut self,
        module: &mut Module,
        _after: Option<SectionId>,
        before: Option<SectionId>,
    ) -> Result<(), Error> {
        use SectionId as S;
        let before_globals = matches!(
            before,
            Some(S::Type | S::Import | S::Function | S::Table | S::Memory | S::Tag | S::Global)
        );
        if !self.globals_written && !before_globals {
            let mut globals = GlobalSection::new();
            self.add_globals(&mut globals);
            module.section(&globals);
        }
        if !self.exports_written && !before_globals && before != Some(S::Export) {
            let mut exports = ExportSection::new();
            self.add_exports(&mut exports);
            module.section(&exports);
        }
        Ok(())
    }

    fn parse_global_section(
        &mut self,
        globals: &mut GlobalSection,
        section: wasmparser::GlobalSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_global_section(self, globals, section)?;
        self.add_globals(globals);
        Ok(())
    }

    fn parse_export_section(
        &mut self,
        exports: &mut ExportSection,
        section: wasmparser::ExportSectionReader<'_>,
    ) -> Result<(), Error> {
        utils::parse_export_section(self, exports, section)?;
        self.add_exports(exports);
        Ok(())
    }

    fn parse_function_body(
        &mut self,
        code: &mut wasm_encoder::CodeSection,
        body: FunctionBody<'_>,
    ) -> Result<(), Error> {
        let global = self.first_global + self.done;
        self.done += 1;
        let mut function: Function = self.new_function_with_parsed_locals(&body)?;
        for op in body.get_operators_reader()? {
            let op = op?;
            let counts = !matches!(
                op,
                Operator::End
                    | Operator::Else
                    | Operator::Catch { .. }
                    | Operator::CatchAll
                    | Operator::Delegate { .. }
            );
            // A loop is executed again by each branch to it.
            let is_loop = matches!(op, Operator::Loop { .. });
            let count = |function: &mut Function| {
                function.instruction(&Instruction::GlobalGet(global));
                function.instruction(&Instruction::I64Const(1));
                function.instruction(&Instruction::I64Add);
                function.instruction(&Instruction::GlobalSet(global));
            };
            if counts && !is_loop {
                count(&mut function);
            }
            function.instruction(&self.instruction(op)?);
            if is_loop {
                count(&mut function);
            }
        }
        code.function(&function);
        Ok(())
    }
}
