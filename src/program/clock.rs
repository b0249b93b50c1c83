//! Time for the calls of a Rust program.

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
use crate::performance::Performance;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
use crate::wall::Clock;

/// Now, in ns since some moment of this program's run.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub(super) fn now_ns() -> u64 {
    Performance.now_ns()
}

/// Now, in ns since the first time that somebody asked.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub(super) fn now_ns() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;

    static START: OnceLock<Instant> = OnceLock::new();
    // 584 years.
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}
