//! Modules made of calls: direct, through tables and references, tail calls, imports and
//! exceptions of either generation, in every kind of block. wasm-smith makes few of them.

use crate::random::Random;
use std::fmt::Write;

/// Function types by number: parameters and results.
const TYPES: [(&[&str], &[&str]); 6] = [
    (&[], &[]),
    (&["i32"], &["i32"]),
    (&["i32"], &[]),
    (&[], &["i32", "i32"]),
    (&["i64", "i32"], &["i32"]),
    (&["i32", "i32", "i32"], &["i64", "i32"]),
];
/// Imports of `host.wat` by name, and the number of their type.
const IMPORTS: [(&str, usize); 3] = [("f", 0), ("i_i", 1), ("f_i", 2)];
const TABLE_SIZE: usize = 12;
const FUEL: u32 = 200;

/// The module of a seed.
///
/// # Panics
///
/// If the generator is wrong.
pub fn module(seed: u64) -> Vec<u8> {
    let text = text(seed);
    wat::parse_str(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"))
}

/// The module as text.
fn text(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x6361_6c6c);
    let legacy = random.one_in(3);
    let defined = 2 + random.below(9);
    let mut functions: Vec<usize> = Vec::new();
    let mut out = String::from("(module\n");
    for (i, (params, results)) in TYPES.iter().enumerate() {
        let params = params.join(" ");
        let results = results.join(" ");
        let _ = writeln!(
            out,
            "(type $t{i} (func (param {params}) (result {results})))"
        );
    }
    for (name, ty) in IMPORTS {
        if random.one_in(2) {
            let f = functions.len();
            let _ = writeln!(
                out,
                "(import \"host\" \"{name}\" (func $f{f} (type $t{ty})))"
            );
            functions.push(ty);
        }
    }
    let imports = functions.len();
    functions.extend((0..defined).map(|_| random.below(TYPES.len())));
    let table: Vec<Option<usize>> = (0..TABLE_SIZE)
        .map(|_| (!random.one_in(8)).then(|| random.below(functions.len())))
        .collect();
    out.push_str("(tag $e (param i32)) (tag $empty)\n(memory 1 2)\n");
    let _ = writeln!(
        out,
        "(global $fuel (export \"fuel\") (mut i32) (i32.const {FUEL}))"
    );
    let _ = writeln!(out, "(global $g (mut i32) (i32.const 0))");
    let _ = writeln!(out, "(table $table {TABLE_SIZE} 20 funcref)");
    for (at, f) in table.iter().enumerate() {
        if let Some(f) = f {
            let _ = writeln!(out, "(elem (table $table) (i32.const {at}) func $f{f})");
        }
    }
    // Half of the modules name their references in no other place.
    if random.one_in(2) {
        let all: Vec<String> = (0..functions.len()).map(|f| format!("$f{f}")).collect();
        let _ = writeln!(out, "(elem declare func {})", all.join(" "));
    }
    // Older engines know no typed references.
    let count = if legacy {
        random.below(2)
    } else {
        1 + random.below(4)
    };
    let references: Vec<usize> = (0..count).map(|_| random.below(functions.len())).collect();
    for (i, &f) in references.iter().enumerate() {
        let ty = functions[f];
        let _ = writeln!(out, "(global $r{i} (ref $t{ty}) (ref.func $f{f}))");
    }
    for f in 0..functions.len() {
        // The first is always exported, else nothing can be called.
        if f == imports || random.one_in(3) {
            let _ = writeln!(out, "(export \"f{f}\" (func $f{f}))");
        }
    }
    if let Some(start) = (imports..functions.len()).find(|&f| functions[f] == 0)
        && random.one_in(4)
    {
        let _ = writeln!(out, "(start $f{start})");
    }
    for f in imports..functions.len() {
        let mut body = Body {
            random: &mut random,
            functions: &functions,
            table: &table,
            references: &references,
            ty: functions[f],
            legacy,
            out: &mut out,
            labels: Vec::new(),
            handlers: Vec::new(),
            next_label: 0,
            budget: 30,
        };
        body.function(f);
    }
    out.push(')');
    out
}

struct Body<'a> {
    random: &'a mut Random,
    /// Type of each function.
    functions: &'a [usize],
    table: &'a [Option<usize>],
    references: &'a [usize],
    ty: usize,
    legacy: bool,
    out: &'a mut String,
    /// Open blocks without results.
    labels: Vec<usize>,
    /// Open legacy handlers, which can throw again.
    handlers: Vec<usize>,
    next_label: usize,
    /// Statements that may still be made.
    budget: usize,
}

