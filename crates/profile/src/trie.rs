//! Building and walking a trie, without recursion and without a map per node.

use std::collections::HashMap;

use crate::error::{Error, Result};
use crate::model::{FunctionId, NodeId, Trie, Weight};

/// No node, in the arrays.
const NONE: u32 = u32::MAX;

impl NodeId {
    fn from_raw(raw: u32) -> Option<NodeId> {
        (raw != NONE).then_some(NodeId(raw))
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

impl Trie {
    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// All nodes, parents before children.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        (0..self.functions.len() as u32).map(NodeId)
    }

    /// `None` for a root.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        NodeId::from_raw(self.parents[node.index()])
    }

    pub fn function(&self, node: NodeId) -> FunctionId {
        self.functions[node.index()]
    }

    /// Calls of exactly this path.
    pub fn calls(&self, node: NodeId) -> u64 {
        self.calls[node.index()]
    }

    /// Cost of exactly this path without its callees.
    pub fn self_cost(&self, node: NodeId) -> u64 {
        self.self_costs[node.index()]
    }

    /// Whether the path above this node was dropped.
    pub fn is_overflow(&self, node: NodeId) -> bool {
        !self.overflow.is_empty() && self.overflow.binary_search(&node).is_ok()
    }

    /// Calls or self cost of exactly this path.
    pub fn own(&self, node: NodeId, weight: Weight) -> u64 {
        match weight {
            Weight::Calls => self.calls(node),
            Weight::Cost => self.self_cost(node),
        }
    }

    /// Calls or cost of each node and everything below it, by node.
    pub fn totals(&self, weight: Weight) -> Vec<u64> {
        let mut totals = match weight {
            Weight::Calls => self.calls.clone(),
            Weight::Cost => self.self_costs.clone(),
        };
        for node in self.nodes().rev() {
            if let Some(parent) = self.parent(node) {
                let below = totals[node.index()];
                let total = &mut totals[parent.index()];
                *total = total.saturating_add(below);
            }
        }
        totals
    }

    /// Calls or cost of all nodes.
    pub fn sum(&self, weight: Weight) -> u64 {
        let own = match weight {
            Weight::Calls => &self.calls,
            Weight::Cost => &self.self_costs,
        };
        own.iter().fold(0, |sum, own| sum.saturating_add(*own))
    }

    /// Appends a node; the parent must be of this trie.
    pub(crate) fn push(&mut self, parent: Option<NodeId>, function: FunctionId) -> Result<NodeId> {
        let index = u32::try_from(self.len())
            .ok()
            .filter(|index| *index < NONE)
            .ok_or_else(|| Error::new("a thread has more paths than this reader can hold"))?;
        debug_assert!(parent.is_none_or(|parent| parent.0 < index));
        self.parents.push(parent.map_or(NONE, |parent| parent.0));
        self.functions.push(function);
        self.calls.push(0);
        self.self_costs.push(0);
        Ok(NodeId(index))
    }

    pub(crate) fn reserve(&mut self, nodes: usize) {
        self.parents.reserve(nodes);
        self.functions.reserve(nodes);
        self.calls.reserve(nodes);
        self.self_costs.reserve(nodes);
    }

    pub(crate) fn add(&mut self, node: NodeId, calls: u64, self_cost: u64) {
        let own = &mut self.calls[node.index()];
        *own = own.saturating_add(calls);
        let own = &mut self.self_costs[node.index()];
        *own = own.saturating_add(self_cost);
    }

    /// The children of each node, as lists in the order of the nodes.
    pub fn children(&self) -> Children {
        let mut children = Children {
            first: vec![NONE; self.len()],
            next: vec![NONE; self.len()],
            first_root: NONE,
        };
        // Backwards, so that prepending leaves each list in ascending order.
        for node in self.nodes().rev() {
            let first = match self.parent(node) {
                Some(parent) => &mut children.first[parent.index()],
                None => &mut children.first_root,
            };
            children.next[node.index()] = *first;
            *first = node.0;
        }
        children
    }

