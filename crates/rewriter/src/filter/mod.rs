//! Which functions are instrumented, as the user wants it.

mod attribute_list;
mod globs;

use crate::analysis::Analysis;
use crate::error::Error;
use crate::identity::module_hash;
use crate::index::OldFunc;
use globs::{Globs, Matcher};
use wasm_xray_names::display_name;

/// Which functions to instrument; the default is all.
///
/// A function is known by its raw name (name section, or `module.field` of an
/// import), by the names of its exports, and by each of these demangled; one
/// without any is `func[index]`, as in reports. Globs match whole names: `*` stands for any characters, `?` for one, all else for
/// itself; a glob such as `app!parse*` names the module as well. The first rule
/// that applies decides:
///
/// 1. an `exclude` glob matches: left out;
/// 2. the attribute list says `[always]`: instrumented;
/// 3. the attribute list says `[never]`: left out;
/// 4. there are `include` globs and none matches: left out;
/// 5. the function has fewer instructions than asked for, and no loop: left out.
///
/// Imported functions obey the same rules but the last. What is left out is
/// transparent: its callees hang under its nearest instrumented caller.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    include: Globs,
    exclude: Globs,
    always: Globs,
    never: Globs,
    min_instructions: u32,
}

impl Filter {
    /// Instruments every function.
    pub const ALL: Filter = Filter {
        include: Globs::NONE,
        exclude: Globs::NONE,
        always: Globs::NONE,
        never: Globs::NONE,
        min_instructions: 0,
    };

    /// Instruments what matches this or another such glob, and nothing else.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Filter`](crate::ErrorKind::Filter): the glob is empty.
    pub fn include(&mut self, glob: &str) -> Result<(), Error> {
        self.include.add(checked(glob)?);
        Ok(())
    }

    /// Leaves out what matches.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Filter`](crate::ErrorKind::Filter): the glob is empty.
    pub fn exclude(&mut self, glob: &str) -> Result<(), Error> {
        self.exclude.add(checked(glob)?);
        Ok(())
    }

    /// Leaves out functions of fewer instructions that have no loop, as XRay
    /// does. Instructions are those of the code, `end` and `else` not counted; 0
    /// leaves out none.
    pub fn min_instructions(&mut self, instructions: u32) {
        self.min_instructions = instructions;
    }

    /// Adds the entries of an attribute list: sections `[always]` and `[never]`
    /// of lines `fun:glob`, with comments after `#`. A function in both is
    /// instrumented, as LLVM has it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Filter`](crate::ErrorKind::Filter) with the number of the line that is wrong.
    pub fn attribute_list(&mut self, text: &str) -> Result<(), Error> {
        attribute_list::parse(text, &mut self.always, &mut self.never)
    }

    /// Applies the filter to a module; `name` is the module's if it has none of its own.
    pub(crate) fn select(&self, a: &Analysis<'_>, name: &str) -> Selection {
        let mut left_out = vec![false; a.function_count()];
        let lists = [&self.include, &self.exclude, &self.always, &self.never];
        if lists.iter().all(|list| list.is_empty()) {
            for (i, f) in a.functions.iter().enumerate() {
                left_out[a.imports.len() + i] = self.is_small(f.instructions, f.has_loop);
            }
            return Selection {
                left_out,
                unmatched: Vec::new(),
            };
        }
        let module = a.names.module.filter(|own| !own.is_empty()).unwrap_or(name);
        let mut matchers = lists.map(Matcher::new);
        for (i, (left_out, names)) in left_out.iter_mut().zip(names(a)).enumerate() {
            // Each list sees each function, to know which globs are of no use.
            let [included, excluded, always, never] =
                matchers.each_mut().map(|list| list.matches(module, &names));
            let f = a.functions.find(OldFunc(i as u32), a.imports.len());
            let small = f.is_some_and(|f| self.is_small(f.instructions, f.has_loop));
            let missing = !self.include.is_empty() && !included;
            *left_out = excluded || (!always && (never || missing || small));
        }
        let lists = ["include ", "exclude ", "always fun:", "never fun:"];
        let unmatched = lists.iter().zip(&matchers).flat_map(|(list, matcher)| {
            matcher.unmatched().map(move |glob| format!("{list}{glob}"))
        });
        let unmatched = unmatched.collect();
        Selection {
            left_out,
            unmatched,
        }
    }

    fn is_small(&self, instructions: u32, has_loop: bool) -> bool {
        instructions < self.min_instructions && !has_loop
    }
}

fn checked(glob: &str) -> Result<&str, Error> {
    if glob.is_empty() {
        return Err(Error::filter(
            "a glob is empty; give a function's name, with * for any characters",
        ));
    }
    Ok(glob)
}

/// A filter applied to a module.
pub(crate) struct Selection {
    /// By function index, imports included: left out by choice.
    left_out: Vec<bool>,
    /// Globs that match no function of the module, each behind the name of its list.
    pub unmatched: Vec<String>,
}

impl Selection {
    pub fn leaves_out(&self, f: OldFunc) -> bool {
        self.left_out[f.index()]
    }

    /// Functions left out, imports included.
    pub fn count(&self) -> u32 {
        self.left_out.iter().filter(|left_out| **left_out).count() as u32
    }

    /// The same for the same functions left out; empty if none are.
    pub fn identity(&self) -> String {
        if self.count() == 0 {
            return String::new();
        }
        let bytes: Vec<u8> = self
            .left_out
            .iter()
            .map(|&left_out| left_out.into())
            .collect();
        module_hash(&bytes)
    }
}

/// All names of each function by index.
fn names(a: &Analysis<'_>) -> Vec<Vec<String>> {
    let mut names = vec![Vec::new(); a.function_count()];
    for (names, import) in names.iter_mut().zip(&a.imports) {
        names.push(format!("{}.{}", import.module, import.name));
    }
    for (function, name) in a.names.functions() {
        // The name section may name functions that are not there.
        if let Some(names) = names.get_mut(function.index()) {
            names.push(name.to_owned());
        }
    }
    for &(function, name) in &a.export_names {
        names[function as usize].push(name.to_owned());
    }
    for (function, names) in names.iter_mut().enumerate() {
        names.retain(|name| !name.is_empty());
        if names.is_empty() {
            // As reports show it.
            names.push(format!("func[{function}]"));
        }
        for i in 0..names.len() {
            let shown = display_name(&names[i]);
            if shown != names[i] {
                names.push(shown);
            }
        }
    }
    names
}
