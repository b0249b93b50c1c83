//! Names for people. A name is data from a file: it can hold anything and be of any length.

use std::fmt::{self, Write as _};

/// Longest name that is demangled, and longest result, in bytes. Mangled names
/// refer back to themselves, so a short one can stand for a very long one.
const MAX_NAME: usize = 16 << 10;
/// Nesting that the C++ demangler follows; it recurses.
const MAX_NESTING: u32 = 96;

/// Name to show for a raw name: demangled Rust (without the hash) or C++, else as it is.
pub fn display_name(raw: &str) -> String {
    demangle(raw).unwrap_or_else(|| without_rust_hash(raw).to_owned())
}

fn demangle(raw: &str) -> Option<String> {
    if raw.len() > MAX_NAME {
        return None;
    }
    // Some toolchains put one more underscore in front of every symbol.
    let symbol = raw.strip_prefix("__").map_or(raw, |_| &raw[1..]);
    if symbol.starts_with("_R") || is_legacy_rust(symbol) {
        let name = rustc_demangle::try_demangle(symbol).ok()?;
        return capped(|out| write!(out, "{name:#}"));
    }
    if symbol.starts_with("_Z") {
        let parse = cpp_demangle::ParseOptions::default().recursion_limit(MAX_NESTING);
        let demangle = cpp_demangle::DemangleOptions::default().recursion_limit(MAX_NESTING);
        let name = cpp_demangle::Symbol::new_with_options(symbol, &parse).ok()?;
        return capped(|out| name.structured_demangle(out, &demangle));
    }
    None
}

/// Legacy Rust names look like C++ names that end in a hash.
fn is_legacy_rust(symbol: &str) -> bool {
    let Some(hash) = symbol
        .starts_with("_ZN")
        .then(|| symbol.rfind("17h"))
        .flatten()
    else {
        return false;
    };
    let rest = &symbol.as_bytes()[hash + 3..];
    rest.len() > 16 && rest[..16].iter().all(u8::is_ascii_hexdigit) && rest[16] == b'E'
}

/// Linkers demangle Rust names but leave the hash: `core::fmt::write::h0123456789abcdef`.
fn without_rust_hash(name: &str) -> &str {
    match name.rsplit_once("::h") {
        Some((path, hash))
            if !path.is_empty()
                && hash.len() == 16
                && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) =>
        {
            path
        }
        _ => name,
    }
}

fn capped(write: impl FnOnce(&mut Capped) -> fmt::Result) -> Option<String> {
    let mut out = Capped(String::new());
    write(&mut out).ok()?;
    (!out.0.is_empty()).then_some(out.0)
}

struct Capped(String);

impl fmt::Write for Capped {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_NAME {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// The name with everything that a terminal or a text format could take for a
/// command as `\u{…}`: control characters, line separators, changes of direction.
pub fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for char in name.chars() {
        if is_unprintable(char) {
            out.extend(char.escape_unicode());
        } else {
            out.push(char);
        }
    }
    out
}

fn is_unprintable(char: char) -> bool {
    char.is_control()
        || matches!(char,
            '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' | '\u{61C}')
}

#[cfg(test)]
mod tests {
    use super::{display_name, escape};

    #[test]
    fn demangles() {
        for (raw, name) in [
            ("main", "main"),
            ("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"),
            ("core::fmt::write::h0123456789abcdef", "core::fmt::write"),
            (
                "_RNvCskwGfYPst2Cb_3foo16example_function",
                "foo::example_function",
            ),
            ("_Z3fooi", "foo(int)"),
            ("__Z3fooi", "foo(int)"),
            ("_ZN3foo3barEv", "foo::bar()"),
            ("_Z", "_Z"),
            ("_R", "_R"),
            ("__original_main", "__original_main"),
            ("_ZN17hE", "_ZN17hE"),
            ("env._Z3foo", "env._Z3foo"),
            ("a::hXYZ", "a::hXYZ"),
            ("::h0123456789abcdef", "::h0123456789abcdef"),
        ] {
            assert_eq!(display_name(raw), name, "{raw}");
        }
    }

    #[test]
    fn hostile_names_stay_small_and_do_not_crash() {
        // Each argument names all before it: 2^40 of them when written out.
        let mut bomb = String::from("_Z1fSt4pairIiiE");
        for back in 0..40 {
            bomb += &format!(
                "S_IS{}_S{}_E",
                ["", "0", "1"][back % 3],
                ["", "0", "1"][back % 3]
            );
        }
        let deep = format!("_Z1f{}i", "P".repeat(10_000));
        let long = "x".repeat(1 << 20);
        for name in [&bomb, &deep, &long] {
            assert!(display_name(name).len() <= name.len().max(16 << 10));
        }
    }

    #[test]
    fn escapes_what_terminals_obey() {
        assert_eq!(
            escape("a\u{1b}[2Jb\n\u{202e}é 名"),
            "a\\u{1b}[2Jb\\u{a}\\u{202e}é 名"
        );
    }
}
