//! Stack traces of instrumented modules, for JavaScript.

use crate::instrument::JsOptions;
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_xray_names::display_name;
use wasm_xray_rewriter::Frames;
use wasm_xray_symbols::{self as symbols, Input};

/// A module that ran.
#[wasm_bindgen]
pub struct TraceModule(Frames);

#[wasm_bindgen]
impl TraceModule {
    /// `options` as for `instrument`; without any the module ran as it was.
    #[wasm_bindgen(constructor)]
    pub fn new(original: &[u8], options: Option<String>) -> Result<TraceModule, JsError> {
        let frames = match options {
            Some(options) => {
                let js: JsOptions = serde_json::from_str(&options)?;
                Frames::of_instrumented(original, &js.parse()?)?
            }
            None => Frames::of_original(original)?,
        };
        Ok(TraceModule(frames))
    }

    /// Index and offset in the original module of a frame with an index and an
    /// offset: the index alone in a thunk; nothing if the module has no such instruction.
    pub fn original(&self, function: u32, offset: f64) -> Vec<f64> {
        let Some(place) = self.0.original(function, offset as u64) else {
            return Vec::new();
        };
        let index = f64::from(place.function);
        let offset = place.offset.map(|offset| offset as f64);
        [Some(index), offset].into_iter().flatten().collect()
    }

    /// Whether such a frame is of a function that only the rewriter needs.
    #[wasm_bindgen(js_name = isAdded)]
    pub fn is_added(&self, function: u32, offset: f64) -> bool {
        self.0.is_added(function, offset as u64)
    }
}

#[derive(Serialize)]
struct Place<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// What is known of instructions of a module: JSON, `[{"name"?, "file"?, "line"?}]` in the
/// order of `functions` (indices) and `offsets` (in bytes), which are as long.
#[wasm_bindgen]
pub fn locate(
    module: &[u8],
    debug: Option<Vec<u8>>,
    source_map: Option<Vec<u8>>,
    functions: &[u32],
    offsets: &[f64],
) -> Result<String, JsError> {
    let input = Input {
        module,
        debug: debug.as_deref(),
        source_map: source_map.as_deref(),
    };
    let offsets: Vec<u64> = offsets.iter().map(|&offset| offset as u64).collect();
    let found = symbols::locate(&input, &offsets)?;
    let places = functions.iter().zip(&found.places).map(|(&f, place)| {
        let name = found.names.get(f as usize).and_then(Option::as_deref);
        Place {
            name: name.map(display_name),
            file: place.and_then(|(file, _)| Some(found.files.get(file as usize)?.as_str())),
            line: place.map(|(_, line)| line),
        }
    });
    Ok(serde_json::to_string(&places.collect::<Vec<_>>())?)
}
