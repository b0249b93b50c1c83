//! Frames of a flame graph: paths that look the same, taken together.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::flame::{ALL, DROPPED, FIRST_THREAD, FlameKind};
use crate::model::{NodeId, Trie, Weight};
use crate::trie::Children;

/// Steps that building an inverted graph may take: without a limit it can grow
/// with the square of the depth.
const MAX_STEPS: usize = 1_000_000;

/// Calls, self cost, total cost and total calls.
pub(super) type Figures = [u64; 4];

/// A thread's trie with what is asked of each of its nodes.
pub(super) struct Source<'a> {
    pub trie: &'a Trie,
    pub side: usize,
    pub thread: u32,
    pub row_of: &'a [u32],
    pub children: Children,
    /// What a node weighs as a member of a frame.
    pub weights: Vec<u64>,
    /// Total cost and total calls of a node as a member of a frame.
    pub totals: [Vec<u64>; 2],
}

/// A path that a frame stands for.
#[derive(Clone, Copy)]
pub(super) struct Member {
    source: u32,
    /// Where on the path the frame is.
    at: NodeId,
    /// Whose figures are shown: in a graph of callees the same.
    leaf: NodeId,
}

/// The frames, callers before callees (inverted: callees before callers); those
/// with the same parent lie side by side.
pub(super) struct Frames {
    pub labels: Vec<u32>,
    pub parents: Vec<u32>,
    /// First child and number of children.
    pub children: Vec<(u32, u32)>,
    /// By side, then by frame.
    pub weights: Vec<Vec<u64>>,
    pub figures: Vec<Vec<Figures>>,
    /// Frames that have callers which are not drawn, ascending.
    pub cut: Vec<u32>,
}

/// The paths of one frame; mostly it is one.
enum Group {
    One(Member),
    Many(Vec<Member>),
}

/// A frame whose children are to be made.
struct Open {
    weight: u64,
    frame: u32,
    group: Group,
}

impl PartialEq for Open {
    fn eq(&self, other: &Open) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Open) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Open) -> Ordering {
        let key = |open: &Open| (open.weight, std::cmp::Reverse(open.frame));
        key(self).cmp(&key(other))
    }
}

pub(super) struct Builder<'a> {
    pub sources: &'a [Source<'a>],
    pub sides: usize,
    pub kind: FlameKind,
    /// Whether threads are drawn apart.
    pub apart: bool,
}

