//! The host's clock on the web.

use wasm_bindgen::prelude::*;

use crate::wall::Clock;

#[wasm_bindgen]
extern "C" {
    /// The host's clock, in ms. The loader may bind what it captured before the page ran.
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;
}

/// `performance.now`.
pub struct Performance;

impl Clock for Performance {
    #[inline]
    fn now_ns(&self) -> u64 {
        // From 0 to some 285 years; `as` saturates below and above.
        (performance_now() * 1e6) as u64
    }
}
