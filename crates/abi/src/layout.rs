//! The arena's layout: what probes, runtime and loader agree on.
//!
//! All offsets are in bytes. Inline probes have these numbers compiled into
//! them, so a change of any of them is a change of [`ABI_VERSION`].

/// Raised with every change that makes an instrumented module and a runtime disagree.
pub const ABI_VERSION: u32 = 2;

/// Where the arena starts in the runtime's linear memory. Below it are the
/// runtime's stack and static data.
pub const ARENA_BASE: u32 = 0x4_0000;

/// Smallest arena that [`ARENA_BASE`]'s memory may have, in bytes.
pub const ARENA_MIN: u32 = 64 << 10;
/// Largest arena, in bytes: the rest of a 4 GiB memory, less one page so that every offset fits in a u32.
pub const ARENA_MAX: u32 = u32::MAX - ARENA_BASE - 0xFFFF;
/// Arena size when the user does not say, in bytes.
pub const ARENA_DEFAULT: u32 = 64 << 20;

/// Offset in the arena of the caller's node, handed to a function reached through a table, a reference or an import.
pub const STATE_PASS: u32 = 0;
/// Offset in the arena of the node under which calls from the host hang.
pub const STATE_CURRENT: u32 = 4;
/// Offset in the arena of the right shift that makes a hash table index out of a 32-bit hash.
pub const STATE_HASH_SHIFT: u32 = 8;
/// Offset in the arena of the node whose function runs, which a sampler on another
/// thread reads (clock `sampled`); the node of [`STATE_CURRENT`] while the host runs.
pub const STATE_RUNNING: u32 = 12;
/// Size of the state at the arena's start. Bytes 16 to 24 stay zero: a lookup that
/// finds no node (offset 0) compares its key with them and never matches.
pub const STATE_SIZE: u32 = 64;
/// Offset in the arena of the child hash table.
pub const HASH_TABLE: u32 = STATE_SIZE;

/// Offset in a node of its call count, u64.
pub const NODE_CALLS: u32 = 0;
/// Offset in a node of its self cost, u64.
pub const NODE_COST: u32 = 8;
/// Offset in a node of its key: function id in the low, parent node in the high 32 bits, u64.
pub const NODE_KEY: u32 = 16;
/// Offset in a node of its function id, u32.
pub const NODE_FUNCTION: u32 = 16;
/// Offset in a node of its parent, u32.
pub const NODE_PARENT: u32 = 20;
/// Offset in a node of the first leaf's counter, u64 each; child slots follow, u64 each.
pub const NODE_PLACES: u32 = 24;

/// What a call adds to its slot: the low 32 bits of one are the callee's node, the
/// high ones count up from [`SLOT_READY`], so that the sign says whether the slot is of use.
pub const SLOT_ONE: u64 = 1 << 32;
/// A slot's bits above the node when its count is 0; without the highest one it is
/// empty, or has counted to the end.
pub const SLOT_READY: u64 = 1 << 63;

/// Bytes that one function descriptor takes at the arena's end: u32 slot count,
/// u32 overflow node, u32 counter count.
pub const DESCRIPTOR_SIZE: u32 = 12;

/// Bytes that a leaf with a counter takes behind its caller's overflow node:
/// u32 function id, u32 cost of each call.
pub const COUNTED_SIZE: u32 = 8;

/// Most child slots that a node may have. A function within the engines' limits has far fewer.
pub const MAX_SLOTS: u32 = 1 << 20;

const HASH_FUNCTION: u32 = 0x85EB_CA6B;
const HASH_MIX: u32 = 0x9E37_79B1;

/// Multiplier of the function id in [`child_hash`], for probes that compute it inline.
pub const fn hash_multipliers() -> (u32, u32) {
    (HASH_FUNCTION, HASH_MIX)
}

/// Hash of a child key; its top bits, shifted right by the word at [`STATE_HASH_SHIFT`], index the table.
pub const fn child_hash(parent: u32, function: u32) -> u32 {
    (parent ^ function.wrapping_mul(HASH_FUNCTION)).wrapping_mul(HASH_MIX)
}

/// Offset in a node of its counter number `counter`.
pub const fn counter_offset(counter: u32) -> u32 {
    NODE_PLACES + 8 * counter
}

/// Offset in a node with `counters` counters of its child slot number `slot`.
pub const fn slot_offset(counters: u32, slot: u32) -> u32 {
    counter_offset(counters + slot)
}

/// Size in bytes of a node with `counters` counters and `slots` child slots.
pub const fn node_size(counters: u32, slots: u32) -> u32 {
    slot_offset(counters, slots)
}
