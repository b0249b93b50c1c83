//! The runtime of wasm-xray: LLVM XRay's profiling mode for WebAssembly.
//!
//! An instrumented module's probes build a *function call trie* in a fixed
//! piece of memory: a node for every call path, with its exact call count and
//! its self cost. Nothing here allocates, grows a memory or waits for a lock,
//! and a full arena is an answer ([`Trie::child`]), not a failure.
//!
//! | XRay | here |
//! | --- | --- |
//! | `Allocator` over mmap | [`allocator`] for blocks, [`arena`] for tries: storage that never moves, often a static ([`statics`]) |
//! | `Array` | [`segmented_array`] |
//! | `FunctionCallTrie` | [`trie`], filled by the probes in [`probe`] or by enter and exit in [`accounting`]; merging in [`paths`] |
//! | cumulative local time | [`wall`]; by samples [`sampled`] |
//! | `profileCollectorService` | [`collector`], records written by [`record`] |
//! | `__xray_log_*` | [`log`]; on wasm32 also `session`, `exports` and `js` |
//! | `profilingFlags` | [`options`] |
//! | `-fxray-instrument` | the rewriter; for Rust source [`#[instrument]`](macro@instrument), see [`program`] |
//!
//! The layout of arena and blocks is in `wasm-xray-abi`; the repository's
//! `docs/ARCHITECTURE.md` says how rewriter, runtime and loader use them.
//!
//! The crate is built in two ways. `scripts/build-runtime` sets
//! `cfg(wasm_xray_shipped)` and makes the module that the npm package carries:
//! no std, its arena behind its own data in a memory that the loader creates,
//! probes exported by name. Any other build is a library: to profile a Rust
//! program from within, see [`program`]; to build a profiler, use the parts
//! above.
//!
//! ```
//! use wasm_xray::{Buffer, FunctionId, Trie};
//!
//! let mut words = vec![0u64; 64 << 10 >> 3];
//! let trie = Trie::new(Buffer::new(&mut words));
//! trie.init(64 << 10)?;
//! let base = trie.begin_module(2, 0)?;
//! trie.add_function(0)?;
//! trie.add_function(0)?;
//! let main = FunctionId::new(base).unwrap();
//! // SAFETY: node and function belong to this trie, which was not reset.
//! let node = unsafe { trie.child(trie.root(), main) };
//! # assert_eq!(unsafe { trie.function(node) }, Some(main));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![no_std]
#![warn(missing_docs)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks, clippy::missing_safety_doc)]

#[cfg(not(wasm_xray_shipped))]
extern crate std;

pub mod accounting;
pub mod allocator;
pub mod arena;
pub mod collector;
mod fold;
pub mod ids;
mod leaves;
pub mod log;
pub mod modules;
pub mod nodes;
pub mod options;
pub mod paths;
#[cfg(all(
    target_arch = "wasm32",
    target_os = "unknown",
    any(feature = "enabled", feature = "js")
))]
mod performance;
pub mod probe;
#[cfg(not(wasm_xray_shipped))]
pub mod program;
pub mod record;
pub mod sampled;
pub mod segmented_array;
pub mod statics;
pub mod trie;
mod twins;
pub mod wall;

#[cfg(all(target_arch = "wasm32", feature = "js"))]
pub mod exports;
#[cfg(all(target_arch = "wasm32", feature = "js"))]
pub mod js;
#[cfg(all(target_arch = "wasm32", feature = "js"))]
pub mod session;
#[cfg(wasm_xray_shipped)]
mod shipped;

pub use accounting::{Anomalies, EnterError, FunctionCallTrie, StackSegment};
pub use allocator::Allocator;
pub use arena::{Buffer, Storage};
pub use collector::{Collector, Header, NotPosted, Refused};
pub use ids::{FunctionId, NodeId, SlotOffset};
pub use log::{FlushStatus, Log, LogStatus};
pub use modules::ModuleError;
pub use nodes::Nodes;
pub use options::{FLAGS, OptionError, Options};
pub use paths::MergeError;
#[cfg(not(wasm_xray_shipped))]
pub use program::{
    __private, Guard, Profile, Session, Settings, StartError, StopError, Timing, instrument,
    session,
};
pub use record::Layout;
pub use segmented_array::{Segment, SegmentedArray};
pub use statics::TakeOnce;
pub use trie::{InitError, ResetError, Trie};
pub use wall::{Clock, Wall};
