//! Each path with its frames as text, without building the text anew for each.

use crate::error::Result;
use crate::model::{NodeId, Trie};
use crate::trie::Step;

/// Frames from the root on, with a separator between them.
pub(crate) struct PathText {
    text: Vec<u8>,
    /// Length before each frame.
    lengths: Vec<usize>,
    separator: u8,
}

impl PathText {
    pub fn new(separator: u8) -> PathText {
        PathText {
            text: Vec::new(),
            lengths: Vec::new(),
            separator,
        }
    }

    pub fn push(&mut self, frame: &[u8]) {
        self.lengths.push(self.text.len());
        if self.lengths.len() > 1 {
            self.text.push(self.separator);
        }
        self.text.extend_from_slice(frame);
    }

    fn pop(&mut self) {
        let length = self.lengths.pop().expect("as many pops as pushes");
        self.text.truncate(length);
    }
}

/// Visits each node with its path, depth first. `frames` are by function id;
/// `above_overflow`, if given, is one more frame above paths that were dropped.
pub(crate) fn for_each_path(
    trie: &Trie,
    frames: &[Vec<u8>],
    above_overflow: Option<&[u8]>,
    path: &mut PathText,
    mut visit: impl FnMut(NodeId, &[u8]) -> Result<()>,
) -> Result<()> {
    let extra =
        |node| above_overflow.filter(|_| trie.parent(node).is_none() && trie.is_overflow(node));
    for step in trie.walk() {
        match step {
            Step::Enter(node) => {
                if let Some(frame) = extra(node) {
                    path.push(frame);
                }
                path.push(&frames[trie.function(node).index()]);
                visit(node, &path.text)?;
            }
            Step::Leave(node) => {
                path.pop();
                if extra(node).is_some() {
                    path.pop();
                }
            }
        }
    }
    Ok(())
}
