//! Functions of a kind as one.

mod namespace;

use std::collections::HashMap;

use serde::Deserialize;

use self::namespace::namespace;
use crate::error::Result;
use crate::model::{FunctionId, Kind, NodeId, Profile, Trie};
use crate::trie::Builder;

/// What functions have in common that become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupBy {
    Module,
    /// The crate of Rust, outermost namespace of C++, package of Go, file of AssemblyScript.
    #[serde(alias = "namespace")]
    Crate,
    /// Source file, as far as the debug information has it.
    File,
}

impl Profile {
    /// Each group is a function. Calls within a group are of the one path that
    /// entered it, so calls and costs add up as before.
    pub(super) fn grouped(&self, by: GroupBy) -> Result<Profile> {
        let mut view = self.without_threads();
        let mut groups: HashMap<String, FunctionId> = HashMap::new();
        let mut group_of: Vec<FunctionId> = Vec::with_capacity(self.functions.len());
        for id in self.function_ids() {
            let name = match by {
                GroupBy::Module => match self.module_name(id) {
                    "" => "(no module)".to_owned(),
                    name => name.to_owned(),
                },
                GroupBy::File => match &self.function(id).file {
                    Some(file) => file.clone(),
                    None => "(no file)".to_owned(),
                },
                GroupBy::Crate => namespace(&self.function(id).name, self.function(id).kind),
            };
            let group = match groups.get(&name) {
                Some(group) => *group,
                None => {
                    let group = view.add_function(name.clone(), Kind::Group)?;
                    groups.insert(name, group);
                    group
                }
            };
            group_of.push(group);
        }
        view.threads = self.with_tries(|trie| group(trie, &group_of))?.threads;
        Ok(view.with_used_functions())
    }
}

fn group(trie: &Trie, group_of: &[FunctionId]) -> Result<Trie> {
    let mut grouped = Builder::default();
    let mut new_ids: Vec<NodeId> = Vec::with_capacity(trie.len());
    for node in trie.nodes() {
        let group = group_of[trie.function(node).index()];
        let parent = trie.parent(node).map(|parent| new_ids[parent.index()]);
        let new = match parent {
            Some(parent) if grouped.function(parent) == group => parent,
            _ => grouped.node(parent, group, trie.is_overflow(node))?,
        };
        grouped.add(new, trie.calls(node), trie.self_cost(node));
        new_ids.push(new);
    }
    grouped.finish()
}
