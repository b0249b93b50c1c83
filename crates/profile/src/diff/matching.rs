//! Which functions of two profiles are the same.

use std::collections::HashMap;

use super::Side;
use crate::error::{Error, Result};
use crate::model::{Module, Profile, clock_name};

/// Rows that the functions of both profiles have in common.
pub(crate) struct Matching {
    /// Module and name of each row.
    pub rows: Vec<(String, String)>,
    before: Vec<usize>,
    after: Vec<usize>,
}

impl Matching {
    /// Rows of two profiles that can be compared.
    ///
    /// # Errors
    ///
    /// Their clocks are not the same.
    pub fn of_same_clock(before: &Profile, after: &Profile) -> Result<Matching> {
        if before.clock != after.clock {
            return Err(Error::new(format!(
                "the first profile has clock {}, the second {}: record both with the same --clock",
                clock_name(before.clock),
                clock_name(after.clock)
            )));
        }
        Ok(Matching::new(before, after))
    }

    pub(super) fn new(before: &Profile, after: &Profile) -> Matching {
        let of_before = pair_modules(&before.modules, &after.modules);
        let mut matching = Matching {
            rows: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
        };
        let mut known: HashMap<(Option<usize>, &str), usize> = HashMap::new();
        // The second profile first, as its modules' names are shown. A module that
        // only the first has comes after the second's.
        for (side, profile) in [(Side::After, after), (Side::Before, before)] {
            for id in profile.function_ids() {
                let function = profile.function(id);
                let module = function.module.map(|module| module.0 as usize);
                let module = match side {
                    Side::After => module,
                    Side::Before => {
                        module.map(|index| of_before[index].unwrap_or(after.modules.len() + index))
                    }
                };
                let row = *known.entry((module, &function.name)).or_insert_with(|| {
                    matching
                        .rows
                        .push((profile.module_name(id).to_owned(), function.name.clone()));
                    matching.rows.len() - 1
                });
                match side {
                    Side::Before => matching.before.push(row),
                    Side::After => matching.after.push(row),
                }
            }
        }
        matching
    }

    /// Row of each function of the first profile, and of the second, by id.
    pub fn into_row_numbers(self) -> (Vec<u32>, Vec<u32>) {
        // There are fewer than 2^32 functions on both sides together, as ids are 31 bits.
        let numbers = |rows: Vec<usize>| rows.into_iter().map(|row| row as u32).collect();
        (numbers(self.before), numbers(self.after))
    }

    /// Row of each function, by id.
    pub(super) fn of(&self, side: Side) -> &[usize] {
        match side {
            Side::Before => &self.before,
            Side::After => &self.after,
        }
    }
}

/// The counterpart of each module of the first profile: of the same code, else of
/// the same name, else, if one is left on each side, that one.
fn pair_modules(before: &[Module], after: &[Module]) -> Vec<Option<usize>> {
    let mut pairs: Vec<Option<usize>> = vec![None; before.len()];
    let mut taken = vec![false; after.len()];
    let same_code =
        |one: &Module, other: &Module| !one.map.hash.is_empty() && one.map.hash == other.map.hash;
    let same_name = |one: &Module, other: &Module| {
        !one.map.name.is_empty() && plain_name(one) == plain_name(other)
    };
    let mut pair_up = |same: &dyn Fn(&Module, &Module) -> bool| {
        for (pair, module) in pairs.iter_mut().zip(before) {
            if pair.is_none() {
                *pair = (0..after.len()).find(|at| !taken[*at] && same(module, &after[*at]));
                pair.inspect(|at| taken[*at] = true);
            }
        }
    };
    pair_up(&same_code);
    pair_up(&same_name);
    let alone: Vec<usize> = (0..before.len())
        .filter(|at| pairs[*at].is_none())
        .collect();
    let free: Vec<usize> = (0..after.len()).filter(|at| !taken[*at]).collect();
    if let ([alone], [free]) = (alone.as_slice(), free.as_slice()) {
        pairs[*alone] = Some(*free);
    }
    pairs
}

/// The name without the start of the hash that tells modules of one name apart.
fn plain_name(module: &Module) -> &str {
    let name = module.map.name.as_str();
    match name.rsplit_once('#') {
        Some((plain, start)) if start.len() == 4 && module.map.hash.starts_with(start) => plain,
        _ => name,
    }
}
