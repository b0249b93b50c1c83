//! What is known of each function so far. What is read first holds.

use wasm_xray_abi::map::{Place, Sources, Symbols};

use crate::files::Files;
use crate::module::Module;

/// By function index, imports included.
pub(crate) struct Collected {
    pub names: Vec<Option<String>>,
    module: Option<String>,
    /// File and line; the line from 1 on, 0 if only the file is known.
    pub places: Vec<Option<(u32, u32)>>,
    pub files: Files,
    notes: Vec<String>,
}

impl Collected {
    pub fn new(module: &Module<'_>) -> Collected {
        let names = module.names();
        Collected {
            module: module.name.map(str::to_owned),
            places: vec![None; names.len()],
            names,
            files: Files::default(),
            notes: Vec::new(),
        }
    }

    pub fn note(&mut self, sentence: impl Into<String>) {
        self.notes.push(sentence.into());
    }

    /// Adds names that another file has of the same module.
    pub fn add_names(&mut self, other: &Module<'_>) {
        if self.module.is_none() {
            self.module = other.name.map(str::to_owned);
        }
        for (own, other) in self.names.iter_mut().zip(other.names()) {
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
    pub fn finish(self) -> (Symbols, Vec<String>) {
        let functions = (0..).zip(self.places).filter_map(|(function, place)| {
            place.map(|(file, line)| Place {
                function,
                file,
                line,
            })
        });
        let symbols = Symbols {
            module: self.module,
            names: self.names,
            sources: Sources {
                functions: functions.collect(),
                files: self.files.into_names(),
            },
        };
        (symbols, self.notes)
    }
}
