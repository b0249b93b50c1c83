//! Writing headers and records; `docs/FORMAT.md` describes them for readers.

use wasm_xray_abi::block::*;

use crate::arena::Part;
use crate::ids::{FunctionId, NodeId};
use crate::leaves::Leaf;
use crate::trie::Trie;

/// How a profile is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One record of [`COMPACT_RECORD_SIZE`] bytes a node, self costs.
    Compact,
    /// LLVM XRay's own: one record a path, as long as the path, inclusive times.
    Xray,
}

impl Layout {
    /// Version in the file header.
    pub const fn version(self) -> u64 {
        match self {
            Layout::Compact => VERSION_COMPACT,
            Layout::Xray => VERSION_XRAY,
        }
    }
}

/// Bytes written to the front of a buffer. What does not fit is not written at all.
pub(crate) struct Writer<'a> {
    buffer: &'a mut [u8],
    len: usize,
}

/// There is no room for the whole record.
pub(crate) struct Full;

impl<'a> Writer<'a> {
    pub(crate) fn new(buffer: &'a mut [u8]) -> Writer<'a> {
        Writer { buffer, len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    fn put<const N: usize>(&mut self, bytes: [u8; N]) -> Result<(), Full> {
        let room = self
            .buffer
            .get_mut(self.len..)
            .and_then(<[u8]>::first_chunk_mut);
        *room.ok_or(Full)? = bytes;
        self.len += N;
        Ok(())
    }

    fn u32(&mut self, value: u32) -> Result<(), Full> {
        self.put(value.to_le_bytes())
    }

    fn u64(&mut self, value: u64) -> Result<(), Full> {
        self.put(value.to_le_bytes())
    }

    pub(crate) fn file_header(
        &mut self,
        layout: Layout,
        timestamp_ns: u64,
        process: u64,
    ) -> Result<(), Full> {
        self.u64(MAGIC)?;
        self.u64(layout.version())?;
        self.u64(timestamp_ns)?;
        self.u64(process)
    }

    /// Leaves the size to [`end_block`](Writer::end_block).
    pub(crate) fn block_header(&mut self, number: u32, thread: u64) -> Result<(), Full> {
        self.u32(0)?;
        self.u32(number)?;
        self.u64(thread)
    }

    /// Completes the block that starts the buffer.
    pub(crate) fn end_block(&mut self) {
        let size = (self.len as u32).to_le_bytes();
        if let Some(field) = self.buffer.first_chunk_mut() {
            *field = size;
        }
    }

    /// Writes the node's record, or leaves everything as it was.
    ///
    /// # Safety
    ///
    /// The node is the trie's, and not its root.
    pub(crate) unsafe fn record(
        &mut self,
        layout: Layout,
        trie: &Trie<Part>,
        node: NodeId,
    ) -> Result<(), Full> {
        let start = self.len;
        // SAFETY: the caller says so.
        let written = unsafe {
            match layout {
                Layout::Compact => self.compact_record(trie, node),
                Layout::Xray => self.xray_record(trie, node),
            }
        };
        if written.is_err() {
            self.len = start;
        }
        written
    }

    /// # Safety
    ///
    /// The node is the trie's, and not its root.
    unsafe fn compact_record(&mut self, trie: &Trie<Part>, node: NodeId) -> Result<(), Full> {
        // SAFETY: the caller says so.
        unsafe {
            let overflow = trie.is_overflow(node);
            let parent = trie
                .parent(node)
                .filter(|&parent| parent != trie.root() && !overflow);
            let flags = if overflow { FLAG_OVERFLOW } else { 0 };
            // Negative while callees have returned to a caller that has not, see
            // `accounting`.
            let cost = (trie.cost(node) as i64).max(0) as u64;
            // So is this, while slots count calls that nodes have taken back.
            let calls = (trie.calls(node) as i64).max(0) as u64;
            let function = trie.function(node);
            self.compact(node.offset(), parent, function, flags, calls, cost)
        }
    }

    /// Writes the compact record of a leaf that its caller's node counted, or nothing.
    pub(crate) fn leaf_record(&mut self, leaf: &Leaf) -> Result<(), Full> {
        let start = self.len;
        let written = self.compact(
            leaf.number,
            Some(leaf.parent),
            Some(leaf.function),
            0,
            leaf.calls,
            leaf.cost,
        );
        if written.is_err() {
            self.len = start;
        }
        written
    }

    fn compact(
        &mut self,
        number: u32,
        parent: Option<NodeId>,
        function: Option<FunctionId>,
        flags: u32,
        calls: u64,
        cost: u64,
    ) -> Result<(), Full> {
        self.u32(number)?;
        self.u32(parent.map_or(0, NodeId::offset))?;
        self.u32(function.map_or(0, FunctionId::get))?;
        self.u32(flags)?;
        self.u64(calls)?;
        self.u64(cost)
    }

    /// Costs must be inclusive.
    ///
    /// # Safety
    ///
    /// The node is the trie's, and not its root.
    unsafe fn xray_record(&mut self, trie: &Trie<Part>, node: NodeId) -> Result<(), Full> {
        // SAFETY: the caller says so, and ancestors are the trie's as well.
        unsafe {
            let mut frame = node;
            // Only the root has no function.
            while let Some(function) = trie.function(frame) {
                self.u32(function.get())?;
                match trie.parent(frame) {
                    Some(parent) if parent != frame => frame = parent,
                    _ => break,
                }
            }
            self.u32(0)?;
            self.u64(trie.calls(node))?;
            self.u64(trie.cost(node))
        }
    }
}