    /// Depth-first walk: callers before callees, siblings in the order of the nodes.
    pub fn walk(&self) -> Walk<'_> {
        Walk {
            trie: self,
            open: None,
            next: 0,
        }
    }

    /// Establishes the order and the uniqueness that [`Trie`] promises, of any
    /// nodes in which parents come before children.
    pub(crate) fn normalize(&mut self, functions: usize) -> Result<()> {
        let mut children = self.children();
        if self.has_equal_siblings(&children, functions) {
            *self = self.with_siblings_merged()?;
            children = self.children();
        }
        if !self.is_depth_first() {
            *self = self.depth_first(&children)?;
        }
        Ok(())
    }

    /// Each node comes right after its parent or after the last node below a sibling.
    fn is_depth_first(&self) -> bool {
        let mut last = None;
        self.nodes().all(|node| {
            let parent = self.parent(node);
            while last != parent {
                match last {
                    Some(ancestor) => last = self.parent(ancestor),
                    None => return false,
                }
            }
            last = Some(node);
            true
        })
    }

    fn depth_first(&self, children: &Children) -> Result<Trie> {
        let mut ordered = Trie::default();
        ordered.reserve(self.len());
        // Of each node on the path, the old and the new id.
        let mut path: Vec<(NodeId, NodeId)> = Vec::new();
        let mut next = NodeId::from_raw(children.first_root);
        while let Some(node) = next {
            let new = ordered.push(path.last().map(|(_, new)| *new), self.function(node))?;
            ordered.add(new, self.calls(node), self.self_cost(node));
            if self.is_overflow(node) {
                ordered.overflow.push(new);
            }
            path.push((node, new));
            next = children.first(node);
            while next.is_none()
                && let Some((done, _)) = path.pop()
            {
                next = children.next(done);
            }
        }
        Ok(ordered)
    }

    /// Siblings of the same function as one node. They come up when two instances
    /// of one module are taken for the same.
    fn with_siblings_merged(&self) -> Result<Trie> {
        let mut merged = Trie::default();
        let mut new_ids: Vec<NodeId> = Vec::with_capacity(self.len());
        let mut known = HashMap::new();
        for node in self.nodes() {
            let parent = self.parent(node).map(|parent| new_ids[parent.index()]);
            let key = (parent, self.function(node), self.is_overflow(node));
            let new = match known.get(&key) {
                Some(new) => *new,
                None => {
                    let new = merged.push(parent, self.function(node))?;
                    if self.is_overflow(node) {
                        merged.overflow.push(new);
                    }
                    known.insert(key, new);
                    new
                }
            };
            merged.add(new, self.calls(node), self.self_cost(node));
            new_ids.push(new);
        }
        Ok(merged)
    }

    fn has_equal_siblings(&self, children: &Children, functions: usize) -> bool {
        // The list in which a function was last seen; lists are visited one after the other.
        let mut seen_plain = vec![0u32; functions];
        let mut seen_overflow = vec![0u32; functions];
        let roots = std::iter::once(children.first_root);
        let lists = roots.chain(children.first.iter().copied());
        for (number, first) in (1u32..).zip(lists) {
            let mut child = NodeId::from_raw(first);
            while let Some(node) = child {
                let seen = if self.is_overflow(node) {
                    &mut seen_overflow
                } else {
                    &mut seen_plain
                };
                let last = &mut seen[self.function(node).index()];
                if *last == number {
                    return true;
                }
                *last = number;
                child = children.next(node);
            }
        }
        false
    }
}

/// The children of each node of one trie.
pub struct Children {
    first: Vec<u32>,
    next: Vec<u32>,
    first_root: u32,
}

impl Children {
    pub(crate) fn first(&self, node: NodeId) -> Option<NodeId> {
        NodeId::from_raw(self.first[node.index()])
    }

    pub(crate) fn next(&self, node: NodeId) -> Option<NodeId> {
        NodeId::from_raw(self.next[node.index()])
    }

    /// Callees of a path.
    pub fn of(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.first(node), |child| self.next(*child))
    }

    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(NodeId::from_raw(self.first_root), |root| self.next(*root))
    }
}

/// One step of a [`Walk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Enter(NodeId),
    Leave(NodeId),
}

/// Iterator of [`Trie::walk`]; needs no stack, as the nodes are in depth-first order.
pub struct Walk<'a> {
    trie: &'a Trie,
    /// The node entered last and not left.
    open: Option<NodeId>,
    /// The node to enter next.
    next: u32,
}

impl Iterator for Walk<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        let next = NodeId(self.next);
        if next.index() < self.trie.len() && self.trie.parent(next) == self.open {
            self.open = Some(next);
            self.next += 1;
            return Some(Step::Enter(next));
        }
        let left = self.open?;
        self.open = self.trie.parent(left);
        Some(Step::Leave(left))
    }
}

#[cfg(test)]
mod tests {
    use super::{FunctionId, NodeId, Step, Trie};

    /// Parent and function of each node.
    fn trie(nodes: &[(Option<u32>, u32)]) -> Trie {
        let mut trie = Trie::default();
        for (parent, function) in nodes {
            let node = trie
                .push(parent.map(NodeId), FunctionId(*function))
                .unwrap();
            trie.add(node, 1, 10);
        }
        trie
    }

    #[test]
    fn nodes_are_brought_into_depth_first_order() {
        let mut scattered = trie(&[
            (None, 0),
            (None, 1),
            (Some(0), 2),
            (Some(1), 3),
            (Some(0), 4),
            (Some(2), 5),
        ]);
        scattered.overflow.push(NodeId(1));
        scattered.normalize(6).unwrap();
        let ordered = trie(&[
            (None, 0),
            (Some(0), 2),
            (Some(1), 5),
            (Some(0), 4),
            (None, 1),
            (Some(4), 3),
        ]);
        assert_eq!(scattered.functions, ordered.functions);
        assert_eq!(scattered.parents, ordered.parents);
        assert_eq!(scattered.overflow, [NodeId(4)]);
        let again = scattered.clone();
        scattered.normalize(6).unwrap();
        assert_eq!(scattered, again);
    }

    #[test]
    fn a_walk_enters_and_leaves_each_node_once() {
        let trie = trie(&[(None, 0), (Some(0), 1), (Some(0), 2), (None, 3)]);
        let steps: Vec<String> = trie
            .walk()
            .map(|step| match step {
                Step::Enter(node) => format!("+{}", node.0),
                Step::Leave(node) => format!("-{}", node.0),
            })
            .collect();
        assert_eq!(steps.join(" "), "+0 +1 -1 +2 -2 -0 +3 -3");
        assert_eq!(Trie::default().walk().next(), None);
    }

    #[test]
    fn equal_siblings_become_one() {
        let mut doubled = trie(&[
            (None, 0),
            (None, 0),
            (Some(0), 1),
            (Some(1), 1),
            (Some(1), 2),
        ]);
        doubled.normalize(3).unwrap();
        assert_eq!(
            doubled.parents,
            trie(&[(None, 0), (Some(0), 1), (Some(0), 2)]).parents
        );
        assert_eq!(
            (doubled.calls, doubled.self_costs),
            (vec![2, 2, 1], vec![20, 20, 10])
        );
    }
}
