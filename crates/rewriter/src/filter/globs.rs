//! A list of globs over function names.

use std::collections::BTreeMap;
use wildmatch::WildMatch;

/// Separates the module from the function in a glob.
const MODULE: char = '!';

/// Globs in the order in which they were given. `*` stands for any characters,
/// `?` for one; all else, brackets and braces too, stands for itself, as names
/// are full of it. One with a `!` is for `module!function` as well as for a
/// function's name, one without for the name alone. A glob matches a whole name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globs {
    texts: Vec<String>,
    /// Those without a wildcard: attribute lists can have thousands.
    exact: BTreeMap<String, usize>,
    wild: Vec<(usize, WildMatch)>,
}

impl Globs {
    pub const NONE: Globs = Globs {
        texts: Vec::new(),
        exact: BTreeMap::new(),
        wild: Vec::new(),
    };

    pub fn add(&mut self, glob: &str) {
        if self.texts.iter().any(|text| text == glob) {
            return;
        }
        let index = self.texts.len();
        self.texts.push(glob.to_owned());
        if glob.contains(['*', '?']) {
            self.wild.push((index, WildMatch::new(glob)));
        } else {
            self.exact.insert(glob.to_owned(), index);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// The globs of one list and which of them matched so far.
pub(crate) struct Matcher<'g> {
    globs: &'g Globs,
    matched: Vec<bool>,
    /// Whether any glob names modules.
    wants_modules: bool,
}

impl<'g> Matcher<'g> {
    pub fn new(globs: &'g Globs) -> Matcher<'g> {
        Matcher {
            globs,
            matched: vec![false; globs.texts.len()],
            wants_modules: globs.texts.iter().any(|text| text.contains(MODULE)),
        }
    }

    /// Whether a glob matches one of a function's names.
    pub fn matches(&mut self, module: &str, names: &[String]) -> bool {
        let mut found = false;
        for name in names {
            found |= self.matches_text(name, false);
            if self.wants_modules {
                found |= self.matches_text(&format!("{module}{MODULE}{name}"), true);
            }
        }
        found
    }

    fn matches_text(&mut self, text: &str, with_module: bool) -> bool {
        let mut found = false;
        if let Some(&index) = self.globs.exact.get(text) {
            self.matched[index] = true;
            found = true;
        }
        for (index, pattern) in &self.globs.wild {
            // `foo*` is not meant to match all functions of a module foo.
            let applies = !with_module || self.globs.texts[*index].contains(MODULE);
            if applies && pattern.matches(text) {
                self.matched[*index] = true;
                found = true;
            }
        }
        found
    }

    /// Globs that matched no function.
    pub fn unmatched(&self) -> impl Iterator<Item = &str> {
        let all = self.globs.texts.iter().zip(&self.matched);
        all.filter(|(_, matched)| !**matched)
            .map(|(text, _)| text.as_str())
    }
}
