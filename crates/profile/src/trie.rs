//! Building and walking a trie, without recursion and without a map per node.

mod builder;
mod normalize;

pub(crate) use self::builder::Builder;
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
            links: vec![
                Links {
                    first: NONE,
                    next: NONE
                };
                self.len()
            ],
            first_root: NONE,
        };
        // Backwards, so that prepending leaves each list in ascending order.
        for node in self.nodes().rev() {
            let first = match self.parent(node) {
                Some(parent) => &mut children.links[parent.index()].first,
                None => &mut children.first_root,
            };
            let next = std::mem::replace(first, node.0);
            children.links[node.index()].next = next;
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
}

/// The children of each node of one trie.
pub struct Children {
    links: Vec<Links>,
    first_root: u32,
}

/// Side by side, as whoever asks for one mostly asks for the other.
#[derive(Clone, Copy)]
struct Links {
    /// First child.
    first: u32,
    /// Next sibling.
    next: u32,
}

impl Children {
    pub(crate) fn first(&self, node: NodeId) -> Option<NodeId> {
        NodeId::from_raw(self.links[node.index()].first)
    }

    pub(crate) fn next(&self, node: NodeId) -> Option<NodeId> {
        NodeId::from_raw(self.links[node.index()].next)
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
    pub(super) fn trie(nodes: &[(Option<u32>, u32)]) -> Trie {
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
}
