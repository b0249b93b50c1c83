//! For a node of one trie, the node of another with the same path, or with that
//! path's recursion folded, in constant memory. XRay walks both tries from their roots, by lists of callees; a node
//! here knows its caller only, so paths are followed upwards.

use crate::arena::Storage;
use crate::ids::{FunctionId, NodeId};
use crate::trie::Trie;

/// Pairs of either kind that are remembered.
const REMEMBERED: usize = 256;
/// One node of this many is a landmark.
const LANDMARKS: u32 = 64;
/// Ancestors noted on the way up a path.
const MARKS: usize = 32;

type Pairs = [Option<(NodeId, NodeId)>; REMEMBERED];

/// The twins, in `target`, of the nodes of `trie`.
///
/// In creation order a node's caller was mostly looked up just before, so its
/// twin is among the recent ones. If it is not, the way up the path ends at the
/// next landmark, some hundred levels at most in a trie of usual depth.
pub(crate) struct Twins<'a, S, T> {
    trie: &'a Trie<S>,
    target: &'a Trie<T>,
    /// A function called below itself is the outer call's node.
    fold: bool,
    /// Nodes asked for lately, with their twins.
    recent: Pairs,
    /// Landmarks passed lately, with their twins.
    landmarks: Pairs,
}

fn hash(node: NodeId) -> u32 {
    (node.offset() >> 3).wrapping_mul(0x9E37_79B1)
}

fn place(node: NodeId) -> usize {
    (hash(node) >> 16) as usize % REMEMBERED
}

fn is_landmark(node: NodeId) -> bool {
    (hash(node) >> 8).is_multiple_of(LANDMARKS)
}

fn lookup(pairs: &Pairs, node: NodeId) -> Option<NodeId> {
    pairs[place(node)]
        .filter(|&(known, _)| known == node)
        .map(|(_, twin)| twin)
}

impl<'a, S: Storage, T: Storage> Twins<'a, S, T> {
    /// The target must have all functions of the trie.
    pub(crate) fn new(trie: &'a Trie<S>, target: &'a Trie<T>, fold: bool) -> Self {
        Twins {
            trie,
            target,
            fold,
            recent: [None; REMEMBERED],
            landmarks: [None; REMEMBERED],
        }
    }

    /// The node's twin, made if there is none; an overflow node's is that of its
    /// function.
    ///
    /// # Safety
    ///
    /// The node is the trie's.
    pub(crate) unsafe fn find(&mut self, node: NodeId) -> NodeId {
        let mut distance = 0;
        let mut ancestor = node;
        // SAFETY: the node is the trie's, and so are its ancestors; the target
        // has their functions.
        unsafe {
            let twin = loop {
                if let Some(twin) = self.known(ancestor) {
                    break twin;
                }
                distance += 1;
                match self.trie.parent(ancestor) {
                    Some(parent) if parent != ancestor => ancestor = parent,
                    _ => {
                        return match self.trie.function(node) {
                            Some(function) => self.target.overflow_node(function),
                            None => self.target.root(),
                        };
                    }
                }
            };
            let twin = self.descend(twin, node, distance);
            self.recent[place(node)] = Some((node, twin));
            twin
        }
    }

    fn known(&self, node: NodeId) -> Option<NodeId> {
        if node == self.trie.root() {
            return Some(self.target.root());
        }
        lookup(&self.recent, node).or_else(|| lookup(&self.landmarks, node))
    }

    /// The twin of a call of `function` by a node with this twin.
    ///
    /// # Safety
    ///
    /// The node is the target's, and the function is the trie's.
    pub(crate) unsafe fn below(&self, twin: NodeId, function: FunctionId) -> NodeId {
        // SAFETY: the target has the trie's functions, and the twin's ancestors
        // are its nodes.
        unsafe {
            let mut outer = Some(twin).filter(|_| self.fold);
            while let Some(node) = outer {
                if self.target.function(node) == Some(function) {
                    return node;
                }
                outer = self.target.parent(node).filter(|&parent| parent != node);
            }
            self.target.child(twin, function)
        }
    }

    /// From the twin of an ancestor `distance` levels above down to the node's.
    /// The path is cut into pieces, and they into pieces again until they are
    /// single levels: four times at most.
    ///
    /// # Safety
    ///
    /// The node is the trie's, not an overflow node, and has that ancestor.
    unsafe fn descend(&mut self, twin: NodeId, node: NodeId, distance: usize) -> NodeId {
        let step = distance.div_ceil(MARKS);
        let mut marks = [node; MARKS];
        let mut count = 0;
        let mut at = node;
        for level in 0..distance {
            if level == count * step {
                marks[count] = at;
                count += 1;
            }
            // SAFETY: the node is the trie's, and so are its ancestors.
            at = unsafe { self.trie.parent(at) }.unwrap_or(at);
        }
        let mut twin = twin;
        let mut above = distance;
        for mark in (0..count).rev() {
            let below = marks[mark];
            // SAFETY: as above; the mark is `above - mark * step` levels below
            // the node of `twin`.
            unsafe {
                if step > 1 {
                    twin = self.descend(twin, below, above - mark * step);
                } else if let Some(function) = self.trie.function(below) {
                    twin = self.below(twin, function);
                    if is_landmark(below) {
                        self.landmarks[place(below)] = Some((below, twin));
                    }
                }
            }
            above = mark * step;
        }
        twin
    }
}
