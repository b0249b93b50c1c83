//! Flame graphs, of callees or of callers, of the whole or of one function.

use serde::Deserialize;

use super::View;
use super::frames::{Builder, Figures, Frames, Source};
use super::layout::{Layout, layout};
use crate::error::{Error, Result};
use crate::model::{NodeId, Weight};
use crate::query::stats::Totals;
use crate::trie::Step;

/// Label of the frame that stands for everything.
pub const ALL: u32 = u32::MAX;
/// Label of the frame above (inverted: below) which paths were dropped.
pub const DROPPED: u32 = u32::MAX - 1;
/// Label of the first thread's frame; the others' are below it. Labels of other
/// frames are rows.
pub const FIRST_THREAD: u32 = u32::MAX - 2;

/// Which way a flame graph grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FlameKind {
    /// From callers to callees.
    Callees,
    /// From each function to its callers.
    Callers,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlameOptions {
    pub kind: FlameKind,
    /// Widths: calls, or else cost.
    pub calls: bool,
    /// Row of the function to start from; none: everything.
    #[serde(default)]
    pub row: Option<u32>,
    /// Each thread by itself.
    #[serde(default)]
    pub apart: bool,
}

/// A flame graph as columns, by level and then from left to right.
pub struct Flame {
    frames: Frames,
    layout: Layout,
}

impl FlameOptions {
    /// Options from a JSON object with the fields' names.
    ///
    /// # Errors
    ///
    /// An option is not known or has no sense; says which.
    pub fn from_json(json: &str) -> Result<FlameOptions> {
        serde_json::from_str(json).map_err(|error| {
            Error::new(format!("the flame graph's options are not valid: {error}"))
        })
    }
}

impl View {
    /// The flame graph. What a frame weighs is the total of its path; in a graph of
    /// callers, the self cost of the functions at its root along that path. From one
    /// function on, it is the function's total, of outermost activations only, or
    /// the number of its calls.
    pub fn flame(&self, options: FlameOptions) -> Flame {
        let sources = self.sources(options);
        let builder = Builder {
            sources: &sources,
            sides: self.sides.len(),
            kind: options.kind,
            apart: options.apart && options.row.is_none(),
        };
        let first = first_nodes(&sources, options);
        let frames = builder.build(options.row.unwrap_or(ALL), &first);
        let layout = layout(&frames);
        Flame { frames, layout }
    }

    fn sources(&self, options: FlameOptions) -> Vec<Source<'_>> {
        let mut sources = Vec::new();
        for (number, side) in self.sides.iter().enumerate() {
            for (thread, name) in side.profile.threads.iter().zip(&side.thread_of) {
                let trie = &thread.trie;
                let own = |weight| trie.nodes().map(|node| trie.own(node, weight)).collect();
                let mut source = Source {
                    trie,
                    side: number,
                    thread: *name,
                    row_of: &side.row_of,
                    children: trie.children(),
                    weights: Vec::new(),
                    totals: [Vec::new(), Vec::new()],
                };
                let Totals { calls, cost } = match (options.kind, options.row) {
                    // A leaf's own figures, by who called it.
                    (FlameKind::Callers, None) => Totals {
                        calls: own(Weight::Calls),
                        cost: own(Weight::Cost),
                    },
                    (FlameKind::Callers, Some(row)) => {
                        let mut totals = Totals::new(trie);
                        keep_outermost(&source, row, &mut totals);
                        totals
                    }
                    (FlameKind::Callees, _) => Totals::new(trie),
                };
                source.weights = match (options.kind, options.calls) {
                    (FlameKind::Callers, true) => own(Weight::Calls),
                    (FlameKind::Callees, true) => calls.clone(),
                    (_, false) => cost.clone(),
                };
                source.totals = [cost, calls];
                sources.push(source);
            }
        }
        sources
    }
}

/// Totals of the function's inner activations are part of its outer ones'.
fn keep_outermost(source: &Source, row: u32, totals: &mut Totals) {
    let mut active = 0u32;
    for step in source.trie.walk() {
        let (Step::Enter(node) | Step::Leave(node)) = step;
        if source.row_of[source.trie.function(node).index()] != row {
            continue;
        }
        if let Step::Leave(_) = step {
            active -= 1;
            continue;
        }
        if active > 0 {
            totals.calls[node.index()] = 0;
            totals.cost[node.index()] = 0;
        }
        active += 1;
    }
}

/// What the first frame stands for.
fn first_nodes(sources: &[Source], options: FlameOptions) -> Vec<(usize, NodeId)> {
    let mut first = Vec::new();
    for (number, source) in sources.iter().enumerate() {
        let trie = source.trie;
        let is_row =
            |node: &NodeId| options.row == Some(source.row_of[trie.function(*node).index()]);
        let numbered = |node| (number, node);
        match (options.kind, options.row) {
            (FlameKind::Callees, None) => {
                first.extend(source.children.roots().map(numbered));
            }
            (FlameKind::Callers, None) => first.extend(trie.nodes().map(numbered)),
            (FlameKind::Callers, Some(_)) => {
                first.extend(trie.nodes().filter(is_row).map(numbered));
            }
            (FlameKind::Callees, Some(_)) => {
                let mut active = 0u32;
                for step in trie.walk() {
                    match step {
                        Step::Enter(node) if is_row(&node) => {
                            if active == 0 {
                                first.push((number, node));
                            }
                            active += 1;
                        }
                        Step::Leave(node) if is_row(&node) => active -= 1,
                        _ => {}
                    }
                }
            }
        }
    }
    first
}

impl Flame {
    /// Number of frames.
    pub fn len(&self) -> usize {
        self.layout.frames.len()
    }

    /// Never: there is always a frame for everything.
    pub fn is_empty(&self) -> bool {
        self.layout.frames.is_empty()
    }

    /// First frame of each level, and the number of frames.
    pub fn levels(&self) -> &[u32] {
        &self.layout.levels
    }

    /// Where frames start and how wide they are, in units of weight. Rounded beyond
    /// 2^53; [`Flame::figures`] are exact.
    pub fn starts(&self) -> &[f64] {
        &self.layout.starts
    }

    pub fn widths(&self) -> &[f64] {
        &self.layout.widths
    }

    /// Frame one level up; of the first frame its own.
    pub fn parents(&self) -> &[u32] {
        &self.layout.parents
    }

    /// Row, [`ALL`], [`DROPPED`] or a thread of each frame.
    pub fn labels(&self) -> Vec<u32> {
        let labels = &self.frames.labels;
        let frames = self.layout.frames.iter();
        frames.map(|frame| labels[*frame as usize]).collect()
    }

    /// What each frame weighs on one side, as drawn.
    pub fn weights(&self, side: usize) -> Vec<f64> {
        let weights = &self.frames.weights[side];
        let frames = self.layout.frames.iter();
        frames
            .map(|frame| weights[*frame as usize] as f64)
            .collect()
    }

    /// Calls, self cost, total cost and total calls of a frame on one side; `None`:
    /// there is no such frame.
    pub fn figures(&self, side: usize, frame: usize) -> Option<Figures> {
        let frame = *self.layout.frames.get(frame)? as usize;
        Some(self.frames.figures.get(side)?[frame])
    }

    /// Frames whose callers were left out, as they were too many, ascending.
    pub fn cut(&self) -> Vec<u32> {
        let is_cut = |frame: &u32| self.frames.cut.binary_search(frame).is_ok();
        let places = (0..).zip(&self.layout.frames);
        places
            .filter(|(_, frame)| is_cut(frame))
            .map(|(place, _)| place)
            .collect()
    }
}
