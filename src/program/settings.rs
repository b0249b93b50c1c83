//! What a session can be told.

use crate::options::Options;

/// Whether calls are timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// Calls are counted. Two runs of a deterministic program give the same profile.
    #[default]
    Calls,
    /// And timed, in ns: `performance.now` on the web, `Instant` elsewhere.
    Wall,
}

/// What a session records, and in how much memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether calls are timed.
    pub timing: Timing,
    /// Sizes and layout. `buffers_max` threads, 128 at most, have a trie of
    /// their own in the profile; the last of them stands for all further ones.
    pub options: Options,
}

impl Settings {
    /// Counts, in the compact layout. Each thread has an arena of 64 MiB, of
    /// which the system provides what is used; on wasm32-unknown-unknown there is
    /// a static one for the one thread, of `WASM_XRAY_ARENA_BYTES` bytes when the
    /// crate is compiled, or 16 MiB.
    pub const DEFAULT: Settings = Settings {
        timing: Timing::Calls,
        options: Options {
            #[cfg(all(feature = "enabled", target_arch = "wasm32", target_os = "unknown"))]
            per_thread_allocator_max: super::storage::memory::ARENA_BYTES,
            ..Options::DEFAULT
        },
    };
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::DEFAULT
    }
}
