/** The numbers that probes, runtime and loader agree on; their source is `crates/abi/src/`. */

/** Raised with every change that makes an instrumented module and a runtime disagree. */
export const ABI_VERSION = 2;

/** Where the arena starts in the runtime's memory, in bytes. */
export const ARENA_BASE = 0x4_0000;
/** Smallest arena, in bytes. */
export const ARENA_MIN = 64 * 1024;
/** Largest arena, in bytes. */
export const ARENA_MAX = 0xffff_ffff - ARENA_BASE - 0xffff;
/** Arena when the user does not say, in bytes. */
export const ARENA_DEFAULT = 64 * 1024 * 1024;

/** Offset in the arena of the caller's node, handed over at an import call. */
export const STATE_PASS = 0;
/** Offset in the arena of the node under which calls from the host hang. */
export const STATE_CURRENT = 4;
/** Offset in the arena of the node whose function runs (clock `sampled`). */
export const STATE_RUNNING = 12;
/** Offset in a node of its self cost. */
export const NODE_COST = 8;

/** Import module and custom section of everything that probes need. */
export const PROBE_MODULE = 'wasm-xray';
/** First character of the name under which a function is imported once more, for tables and references. */
export const TWIN = '[';
/** Section flag: inline probes. */
export const FLAG_INLINE = 1;
/** Section flag: the loader makes the module's own memory. */
export const FLAG_OWN_MEMORY = 2;
/** Section flag: exit and resume probes. */
export const FLAG_WALL = 4;
/** Section flag: instructions are counted. */
export const FLAG_INSTRUCTIONS = 8;
/** Section flag: the running node is said, and the runtime's memory is shared. */
export const FLAG_SAMPLED = 16;
/** Section flag: the runtime's memory is shared although nobody samples. */
export const FLAG_SHARED = 32;

/** Size of a WebAssembly page, in bytes. */
export const PAGE = 64 * 1024;
/** How a profile starts. */
export const MAGIC = 0x7872_6179_7072_6f66n;
/** Version in the header of a profile with LLVM XRay's own layout. */
export const VERSION_XRAY = 0x2018_0424n;