impl Builder<'_> {
    /// Every path from the first frame on. `first` has the nodes that it stands for.
    pub fn build(&self, label: u32, first: &[(usize, NodeId)]) -> Frames {
        let mut frames = Frames {
            labels: Vec::new(),
            parents: Vec::new(),
            children: Vec::new(),
            weights: vec![Vec::new(); self.sides],
            figures: vec![Vec::new(); self.sides],
            cut: Vec::new(),
        };
        let members: Vec<Member> = first
            .iter()
            .map(|(source, node)| Member {
                source: *source as u32,
                at: *node,
                leaf: *node,
            })
            .collect();
        frames.push(self, label, 0, &members);
        let first = Open {
            weight: 0,
            frame: 0,
            group: Group::Many(members),
        };
        match self.kind {
            FlameKind::Callees => self.expand_all(&mut frames, first),
            FlameKind::Callers => self.expand_heaviest(&mut frames, first),
        }
        frames
    }

    fn expand_all(&self, frames: &mut Frames, first: Open) {
        let mut open = vec![first];
        let mut next = Vec::new();
        while let Some(frame) = open.pop() {
            self.expand(frames, frame, &mut next, |frame| open.push(frame));
        }
    }

    /// What does not fit into the limit is the lightest.
    fn expand_heaviest(&self, frames: &mut Frames, first: Open) {
        let mut steps = 0;
        let mut open = BinaryHeap::from([first]);
        let mut next = Vec::new();
        while let Some(frame) = open.pop() {
            let is_top = frame.frame == 0 || frames.parents[frame.frame as usize] == 0;
            if steps > MAX_STEPS && !is_top {
                if self.has_next(frames.labels[frame.frame as usize], &frame.group) {
                    frames.cut.push(frame.frame);
                }
                continue;
            }
            steps += frame.group.members().len();
            self.expand(frames, frame, &mut next, |frame| open.push(frame));
        }
        frames.cut.sort_unstable();
    }

    fn has_next(&self, label: u32, group: &Group) -> bool {
        let mut next = Vec::new();
        group.members().iter().any(|member| {
            self.next_of(label, *member, &mut next);
            !next.is_empty()
        })
    }

    fn expand(
        &self,
        frames: &mut Frames,
        open: Open,
        next: &mut Vec<(u32, Member)>,
        mut push: impl FnMut(Open),
    ) {
        let label = frames.labels[open.frame as usize];
        next.clear();
        for member in open.group.members() {
            self.next_of(label, *member, next);
        }
        // Stable: the order of the members is that of the profile.
        next.sort_by_key(|(label, _)| *label);
        let first = frames.labels.len() as u32;
        let mut members = Vec::new();
        for run in next.chunk_by(|(one, _), (other, _)| one == other) {
            let group = if let [(_, member)] = run {
                Group::One(*member)
            } else {
                members.clear();
                members.extend(run.iter().map(|(_, member)| *member));
                Group::Many(members.clone())
            };
            let frame = frames.push(self, run[0].0, open.frame, group.members());
            push(Open {
                weight: frames.weight(frame),
                frame,
                group,
            });
        }
        let count = frames.labels.len() as u32 - first;
        frames.children[open.frame as usize] = (first, count);
    }

    /// Which frames a path goes on into from a frame with this label.
    fn next_of(&self, label: u32, member: Member, next: &mut Vec<(u32, Member)>) {
        let source = &self.sources[member.source as usize];
        let row = |node| source.row_of[source.trie.function(node).index()];
        let is_lost = source.trie.parent(member.at).is_none() && source.trie.is_overflow(member.at);
        match (label, self.kind) {
            (ALL, _) if self.apart => next.push((FIRST_THREAD - source.thread, member)),
            (label, FlameKind::Callees) if label == ALL || is_thread(label) => {
                let label = if is_lost { DROPPED } else { row(member.at) };
                next.push((label, member));
            }
            (label, FlameKind::Callers) if label == ALL || is_thread(label) => {
                next.push((row(member.at), member));
            }
            (DROPPED, FlameKind::Callees) => next.push((row(member.at), member)),
            (DROPPED, FlameKind::Callers) => {}
            (_, FlameKind::Callees) => {
                next.extend(source.children.of(member.at).map(|child| {
                    let member = Member {
                        at: child,
                        leaf: child,
                        ..member
                    };
                    (row(child), member)
                }));
            }
            (_, FlameKind::Callers) => match source.trie.parent(member.at) {
                Some(at) => next.push((row(at), Member { at, ..member })),
                None if is_lost => next.push((DROPPED, member)),
                None => {}
            },
        }
    }
}

fn is_thread(label: u32) -> bool {
    label <= FIRST_THREAD && label > u32::MAX / 2
}

impl Group {
    fn members(&self) -> &[Member] {
        match self {
            Group::One(member) => std::slice::from_ref(member),
            Group::Many(members) => members,
        }
    }
}

impl Frames {
    fn push(&mut self, builder: &Builder, label: u32, parent: u32, members: &[Member]) -> u32 {
        let frame = self.labels.len() as u32;
        self.labels.push(label);
        self.parents.push(parent);
        self.children.push((0, 0));
        for side in 0..builder.sides {
            self.weights[side].push(0);
            self.figures[side].push([0; 4]);
        }
        for member in members {
            let source = &builder.sources[member.source as usize];
            let leaf = member.leaf.index();
            let weight = &mut self.weights[source.side][frame as usize];
            *weight = weight.saturating_add(source.weights[leaf]);
            let own = [
                source.trie.own(member.leaf, Weight::Calls),
                source.trie.own(member.leaf, Weight::Cost),
                source.totals[0][leaf],
                source.totals[1][leaf],
            ];
            let figures = &mut self.figures[source.side][frame as usize];
            for (figure, own) in figures.iter_mut().zip(own) {
                *figure = figure.saturating_add(own);
            }
        }
        frame
    }

    /// The larger side's.
    fn weight(&self, frame: u32) -> u64 {
        let weights = self.weights.iter();
        weights.map(|side| side[frame as usize]).max().unwrap_or(0)
    }
}
