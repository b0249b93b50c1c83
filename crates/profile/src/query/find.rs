//! From what a user typed to functions.

use crate::error::{Error, Result};
use crate::model::{FunctionId, Profile};
use crate::names::escape;
use crate::suggest::offer;

/// Names offered when the one given fits several functions.
const MAX_OFFERED: usize = 8;

impl Profile {
    /// The functions with this name, raw or shown, else with the id `#ID`, else
    /// the one function whose name contains it. At least one.
    ///
    /// # Errors
    ///
    /// No function was called that has such a name, or several contain it: says which.
    pub fn find_functions(&self, name: &str) -> Result<Vec<FunctionId>> {
        let exact: Vec<FunctionId> = self
            .function_ids()
            .filter(|id| self.function(*id).name == name || self.raw_name(*id) == Some(name))
            .collect();
        if !exact.is_empty() {
            return Ok(exact);
        }
        if let Some(file_id) = name.strip_prefix('#').and_then(|id| id.parse().ok()) {
            let by_id = self
                .functions
                .binary_search_by_key(&file_id, |function| function.id.0);
            if let Ok(index) = by_id {
                return Ok(vec![FunctionId(index as u32)]);
            }
        }
        let containing: Vec<FunctionId> = self
            .function_ids()
            .filter(|id| {
                let raw = self.raw_name(*id).unwrap_or_default();
                self.function(*id).name.contains(name) || raw.contains(name)
            })
            .collect();
        match containing.len() {
            0 => Err(Error::new(format!(
                "no function that was called has {:?} in its name{}",
                escape(name),
                offer(
                    name,
                    self.function_ids()
                        .map(|id| self.function(id).name.as_str())
                )
            ))),
            1 => Ok(containing),
            count => Err(Error::new(self.ambiguous(name, count, &containing))),
        }
    }

    fn ambiguous(&self, name: &str, count: usize, functions: &[FunctionId]) -> String {
        let mut message = format!(
            "{count} functions have {:?} in their names; give the whole name, or the id with its #:",
            escape(name)
        );
        for id in functions.iter().take(MAX_OFFERED) {
            let function = self.function(*id);
            message += &format!("\n  #{} {}", function.id.0, escape(&function.name));
        }
        if count > MAX_OFFERED {
            message += &format!("\n  and {} more", count - MAX_OFFERED);
        }
        message
    }
}
