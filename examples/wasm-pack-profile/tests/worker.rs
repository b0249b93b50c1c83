//! `wasm-pack test --headless --chrome`, in a worker of the page.

#![cfg(target_arch = "wasm32")]

mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_dedicated_worker);
