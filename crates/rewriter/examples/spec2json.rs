//! `spec2json TO`: the specification's tests as JSON, one file a script, for `tests/spec/run.mjs`.
//!
//! A script is a list of commands in the order of its directives. Numbers are the
//! bytes of their little-endian form in hex, so that no bit of a NaN is lost.

#[path = "spec2json/adapter.rs"]
mod adapter;
#[path = "spec2json/exports.rs"]
mod exports;
#[path = "../tests/support/suite.rs"]
mod suite;
#[path = "spec2json/values.rs"]
mod values;

use adapter::Adapters;
use serde_json::{Value, json};
use std::path::Path;
use wast::parser::{self, ParseBuffer};
use wast::token::Id;
use wast::{QuoteWat, Wast, WastDirective, WastExecute, WastInvoke};

fn main() {
    let Some(to) = std::env::args().nth(1) else {
        eprintln!("usage: spec2json TO (a folder)");
        std::process::exit(2);
    };
    let to = Path::new(&to);
    std::fs::create_dir_all(to).expect("the folder can be made");
    let write = |name: &str, text: &str| {
        std::fs::write(to.join(name), text).expect("the folder can be written");
    };
    let names = suite::each(&suite::scripts(), |script| {
        let file = format!("{}.{}.json", script.group, script.name);
        write(&file, &convert(script).to_string());
        json!({"group": script.group, "name": script.name, "file": file})
    });
    let spectest = wat::parse_str(include_str!("spec2json/spectest.wat")).expect("it is ours");
    std::fs::write(to.join("spectest.wasm"), spectest).expect("the folder can be written");
    // Last: with it the folder is complete.
    write("index.json", &Value::from(names).to_string());
}

fn convert(script: &suite::Script) -> Value {
    let mut lexer = wast::lexer::Lexer::new(&script.text);
    lexer.allow_confusing_unicode(true);
    let buffer = ParseBuffer::new_with_lexer(lexer).expect("the script is text");
    let wast: Wast<'_> = parser::parse(&buffer).expect("the script parses");
    let mut adapters = Adapters::default();
    let mut commands = Vec::new();
    for directive in wast.directives {
        let (line, _) = directive.span().linecol_in(&script.text);
        let mut command = command(directive, &mut adapters);
        command["line"] = json!(line + 1);
        commands.push(command);
    }
    json!({"commands": commands, "adapters": adapters.modules})
}

fn command(directive: WastDirective<'_>, adapters: &mut Adapters) -> Value {
    use WastDirective as D;
    match directive {
        D::Module(module) => define("module", module, adapters),
        D::ModuleDefinition(module) => define("definition", module, adapters),
        D::ModuleInstance {
            instance, module, ..
        } => json!({"kind": "instance", "id": id(instance), "module": id(module)}),
        D::Register { name, module, .. } => {
            json!({"kind": "register", "as": name, "id": id(module)})
        }
        // Text that is malformed never becomes bytes.
        D::AssertMalformed {
            module: QuoteWat::QuoteModule(..),
            ..
        } => skipped("text"),
        D::AssertMalformed { mut module, .. } | D::AssertInvalid { mut module, .. } => {
            match module.encode() {
                Ok(bytes) => json!({"kind": "invalid", "bytes": hex(&bytes)}),
                Err(_) => skipped("text"),
            }
        }
        D::AssertUnlinkable { mut module, .. } => match module.encode() {
            Ok(bytes) => json!({"kind": "unlinkable", "bytes": hex(&bytes)}),
            Err(_) => skipped("text"),
        },
        D::Invoke(call) => json!({"kind": "action", "action": invoke(&call)}),
        D::AssertReturn { exec, results, .. } => {
            let results: Vec<Value> = results.iter().map(values::expected).collect();
            execute("return", exec, json!({"results": results}))
        }
        D::AssertTrap { exec, .. } => execute("trap", exec, json!({})),
        D::AssertException { exec, .. } => execute("exception", exec, json!({})),
        D::AssertExhaustion { call, .. } => json!({"kind": "exhaustion", "action": invoke(&call)}),
        // V8 does not look into custom sections.
        D::AssertInvalidCustom { .. } | D::AssertMalformedCustom { .. } => {
            skipped("custom section")
        }
        D::AssertSuspension { .. } => skipped("suspension"),
        D::Thread(_) | D::Wait { .. } => skipped("thread"),
    }
}

fn define(kind: &str, mut module: QuoteWat<'_>, adapters: &mut Adapters) -> Value {
    let name = id(module.name());
    match module.encode() {
        Ok(bytes) => json!({
            "kind": kind,
            "id": name,
            "bytes": hex(&bytes),
            "adapters": exports::adapters(&bytes, adapters),
        }),
        Err(_) => skipped("text"),
    }
}

fn execute(kind: &str, exec: WastExecute<'_>, more: Value) -> Value {
    let mut command = match exec {
        WastExecute::Invoke(call) => json!({"kind": kind, "action": invoke(&call)}),
        WastExecute::Get { module, global, .. } => {
            json!({"kind": kind, "action": {"get": global, "id": id(module)}})
        }
        WastExecute::Wat(mut module) => match module.encode() {
            Ok(bytes) => json!({"kind": format!("{kind}-start"), "bytes": hex(&bytes)}),
            Err(_) => skipped("text"),
        },
    };
    if let (Some(command), Value::Object(more)) = (command.as_object_mut(), more) {
        command.extend(more);
    }
    command
}

fn invoke(call: &WastInvoke<'_>) -> Value {
    let args: Vec<Value> = call.args.iter().map(values::argument).collect();
    json!({"invoke": call.name, "id": id(call.module), "args": args})
}

fn id(id: Option<Id<'_>>) -> Option<String> {
    id.map(|id| id.name().to_owned())
}

fn skipped(why: &str) -> Value {
    json!({"kind": "skipped", "why": why})
}

fn hex(bytes: &[u8]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).expect("four bits");
    let digits = bytes.iter().flat_map(|b| [digit(b >> 4), digit(b & 15)]);
    digits.collect()
}
