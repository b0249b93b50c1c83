//! Profiling a Rust program from within: on any target with std, and on
//! wasm32-unknown-unknown.
//!
//! ```no_run
//! struct Stack(Vec<u32>);
//!
//! #[wasm_xray::instrument]
//! impl Stack {
//!     fn push(&mut self, value: u32) {
//!         self.0.push(value);
//!     }
//! }
//!
//! #[wasm_xray::instrument]
//! fn fill(stack: &mut Stack, values: u32) {
//!     for value in 0..values {
//!         stack.push(value);
//!     }
//!     let _guard = wasm_xray::enter!("sort");
//!     stack.0.sort();
//! }
//!
//! // Written at the end of main: `wasm-xray report app.xray` prints it.
//! # #[cfg(not(target_arch = "wasm32"))]
//! let _record = wasm_xray::session().record("app.xray");
//! fill(&mut Stack(Vec::new()), 1000);
//! ```
//!
//! Nothing is recorded, and nothing of this is in the program, unless the
//! feature `enabled` is on:
//!
//! ```text
//! cargo run --features wasm-xray/enabled
//! ```
//!
//! | | with `enabled` | without |
//! | --- | --- | --- |
//! | [`#[instrument]`](macro@instrument) | enters and leaves | the code as it was |
//! | [`enter!`](crate::enter) | a guard | an empty value |
//! | `Session::record` (not on wasm32-unknown-unknown) | writes a profile | does nothing |
//! | [`Session::start`], [`stop`](Session::stop) | | [`StartError::Disabled`], [`StopError::Disabled`] |
//!
//! The session with its profile in hand, as a test or a WebAssembly module would
//! use it (which has no files):
//!
//! ```
//! use wasm_xray::{Settings, Timing};
//!
//! #[wasm_xray::instrument(name = "fib")]
//! fn fib(n: u32) -> u32 {
//!     if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
//! }
//!
//! wasm_xray::session().start_with(&Settings {
//!     timing: Timing::Wall,
//!     ..Settings::default()
//! })?;
//! fib(10);
//! let mut profile = wasm_xray::session().stop()?;
//! let map = profile.map_json();
//! assert!(map.contains(r#""names":["fib"]"#));
//! // Of 10 paths of one to ten calls of fib: one block behind the header.
//! let pieces: Vec<Vec<u8>> = profile.blocks().collect();
//! assert_eq!((pieces[0].len(), pieces[1].len()), (32, 16 + 10 * 32));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where it cannot apply, the compiler says so:
//!
//! ```compile_fail
//! #[wasm_xray::instrument] // a `const fn` cannot be instrumented, as it can run in the compiler
//! const fn size() -> usize {
//!     16
//! }
//! ```
//!
//! # What is recorded
//!
//! A call is counted when it returns, by `return`, `?` or unwinding, under the
//! innermost call of its thread that was live when it began. Every thread has a
//! trie of its own, so a spawned thread's calls hang under no other's. Threads
//! that share names are told apart by their ids.
//!
//! An async function is entered and left with each poll, under whoever polls it;
//! its call is counted with the first one. So its time is without the time in
//! which it is suspended, and one that is dropped before its end is counted.
//!
//! When an arena is full, calls are counted for their function without their
//! path, and the profile says how many; see [`Trie::child`](crate::Trie::child).
//!
//! # Limits
//!
//! * On wasm32 a panic aborts: calls that were live when JavaScript caught the
//!   trap stay live, and what is called later hangs under them, until a call
//!   further out returns or the session is [reset](Session::reset).
//! * On wasm32 with threads (`atomics`) the feature cannot be turned on: the
//!   static arena is one thread's.
//! * A call takes two look-ups and the thread's own lock twice; `Timing::Wall` adds
//!   two clock reads. The command `wasm-xray` counts wasm modules at less cost.

#[cfg(feature = "enabled")]
mod clock;
#[cfg(not(feature = "enabled"))]
mod disabled;
mod errors;
#[cfg(feature = "enabled")]
mod function;
#[cfg(feature = "enabled")]
mod future;
#[cfg(feature = "enabled")]
mod guard;
#[cfg(feature = "enabled")]
mod profile;
#[cfg(all(
    feature = "enabled",
    not(all(target_arch = "wasm32", target_os = "unknown"))
))]
mod record;
#[cfg(feature = "enabled")]
mod session;
mod settings;
#[cfg(feature = "enabled")]
mod storage;
#[cfg(feature = "enabled")]
mod thread;

#[cfg(all(
    feature = "enabled",
    target_arch = "wasm32",
    target_feature = "atomics"
))]
compile_error!(
    "the feature `enabled` of wasm-xray is for one thread on wasm32: build without `atomics`, or profile the module with the command wasm-xray"
);

pub use wasm_xray_macros::instrument;

#[cfg(not(feature = "enabled"))]
pub use disabled::{Guard, Profile, Record, Session, session};
pub use errors::{StartError, StopError};
#[cfg(feature = "enabled")]
pub use guard::Guard;
#[cfg(feature = "enabled")]
pub use profile::Profile;
#[cfg(all(
    feature = "enabled",
    not(all(target_arch = "wasm32", target_os = "unknown"))
))]
pub use record::Record;
#[cfg(feature = "enabled")]
pub use session::{Session, session};
pub use settings::{Settings, Timing};

/// What the macros expand to. Not part of the interface.
#[doc(hidden)]
pub mod __private {
    #[cfg(not(feature = "enabled"))]
    pub use super::disabled::none;
    #[cfg(feature = "enabled")]
    pub use super::function::Function;
    #[cfg(feature = "enabled")]
    pub use super::future::instrumented;
    #[cfg(feature = "enabled")]
    pub use super::guard::enter;
}

/// Enters a part of a function, as if it were a function of its own; the
/// [`Guard`] that it gives leaves it when it is dropped.
///
/// Its name is a literal, behind the path of the module.
///
/// ```
/// fn parse(text: &str) -> usize {
///     let _guard = wasm_xray::enter!("parse/lines");
///     text.lines().count()
/// }
/// # parse("");
/// ```
#[cfg(feature = "enabled")]
#[macro_export]
macro_rules! enter {
    ($name:literal) => {
        $crate::__private::enter(
            {
                static FUNCTION: $crate::__private::Function = $crate::__private::Function::new(
                    ::core::concat!(::core::module_path!(), "::", $name),
                );
                &FUNCTION
            },
            ::core::option::Option::None,
        )
    };
}

/// Enters a part of a function; without the feature `enabled`, an empty value.
#[cfg(not(feature = "enabled"))]
#[macro_export]
macro_rules! enter {
    ($name:literal) => {{
        const _: &str = $name;
        $crate::__private::none()
    }};
}
