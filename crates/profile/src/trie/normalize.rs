//! The order and the uniqueness that a [`Trie`] promises.

use super::Children;
use super::builder::Builder;
use crate::error::Result;
use crate::model::{NodeId, Trie};

impl Trie {
    /// Establishes the order and the uniqueness that [`Trie`] promises, of any
    /// nodes in which parents come before children.
    pub(crate) fn normalize(&mut self, functions: usize) -> Result<()> {
        self.order_depth_first()?;
        if self.has_equal_siblings(functions) {
            *self = self.with_siblings_merged()?;
        }
        Ok(())
    }

    pub(super) fn order_depth_first(&mut self) -> Result<()> {
        if !self.is_depth_first() {
            *self = self.depth_first(&self.children())?;
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
        let mut merged = Builder::default();
        let mut new_ids: Vec<NodeId> = Vec::with_capacity(self.len());
        for node in self.nodes() {
            let parent = self.parent(node).map(|parent| new_ids[parent.index()]);
            let new = merged.node(parent, self.function(node), self.is_overflow(node))?;
            merged.add(new, self.calls(node), self.self_cost(node));
            new_ids.push(new);
        }
        merged.finish()
    }

    fn has_equal_siblings(&self, functions: usize) -> bool {
        let children = self.children();
        // The list in which a function was last seen; lists are visited one after the other.
        let mut seen_plain = vec![0u32; functions];
        let mut seen_overflow = vec![0u32; functions];
        let roots = std::iter::once(children.first_root);
        let lists = roots.chain(children.links.iter().map(|links| links.first));
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

#[cfg(test)]
mod tests {
    use super::super::tests::trie;
    use crate::model::NodeId;

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
