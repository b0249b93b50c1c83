//! Where each frame goes, in units of weight.

use super::MAX_LEVELS;
use crate::model::{FunctionId, NodeId, Profile, Trie};

/// Frames narrower than this part of the whole are not drawn.
const MIN_PART: u64 = 12_000;

pub(super) struct Picture {
    /// Callers before callees.
    pub frames: Vec<Frame>,
    /// Weight of the whole profile.
    pub whole: u64,
    /// Levels below the deepest that is drawn.
    pub cut_levels: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub label: Label,
    pub level: u32,
    /// Weight of everything to the left.
    pub start: u64,
    /// Total of the path.
    pub weight: u64,
}

#[derive(Clone, Copy)]
pub(super) enum Label {
    All,
    /// Index into the profile's threads.
    Thread(usize),
    Dropped,
    Function(FunctionId),
}

pub(super) fn layout(profile: &Profile) -> Picture {
    let weight = profile.weight();
    let sums: Vec<u64> = profile
        .threads
        .iter()
        .map(|thread| thread.trie.sum(weight))
        .collect();
    let whole = sums
        .iter()
        .fold(0u64, |whole, sum| whole.saturating_add(*sum));
    let mut picture = Picture {
        frames: Vec::new(),
        whole,
        cut_levels: 0,
    };
    picture.frames.push(Frame {
        label: Label::All,
        level: 0,
        start: 0,
        weight: whole,
    });
    let mut start = 0u64;
    for (index, (thread, sum)) in profile.threads.iter().zip(sums).enumerate() {
        let mut level = 1;
        if profile.threads.len() > 1 {
            picture.draw(Frame {
                label: Label::Thread(index),
                level,
                start,
                weight: sum,
            });
            level += 1;
        }
        let totals = thread.trie.totals(weight);
        picture.draw_trie(&thread.trie, &totals, level, start);
        start = start.saturating_add(sum);
    }
    picture
}

impl Picture {
    /// Returns whether the frame is drawn; then its callees may be, else none is.
    fn draw(&mut self, frame: Frame) -> bool {
        let visible = u128::from(frame.weight) * u128::from(MIN_PART) >= u128::from(self.whole);
        if frame.weight == 0 || !visible {
            return false;
        }
        if frame.level > MAX_LEVELS {
            self.cut_levels = self.cut_levels.max(frame.level - MAX_LEVELS);
        } else {
            self.frames.push(frame);
        }
        true
    }

    fn draw_trie(&mut self, trie: &Trie, totals: &[u64], level: u32, start: u64) {
        // Where the next callee of each drawn node starts, and its level.
        let mut next: Vec<Option<(u64, u32)>> = vec![None; trie.len()];
        let is_lost = |node: &NodeId| trie.parent(*node).is_none() && trie.is_overflow(*node);
        let total = |nodes: &mut dyn Iterator<Item = NodeId>| {
            nodes.fold(0u64, |sum, node| sum.saturating_add(totals[node.index()]))
        };
        let placed = total(
            &mut trie
                .nodes()
                .filter(|n| trie.parent(*n).is_none() && !is_lost(n)),
        );
        let lost = total(&mut trie.nodes().filter(is_lost));
        let mut next_root = (start, level);
        let mut next_lost = (start.saturating_add(placed), level + 1);
        let dropped = Frame {
            label: Label::Dropped,
            level,
            start: next_lost.0,
            weight: lost,
        };
        self.draw(dropped);

        for node in trie.nodes() {
            let slot = match trie.parent(node) {
                Some(parent) => next[parent.index()].as_mut(),
                None if is_lost(&node) => Some(&mut next_lost),
                None => Some(&mut next_root),
            };
            let Some((at, level)) = slot else { continue };
            let frame = Frame {
                label: Label::Function(trie.function(node)),
                level: *level,
                start: *at,
                weight: totals[node.index()],
            };
            *at = at.saturating_add(frame.weight);
            if self.draw(frame) {
                next[node.index()] = Some((frame.start, frame.level + 1));
            }
        }
    }
}
