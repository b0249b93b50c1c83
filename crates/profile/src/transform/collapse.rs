//! Recursion as if it were none.
//!
//! A call of a function that is on the path already counts for that caller, and
//! what is called from there is called by it; so no function is on a path twice.
//! Calls and self costs of every function stay. The total of a function between
//! the two activations loses what is below the inner one, as its caller's has it:
//! of `a > b > a > c`, what `c` costs is below `a`, not below `b` any more.
//! The runtime's `Trie::fold_into` does the same while it records.

use crate::error::Result;
use crate::model::{NodeId, Profile, Trie};
use crate::trie::{Builder, Step};

impl Profile {
    pub(super) fn with_recursion_collapsed(&self) -> Result<Profile> {
        self.with_tries(|trie| collapse(trie, self.functions.len()))
    }
}

fn collapse(trie: &Trie, functions: usize) -> Result<Trie> {
    let mut collapsed = Builder::default();
    // The path that is left of the callers, and where on it a function was last
    // put; it may have gone since.
    let mut path: Vec<NodeId> = Vec::new();
    let mut places = vec![0; functions];
    // For each open node of the trie, what it took off the path; nothing, if it
    // is on the path itself.
    let mut removed: Vec<Option<Vec<NodeId>>> = Vec::new();
    for step in trie.walk() {
        match step {
            Step::Enter(node) => {
                let function = trie.function(node);
                let place = places[function.index()];
                let caller = path.get(place).copied();
                let caller = caller.filter(|caller| collapsed.function(*caller) == function);
                let new = match caller {
                    Some(caller) => {
                        removed.push(Some(path.split_off(place + 1)));
                        caller
                    }
                    None => {
                        let parent = path.last().copied();
                        let new = collapsed.node(parent, function, trie.is_overflow(node))?;
                        places[function.index()] = path.len();
                        path.push(new);
                        removed.push(None);
                        new
                    }
                };
                collapsed.add(new, trie.calls(node), trie.self_cost(node));
            }
            Step::Leave(_) => match removed.pop().expect("as many leaves as enters") {
                Some(nodes) => {
                    for node in nodes {
                        places[collapsed.function(node).index()] = path.len();
                        path.push(node);
                    }
                }
                None => {
                    path.pop();
                }
            },
        }
    }
    collapsed.finish()
}
