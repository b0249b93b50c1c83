//! What a module without std has to bring along.

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicU32, Ordering};

use wee_alloc::WeeAlloc;

/// wee_alloc over a static array, which nothing calls: its free list loses
/// blocks, and allocating is not what a probe does. The count proves it.
struct Counted {
    allocator: WeeAlloc<'static>,
    allocations: AtomicU32,
}

#[global_allocator]
static ALLOCATOR: Counted = Counted {
    allocator: WeeAlloc::INIT,
    allocations: AtomicU32::new(0),
};

// SAFETY: as good as wee_alloc's.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.allocations.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's contract is the same.
        unsafe { self.allocator.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the same.
        unsafe { self.allocator.dealloc(pointer, layout) }
    }
}

/// How often the global allocator was asked for memory since the start: never.
#[unsafe(no_mangle)]
pub extern "C" fn xr_allocations() -> u32 {
    ALLOCATOR.allocations.load(Ordering::Relaxed)
}

/// Not reached by any export in a release build.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
