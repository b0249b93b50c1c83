//! What a user typed to choose among functions, threads or phases.

use crate::error::{Error, Result};
use crate::names::escape;
use crate::suggest::offer;

/// Something to choose.
#[derive(Clone, Copy, Default)]
pub(super) struct Named<'a> {
    pub name: Option<&'a str>,
    pub raw: Option<&'a str>,
    /// It goes by `#ID` too.
    pub id: Option<u64>,
}

/// Which of the items go by one of the names.
///
/// # Errors
///
/// A name fits none of them: says which there are.
pub(super) fn choose(what: &str, names: &[String], items: &[Named]) -> Result<Vec<bool>> {
    let mut chosen = vec![false; items.len()];
    for name in names {
        let pattern = Pattern::new(name, items);
        let mut any = false;
        for (chosen, item) in chosen.iter_mut().zip(items) {
            if pattern.fits(item) {
                (*chosen, any) = (true, true);
            }
        }
        if !any {
            return Err(Error::new(fits_nothing(what, name, items)));
        }
    }
    Ok(chosen)
}

fn fits_nothing(what: &str, name: &str, items: &[Named]) -> String {
    format!(
        "no {what} has {:?} in its name{}",
        escape(name),
        offer(name, items.iter().filter_map(|item| item.name))
    )
}

/// A name, a part of one, or a glob with `*` and `?` that fits the whole name.
struct Pattern<'a> {
    text: &'a str,
    /// Some name is the text itself: then only that is meant.
    exact: bool,
    id: Option<u64>,
}

impl<'a> Pattern<'a> {
    fn new(text: &'a str, items: &[Named]) -> Pattern<'a> {
        let id = text.strip_prefix('#').and_then(|id| id.parse().ok());
        let is_text = |item: &Named| item.name == Some(text) || item.raw == Some(text);
        Pattern {
            text,
            exact: items.iter().any(is_text),
            id: id.filter(|id| items.iter().any(|item| item.id == Some(*id))),
        }
    }

    fn fits(&self, item: &Named) -> bool {
        let mut names = [item.name, item.raw].into_iter().flatten();
        if self.exact {
            names.any(|name| name == self.text)
        } else if self.id.is_some() {
            item.id == self.id
        } else if self.text.contains(['*', '?']) {
            names.any(|name| glob(self.text, name))
        } else {
            names.any(|name| name.contains(self.text))
        }
    }
}

/// `*` is any text, `?` any one character; no recursion, whatever the glob.
fn glob(glob: &str, name: &str) -> bool {
    let (mut glob, mut name) = (glob.chars(), name.chars());
    // After the last `*`, and what of the name it has not taken yet.
    let mut retry: Option<(std::str::Chars, std::str::Chars)> = None;
    loop {
        match (glob.next(), name.clone().next()) {
            (Some('*'), _) => retry = Some((glob.clone(), name.clone())),
            (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                name.next();
            }
            (None, None) => return true,
            _ => {
                // The last `*` takes one more character, if there is one.
                let Some((after, rest)) = &mut retry else {
                    return false;
                };
                if rest.next().is_none() {
                    return false;
                }
                (glob, name) = (after.clone(), rest.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Named, choose, glob};

    #[test]
    fn globs_fit_whole_names() {
        for (pattern, name, fits) in [
            ("*", "", true),
            ("a*", "abc", true),
            ("a*", "ba", false),
            ("*b*", "abc", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("?", "é", true),
            ("*a*b*c", "xaxbxbxc", true),
            ("*a*b*c", "xaxbxbx", false),
            ("**", "x", true),
            ("", "x", false),
            ("*::fmt*", "core::fmt::write", true),
        ] {
            assert_eq!(glob(pattern, name), fits, "{pattern} {name}");
        }
        let slow = "*a".repeat(50);
        assert!(!glob(&slow, &"a".repeat(49)));
    }

    #[test]
    fn a_name_that_is_there_is_meant_alone() {
        let names = ["main", "domain", "f(char*)", "f(charles)"];
        let items: Vec<Named> = (7..)
            .zip(names)
            .map(|(id, name)| Named {
                name: Some(name),
                raw: (name == "main").then_some("_main"),
                id: Some(id),
            })
            .collect();
        let fitting = |text: &str| {
            let chosen = choose("function", &[text.to_owned()], &items)?;
            let names = names.iter().zip(chosen).filter(|(_, chosen)| *chosen);
            Ok::<_, crate::error::Error>(names.map(|(name, _)| *name).collect::<Vec<_>>())
        };
        assert_eq!(fitting("main").unwrap(), ["main"]);
        assert_eq!(fitting("_main").unwrap(), ["main"]);
        assert_eq!(fitting("mai").unwrap(), ["main", "domain"]);
        assert_eq!(fitting("f(char*)").unwrap(), ["f(char*)"]);
        assert_eq!(fitting("f*").unwrap(), ["f(char*)", "f(charles)"]);
        assert_eq!(fitting("#8").unwrap(), ["domain"]);
        assert_eq!(
            fitting("#88").unwrap_err().to_string(),
            "no function has \"#88\" in its name; there are main, domain, f(char*), f(charles)"
        );
    }
}
