//! `wasm-pack test --headless --chrome`

#![cfg(target_arch = "wasm32")]

#[path = "support/instrumented.rs"]
mod instrumented;
#[path = "support/program.rs"]
mod program;
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
