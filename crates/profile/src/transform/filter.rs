//! Some of the paths, chosen by the functions on them.

use super::pattern::{Named, choose};
use crate::error::Result;
use crate::model::{NodeId, Profile, Trie};
use crate::trie::Builder;

/// What to show, as seen from the functions that were named.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// Paths with such a function on them.
    Through,
    /// Paths without.
    Around,
    /// What is below, without its callers.
    Below,
}

impl Profile {
    pub(super) fn filtered(&self, names: &[String], show: Show) -> Result<Profile> {
        let items: Vec<Named> = self
            .function_ids()
            .map(|id| Named {
                name: Some(&self.function(id).name),
                raw: self.raw_name(id),
                id: Some(self.function(id).id.0.into()),
            })
            .collect();
        let named = choose("function that was called", names, &items)?;
        let mut view = self.with_tries(|trie| {
            let inside = inside(trie, &named);
            match show {
                Show::Through => through(trie, &inside),
                Show::Around => around(trie, &inside),
                Show::Below => below(trie, &inside),
            }
        })?;
        let names = names.join(", ");
        view.unseen.push(match show {
            Show::Through => format!("paths without {names}: filtered out"),
            Show::Around => format!("paths with {names}: filtered out"),
            Show::Below => format!("what is not below {names}: filtered out"),
        });
        Ok(view.with_used_functions())
    }
}

/// Whether each node or one of its callers is of a function that was named.
fn inside(trie: &Trie, named: &[bool]) -> Vec<bool> {
    let mut inside: Vec<bool> = Vec::with_capacity(trie.len());
    for node in trie.nodes() {
        let above = trie.parent(node).is_some_and(|at| inside[at.index()]);
        inside.push(above || named[trie.function(node).index()]);
    }
    inside
}

fn through(trie: &Trie, inside: &[bool]) -> Result<Trie> {
    let mut needed = inside.to_vec();
    for node in trie.nodes().rev() {
        if let Some(parent) = trie.parent(node) {
            needed[parent.index()] |= needed[node.index()];
        }
    }
    keep(trie, &needed, inside)
}

fn around(trie: &Trie, inside: &[bool]) -> Result<Trie> {
    let outside: Vec<bool> = inside.iter().map(|inside| !inside).collect();
    keep(trie, &outside, &outside)
}

/// The nodes that are kept, with their callers, and their figures if those count.
fn keep(trie: &Trie, kept: &[bool], counts: &[bool]) -> Result<Trie> {
    let mut rest = Trie::default();
    let mut new_ids = vec![NodeId(0); trie.len()];
    for node in trie.nodes().filter(|node| kept[node.index()]) {
        let parent = trie.parent(node).map(|parent| new_ids[parent.index()]);
        let new = rest.push(parent, trie.function(node))?;
        if trie.is_overflow(node) {
            rest.overflow.push(new);
        }
        if counts[node.index()] {
            rest.add(new, trie.calls(node), trie.self_cost(node));
        }
        new_ids[node.index()] = new;
    }
    Ok(rest)
}

fn below(trie: &Trie, inside: &[bool]) -> Result<Trie> {
    let mut rest = Builder::default();
    let mut new_ids: Vec<Option<NodeId>> = Vec::with_capacity(trie.len());
    for node in trie.nodes() {
        let new = if inside[node.index()] {
            let parent = trie.parent(node).and_then(|at| new_ids[at.index()]);
            let new = rest.node(parent, trie.function(node), trie.is_overflow(node))?;
            rest.add(new, trie.calls(node), trie.self_cost(node));
            Some(new)
        } else {
            None
        };
        new_ids.push(new);
    }
    rest.finish()
}
