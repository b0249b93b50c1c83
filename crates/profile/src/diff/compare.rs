//! Figures of both profiles side by side.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::matching::Matching;
use super::{Change, Diff, Figures, FunctionDiff, PathDiff, PathStep, Side};
use crate::error::Result;
use crate::model::{Clock, Profile, Weight};
use crate::query::stats::Totals;
use crate::trie::Step;

pub(super) fn compare(before: &Profile, after: &Profile) -> Result<Diff> {
    let matching = Matching::of_same_clock(before, after)?;
    let mut functions: Vec<FunctionDiff> = matching
        .rows
        .iter()
        .map(|(module, name)| FunctionDiff {
            module: module.clone(),
            name: name.clone(),
            figures: Figures::default(),
            spread: None,
        })
        .collect();
    let mut whole = Figures::default();
    let mut paths = Paths::default();
    let sides = [(Side::Before, before), (Side::After, after)];
    for (side, profile) in sides {
        add_functions(profile, side, matching.of(side), &mut functions, &mut whole);
        paths.find(profile, side, matching.of(side));
    }
    let in_both: Vec<bool> = functions
        .iter()
        .map(|function| function.figures.present == (true, true))
        .collect();
    for (side, profile) in sides {
        paths.add(profile, side, matching.of(side), &in_both);
    }
    let weight = before.weight();
    let (order, functions) = sort_functions(functions, weight);
    let (tree, paths, same_paths) = paths.finish(&order, weight);
    Ok(Diff {
        clock: before.clock,
        whole,
        whole_spread: None,
        runs: (1, 1),
        functions,
        same_paths,
        paths,
        tree,
        notes: notes(before, after),
    })
}

fn add_functions(
    profile: &Profile,
    side: Side,
    rows: &[usize],
    functions: &mut [FunctionDiff],
    whole: &mut Figures,
) {
    let stats = profile.function_stats();
    for (row, stats) in rows.iter().zip(&stats) {
        let figures = &mut functions[*row].figures;
        figures.be_present(side);
        figures.calls.add(side, stats.calls);
        figures.self_cost.add(side, stats.self_cost);
        figures.total_cost.add(side, stats.total_cost);
        whole.calls.add(side, stats.calls);
        whole.self_cost.add(side, stats.self_cost);
        whole.total_cost.add(side, stats.self_cost);
    }
    whole.be_present(side);
}

/// Greatest change first. Also where each row went.
fn sort_functions(functions: Vec<FunctionDiff>, weight: Weight) -> (Vec<usize>, Vec<FunctionDiff>) {
    let mut rows: Vec<(usize, FunctionDiff)> = functions.into_iter().enumerate().collect();
    rows.sort_by_cached_key(|(row, function)| (sort_key(&function.figures, weight), *row));
    let mut order = vec![0; rows.len()];
    for (new, (old, _)) in rows.iter().enumerate() {
        order[*old] = new;
    }
    (order, rows.into_iter().map(|(_, f)| f).collect())
}

/// What is the same comes last; it is ordered by weight.
fn sort_key(figures: &Figures, weight: Weight) -> impl Ord + use<> {
    let first = figures.of(weight);
    Reverse((
        first.change().unsigned_abs(),
        figures.calls.change().unsigned_abs(),
        figures.total_cost.change().unsigned_abs(),
        first.after.max(first.before),
        figures.calls.after.max(figures.calls.before),
    ))
}

/// The paths of both profiles as one trie. Its functions are rows of the matching.
///
/// What a compiler inlines on one side is a function of the other side only, and
/// its callees have a path that is longer there. Where the other side has the path
/// without it, that is the same path.
#[derive(Default)]
struct Paths {
    steps: Vec<PathStep>,
    known: HashMap<PathStep, usize>,
    /// Which profile has each step as it is.
    found: Vec<(bool, bool)>,
    figures: Vec<Figures>,
}

/// A function on the path of a walk.
#[derive(Clone, Copy)]
struct Open {
    path: usize,
    /// The path of the nearest function that both sides have; none is the host.
    in_both: Option<usize>,
    is_in_both: bool,
}

impl Paths {
    /// Makes all steps of a profile, without figures.
    fn find(&mut self, profile: &Profile, side: Side, rows: &[usize]) {
        for trie in profile.threads.iter().map(|thread| &thread.trie) {
            let mut open: Vec<usize> = Vec::new();
            for step in trie.walk() {
                let Step::Enter(node) = step else {
                    open.pop();
                    continue;
                };
                let path = self.path(PathStep {
                    above: open.last().copied(),
                    function: rows[trie.function(node).index()],
                    dropped: open.is_empty() && trie.is_overflow(node),
                });
                match side {
                    Side::Before => self.found[path].0 = true,
                    Side::After => self.found[path].1 = true,
                }
                open.push(path);
            }
        }
    }

