//! JavaScript's iteration protocol over a file's pieces.

use js_sys::{Array, Iterator, Object, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use super::next_buffer;

/// An iterator, that is iterable itself, over what is left of the file that
/// [`serialize`](super::serialize) started: its header, then blocks. Each is a
/// view that holds until the next one is asked for.
///
/// `next` throws if the rest of the file is not to be had, so a loop does not
/// end as if it had been complete.
#[wasm_bindgen(unchecked_return_type = "IterableIterator<Uint8Array>")]
pub fn blocks() -> Iterator {
    // What all iterators of the language inherit from; it makes them iterable.
    let of_arrays = Object::get_prototype_of(&Array::<JsValue>::new().values());
    let iterator = Object::create(&Object::get_prototype_of(&of_arrays));
    // A closure that holds nothing takes no memory; JavaScript collects its end of it.
    let next = Closure::<dyn Fn() -> Result<Object, JsValue>>::own_aborting(next);
    set(&iterator, "next", &next.into_js_value());
    iterator.unchecked_into()
}

fn next() -> Result<Object, JsValue> {
    let piece = next_buffer()?;
    let result = Object::new();
    set(&result, "done", &JsValue::from_bool(piece.is_none()));
    set(
        &result,
        "value",
        &piece.map_or(JsValue::UNDEFINED, JsValue::from),
    );
    Ok(result)
}

/// Of a fresh object, so it cannot fail.
fn set(object: &Object, key: &str, value: &JsValue) {
    let _ = Reflect::set(object, &JsValue::from_str(key), value);
}
