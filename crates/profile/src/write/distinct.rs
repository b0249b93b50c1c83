//! Names for formats that know a function by its name alone.

use std::collections::HashMap;

use crate::model::Profile;
use crate::names::escape;

/// Names that are made to look like those made here take one more round each.
const MAX_ROUNDS: usize = 4;

/// Name to show of each function, by id. Functions of one module that share a
/// name have their index behind it, so that a reader does not add them up.
pub(super) fn distinct_names(profile: &Profile) -> Vec<String> {
    let mut names: Vec<String> = profile
        .functions
        .iter()
        .map(|function| escape(&function.name))
        .collect();
    // A name with an index behind it can be another function's own name, and
    // functions of other tools' files need not have an index of their own.
    for round in 0..MAX_ROUNDS {
        for at in shared(profile, &names) {
            let function = &profile.functions[at];
            let number = if round == 0 {
                function.index
            } else {
                function.id.0
            };
            names[at] += &format!(" [{number}]");
        }
    }
    names
}

/// Places of the functions whose name another one of their module has.
fn shared(profile: &Profile, names: &[String]) -> Vec<usize> {
    let key = |at: usize| (profile.functions[at].module, names[at].as_str());
    let mut count: HashMap<_, u32> = HashMap::new();
    for at in 0..names.len() {
        *count.entry(key(at)).or_default() += 1;
    }
    (0..names.len()).filter(|at| count[&key(*at)] > 1).collect()
}
