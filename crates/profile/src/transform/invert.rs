//! Paths from the leaf on.

use super::functions::OTHER;
use super::prune::Share;
use crate::error::{Error, Result};
use crate::model::{FunctionId, Kind, NodeId, Profile, Trie, Weight};

/// Most steps from a callee to its caller, which bounds the time to some ten
/// seconds and the inverted tree's memory, of 24 bytes for each path, to less than
/// the steps. Each path of a trie takes as many as it is deep, until it meets others.
const MAX_STEPS: usize = 1 << 28;

impl Profile {
    /// With each path turned round. What is lighter than the share is never
    /// spelled out, so that much fits then that else would not.
    ///
    /// # Errors
    ///
    /// It would take more than 2^28 steps: paths times depth.
    pub(super) fn inverted(&self, least: Option<Share>) -> Result<Profile> {
        let weight = self.weight();
        let whole = self.sum(weight);
        let mut view = self.clone();
        let light = match least {
            Some(least) => Some((view.add_function(OTHER.to_owned(), Kind::Group)?, least)),
            None => None,
        };
        let view = view.with_tries(|trie| {
            let inverting = Inverting {
                trie,
                weight,
                whole,
                light,
                inverted: Trie::default(),
                steps_left: MAX_STEPS,
            };
            inverting.run()
        })?;
        Ok(view.with_used_functions())
    }
}

/// Paths that are the same from the leaf up to here.
#[derive(Clone, Copy)]
struct Member {
    /// How far the paths have been followed up.
    at: NodeId,
    calls: u64,
    self_cost: u64,
    dropped: bool,
}

/// Members of one list that go on with the same function, and where they hang.
struct Group {
    start: usize,
    end: usize,
    parent: Option<NodeId>,
}

struct Inverting<'a> {
    trie: &'a Trie,
    weight: Weight,
    whole: u64,
    /// The function for what is lighter than the share.
    light: Option<(FunctionId, Share)>,
    inverted: Trie,
    steps_left: usize,
}

impl Inverting<'_> {
    /// Groups are parts of one list, which gets shorter as paths meet, so that
    /// the memory is that of the trie and of the result.
    fn run(mut self) -> Result<Trie> {
        let trie = self.trie;
        let leaves = trie.nodes().map(|node| Member {
            at: node,
            calls: trie.calls(node),
            self_cost: trie.self_cost(node),
            dropped: trie.is_overflow(node),
        });
        let mut members: Vec<Member> = leaves
            .filter(|leaf| leaf.calls > 0 || leaf.self_cost > 0)
            .collect();
        let mut groups = Vec::new();
        let all = 0..members.len();
        self.split(&mut members, all, None, &mut groups)?;
        while let Some(Group { start, end, parent }) = groups.pop() {
            self.steps_left = self
                .steps_left
                .checked_sub(end - start)
                .ok_or_else(too_many_steps)?;
            let first = members[start];
            let node = self.push(parent, trie.function(first.at), first.dropped)?;
            // Paths that end here; the others go up by one.
            let mut rest = start;
            for at in start..end {
                let member = members[at];
                match trie.parent(member.at) {
                    Some(parent) => {
                        members[rest] = Member {
                            at: parent,
                            ..member
                        };
                        rest += 1;
                    }
                    None => self.inverted.add(node, member.calls, member.self_cost),
                }
            }
            self.split(&mut members, start..rest, Some(node), &mut groups)?;
        }
        Ok(self.inverted)
    }

    /// Sorts a part of the list and splits it into groups, those to come first last.
    fn split(
        &mut self,
        members: &mut [Member],
        part: std::ops::Range<usize>,
        parent: Option<NodeId>,
        groups: &mut Vec<Group>,
    ) -> Result<()> {
        let trie = self.trie;
        let (start, end) = (part.start, part.end);
        members[part.clone()]
            .sort_unstable_by_key(|member| (member.dropped, trie.function(member.at), member.at));
        let end = merge_equal(&mut members[part], start, end);
        let first_group = groups.len();
        let mut others: [Option<Member>; 2] = [None; 2];
        let mut from = start;
        while from < end {
            let key = |member: &Member| (member.dropped, trie.function(member.at));
            let same = |member: &&Member| key(member) == key(&members[from]);
            let to = from + members[from..end].iter().take_while(same).count();
            let sum = sum(&members[from..to]);
            let own = match self.weight {
                Weight::Calls => sum.calls,
                Weight::Cost => sum.self_cost,
            };
            match self.light {
                Some((_, least)) if least.is_more_than(own, self.whole) => {
                    let other = &mut others[usize::from(sum.dropped)];
                    *other = Some(match other {
                        Some(other) => add(*other, &sum),
                        None => sum,
                    });
                }
                _ => groups.push(Group {
                    start: from,
                    end: to,
                    parent,
                }),
            }
            from = to;
        }
        for other in others.into_iter().flatten() {
            let (function, _) = self.light.expect("only then is anything light");
            let node = self.push(parent, function, other.dropped)?;
            self.inverted.add(node, other.calls, other.self_cost);
        }
        groups[first_group..].reverse();
        Ok(())
    }

    fn push(
        &mut self,
        parent: Option<NodeId>,
        function: FunctionId,
        dropped: bool,
    ) -> Result<NodeId> {
        let node = self.inverted.push(parent, function)?;
        if dropped && parent.is_none() {
            self.inverted.overflow.push(node);
        }
        Ok(node)
    }
}

fn too_many_steps() -> Error {
    Error::new(
        "the inverted tree is too large: leave out light paths (prune), collapse recursion, or \
         choose a part of the profile (focus, from)",
    )
}

fn add(one: Member, other: &Member) -> Member {
    Member {
        calls: one.calls.saturating_add(other.calls),
        self_cost: one.self_cost.saturating_add(other.self_cost),
        ..one
    }
}

/// Of at least one.
fn sum(members: &[Member]) -> Member {
    members[1..].iter().fold(members[0], add)
}

/// Paths that have met are one from there on. Where the sorted list ends now.
fn merge_equal(members: &mut [Member], start: usize, end: usize) -> usize {
    let mut kept = 0;
    for at in 0..end - start {
        if kept > 0 && members[kept - 1].at == members[at].at {
            members[kept - 1] = add(members[kept - 1], &members[at]);
        } else {
            members[kept] = members[at];
            kept += 1;
        }
    }
    start + kept
}

#[cfg(test)]
mod tests {
    use super::{FunctionId, Inverting, Trie, Weight};

    #[test]
    fn a_large_tree_is_refused() {
        let mut chain = Trie::default();
        let mut last = None;
        for depth in 0..100 {
            let node = chain.push(last, FunctionId(depth % 2)).unwrap();
            chain.add(node, 1, 1);
            last = Some(node);
        }
        // 100 + 99 + … + 1
        for (steps_left, fits) in [(5050, true), (5049, false)] {
            let inverting = Inverting {
                trie: &chain,
                weight: Weight::Calls,
                whole: 100,
                light: None,
                inverted: Trie::default(),
                steps_left,
            };
            assert_eq!(inverting.run().is_ok(), fits);
        }
    }
}
