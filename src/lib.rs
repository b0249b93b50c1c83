//! The runtime of wasm-xray: LLVM XRay's profiling mode for WebAssembly.
//!
//! An instrumented module's probes build a *function call trie* in a fixed
//! piece of memory: a node for every call path, with its exact call count and
//! its self cost. Nothing here allocates, grows a memory or waits for a lock,
//! and a full arena is an answer ([`Trie::child`]), not a failure.
//!
//! | XRay | here |
//! | --- | --- |
//! | `Allocator` over mmap | [`arena`]: a view of storage that never moves |
//! | `FunctionCallTrie` | [`trie`], with the probes in [`probe`] |
//! | cumulative local time | [`wall`] |
//! | `profileCollectorService` | [`collector`], records written by [`record`] |
//! | `__xray_log_*` | `session`, `exports` and `js` (wasm32 only) |
//!
//! The layout of arena and blocks is in `wasm-xray-abi`; the repository's
//! `docs/ARCHITECTURE.md` says how rewriter, runtime and loader use them.
//!
//! The crate is built in two ways. `scripts/build-runtime` sets
//! `cfg(wasm_xray_shipped)` and makes the module that the npm package carries:
//! no std, its arena behind its own data in a memory that the loader creates,
//! probes exported by name. Any other build is a library whose arena is a
//! caller's buffer or, on wasm32, a static array.
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
#![warn(clippy::undocumented_unsafe_blocks, clippy::missing_safety_doc)]

#[cfg(not(wasm_xray_shipped))]
extern crate std;

pub mod arena;
pub mod collector;
pub mod ids;
pub mod nodes;
pub mod probe;
pub mod record;
pub mod trie;
pub mod wall;

#[cfg(target_arch = "wasm32")]
pub mod exports;
#[cfg(target_arch = "wasm32")]
pub mod js;
#[cfg(target_arch = "wasm32")]
pub mod session;
#[cfg(wasm_xray_shipped)]
mod shipped;

pub use arena::{Buffer, Storage};
pub use collector::{Collector, Header, Refused};
pub use ids::{FunctionId, NodeId, SlotOffset};
pub use nodes::Nodes;
pub use record::Layout;
pub use trie::{InitError, ModuleError, ResetError, Trie};
pub use wall::{Clock, Wall};
