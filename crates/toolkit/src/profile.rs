//! Profiles for JavaScript: a thin face of `wasm_xray_profile`.
//!
//! Strings and bytes cross the border, never 64-bit numbers. Every failure is a
//! thrown `Error` whose message is for the user.

use std::rc::Rc;

use wasm_bindgen::prelude::*;
use wasm_xray_profile as profile;

/// A profile in memory. Call `free()` when done with a large one.
#[wasm_bindgen]
pub struct Profile(pub(crate) Rc<profile::Profile>);

#[wasm_bindgen]
impl Profile {
    /// Reads a profile file. `map` is the text of its `.map.json`, for a native
    /// XRay file LLVM's instrumentation map in YAML, or empty.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8], map: &str) -> Result<Profile, JsError> {
        Ok(Profile(Rc::new(profile::Profile::read(bytes, map)?)))
    }

    /// A report as text or JSON. `options` is a JSON object, all of it optional:
    /// `format` ("json", "text"), `by` ("self", "total", "calls", "average"), `limit`
    /// (rows, 0 for all), `columns` (of text), `paths`, `tree` (true, false),
    /// `callers`, `callees` (a name).
    pub fn report(&self, options: &str) -> Result<String, JsError> {
        let options = profile::ReportOptions::from_json(options)?;
        Ok(self.0.report(&options)?)
    }

    /// The profile as the options want to see it. `options` is a JSON object, all of
    /// it optional and applied in this order: `threads`, `phases` (names),
    /// `mergeThreads` (true, false), `focus`, `ignore`, `from` (names), `group`
    /// ("module", "crate", "file"), `collapseRecursion`, `invert` (true, false),
    /// `prune` (a share, "0.5%").
    pub fn transform(&self, options: &str) -> Result<Profile, JsError> {
        let options = profile::TransformOptions::from_json(options)?;
        Ok(Profile(Rc::new(self.0.transform(&options)?)))
    }

    /// The profile in a format: speedscope, cpuprofile, firefox, pprof, callgrind,
    /// folded, svg, xray, compact, json or csv.
    pub fn convert(&self, format: &str) -> Result<Vec<u8>, JsError> {
        Ok(self.0.convert(format.parse()?)?)
    }

    /// The profile file in the compact layout; its map is `map()`.
    pub fn compact(&self) -> Result<Vec<u8>, JsError> {
        Ok(self.0.convert(profile::Format::Compact)?)
    }

    /// The text of the `.map.json` that belongs to `compact()` and to `convert("xray")`.
    pub fn map(&self) -> String {
        self.0.map_json()
    }
}

/// What changed from one profile to another.
#[wasm_bindgen]
pub struct ProfileDiff(profile::Diff);

#[wasm_bindgen]
impl ProfileDiff {
    /// Compares two profiles of the same clock.
    #[wasm_bindgen(constructor)]
    pub fn new(before: &Profile, after: &Profile) -> Result<ProfileDiff, JsError> {
        Ok(ProfileDiff(before.0.diff(&after.0)?))
    }

    /// The report as a page that needs nothing else, with options as for `text`.
    pub fn html(&self, title: &str, options: &str) -> Result<String, JsError> {
        let options = profile::DiffOptions::from_json(options)?;
        Ok(self.0.html(title, options)?)
    }

    /// The report as text. `options` is a JSON object: `limit` (rows of each
    /// table, 0 for all).
    pub fn text(&self, options: &str) -> Result<String, JsError> {
        Ok(self.0.text(profile::DiffOptions::from_json(options)?))
    }

    /// The report as JSON, with options as for `text`.
    pub fn json(&self, options: &str) -> Result<String, JsError> {
        Ok(self.0.json(profile::DiffOptions::from_json(options)?)?)
    }

    /// Whether the whole cost (with clock `calls`: the calls) grew by more than so many percent.
    #[wasm_bindgen(js_name = grewAbove)]
    pub fn grew_above(&self, percent: f64) -> bool {
        self.0.grew_above(percent)
    }
}

/// Several runs of a program before and after a change, to compare.
#[wasm_bindgen]
#[derive(Default)]
pub struct ProfileRuns {
    before: Vec<Rc<profile::Profile>>,
    after: Vec<Rc<profile::Profile>>,
}

#[wasm_bindgen]
impl ProfileRuns {
    #[wasm_bindgen(constructor)]
    pub fn new() -> ProfileRuns {
        ProfileRuns::default()
    }

    #[wasm_bindgen(js_name = addBefore)]
    pub fn add_before(&mut self, run: &Profile) {
        self.before.push(Rc::clone(&run.0));
    }

    #[wasm_bindgen(js_name = addAfter)]
    pub fn add_after(&mut self, run: &Profile) {
        self.after.push(Rc::clone(&run.0));
    }

    /// Compares the median run of each side; the others say what is noise. The
    /// object is used up.
    pub fn diff(self) -> Result<ProfileDiff, JsError> {
        let before: Vec<&profile::Profile> = self.before.iter().map(|run| &**run).collect();
        let after: Vec<&profile::Profile> = self.after.iter().map(|run| &**run).collect();
        Ok(ProfileDiff(profile::Profile::diff_runs(&before, &after)?))
    }
}

/// Makes one profile out of the parts that threads and processes wrote.
#[wasm_bindgen]
#[derive(Default)]
pub struct ProfileMerger(profile::Merger);

#[wasm_bindgen]
impl ProfileMerger {
    #[wasm_bindgen(constructor)]
    pub fn new() -> ProfileMerger {
        ProfileMerger::default()
    }

    /// Adds a part, with parameters as for `new Profile`. A part that throws is
    /// not added; the others stay.
    pub fn add(&mut self, bytes: &[u8], map: &str) -> Result<(), JsError> {
        Ok(self.0.add(profile::Profile::read(bytes, map)?)?)
    }

    /// The merged profile; the merger is used up.
    pub fn finish(self) -> Result<Profile, JsError> {
        Ok(Profile(Rc::new(self.0.finish()?)))
    }
}
