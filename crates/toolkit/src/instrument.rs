//! `instrument(bytes, options)` for JavaScript.

use serde::Deserialize;
use wasm_bindgen::prelude::*;
use wasm_xray_rewriter::{self as rewriter, Clock, Filter, Options, Probes};

/// The options object, as JSON.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct JsOptions {
    probes: JsProbes,
    clock: JsClock,
    validate: bool,
    filter: JsFilter,
    module_name: String,
    offsets: bool,
}

impl JsOptions {
    pub fn parse(self) -> Result<Options, rewriter::Error> {
        Ok(Options {
            probes: match self.probes {
                JsProbes::Inline => Probes::Inline,
                JsProbes::Imported => Probes::Imported,
            },
            clock: match self.clock {
                JsClock::Calls => Clock::Calls,
                JsClock::Instructions => Clock::Instructions,
                JsClock::Sampled => Clock::Sampled,
                JsClock::Wall => Clock::Wall,
            },
            validate: self.validate,
            filter: self.filter.parse()?,
            module_name: self.module_name,
            offsets: self.offsets,
        })
    }
}

/// The object `filter` of the options.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct JsFilter {
    include: Vec<String>,
    exclude: Vec<String>,
    min_instructions: u32,
    attribute_list: String,
}

impl JsFilter {
    fn parse(self) -> Result<Filter, rewriter::Error> {
        let mut filter = Filter::ALL;
        for glob in &self.include {
            filter.include(glob)?;
        }
        for glob in &self.exclude {
            filter.exclude(glob)?;
        }
        filter.min_instructions(self.min_instructions);
        filter.attribute_list(&self.attribute_list)?;
        Ok(filter)
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum JsProbes {
    #[default]
    Inline,
    Imported,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "lowercase")]
enum JsClock {
    #[default]
    Calls,
    Instructions,
    Sampled,
    Wall,
}

/// An instrumented module.
#[wasm_bindgen]
pub struct Instrumented {
    output: rewriter::Output,
}

#[wasm_bindgen]
impl Instrumented {
    /// The module's bytes; empties this object, so a large module is not kept twice.
    #[wasm_bindgen(js_name = takeBytes)]
    pub fn take_bytes(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.output.bytes)
    }

    /// Where the code comes from, for `CodeOffsets`; empty unless it was asked for.
    #[wasm_bindgen(js_name = takeOffsets)]
    pub fn take_offsets(&mut self) -> Vec<u8> {
        let offsets = self.output.offsets.take();
        offsets.map(|offsets| offsets.encode()).unwrap_or_default()
    }

    /// The function map as JSON; empty for a module without functions, whose bytes are unchanged.
    pub fn map(&self) -> String {
        match &self.output.map {
            Some(map) => serde_json::to_string(map).expect("a map of strings and numbers"),
            None => String::new(),
        }
    }
}

/// Instruments a module.
///
/// `options` is JSON: `{"probes": "inline" | "imported", "clock": "calls" | "instructions" | "sampled" | "wall", "validate": boolean,
/// "offsets": boolean}`, each with the first or `false` as the default; `filter` as in [`check_filter`]; `moduleName`, what globs
/// call a module without a name.
///
/// # Errors
///
/// Throws an `Error` whose message says what is wrong with the bytes, and where.
#[wasm_bindgen]
pub fn instrument(bytes: &[u8], options: &str) -> Result<Instrumented, JsError> {
    let js: JsOptions = serde_json::from_str(options)?;
    Ok(Instrumented {
        output: rewriter::instrument(bytes, &js.parse()?)?,
    })
}

/// Throws an `Error` that says what is wrong with a filter, if anything is.
///
/// `filter` is JSON, all of it optional: `include` and `exclude` (globs), `minInstructions`,
/// `attributeList` (the text of LLVM XRay's attribute list).
#[wasm_bindgen(js_name = checkFilter)]
pub fn check_filter(filter: &str) -> Result<(), JsError> {
    serde_json::from_str::<JsFilter>(filter)?.parse()?;
    Ok(())
}

/// The hash of a module in function maps: 16 hex digits.
#[wasm_bindgen(js_name = moduleHash)]
pub fn module_hash(bytes: &[u8]) -> String {
    rewriter::module_hash(bytes)
}

/// Where the code of an instrumented module comes from.
#[wasm_bindgen]
pub struct CodeOffsets(rewriter::CodeOffsets);

#[wasm_bindgen]
impl CodeOffsets {
    /// Reads what `takeOffsets` gave.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: &[u8]) -> Result<CodeOffsets, JsError> {
        Ok(CodeOffsets(rewriter::CodeOffsets::decode(bytes)?))
    }

    /// Index and offset in the original module of what is at an offset of the
    /// instrumented one: nothing outside of functions, the index alone in a thunk.
    pub fn original(&self, offset: f64) -> Vec<f64> {
        // JavaScript's offsets are whole numbers; anything else is cut to one.
        let Some(place) = self.0.original(offset as u64) else {
            return Vec::new();
        };
        let index = f64::from(place.function);
        let offset = place.offset.map(|offset| offset as f64);
        [Some(index), offset].into_iter().flatten().collect()
    }

    /// Offset of the contents of the code section: in the original module, and in the instrumented one.
    #[wasm_bindgen(js_name = codeStarts)]
    pub fn code_starts(&self) -> Vec<f64> {
        vec![self.0.original_code as f64, self.0.code as f64]
    }
}
