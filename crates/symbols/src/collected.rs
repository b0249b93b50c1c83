//! What is known of each function so far. What is read first holds.

use wasm_xray_abi::map::{Place, Sources, Symbols};

use crate::files::Files;

/// By function index, imports included.
pub(crate) struct Collected {
    pub names: Vec<Option<String>>,
    /// File and line; the line from 1 on, 0 if only the file is known.
    pub places: Vec<Option<(u32, u32)>>,
    pub files: Files,
    notes: Vec<String>,
}

impl Collected {
    pub fn new(names: Vec<Option<String>>) -> Collected {
        Collected {
            places: vec![None; names.len()],
            names,
            files: Files::default(),
            notes: Vec::new(),
        }
    }

    pub fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    pub fn add_names(&mut self, others: Vec<Option<String>>) {
        for (own, other) in self.names.iter_mut().zip(others) {
            if own.is_none() {
                *own = other;
            }
        }
    }

    /// Number of functions with a place.
    pub fn placed(&self) -> usize {
        self.places.iter().flatten().count()
    }

    /// The symbols, and what the user should know besides.
    pub fn finish(self, module: Option<&str>) -> (Symbols, Vec<String>) {
        let functions = (0..).zip(self.places).filter_map(|(function, place)| {
            place.map(|(file, line)| Place {
                function,
                file,
                line,
            })
        });
        let symbols = Symbols {
            module: module.map(str::to_owned),
            names: self.names,
            sources: Sources {
                functions: functions.collect(),
                files: self.files.into_names(),
            },
        };
        (symbols, self.notes)
    }
}
