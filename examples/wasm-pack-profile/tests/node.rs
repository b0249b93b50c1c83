//! `wasm-pack test --node`

#![cfg(target_arch = "wasm32")]

mod support;
