//! What `report` prints: a table for people or an object for programs.

mod json;
mod text;

use serde::Deserialize;

pub(crate) use self::json::write_json;
pub(crate) use self::text::{grouped, percent, render_columns, thousandths};
use crate::error::{Error, Result};
use crate::model::Profile;
use crate::query::stats::SortBy;
use crate::write::Limited;

/// Longest report, in bytes: JavaScript engines hold no longer string.
pub(crate) const MAX_BYTES: usize = 500 << 20;

/// What to report, as JSON or by field. Everything can be left out.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReportOptions {
    pub format: ReportFormat,
    /// Default: self, or calls if the clock has no cost.
    pub by: Option<SortBy>,
    /// Most rows of each table; 0 for all. Default: all in JSON, 30 in text.
    pub limit: Option<usize>,
    /// Text only: most characters in a line; names are cut to fit. Default: names are whole.
    pub columns: Option<usize>,
    /// JSON only: every path with its figures.
    pub paths: bool,
    /// The heaviest paths as a tree.
    pub tree: bool,
    /// Name (see [`Profile::find_functions`]) of the functions whose callers are asked for.
    pub callers: Option<String>,
    /// Name of the functions whose callees are asked for.
    pub callees: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReportFormat {
    /// The object of `docs/report.schema.json`.
    #[default]
    Json,
    /// Tables. With a tree, callers or callees those only, else the functions.
    Text,
}

impl ReportOptions {
    /// Options from a JSON object with the fields' names.
    ///
    /// # Errors
    ///
    /// An option is not known or has no sense; says which.
    pub fn from_json(json: &str) -> Result<ReportOptions> {
        serde_json::from_str(json)
            .map_err(|error| Error::new(format!("the report options are not valid: {error}")))
    }

    fn limit_or(&self, default: usize) -> usize {
        match self.limit {
            Some(0) => usize::MAX,
            limit => limit.unwrap_or(default),
        }
    }
}

impl Profile {
    /// The report as text or JSON. Paths with clock `calls` have self and total 0.
    ///
    /// # Errors
    ///
    /// A function asked for is not there, or the report would be larger than 500 MiB.
    pub fn report(&self, options: &ReportOptions) -> Result<String> {
        match options.format {
            ReportFormat::Text => text::report(self, options),
            ReportFormat::Json => {
                let mut out = Limited::new(MAX_BYTES);
                write_json(self, options, &mut out)?;
                String::from_utf8(out.into_bytes()).map_err(|error| Error::new(error.to_string()))
            }
        }
    }
}
