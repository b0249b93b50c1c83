//! What instrumenting takes beside the module itself: a few times its size, however large it is.

#[path = "support/large.rs"]
mod large;

use large::Large;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use wasm_xray_rewriter::{Clock, Options, Probes, instrument};
use wasmparser::{Validator, WasmFeatures};

/// The system's allocator, counting.
struct Counting;
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does the work; only sums are kept beside it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(live, Relaxed);
        // SAFETY: the caller's promises are the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// One measurement at a time, as the counters are of the whole process.
static ALONE: Mutex<()> = Mutex::new(());

/// Most bytes in use while a module is instrumented, the output included, for each byte of the module.
fn peak_per_byte(kind: Large, options: &Options) -> f64 {
    let _alone = ALONE.lock().unwrap_or_else(|broken| broken.into_inner());
    let bytes = kind.module();
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let output = instrument(&bytes, options).unwrap();
    let peak = PEAK.load(Relaxed) - before;
    Validator::new_with_features(WasmFeatures::all())
        .validate_all(&output.bytes)
        .unwrap_or_else(|e| panic!("{kind:?}: {e}"));
    peak as f64 / bytes.len() as f64
}

/// Kinds at a size, the same at four times that, and the most bytes in use for each of the module.
const KINDS: [(Large, Large, f64); 7] = [
    // 17 bytes a function, which become 114.
    (Large::Functions(8_000), Large::Functions(32_000), 16.0),
    (Large::Body(100_000), Large::Body(400_000), 4.0),
    // Half of the bytes are calls.
    (Large::Nesting(750), Large::Nesting(3_000), 15.0),
    (Large::Locals(12_000), Large::Locals(48_000), 3.5),
    // 19 bytes an import, which become 140; each has a name in the function map.
    (Large::Imports(5_000), Large::Imports(20_000), 30.0),
    (Large::Targets(1_250), Large::Targets(5_000), 5.0),
    (Large::Bytes(500_000), Large::Bytes(2_000_000), 4.5),
];

#[test]
fn memory_grows_no_faster_than_the_module() {
    for (small, large, most) in KINDS {
        for (probes, clock) in [
            (Probes::Inline, Clock::Calls),
            (Probes::Imported, Clock::Calls),
            (Probes::Imported, Clock::Wall),
        ] {
            let options = Options {
                probes,
                clock,
                ..Options::default()
            };
            let small_peak = peak_per_byte(small, &options);
            let large_peak = peak_per_byte(large, &options);
            let words = format!("{large:?} {probes:?} {clock:?}: {small_peak:.1}, {large_peak:.1}");
            assert!(large_peak < most, "{words}");
            // Lists double when they are full, so it is not the same at every size.
            assert!(large_peak < 1.5 * small_peak, "{words}");
        }
    }
}
