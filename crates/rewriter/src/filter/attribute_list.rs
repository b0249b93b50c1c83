//! LLVM XRay's attribute list, the file of clang's `-fxray-attr-list`.
//!
//! ```text
//! # A comment.
//! [always]
//! fun:parse*
//! [never]
//! fun:*::drop
//! ```

use super::globs::Globs;
use crate::error::Error;

/// Adds the entries of `text` to the lists.
///
/// # Errors
///
/// A line that means nothing here, with its number.
pub(crate) fn parse(text: &str, always: &mut Globs, never: &mut Globs) -> Result<(), Error> {
    let mut section = None;
    for (number, line) in text.lines().enumerate() {
        let fail = |why: &str| Err(Error::filter(format!("line {}: {why}", number + 1)));
        let line = without_comment(line);
        if line.is_empty() {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            section = match name.strip_suffix(']').map(str::trim) {
                Some("always") => Some(true),
                Some("never") => Some(false),
                Some(name) => {
                    return fail(&format!(
                        "there is no section [{name}]; there are [always] and [never]"
                    ));
                }
                None => return fail("a section's name ends in ]"),
            };
            continue;
        }
        let Some((kind, glob)) = line.split_once(':') else {
            return fail("an entry is fun: and a glob, such as fun:parse*");
        };
        if kind != "fun" {
            return fail(&format!(
                "{kind}: is not known here, as modules do not name their sources; use fun: and a function's name"
            ));
        }
        // XRay's one category: log the first argument as well.
        let glob = glob.strip_suffix("=arg1").unwrap_or(glob).trim();
        if glob.is_empty() {
            return fail("there is no name behind fun:");
        }
        match section {
            Some(true) => always.add(glob),
            Some(false) => never.add(glob),
            None => return fail("put [always] or [never] before the first entry"),
        }
    }
    Ok(())
}

/// The line without surrounding space and without a comment, which starts at the line's start or behind a space.
fn without_comment(line: &str) -> &str {
    let line = line.trim();
    if line.starts_with('#') {
        return "";
    }
    match line.find(" #").or_else(|| line.find("\t#")) {
        Some(at) => line[..at].trim_end(),
        None => line,
    }
}
