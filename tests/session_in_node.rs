//! `wasm-pack test --node`

#![cfg(target_arch = "wasm32")]

#[path = "support/session.rs"]
mod session;
