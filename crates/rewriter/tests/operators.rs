//! What steps over operators agrees with wasmparser, which decodes each: about
//! where they are and what they are, and about what is wrong with a body.

#[path = "../src/operators.rs"]
mod operators;
#[path = "support/random.rs"]
mod random;
#[path = "support/smith.rs"]
mod smith;
#[path = "support/suite.rs"]
mod suite;
#[path = "support/suite_modules.rs"]
mod suite_modules;

use operators::{Operators, Wanted};
use random::Random;
use wasmparser::{BinaryReader, FunctionBody, Operator, Parser, Payload, Result};

/// What the rewriter asks for, and everything.
const WANTED: [Wanted; 7] = {
    const NOTHING: Wanted = Wanted {
        locals: false,
        control: false,
        flow: false,
        memories: false,
    };
    [
        NOTHING,
        Wanted {
            locals: true,
            ..NOTHING
        },
        Wanted {
            control: true,
            ..NOTHING
        },
        Wanted {
            locals: true,
            control: true,
            ..NOTHING
        },
        Wanted {
            flow: true,
            ..NOTHING
        },
        Wanted {
            memories: true,
            ..NOTHING
        },
        Wanted {
            locals: true,
            control: true,
            flow: true,
            memories: true,
        },
    ]
};

/// Operators with their offsets, up to the end or the error.
struct Read<'a> {
    operators: Vec<(u64, Operator<'a>)>,
    end: Result<()>,
}

/// Every operator, by wasmparser.
fn oracle<'a>(body: &FunctionBody<'a>) -> Read<'a> {
    let mut operators = Vec::new();
    let mut all = || -> Result<()> {
        let mut reader = body.get_operators_reader()?;
        while !reader.eof() {
            let (op, offset) = reader.read_with_offset()?;
            operators.push((offset, op));
        }
        Ok(())
    };
    let end = all();
    Read { operators, end }
}

/// How far a caller goes in stepping over operators.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Never,
    /// Over what is not wanted.
    Unwanted,
    /// Over locals as well, if they are short.
    Locals,
}

/// What [`Operators`] gives, and how many it says it stepped over.
fn ours<'a>(body: &FunctionBody<'a>, wanted: Wanted, step: Step) -> (Read<'a>, u32) {
    let (mut operators, mut skipped) = (Vec::new(), 0);
    let mut all = || -> Result<()> {
        let mut reader = Operators::new(body, wanted)?;
        while !reader.eof() {
            if step != Step::Never {
                reader.skip();
                while step == Step::Locals
                    && let Some(index) = reader.step_local()
                {
                    let code = &body.as_bytes()[index - 1..=index];
                    assert!(matches!(code, [0x20..=0x22, 0..0x7f]), "{code:x?}");
                    assert_eq!(reader.position(), index + 1);
                    reader.skip();
                }
                assert!(!reader.eof(), "the last operator is never stepped over");
            }
            skipped = reader.skipped();
            let offset = body.range().start + reader.position() as u64;
            operators.push((offset, reader.read()?));
        }
        Ok(())
    };
    let end = all();
    (Read { operators, end }, skipped)
}

/// Whether a caller that wants this relies on seeing `op`.
fn relies(op: &Operator<'_>, wanted: Wanted, step: Step) -> bool {
    use Operator as O;
    match op {
        O::Call { .. }
        | O::CallIndirect { .. }
        | O::CallRef { .. }
        | O::ReturnCall { .. }
        | O::ReturnCallIndirect { .. }
        | O::ReturnCallRef { .. }
        | O::RefFunc { .. }
        | O::GlobalGet { .. }
        | O::GlobalSet { .. }
        | O::Loop { .. }
        | O::Try { .. }
        | O::TryTable { .. }
        | O::Catch { .. }
        | O::CatchAll
        | O::Delegate { .. } => true,
        O::LocalGet { local_index } | O::LocalSet { local_index } | O::LocalTee { local_index } => {
            wanted.locals && (step == Step::Unwanted || *local_index >= 0x7f)
        }
        O::Block { .. } | O::If { .. } | O::Else | O::End | O::Return => {
            wanted.control || wanted.flow
        }
        _ => {
            let words = format!("{op:?}");
            words.starts_with("GlobalAtomic")
                || (wanted.flow && (has_label(op) || traps(&words)))
                || (wanted.memories && (words.contains("memarg") || words.contains("mem")))
        }
    }
}

