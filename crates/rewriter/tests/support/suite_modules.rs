//! The modules in the scripts of the specification's tests.

use crate::suite::Script;
use wast::parser::{self, ParseBuffer};
use wast::{QuoteWat, Wast, WastDirective, WastExecute};

/// Calls `each` with where a module is and its bytes, valid or not.
pub fn modules(script: &Script, mut each: impl FnMut(&str, Vec<u8>)) {
    let mut lexer = wast::lexer::Lexer::new(&script.text);
    lexer.allow_confusing_unicode(true);
    let buffer = ParseBuffer::new_with_lexer(lexer).expect("the script is text");
    let wast: Wast<'_> = parser::parse(&buffer).expect("the script parses");
    for directive in wast.directives {
        let span = directive.span();
        let Some(bytes) = module(directive) else {
            continue;
        };
        let (line, _) = span.linecol_in(&script.text);
        let at = format!("{}/{}.wast:{}", script.group, script.name, line + 1);
        each(&at, bytes);
    }
}

/// The module of a directive, where it has one that can be encoded.
fn module(directive: WastDirective<'_>) -> Option<Vec<u8>> {
    use WastDirective as D;
    match directive {
        D::Module(mut module)
        | D::ModuleDefinition(mut module)
        | D::AssertInvalid { mut module, .. } => module.encode().ok(),
        D::AssertMalformed {
            module: QuoteWat::Wat(mut module),
            ..
        }
        | D::AssertUnlinkable { mut module, .. }
        | D::AssertTrap {
            exec: WastExecute::Wat(mut module),
            ..
        } => module.encode().ok(),
        _ => None,
    }
}
