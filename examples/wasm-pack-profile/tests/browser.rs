//! `wasm-pack test --headless --chrome`

#![cfg(target_arch = "wasm32")]

mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
