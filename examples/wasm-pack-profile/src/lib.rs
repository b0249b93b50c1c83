//! Collatz sequences: of an even number the half comes next, of an odd one three
//! times the number and one, until 1 is reached.

use wasm_bindgen::prelude::*;

/// The number that follows `n` in its sequence.
pub fn next(n: u64) -> u64 {
    if n % 2 == 0 { half(n) } else { triple(n) }
}

fn half(n: u64) -> u64 {
    n / 2
}

fn triple(n: u64) -> u64 {
    3 * n + 1
}

/// How many numbers follow `n` until 1 is reached.
#[wasm_bindgen]
pub fn steps(n: u64) -> u32 {
    let mut n = n;
    let mut steps = 0;
    while n != 1 {
        n = next(n);
        steps += 1;
    }
    steps
}

/// The number up to `limit` with the longest sequence.
#[wasm_bindgen]
pub fn longest(limit: u64) -> u64 {
    let mut best = (1, 0);
    for n in 1..=limit {
        let steps = steps(n);
        if steps > best.1 {
            best = (n, steps);
        }
    }
    best.0
}

/// How often `n` can be halved before it is odd, by recursion.
#[wasm_bindgen]
pub fn halvings(n: u64) -> u32 {
    if n % 2 == 0 { 1 + halvings(half(n)) } else { 0 }
}
