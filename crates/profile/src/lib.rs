//! The one place that understands wasm-xray's profiles: reads, merges, names,
//! reports and converts them. Start with [`Profile`].
//!
//! ```no_run
//! use wasm_xray_profile::{Format, Profile, ReportOptions};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let file = std::fs::read("sqlite.xray")?;
//! let map = std::fs::read_to_string("sqlite.map.json")?;
//! let profile = Profile::read(&file, &map)?;
//! println!("{}", profile.report(&ReportOptions::default())?);
//! std::fs::write("sqlite.svg", profile.convert(Format::Svg)?)?;
//! # Ok(())
//! # }
//! ```
//!
//! Nothing here asks for the time, a random number or a thread: it is the same
//! code natively and in wasm32-unknown-unknown, and the same input gives the
//! same bytes.

#![forbid(unsafe_code)]

mod diff;
mod error;
mod functions;
mod merge;
mod model;
mod pprof;
mod query;
mod read;
mod report;
mod suggest;
mod symbolize;
mod transform;
mod trie;
mod view;
mod write;

use wasm_xray_names as names;

pub use diff::{Change, Diff, DiffOptions, Figures, FunctionDiff, Pair, PathDiff, Span, Spread};
pub use error::{Error, Result};
pub use merge::Merger;
pub use model::{
    Clock, Dropped, FileFunctionId, Function, FunctionId, Kind, Module, ModuleId, ModuleMap,
    NodeId, Origin, Profile, SkippedModule, Thread, Trie, Weight, clock_name, unit,
};
pub use names::{display_name, escape};
pub use query::error_bar::ErrorBar;
pub use query::neighbours::{Neighbour, Party};
pub use query::stats::{SortBy, Stats};
pub use query::tree::{TreeItem, TreeRow};
pub use report::{ReportFormat, ReportOptions};
pub use symbolize::Symbolized;
pub use transform::{GroupBy, Share, TransformOptions};
pub use trie::{Children, Step, Walk};
pub use view::{ALL, DROPPED, FIRST_THREAD, Flame, FlameKind, FlameOptions, HOST, Table, View};
pub use wasm_xray_abi::map::{Place, Sampling, Sources, Symbols};
pub use write::Format;
