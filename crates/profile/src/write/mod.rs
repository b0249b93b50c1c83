//! Profiles in other tools' formats, and in ours. Same profile, same bytes.

mod callgrind;
mod compact;
mod cpuprofile;
mod csv;
mod distinct;
mod firefox;
mod flame_graph;
mod folded;
mod json;
mod limited;
mod map;
mod paths;
mod pprof;
mod speedscope;
mod xray;

use std::str::FromStr;

pub(crate) use self::flame_graph::xml;
use self::json::{EXPORTER, List, Microseconds, Milliseconds, json, separate};
pub(crate) use self::limited::Limited;
pub(crate) use self::paths::{PathText, for_each_path};
use crate::error::{Error, Result};
use crate::model::Profile;
use crate::report::{ReportOptions, write_json};

/// Largest output, in bytes. Formats that write out each path grow with the
/// square of the depth, and would end in the machine's memory otherwise.
const MAX_BYTES: usize = 1 << 30;

/// The frame above what the full arena could not place.
pub(crate) const DROPPED_FRAME: &str = "(dropped paths)";

/// What `convert` can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// <https://www.speedscope.app>, its own file format.
    Speedscope,
    /// Chrome's `.cpuprofile`: DevTools, VS Code.
    Cpuprofile,
    /// Firefox Profiler's processed format, <https://profiler.firefox.com>.
    Firefox,
    /// `go tool pprof` and what reads its files; compressed with gzip.
    Pprof,
    /// KCachegrind and callgrind_annotate. Has no paths, see the comment in the file.
    Callgrind,
    /// One line for each path: frames, `;` between them, a space, the weight.
    Folded,
    /// A flame graph to open in a browser.
    Svg,
    /// XRay's layout, see `docs/FORMAT.md`. Cannot say which paths were dropped.
    Xray,
    /// The compact layout, see `docs/FORMAT.md`.
    Compact,
    /// What `report --json --paths` prints.
    Json,
    /// The functions as a table.
    Csv,
}

impl Format {
    /// Every format with its name on the command line.
    pub const ALL: [(&'static str, Format); 11] = [
        ("speedscope", Format::Speedscope),
        ("cpuprofile", Format::Cpuprofile),
        ("firefox", Format::Firefox),
        ("pprof", Format::Pprof),
        ("callgrind", Format::Callgrind),
        ("folded", Format::Folded),
        ("svg", Format::Svg),
        ("xray", Format::Xray),
        ("compact", Format::Compact),
        ("json", Format::Json),
        ("csv", Format::Csv),
    ];
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Format> {
        match Format::ALL.iter().find(|(known, _)| *known == name) {
            Some((_, format)) => Ok(*format),
            None => {
                let names = Format::ALL.map(|(name, _)| name).join(", ");
                Err(Error::new(format!(
                    "unknown format {name:?}; there are {names}"
                )))
            }
        }
    }
}

impl Profile {
    /// The profile as a file of that format.
    ///
    /// # Errors
    ///
    /// It would be larger than 1 GiB.
    pub fn convert(&self, format: Format) -> Result<Vec<u8>> {
        let mut out = Limited::new(MAX_BYTES);
        match format {
            Format::Speedscope => speedscope::write(self, &mut out)?,
            Format::Cpuprofile => cpuprofile::write(self, &mut out)?,
            Format::Firefox => firefox::write(self, &mut out)?,
            Format::Pprof => pprof::write(self, &mut out)?,
            Format::Callgrind => callgrind::write(self, &mut out)?,
            Format::Csv => csv::write(self, &mut out)?,
            Format::Folded => folded::write(self, &mut out)?,
            Format::Svg => flame_graph::write(self, &mut out)?,
            Format::Xray => {
                if xray::size(self) > MAX_BYTES as u64 {
                    return Err(Error::new(limited::too_large(MAX_BYTES)));
                }
                xray::write(self, &mut out)?;
            }
            Format::Compact => compact::write(self, &mut out)?,
            Format::Json => {
                let options = ReportOptions {
                    paths: true,
                    ..ReportOptions::default()
                };
                write_json(self, &options, &mut out)?;
            }
        }
        Ok(out.into_bytes())
    }

    /// The JSON of the `ProfileMap` that belongs to the compact and the XRay file.
    pub fn map_json(&self) -> String {
        map::to_json(self)
    }
}