/// Whether `op` branches.
fn has_label(op: &Operator<'_>) -> bool {
    let words = format!("{op:?}");
    words.contains("relative_depth") || words.starts_with("BrTable")
}

/// Whether an operator of this name traps for its operands' sake alone, or always.
fn traps(words: &str) -> bool {
    let name = words.split([' ', '{']).next().unwrap_or_default();
    let is_integer = name.starts_with("I32") || name.starts_with("I64");
    let parts = ["DivS", "DivU", "RemS", "RemU", "TruncF32", "TruncF64"];
    name == "Unreachable" || (is_integer && parts.iter().any(|part| name.contains(part)))
}

fn compare(body: &FunctionBody<'_>, at: &str) {
    let expected = oracle(body);
    let error = |end: &Result<()>| end.as_ref().err().map(ToString::to_string);
    // A `br_table` of two readers is never equal.
    let same = |a: &Operator<'_>, b: &Operator<'_>| a == b || format!("{a:?}") == format!("{b:?}");
    for (i, wanted) in WANTED.into_iter().enumerate() {
        for step in [Step::Never, Step::Unwanted, Step::Locals] {
            let at = format!("{at}, wanted {i}, step over {step:?}");
            let (read, skipped) = ours(body, wanted, step);
            assert_eq!(error(&read.end), error(&expected.end), "{at}");
            let mut rest = read.operators.iter().peekable();
            let mut missing = 0;
            for (offset, op) in &expected.operators {
                if let Some((_, read)) = rest.next_if(|(read, _)| read == offset) {
                    assert!(same(read, op), "{at}: {read:?} at {offset:#x} is {op:?}");
                    continue;
                }
                assert!(
                    step != Step::Never && !relies(op, wanted, step),
                    "{at}: no {op:?} at {offset:#x}"
                );
                missing += u32::from(!matches!(op, Operator::End | Operator::Else));
            }
            assert!(rest.next().is_none(), "{at}: too many operators");
            assert_eq!(skipped, missing, "{at}");
        }
    }
}

/// Every body of the module as it is, cut short, and with wrong bytes. Returns their number.
fn compare_all(bytes: &[u8], at: &str, damages: usize) -> usize {
    let mut random = Random::new(bytes.len() as u64);
    let mut bodies = 0;
    for payload in Parser::new(0).parse_all(bytes) {
        let Ok(Payload::CodeSectionEntry(body)) = payload else {
            continue;
        };
        bodies += 1;
        let at = format!("{at}, body at {:#x}", body.range().start);
        compare(&body, &at);
        for i in 0..damages {
            let mut bytes = body.as_bytes().to_vec();
            let place = random.below(bytes.len());
            match i % 3 {
                0 => bytes.truncate(place),
                1 => bytes[place] = (random.next() >> 56) as u8,
                _ => bytes.insert(place, random.next() as u8 | 0x80),
            }
            let start = body.range().start;
            let damaged = FunctionBody::new(BinaryReader::new(&bytes, start));
            compare(&damaged, &format!("{at}, damaged {i}: {bytes:02x?}"));
        }
    }
    bodies
}

#[test]
fn of_generated_modules() {
    let modules = (0..200).filter_map(|seed| Some((seed, smith::module(seed)?)));
    let bodies: usize = modules
        .map(|(seed, bytes)| compare_all(&bytes, &format!("seed {seed}"), 12))
        .sum();
    assert!(bodies > 500, "{bodies} bodies");
}

#[test]
fn of_the_specifications_modules() {
    let bodies = suite::each(&suite::scripts(), |script| {
        let mut bodies = 0;
        suite_modules::modules(script, |at, bytes| bodies += compare_all(&bytes, at, 3));
        bodies
    });
    let bodies: usize = bodies.into_iter().sum();
    assert!(bodies > 20_000, "{bodies} bodies");
}
