//! Source files by number.

use std::collections::HashMap;

/// Each file once, in the order in which they were met.
#[derive(Default)]
pub(crate) struct Files {
    numbers: HashMap<String, u32>,
}

impl Files {
    pub fn number(&mut self, name: String) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(name).or_insert(next)
    }

    pub fn into_names(self) -> Vec<String> {
        let mut names: Vec<(u32, String)> = self
            .numbers
            .into_iter()
            .map(|(name, at)| (at, name))
            .collect();
        names.sort_unstable();
        names.into_iter().map(|(_, name)| name).collect()
    }
}

/// `path` seen from `base`, as compilers join them; without `.` for the folder itself.
pub(crate) fn join(base: &str, path: &str) -> String {
    let joined = if base.is_empty() || is_absolute(path) {
        path.to_owned()
    } else {
        let separator = if base.contains('\\') && !base.contains('/') {
            '\\'
        } else {
            '/'
        };
        format!("{}{separator}{path}", base.trim_end_matches(['/', '\\']))
    };
    let parts: Vec<&str> = joined.split('/').filter(|part| *part != ".").collect();
    parts.join("/")
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with(['/', '\\'])
        || (bytes.len() > 2 && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\'))
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn joins_as_compilers_do() {
        for (base, path, joined) in [
            ("", "a.c", "a.c"),
            ("/src", "a.c", "/src/a.c"),
            ("/src/", "./lib/././a.c", "/src/lib/a.c"),
            ("/src", "/usr/a.c", "/usr/a.c"),
            ("C:\\src", "a.c", "C:\\src\\a.c"),
            ("/src", "C:\\a.c", "C:\\a.c"),
            ("/src", "../a.c", "/src/../a.c"),
            ("", "./a.c", "a.c"),
        ] {
            assert_eq!(join(base, path), joined);
        }
    }
}
