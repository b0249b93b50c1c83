//! The runtime's index spaces, one type each.

use core::num::NonZeroU32;

/// A node of the function call trie: its offset in bytes from the arena's
/// start. A node never moves; it is dropped by a reset only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    /// The node at `offset` bytes, or none for 0.
    #[inline]
    pub const fn new(offset: u32) -> Option<NodeId> {
        match NonZeroU32::new(offset) {
            Some(offset) => Some(NodeId(offset)),
            None => None,
        }
    }

    /// The node at `offset` bytes.
    ///
    /// # Safety
    ///
    /// `offset` is not 0.
    #[inline]
    pub const unsafe fn new_unchecked(offset: u32) -> NodeId {
        // SAFETY: the caller says that it is not 0.
        NodeId(unsafe { NonZeroU32::new_unchecked(offset) })
    }

    /// Offset in bytes from the arena's start, never 0.
    #[inline]
    pub const fn offset(self) -> u32 {
        self.0.get()
    }
}

/// A function of a registered module: the module's base plus the function's
/// index in the original module, imports included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct FunctionId(NonZeroU32);

impl FunctionId {
    /// The function with this id, or none for 0.
    #[inline]
    pub const fn new(id: u32) -> Option<FunctionId> {
        match NonZeroU32::new(id) {
            Some(id) => Some(FunctionId(id)),
            None => None,
        }
    }

    /// The function with this id.
    ///
    /// # Safety
    ///
    /// `id` is not 0.
    #[inline]
    pub const unsafe fn new_unchecked(id: u32) -> FunctionId {
        // SAFETY: the caller says that it is not 0.
        FunctionId(unsafe { NonZeroU32::new_unchecked(id) })
    }

    /// The id as probes and blocks carry it, at least 1.
    #[inline]
    pub const fn get(self) -> u32 {
        self.0.get()
    }
}

/// A child slot of a node: its offset in bytes from the node's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct SlotOffset(pub u32);
