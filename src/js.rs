//! The session for JavaScript. Numbers and views cross the border, never
//! strings or vectors, so nothing is allocated.

use core::slice;

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use crate::exports;
use crate::session;

/// Starts a file, see [`exports::xr_serialize`]: 0, or the number of the reason.
#[wasm_bindgen]
pub fn serialize(layout: u32, thread: u32, timestamp_ms: f64, process: u32) -> u32 {
    exports::xr_serialize(layout, thread, timestamp_ms, process)
}

/// A view, not a copy, of the file's next piece: the header, then blocks;
/// `undefined` at the end, and if the collector is busy or the trie was reset.
/// The next call writes over it.
#[wasm_bindgen(js_name = nextBuffer)]
pub fn next_buffer() -> Option<Uint8Array> {
    let len = session::next_buffer().ok()??;
    let address = session::buffer_address();
    // SAFETY: the buffer is static and has at least `len` bytes; the memory of
    // the shipped runtime does not grow, so the view stays attached. On this one
    // thread nothing writes before the next call, of which the view's holder knows.
    Some(unsafe { Uint8Array::view(slice::from_raw_parts(address, len)) })
}

/// Drops what was counted, see [`exports::xr_reset`]: 0, or the number of the reason.
#[wasm_bindgen]
pub fn reset() -> u32 {
    exports::xr_reset()
}