    fn path(&mut self, step: PathStep) -> usize {
        let next = self.steps.len();
        let path = *self.known.entry(step).or_insert(next);
        if path == next {
            self.steps.push(step);
            self.found.push((false, false));
            self.figures.push(Figures::default());
        }
        path
    }

    fn add(&mut self, profile: &Profile, side: Side, rows: &[usize], in_both: &[bool]) {
        for trie in profile.threads.iter().map(|thread| &thread.trie) {
            let totals = Totals::new(trie);
            let mut open: Vec<Open> = Vec::new();
            for step in trie.walk() {
                let Step::Enter(node) = step else {
                    open.pop();
                    continue;
                };
                let function = rows[trie.function(node).index()];
                let step = PathStep {
                    above: open.last().map(|open| open.path),
                    function,
                    dropped: open.is_empty() && trie.is_overflow(node),
                };
                let path = match open.last() {
                    Some(caller) if !caller.is_in_both => {
                        self.without_inlined(caller.in_both, step, side)
                    }
                    _ => self.path(step),
                };
                let figures = &mut self.figures[path];
                figures.be_present(side);
                figures.calls.add(side, trie.calls(node));
                figures.self_cost.add(side, trie.self_cost(node));
                figures.total_cost.add(side, totals.cost[node.index()]);
                let is_in_both = in_both[function];
                let above = open.last().and_then(|caller| caller.in_both);
                open.push(Open {
                    path,
                    in_both: if is_in_both { Some(path) } else { above },
                    is_in_both,
                });
            }
        }
    }

    /// The path below a function of one side only: the other side's, if it has one.
    fn without_inlined(&mut self, above: Option<usize>, step: PathStep, side: Side) -> usize {
        let shorter = self.known.get(&PathStep { above, ..step }).copied();
        let other_has = |path: &usize| match side {
            Side::Before => self.found[*path].1,
            Side::After => self.found[*path].0,
        };
        match shorter.filter(other_has) {
            Some(path) => path,
            None => self.path(step),
        }
    }

    /// All paths, those that are not the same, and how many are. `order`: where rows went.
    fn finish(mut self, order: &[usize], weight: Weight) -> (Vec<PathStep>, Vec<PathDiff>, usize) {
        for step in &mut self.steps {
            step.function = order[step.function];
        }
        let mut same = 0;
        let mut paths: Vec<PathDiff> = (0..)
            .zip(&self.figures)
            // A path that is another one now has no figures of its own.
            .filter(|(_, figures)| figures.present != (false, false))
            .filter(|(_, figures)| {
                let is_same = figures.change() == Change::Same;
                same += usize::from(is_same);
                !is_same
            })
            .map(|(leaf, figures)| PathDiff {
                leaf,
                figures: *figures,
            })
            .collect();
        paths.sort_by_cached_key(|path| (sort_key(&path.figures, weight), path.leaf));
        (self.steps, paths, same)
    }
}

pub(crate) fn notes(before: &Profile, after: &Profile) -> Vec<String> {
    let mut notes = vec![match before.clock {
        Clock::Calls => "Calls are exact: every difference is one of the program or its input.",
        Clock::Instructions => {
            "Calls and instructions are exact: every difference is one of the program or its input."
        }
        Clock::Sampled if before.sampling.is_some() && after.sampling.is_some() => {
            "Calls are exact. Times are estimates from samples on each side and differ from run \
             to run, also without a change."
        }
        Clock::Sampled | Clock::Samples => {
            "Samples are estimates that differ from run to run, also without a change; calls are \
             not counted."
        }
        Clock::Wall | Clock::Tsc => {
            "Calls are exact. Times are one measurement on each side and differ from run to run, \
             also without a change."
        }
    }
    .to_owned()];
    for (which, profile) in [("first", before), ("second", after)] {
        let dropped = profile.dropped;
        if dropped.paths > 0 || dropped.calls > 0 {
            notes.push(format!(
                "The arena was full when the {which} profile was made: {} paths are missing, {} \
                 calls are counted for their function but without a path. Record with a larger --arena.",
                dropped.paths, dropped.calls
            ));
        }
    }
    let nameless = |profile: &Profile| {
        profile
            .function_ids()
            .filter(|id| profile.raw_name(*id).unwrap_or_default().is_empty())
            .count()
    };
    let count = nameless(before).max(nameless(after));
    let same_code = before.modules.iter().zip(&after.modules);
    let same_code = before.modules.len() == after.modules.len()
        && same_code
            .into_iter()
            .all(|(one, other)| one.map.hash == other.map.hash);
    if count > 0 && !same_code {
        notes.push(format!(
            "There are functions without a name, such as func[7], compared by index, which may have \
             moved ({count} of them): build the modules with their names."
        ));
    }
    notes
}