impl Body<'_> {
    fn put(&mut self, line: impl AsRef<str>) {
        self.out.push_str(line.as_ref());
        self.out.push('\n');
    }

    fn function(&mut self, f: usize) {
        let ty = self.ty;
        self.put(format!(
            "(func $f{f} (type $t{ty}) (local $a i32) (local $b i32)"
        ));
        self.burn();
        self.statements(2);
        self.values(TYPES[ty].1);
        self.put(")");
    }

    /// Ends the program when the fuel is used up.
    fn burn(&mut self) {
        self.put("global.get $fuel i32.eqz if unreachable end");
        self.put("global.get $fuel i32.const 1 i32.sub global.set $fuel");
    }

    fn label(&mut self) -> usize {
        self.next_label += 1;
        self.next_label
    }

    /// Statements in a block that is open already.
    fn inside(&mut self, label: usize, depth: usize) {
        self.labels.push(label);
        self.statements(depth);
        self.labels.pop();
    }

    fn statements(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(4) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(if depth == 0 { 14 } else { 22 }) {
            0..=5 => self.call(),
            6 => {
                self.value("i32");
                let local = ["$a", "$b"][self.random.below(2)];
                self.put(format!("local.set {local}"));
            }
            7 => {
                self.value("i32");
                self.put("global.set $g");
            }
            8 => {
                self.put("i32.const 8");
                self.value("i32");
                self.put("i32.store");
            }
            9 => self.branch(),
            10 if self.random.one_in(3) => self.leave(),
            11 if self.random.one_in(2) => {
                self.value("i32");
                self.put("throw $e");
            }
            12 if self.random.one_in(3) => self.put("throw $empty"),
            13 if self.random.one_in(4) => {
                let f = self.random.below(self.functions.len());
                let at = self.random.below(TABLE_SIZE);
                if self.table.contains(&Some(f)) {
                    self.put(format!("i32.const {at} ref.func $f{f} table.set $table"));
                }
            }
            10..=13 => self.call(),
            14 => self.block("block", depth),
            15 => {
                self.value("i32");
                let label = self.label();
                self.put(format!("if $l{label}"));
                self.inside(label, depth - 1);
                if self.random.one_in(2) {
                    self.put("else");
                    self.inside(label, depth - 1);
                }
                self.put("end");
            }
            16 | 17 => {
                let label = self.label();
                self.put(format!("loop $l{label}"));
                self.burn();
                self.inside(label, depth - 1);
                self.value("i32");
                self.put(format!("i32.const 3 i32.and i32.eqz br_if $l{label} end"));
            }
            _ if self.legacy => self.legacy_try(depth),
            _ => self.try_table(depth),
        }
    }

    fn block(&mut self, kind: &str, depth: usize) {
        let label = self.label();
        self.put(format!("{kind} $l{label}"));
        self.inside(label, depth - 1);
        self.put("end");
    }

    fn try_table(&mut self, depth: usize) {
        let label = self.label();
        match self.random.below(3) {
            0 => {
                self.put(format!("block $h{label} (result i32) block $l{label}"));
                let all = if self.random.one_in(2) {
                    format!("(catch_all $l{label})")
                } else {
                    format!("(catch $empty $l{label})")
                };
                self.put(format!("try_table (catch $e $h{label}) {all}"));
                self.inside(label, depth - 1);
                self.put("end");
                self.value("i32");
                self.put(format!("br $h{label} end"));
                self.call();
                self.put("i32.const 7 end global.set $g");
            }
            1 => {
                self.put(format!("block $l{label} block $h{label} (result exnref)"));
                self.put(format!("try_table (catch_all_ref $h{label})"));
                self.inside(label, depth - 1);
                self.put(format!("end br $l{label} end"));
                let again = self.random.one_in(2);
                self.put(if again { "throw_ref end" } else { "drop end" });
            }
            _ => {
                // Back to the head of a loop, or to the function's own label.
                self.put(format!("loop $l{label}"));
                self.burn();
                let results = TYPES[self.ty].1;
                let own = if results == ["i32"] {
                    format!("(catch $e {})", self.labels_to_function())
                } else {
                    String::new()
                };
                self.put(format!("try_table {own} (catch_all $l{label})"));
                self.labels.push(label);
                self.statements(depth - 1);
                self.labels.pop();
                self.put("end end");
            }
        }
    }

    /// Index of the function's label, counted outside of a `try_table` that is about to be opened.
    fn labels_to_function(&self) -> usize {
        let opened = self.out.rfind("(func $f").expect("in a function");
        let words = self.out[opened..].split_whitespace();
        let mut depth = 0;
        for word in words {
            match word {
                "block" | "loop" | "if" | "try_table" | "try" => depth += 1,
                "end" | "delegate" => depth -= 1,
                _ => {}
            }
        }
        depth
    }

    fn legacy_try(&mut self, depth: usize) {
        let label = self.label();
        self.put(format!("try $l{label}"));
        self.inside(label, depth - 1);
        if self.random.one_in(4) {
            match self.labels.last().filter(|_| self.random.one_in(2)) {
                Some(outer) => self.put(format!("delegate $l{outer}")),
                None => self.put(format!("delegate {}", self.labels_to_function() - 1)),
            }
            return;
        }
        let kinds = self.random.below(3);
        self.labels.push(label);
        if kinds != 1 {
            self.put("catch $e global.set $g");
            self.handler(label, depth);
        }
        if kinds != 0 {
            self.put("catch_all");
            self.handler(label, depth);
        }
        self.labels.pop();
        self.put("end");
    }

    fn handler(&mut self, label: usize, depth: usize) {
        self.handlers.push(label);
        self.statements(depth - 1);
        if self.random.one_in(4) {
            let at = self.random.below(self.handlers.len());
            let again = self.handlers[at];
            self.put(format!("rethrow $l{again}"));
        }
        self.handlers.pop();
    }

    fn branch(&mut self) {
        if self.labels.is_empty() {
            return self.call();
        }
        let some = |body: &mut Self| body.labels[body.random.below(body.labels.len())];
        let to = some(self);
        match self.random.below(4) {
            0 => self.put(format!("br $l{to}")),
            1 | 2 => {
                self.value("i32");
                self.put(format!("br_if $l{to}"));
            }
            _ => {
                let (other, last) = (some(self), some(self));
                self.value("i32");
                self.put(format!("br_table $l{to} $l{other} $l{last}"));
            }
        }
    }

    /// Leaves the function, one way or another.
    fn leave(&mut self) {
        let results = TYPES[self.ty].1;
        let same: Vec<usize> = (0..self.functions.len())
            .filter(|&f| TYPES[self.functions[f]].1 == results)
            .collect();
        match self.random.below(6) {
            0 => self.put("unreachable"),
            1 if !same.is_empty() => {
                let f = same[self.random.below(same.len())];
                self.call_of(f, "return_");
            }
            2 | 3 if !same.is_empty() => {
                let f = same[self.random.below(same.len())];
                self.indirect_call_of(f, "return_");
            }
            4 => {
                self.values(results);
                let function = self.labels_to_function();
                self.put(format!("br {function}"));
            }
            _ => {
                self.values(results);
                self.put("return");
            }
        }
    }

    /// A call whose results are dropped.
    fn call(&mut self) {
        let f = self.random.below(self.functions.len());
        if self.random.one_in(2) {
            self.call_of(f, "");
        } else {
            self.indirect_call_of(f, "");
        }
        for _ in TYPES[self.functions[f]].1 {
            self.put("drop");
        }
    }

    fn call_of(&mut self, f: usize, tail: &str) {
        self.values(TYPES[self.functions[f]].0);
        self.put(format!("{tail}call $f{f}"));
    }

    /// Through the table or a reference if there is one to `f`.
    fn indirect_call_of(&mut self, f: usize, tail: &str) {
        let ty = self.functions[f];
        let reference = self.references.iter().position(|&r| r == f);
        let entry = self.table.iter().position(|&t| t == Some(f));
        match (reference, entry) {
            (Some(r), _) if self.random.one_in(2) => {
                self.values(TYPES[ty].0);
                self.put(format!("global.get $r{r} {tail}call_ref $t{ty}"));
            }
            (_, Some(at)) => {
                self.values(TYPES[ty].0);
                if self.random.one_in(12) {
                    // Out of bounds, empty or of another type, perhaps.
                    self.value("i32");
                } else {
                    self.put(format!("i32.const {at}"));
                }
                self.put(format!("{tail}call_indirect $table (type $t{ty})"));
            }
            _ => self.call_of(f, tail),
        }
    }

    fn values(&mut self, types: &[&str]) {
        for ty in types {
            self.value(ty);
        }
    }

    fn value(&mut self, ty: &str) {
        if ty == "i64" {
            return self.put("i64.const 3");
        }
        match self.random.below(5) {
            0 => self.put("local.get $a"),
            1 => self.put("global.get $g"),
            2 => self.put("i32.const 8 i32.load"),
            3 => self.put("global.get $fuel"),
            _ => {
                let n = self.random.below(TABLE_SIZE + 2);
                self.put(format!("i32.const {n}"));
            }
        }
    }
}
