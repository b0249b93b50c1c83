//! What the viewer draws: a thin face of `wasm_xray_profile::View`.
//!
//! Columns cross the border as typed arrays, 64-bit figures as `BigUint64Array`.
//! A `side` is 0, or in a comparison 0 before and 1 after.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use wasm_xray_profile as profile;

use crate::profile::Profile;

/// A profile, or a comparison of two, made ready to be shown.
#[wasm_bindgen]
pub struct View(profile::View);

#[wasm_bindgen]
impl View {
    /// Shows one profile, which is not used up.
    #[wasm_bindgen(constructor)]
    pub fn new(profile: &Profile) -> View {
        View(profile::View::new(Rc::clone(&profile.0)))
    }

    /// Shows what changed; throws if the profiles' clocks are not the same.
    pub fn compare(before: &Profile, after: &Profile) -> Result<View, JsError> {
        let (before, after) = (Rc::clone(&before.0), Rc::clone(&after.0));
        Ok(View(profile::View::compare(before, after)?))
    }

    /// 1, or 2 in a comparison.
    #[wasm_bindgen(getter)]
    pub fn sides(&self) -> usize {
        self.0.sides()
    }

    /// JSON: `{"rows": [{name, raw?, module, index, kind}], "threads": [name]}`.
    pub fn names(&self) -> String {
        self.0.names_json()
    }

    /// What whoever compares two profiles must know, in sentences.
    pub fn notes(&self) -> Vec<String> {
        self.0.notes()
    }

    /// Figures of every function, by row.
    pub fn functions(&self, side: usize) -> Table {
        Table(self.0.functions(side))
    }

    /// Figures of a function by its callers.
    pub fn callers(&self, side: usize, row: u32) -> Table {
        Table(self.0.callers(side, row))
    }

    /// Figures of what a function called.
    pub fn callees(&self, side: usize, row: u32) -> Table {
        Table(self.0.callees(side, row))
    }

    /// A flame graph. `options` is JSON: `kind` ("callees", "callers"), `calls`
    /// (whether widths are calls), and optionally `row` (a function to start from)
    /// and `apart` (each thread by itself).
    pub fn flame(&self, options: &str) -> Result<Flame, JsError> {
        Ok(Flame(
            self.0.flame(profile::FlameOptions::from_json(options)?),
        ))
    }
}

/// Columns of figures.
#[wasm_bindgen]
pub struct Table(profile::Table);

#[wasm_bindgen]
impl Table {
    /// Row of each line; 2^32−1 is the host, 2^32−2 a dropped path.
    #[wasm_bindgen(getter)]
    pub fn rows(&self) -> Vec<u32> {
        self.0.rows.clone()
    }

    #[wasm_bindgen(getter)]
    pub fn calls(&self) -> Vec<u64> {
        self.0.calls.clone()
    }

    /// In the clock's unit, as is `totalCosts`.
    #[wasm_bindgen(getter, js_name = selfCosts)]
    pub fn self_costs(&self) -> Vec<u64> {
        self.0.self_costs.clone()
    }

    #[wasm_bindgen(getter, js_name = totalCosts)]
    pub fn total_costs(&self) -> Vec<u64> {
        self.0.total_costs.clone()
    }

    #[wasm_bindgen(getter, js_name = totalCalls)]
    pub fn total_calls(&self) -> Vec<u64> {
        self.0.total_calls.clone()
    }
}

/// A flame graph: columns by level and then from left to right.
#[wasm_bindgen]
pub struct Flame(profile::Flame);

#[wasm_bindgen]
impl Flame {
    /// First frame of each level, and the number of frames.
    #[wasm_bindgen(getter)]
    pub fn levels(&self) -> Vec<u32> {
        self.0.levels().to_vec()
    }

    /// In units of weight, as are `widths`.
    #[wasm_bindgen(getter)]
    pub fn starts(&self) -> Vec<f64> {
        self.0.starts().to_vec()
    }

    #[wasm_bindgen(getter)]
    pub fn widths(&self) -> Vec<f64> {
        self.0.widths().to_vec()
    }

    /// Frame one level up; of the first frame its own.
    #[wasm_bindgen(getter)]
    pub fn parents(&self) -> Vec<u32> {
        self.0.parents().to_vec()
    }

    /// Row of each frame; 2^32−1 is everything, 2^32−2 dropped paths, 2^32−3 the
    /// first thread, and below it the others.
    #[wasm_bindgen(getter)]
    pub fn labels(&self) -> Vec<u32> {
        self.0.labels()
    }

    /// What each frame weighs on one side.
    pub fn weights(&self, side: usize) -> Vec<f64> {
        self.0.weights(side)
    }

    /// Calls, self cost, total cost, total calls of a frame, exact; empty if there
    /// is no such frame.
    pub fn figures(&self, side: usize, frame: usize) -> Vec<u64> {
        self.0
            .figures(side, frame)
            .map_or_else(Vec::new, |figures| figures.to_vec())
    }

    /// Frames whose callers were left out, as they were too many.
    #[wasm_bindgen(getter)]
    pub fn cut(&self) -> Vec<u32> {
        self.0.cut()
    }
}
