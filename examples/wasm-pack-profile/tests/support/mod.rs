//! The tests, the same in Node and in a browser.

use wasm_bindgen_test::wasm_bindgen_test;
use wasm_pack_profile::{halvings, longest, steps};

#[wasm_bindgen_test]
fn twenty_seven_takes_its_time() {
    assert_eq!(steps(27), 111);
}

#[wasm_bindgen_test]
fn the_longest_up_to_a_hundred() {
    assert_eq!(longest(100), 97);
}

#[wasm_bindgen_test]
fn a_power_of_two_is_halved_to_the_end() {
    assert_eq!(halvings(1 << 20), 20);
}
