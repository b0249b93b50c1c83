//! The session for JavaScript. Numbers, views and functions cross the border,
//! never strings or vectors to be copied, so nothing is allocated.
//!
//! ```js
//! if (serialize(0, 1, Date.now(), 0) === 0) for (const piece of blocks()) file.write(piece);
//! ```
//!
//! # Lifetimes
//!
//! What [`next_buffer`], [`blocks`] and [`flush_log`] give out is a view of one
//! and the same buffer in the runtime's memory, not a copy. It holds until the
//! next of them, or [`serialize`] or [`reset`], is called; a loop over `blocks()`
//! calls it for each round. Who wants to keep a piece makes a copy
//! (`piece.slice()`). The memory of the shipped runtime never grows, so a view
//! is never detached; it reads as something else when its time is over.
//!
//! # Sessions with XRay's states
//!
//! `initLog`, `finalizeLog` and `flushLog` answer with the numbers of XRay's
//! `XRayLogInitStatus` and `XRayLogFlushStatus`, in order and out of order, see
//! [`log`](crate::log). They have a file of their own: a file by `serialize` can
//! be had at any time in between.

mod blocks;

use core::slice;

use js_sys::{Error, Function, Uint8Array};
use wasm_bindgen::prelude::*;

pub use self::blocks::blocks;

use crate::collector::{Header, Refused};
use crate::exports;
use crate::session;
use crate::trie::ResetError;

impl From<Refused> for JsValue {
    fn from(refused: Refused) -> JsValue {
        Error::new(refused.text()).into()
    }
}

/// Starts a file, see [`exports::xr_serialize`]: 0, or the number of the reason.
#[wasm_bindgen]
pub fn serialize(layout: u32, thread: u32, timestamp_ms: f64, process: u32) -> u32 {
    exports::xr_serialize(layout, thread, timestamp_ms, process)
}

/// A view, not a copy, of the file's next piece: the header, then blocks;
/// `undefined` at the end. It holds until the next call.
///
/// # Errors
///
/// Throws if the rest of the file is not to be had, as after a reset.
#[wasm_bindgen(js_name = nextBuffer)]
pub fn next_buffer() -> Result<Option<Uint8Array>, JsValue> {
    let Some(len) = session::next_buffer()? else {
        return Ok(None);
    };
    let address = session::buffer_address();
    // SAFETY: the buffer is static and has at least `len` bytes.
    Ok(Some(view(unsafe { slice::from_raw_parts(address, len) })))
}

fn view(piece: &[u8]) -> Uint8Array {
    // SAFETY: pieces lie in a static buffer; the memory of the shipped runtime
    // does not grow, so the view stays attached. On this one thread nothing
    // writes before the next call, of which the view's holder knows.
    unsafe { Uint8Array::view(piece) }
}

/// Drops what was counted, see [`exports::xr_reset`]: 0, or the number of the reason.
#[wasm_bindgen]
pub fn reset() -> u32 {
    exports::xr_reset()
}

/// Starts a session with nothing counted; modules stay registered. `layout` as
/// in [`exports::xr_serialize`]; with `no_flush` the flush gives nothing out.
///
/// XRay's answer: 2 (initialized), or the state of the session that there is,
/// which goes on. Below 0 there is none: -1 = instrumented code is running, -2 =
/// no arena yet, -3 = thread id 0, -5 = unknown layout.
#[wasm_bindgen(js_name = initLog)]
pub fn init_log(thread: u32, layout: u32, no_flush: bool) -> i32 {
    let Some((layout, fold)) = exports::layout(layout) else {
        return -5;
    };
    if thread == 0 {
        return -3;
    }
    match session::init_log(thread.into(), layout, fold, no_flush) {
        Ok(status) => status as i32,
        Err(ResetError::Running) => -1,
        Err(ResetError::NotInitialized) => -2,
    }
}

/// Ends the session and starts its file, with this time and process in its header.
///
/// XRay's answer: 4 (finalized), or the state found. Probes go on counting; what
/// is called before a block is made may be in it.
#[wasm_bindgen(js_name = finalizeLog)]
pub fn finalize_log(timestamp_ms: f64, process: u32) -> u32 {
    session::finalize_log(Header::from_ms(timestamp_ms, process)) as u32
}

/// Calls `write` with each piece of the session's file, a view that holds for
/// that call.
///
/// XRay's answer: 2 (flushed; the session is over), 0 if it is not finalized, or
/// 1 from inside `write`.
///
/// # Errors
///
/// What `write` throws is thrown, and the session stays finalized: another flush
/// goes on with the next piece.
#[wasm_bindgen(js_name = flushLog)]
pub fn flush_log(write: &Function) -> Result<u32, JsValue> {
    let write = |piece: &[u8]| {
        let written: Result<JsValue, JsValue> =
            write.call1(&JsValue::UNDEFINED, &view(piece).into());
        written.map(drop)
    };
    session::flush_log(write).map(|status| status as u32)
}

/// The session's state: 0 to 4 for uninitialized, initializing, initialized,
/// finalizing, finalized.
#[wasm_bindgen(js_name = logStatus)]
pub fn log_status() -> u32 {
    session::log().status() as u32
}

/// How the last flush went: 0 to 2 for not flushing, flushing, flushed.
#[wasm_bindgen(js_name = flushStatus)]
pub fn flush_status() -> u32 {
    session::log().flush_status() as u32
}
