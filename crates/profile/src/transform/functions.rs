//! Functions that a transform makes, and those that no path has any more.

use crate::error::{Error, Result};
use crate::model::{FileFunctionId, Function, FunctionId, Kind, Profile, Thread, Trie};

/// All light paths below one caller.
pub(super) const OTHER: &str = "(other)";

impl Profile {
    /// The same profile with other tries, one for each thread.
    pub(super) fn with_tries(
        &self,
        mut trie: impl FnMut(&Trie) -> Result<Trie>,
    ) -> Result<Profile> {
        let threads = self.threads.iter().map(|thread| {
            Ok(Thread {
                trie: trie(&thread.trie)?,
                ..thread.without_calls()
            })
        });
        Ok(Profile {
            threads: threads.collect::<Result<_>>()?,
            ..self.without_threads()
        })
    }

    /// Everything but the calls.
    pub(super) fn without_threads(&self) -> Profile {
        Profile {
            threads: Vec::new(),
            modules: self.modules.clone(),
            functions: self.functions.clone(),
            skipped_modules: self.skipped_modules.clone(),
            unseen: self.unseen.clone(),
            ..*self
        }
    }

    /// Leaves out functions that are in no trie.
    pub(super) fn with_used_functions(mut self) -> Profile {
        let mut used = vec![false; self.functions.len()];
        for thread in &self.threads {
            for function in &thread.trie.functions {
                used[function.index()] = true;
            }
        }
        let mut next = 0;
        let new_ids: Vec<FunctionId> = used
            .iter()
            .map(|used| {
                next += u32::from(*used);
                FunctionId(next.saturating_sub(1))
            })
            .collect();
        for thread in &mut self.threads {
            for function in &mut thread.trie.functions {
                *function = new_ids[function.index()];
            }
        }
        let mut used = used.into_iter();
        self.functions
            .retain(|_| used.next().expect("one for each function"));
        self
    }

    /// Adds a function that no module has, after all others.
    ///
    /// # Errors
    ///
    /// The ids are used up.
    pub(super) fn add_function(&mut self, name: String, kind: Kind) -> Result<FunctionId> {
        let modules = self.modules.iter().map(|module| {
            let functions = u32::try_from(module.map.names.len()).unwrap_or(u32::MAX);
            module.base.saturating_add(functions)
        });
        let functions = self.functions.last().map(|last| last.id.0 + 1);
        let id = modules.chain(functions).max().unwrap_or(1).max(1);
        if id > i32::MAX as u32 {
            return Err(Error::new(
                "the profile uses function ids up to the last one: there is none left for a group",
            ));
        }
        self.functions.push(Function {
            id: FileFunctionId(id),
            module: None,
            index: id,
            name,
            kind,
            file: None,
            line: None,
        });
        Ok(FunctionId(self.functions.len() as u32 - 1))
    }
}

impl Thread {
    pub(super) fn without_calls(&self) -> Thread {
        Thread {
            id: self.id,
            name: self.name.clone(),
            phase: self.phase.clone(),
            trie: Trie::default(),
        }
    }
}
