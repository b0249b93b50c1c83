//! `index:name` lines, as Emscripten's `--emit-symbol-map` writes them.

use wasm_xray_abi::map::Symbols;

use crate::error::{Error, Result};

/// More functions than any engine takes.
const MAX_FUNCTIONS: usize = 10_000_000;

/// Names by function index, imports included.
///
/// # Errors
///
/// A line is not `index:name`; says which.
pub fn parse_symbol_map(bytes: &[u8]) -> Result<Symbols> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut names: Vec<Option<String>> = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (index, name) = split(line).ok_or_else(|| {
            Error::new(format!(
                "line {number} is not a function index below {MAX_FUNCTIONS}, a colon and a name"
            ))
        })?;
        if index >= names.len() {
            names.resize(index + 1, None);
        }
        if !name.is_empty() {
            names[index] = Some(name);
        }
    }
    if names.iter().all(Option::is_none) {
        return Err(Error::new("there is no name in it"));
    }
    Ok(Symbols {
        names,
        ..Symbols::default()
    })
}

fn split(line: &[u8]) -> Option<(usize, String)> {
    let colon = line.iter().position(|byte| *byte == b':')?;
    let index: usize = std::str::from_utf8(&line[..colon])
        .ok()?
        .trim()
        .parse()
        .ok()?;
    let name = String::from_utf8_lossy(&unescape(&line[colon + 1..])).into_owned();
    (index < MAX_FUNCTIONS).then_some((index, name))
}

/// Binaryen writes what the text format would not take in a name as `\` and two
/// hexadecimal digits.
fn unescape(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    let mut at = 0;
    while at < name.len() {
        let byte = match &name[at..] {
            [b'\\', high, low, ..] => hex(*high).zip(hex(*low)).map(|(high, low)| high << 4 | low),
            _ => None,
        };
        at += if byte.is_some() { 3 } else { 1 };
        out.push(byte.unwrap_or(name[at - 1]));
    }
    out
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests {
    use super::parse_symbol_map;

    fn names(text: &[u8]) -> Vec<Option<String>> {
        parse_symbol_map(text).unwrap().names
    }

    #[test]
    fn reads_what_emscripten_writes() {
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(names(b"0:a\n1:b\n"), [some("a"), some("b")]);
        assert_eq!(names(b"\xef\xbb\xbf1:b\r\n\r\n0:\r\n"), [None, some("b")]);
        assert_eq!(
            names(b"0:std::vector<int>::size\\28\\29 const\n"),
            [some("std::vector<int>::size() const")]
        );
        assert_eq!(names(b"0:C:\\dir\\zz\\"), [some("C:\\dir\\zz\\")]);
        assert_eq!(names(b"0:\xff"), [some("\u{fffd}")]);
        assert_eq!(names(b"0:\\c3\\a9"), [some("\u{e9}")]);
        assert_eq!(names(b"0:a\n0:b"), [some("b")]);
    }

    #[test]
    fn says_which_line_is_wrong() {
        for (text, message) in [
            (&b"0:a\nb"[..], "line 2"),
            (b"-1:a", "line 1"),
            (b"x:a", "line 1"),
            (b"10000000:a", "line 1"),
            (b"99999999999999999999999:a", "line 1"),
            (b":a", "line 1"),
            (b"0:\n", "no name"),
            (b"", "no name"),
        ] {
            let error = parse_symbol_map(text).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
