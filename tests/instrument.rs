//! Functions of a Rust program, natively and with `wasm-pack test --node`.

#[path = "support/instrumented.rs"]
mod instrumented;
#[path = "support/program.rs"]
mod program;
mod support;
