//! What the user chose not to instrument.

use crate::model::Profile;

impl Profile {
    /// How many functions were left out by choice, imports included.
    pub fn left_out(&self) -> u64 {
        let modules = self.modules.iter();
        modules.map(|module| u64::from(module.map.left_out)).sum()
    }

    /// Globs that were to choose functions but match none in any module, behind
    /// the name of their list: `include foo*`.
    pub fn unmatched_globs(&self) -> Vec<&str> {
        let Some((first, others)) = self.modules.split_first() else {
            return Vec::new();
        };
        let globs = first.map.unmatched.iter();
        globs
            .filter(|glob| others.iter().all(|m| m.map.unmatched.contains(glob)))
            .map(String::as_str)
            .collect()
    }
}
