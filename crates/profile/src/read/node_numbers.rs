//! From the node numbers of a file to nodes.

use std::collections::HashMap;

use crate::model::NodeId;

/// The numbers of the nodes read so far, in the order of the nodes.
///
/// The runtime numbers nodes by their place in the arena, so numbers ascend and a
/// parent is mostly near: searching back from the end is faster than any map.
/// Files of other writers may have them in any order.
pub(super) enum NodeNumbers {
    Ascending(Vec<u32>),
    Any(HashMap<u32, NodeId>),
}

impl Default for NodeNumbers {
    fn default() -> NodeNumbers {
        NodeNumbers::Ascending(Vec::new())
    }
}

impl NodeNumbers {
    pub fn reserve(&mut self, nodes: usize) {
        match self {
            NodeNumbers::Ascending(numbers) => numbers.reserve(nodes),
            NodeNumbers::Any(nodes_by_number) => nodes_by_number.reserve(nodes),
        }
    }

    pub fn get(&self, number: u32) -> Option<NodeId> {
        match self {
            NodeNumbers::Ascending(numbers) => {
                // Doubling steps back from the end until the number is inside.
                let mut end = numbers.len();
                let mut step = 1;
                let start = loop {
                    let start = end.saturating_sub(step);
                    if start == 0 || numbers[start] <= number {
                        break start;
                    }
                    end = start;
                    step *= 2;
                };
                let index = numbers[start..end].binary_search(&number).ok()?;
                Some(NodeId((start + index) as u32))
            }
            NodeNumbers::Any(nodes) => nodes.get(&number).copied(),
        }
    }

    /// Adds the next node; false if the number is taken.
    pub fn insert(&mut self, number: u32, node: NodeId) -> bool {
        match self {
            NodeNumbers::Ascending(numbers) => {
                if numbers.last().is_none_or(|last| *last < number) {
                    numbers.push(number);
                    return true;
                }
                let nodes = numbers.iter().copied().zip((0..).map(NodeId));
                *self = NodeNumbers::Any(nodes.collect());
                self.insert(number, node)
            }
            NodeNumbers::Any(nodes) => nodes.insert(number, node).is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NodeId, NodeNumbers};

    #[test]
    fn finds_what_was_inserted_in_any_order() {
        for order in [
            [8, 16, 40, 48, 64],
            [8, 40, 16, 64, 48],
            [64, 48, 40, 16, 8],
        ] {
            let mut numbers = NodeNumbers::default();
            for (index, number) in (0u32..).zip(order) {
                assert_eq!(numbers.get(number), None);
                assert!(numbers.insert(number, NodeId(index)));
            }
            for (index, number) in (0u32..).zip(order) {
                assert_eq!(numbers.get(number), Some(NodeId(index)));
            }
            assert_eq!(numbers.get(17), None);
            assert_eq!(numbers.get(0), None);
            assert_eq!(numbers.get(u32::MAX), None);
            assert!(!numbers.insert(40, NodeId(5)), "taken");
        }
    }
}
