//! The file and block formats. Source of the XRay layout: LLVM compiler-rt,
//! `xray_profile_collector.cpp`; `docs/FORMAT.md` describes both.
//!
//! Everything is little-endian and unaligned.

/// First eight bytes of a file.
pub const MAGIC: u64 = 0x7872_6179_7072_6f66;
/// Version of XRay's own layout: one record per path, leaf to root, times inclusive.
pub const VERSION_XRAY: u64 = 0x2018_0424;
/// Version of the compact layout: one fixed-size record per trie node, costs self.
pub const VERSION_COMPACT: u64 = 0x2026_1130;

/// File header: u64 magic, u64 version, u64 timestamp in ns, u64 process id.
pub const FILE_HEADER_SIZE: usize = 32;
/// Block header: u32 size with this header, u32 block number, u64 thread id.
pub const BLOCK_HEADER_SIZE: usize = 16;

/// Compact record: u32 node, u32 parent node (0 for a root), i32 function id,
/// u32 flags, u64 calls, u64 self cost. A parent precedes its children, in this
/// block or an earlier one of the same thread.
pub const COMPACT_RECORD_SIZE: usize = 32;
/// Compact record flag: an overflow node, whose calls are exact but whose path was dropped.
pub const FLAG_OVERFLOW: u32 = 1;
