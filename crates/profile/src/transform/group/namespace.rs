//! The outermost part of a name, by the language that it looks like.

use crate::model::Kind;

/// What compilers put behind the name of a C function, after a dot.
const SUFFIXES: [&str; 7] = [
    "cold",
    "constprop",
    "isra",
    "llvm",
    "localalias",
    "lto_priv",
    "part",
];

/// Crate, namespace, package or file; in parentheses, if the name has none.
pub(super) fn namespace(name: &str, kind: Kind) -> String {
    let found = if kind == Kind::Import {
        import_module(name)
    } else {
        path_head(name).or_else(|| package(name))
    };
    match (found, kind) {
        (Some(found), _) => found.to_owned(),
        (None, Kind::Import) => "(imports)".to_owned(),
        (None, _) => "(no namespace)".to_owned(),
    }
}

/// Imports without a name of their own are called `module.field`.
fn import_module(name: &str) -> Option<&str> {
    let split = if name.contains('/') {
        name.rsplit_once('.')
    } else {
        name.split_once('.')
    };
    split.map(|(module, _)| module).filter(|m| !m.is_empty())
}

/// Rust and C++: what is before the first `::`.
fn path_head(name: &str) -> Option<&str> {
    if let Some(inner) = name.strip_prefix('<') {
        // `<Type as Trait>::function`: the type's crate, or if it has none, the trait's.
        let end = closing(inner)?;
        let (of_type, of_trait) = match split_at_depth_0(&inner[..end], " as ") {
            Some((of_type, of_trait)) => (of_type, Some(of_trait)),
            None => (&inner[..end], None),
        };
        let of_type = of_type.trim_start_matches(|c| "&*([".contains(c));
        let of_type = ["mut ", "const ", "dyn "]
            .iter()
            .fold(of_type, |t, word| t.strip_prefix(word).unwrap_or(t));
        return path_head(of_type).or_else(|| path_head(of_trait?));
    }
    if let Some(rest) = name.strip_prefix("(anonymous namespace)::") {
        return Some(&name[..name.len() - rest.len() - 2]);
    }
    // `void ns::f<int>(int)`: not the parameters, and what stands last before them.
    let callable = split_at_depth_0(name, "(").map_or(name, |(before, _)| before);
    let start = last_at_depth_0(callable, ' ').map_or(0, |at| at + 1);
    let (head, _) = split_at_depth_0(&callable[start..], "::")?;
    let head = head.split('<').next().unwrap_or(head);
    (!head.is_empty()).then_some(head)
}

/// Go and AssemblyScript: `net/http.Get`, `~lib/array/Array<i32>#push`.
fn package(name: &str) -> Option<&str> {
    let plain = &name[..name.find(['<', '[', '(', '#', ' ']).unwrap_or(name.len())];
    let file = plain.rfind('/').map(|at| &name[..at]);
    let after = file.map_or(0, |file| file.len() + 1);
    let symbol = &plain[after..];
    if let Some((first, rest)) = symbol.split_once('.') {
        let suffix = rest.split('.').next().unwrap_or(rest);
        let is_suffix = SUFFIXES.contains(&suffix) || suffix.starts_with(|c: char| c.is_numeric());
        if !first.is_empty() && !is_suffix {
            return Some(&name[..after + first.len()]);
        }
    }
    file.filter(|file| !file.is_empty())
}

/// Where the bracket closes that was opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, char) in text.char_indices() {
        match char {
            '<' => depth += 1,
            '>' if text[..at].ends_with('-') => {}
            '>' if depth == 0 => return Some(at),
            '>' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Splits at the first `separator` that is in no angle brackets.
fn split_at_depth_0<'a>(text: &'a str, separator: &str) -> Option<(&'a str, &'a str)> {
    let mut found = None;
    at_depth_0(text, |at| {
        let hit = text[at..].starts_with(separator);
        if hit {
            found = Some((&text[..at], &text[at + separator.len()..]));
        }
        hit
    });
    found
}

fn last_at_depth_0(text: &str, wanted: char) -> Option<usize> {
    let mut last = None;
    at_depth_0(text, |at| {
        if text[at..].starts_with(wanted) {
            last = Some(at);
        }
        false
    });
    last
}

/// Visits what is in no angle brackets until the visitor has seen enough.
fn at_depth_0(text: &str, mut visit: impl FnMut(usize) -> bool) {
    let mut depth = 0u32;
    for (at, char) in text.char_indices() {
        if depth == 0 && visit(at) {
            return;
        }
        match char {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, namespace};

    #[test]
    fn names_of_all_languages() {
        for (name, expected) in [
            ("core::fmt::write", "core"),
            (
                "<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
                "alloc",
            ),
            (
                "<&mut serde_json::Map<K,V> as core::fmt::Debug>::fmt",
                "serde_json",
            ),
            ("<i32 as core::fmt::Display>::fmt", "core"),
            ("<dyn app::Shape>::area", "app"),
            ("app::run::{{closure}}", "app"),
            ("<F as app::Handler<fn(A) -> B>>::call", "app"),
            (
                "std::vector<int, std::allocator<int> >::push_back(int&&)",
                "std",
            ),
            ("void std::__sort<int*>(int*, int*)", "std"),
            ("Map<std::string>::get(int)", "Map"),
            (
                "(anonymous namespace)::helper(int)",
                "(anonymous namespace)",
            ),
            ("non-virtual thunk to ui::Button::draw()", "ui"),
            ("operator new(unsigned long)", "(no namespace)"),
            ("leaf(std::string)", "(no namespace)"),
            ("runtime.mallocgc", "runtime"),
            ("net/http.(*conn).serve", "net/http"),
            ("slices.Sort[go.shape.int]", "slices"),
            ("~lib/rt/itcms/__new", "~lib/rt/itcms"),
            ("~lib/array/Array<~lib/string/String>#push", "~lib/array"),
            ("sqlite3_step", "(no namespace)"),
            ("yy_reduce.cold", "(no namespace)"),
            ("memcpy.1", "(no namespace)"),
            ("", "(no namespace)"),
            ("<", "(no namespace)"),
            ("::", "(no namespace)"),
            (">>->", "(no namespace)"),
        ] {
            assert_eq!(namespace(name, Kind::Wasm), expected, "{name}");
        }
        for (name, expected) in [
            ("env.now", "env"),
            ("gojs.runtime.wasmExit", "gojs"),
            ("./app_bg.js.__wbg_new", "./app_bg.js"),
            ("__wbindgen_throw", "(imports)"),
        ] {
            assert_eq!(namespace(name, Kind::Import), expected, "{name}");
        }
    }
}
