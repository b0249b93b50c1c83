//! Names for formats that know a function by its name alone.

use std::collections::HashMap;

use crate::model::Profile;
use crate::names::escape;

/// Name to show of each function, by id. Functions of one module that share a
/// name have their index behind it, so that a reader does not add them up.
pub(super) fn distinct_names(profile: &Profile) -> Vec<String> {
    let mut names: Vec<String> = profile
        .functions
        .iter()
        .map(|function| escape(&function.name))
        .collect();
    let mut count: HashMap<(&str, &str), u32> = HashMap::new();
    for id in profile.function_ids() {
        *count
            .entry((profile.module_name(id), &profile.function(id).name))
            .or_default() += 1;
    }
    for id in profile.function_ids() {
        let function = profile.function(id);
        if count[&(profile.module_name(id), function.name.as_str())] > 1 {
            names[id.index()] += &format!(" [{}]", function.index);
        }
    }
    names
}
