//! Profiles in other tools' formats, and in ours. Same profile, same bytes.

mod compact;
mod flame_graph;
mod folded;
mod limited;
mod map;
mod paths;
mod speedscope;
mod xray;

use std::str::FromStr;

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
}

impl Format {
    /// Every format with its name on the command line.
    pub const ALL: [(&'static str, Format); 6] = [
        ("speedscope", Format::Speedscope),
        ("folded", Format::Folded),
        ("svg", Format::Svg),
        ("xray", Format::Xray),
        ("compact", Format::Compact),
        ("json", Format::Json),
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
