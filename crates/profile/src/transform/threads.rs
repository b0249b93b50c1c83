//! Some of the threads, or all as one.

use super::pattern::{Named, choose};
use crate::error::Result;
use crate::model::{NodeId, Profile, Thread};
use crate::trie::Builder;

impl Profile {
    /// The threads that have one of the names, in one of the phases. An empty
    /// list does not choose.
    pub(super) fn of_threads(&self, names: &[String], phases: &[String]) -> Result<Profile> {
        let by_name = self.threads.iter().map(|thread| Named {
            name: Some(&thread.name),
            raw: None,
            id: Some(thread.id),
        });
        let by_phase = self.threads.iter().map(|thread| Named {
            name: thread.phase.as_deref(),
            ..Named::default()
        });
        let mut kept = vec![true; self.threads.len()];
        let mut unseen = Vec::new();
        for (what, wanted, items) in [
            ("thread", names, by_name.collect::<Vec<_>>()),
            ("phase", phases, by_phase.collect()),
        ] {
            if wanted.is_empty() {
                continue;
            }
            let chosen = choose(what, wanted, &items)?;
            for (kept, chosen) in kept.iter_mut().zip(chosen) {
                *kept &= chosen;
            }
            unseen.push(format!(
                "every {what} but {}: filtered out",
                wanted.join(", ")
            ));
        }
        let threads = self.threads.iter().zip(kept);
        let mut view = Profile {
            threads: threads
                .filter(|(_, kept)| *kept)
                .map(|(thread, _)| thread.clone())
                .collect(),
            ..self.without_threads()
        };
        view.unseen.extend(unseen);
        Ok(view.with_used_functions())
    }

    /// One thread with the paths of all; has the first one's id.
    pub(super) fn with_threads_merged(&self) -> Result<Profile> {
        let Some(first) = self.threads.first() else {
            return Ok(self.clone());
        };
        let mut merged = Builder::default();
        for trie in self.threads.iter().map(|thread| &thread.trie) {
            let mut new_ids: Vec<NodeId> = Vec::with_capacity(trie.len());
            for node in trie.nodes() {
                let parent = trie.parent(node).map(|parent| new_ids[parent.index()]);
                let new = merged.node(parent, trie.function(node), trie.is_overflow(node))?;
                merged.add(new, trie.calls(node), trie.self_cost(node));
                new_ids.push(new);
            }
        }
        let name = match self.threads.len() {
            1 => first.name.clone(),
            count => format!("{count} threads"),
        };
        Ok(Profile {
            threads: vec![Thread {
                id: first.id,
                name,
                phase: None,
                trie: merged.finish()?,
            }],
            ..self.without_threads()
        })
    }
}
