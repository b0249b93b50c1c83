//! Prints how long the numbers are in words.
//!
//! `cargo run --features wasm-xray/enabled` writes `rust-program.xray` as well;
//! `wasm-xray report rust-program.xray` prints it.

fn main() {
    let _record = wasm_xray::session().record("rust-program.xray");
    println!("{}", rust_program::letters(1000));
}
