//! Light paths as one.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};

use super::functions::OTHER;
use crate::error::{Error, Result};
use crate::model::{FunctionId, Kind, NodeId, Profile, Trie, Weight};

/// A part of the whole, exact to the ten thousandth of a percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    millionths: u32,
}

impl Share {
    /// Whether a part of a whole is less than this.
    pub(super) fn is_more_than(self, part: u64, whole: u64) -> bool {
        u128::from(part) * 1_000_000 < u128::from(whole) * u128::from(self.millionths)
    }
}

impl FromStr for Share {
    type Err = Error;

    /// Reads a percentage from 0 to 100, such as `0.5%` or `0.5`.
    fn from_str(text: &str) -> Result<Share> {
        let number = text.strip_suffix('%').unwrap_or(text);
        let plain = number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let percent = number.parse::<f64>().ok().filter(|_| plain);
        match percent.filter(|percent| *percent <= 100.0) {
            Some(percent) => Ok(Share {
                millionths: (percent * 10_000.0).round() as u32,
            }),
            None => Err(Error::new(format!(
                "{text:?} is no share: it must be a percentage from 0 to 100, such as 0.5%"
            ))),
        }
    }
}

impl<'de> Deserialize<'de> for Share {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Share, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", f64::from(self.millionths) / 10_000.0)
    }
}

impl Profile {
    /// With what weighs less than the share, callees included, as one callee
    /// `(other)` of its caller. The heavier it is, the more it hides.
    pub(super) fn pruned(&self, least: Share) -> Result<Profile> {
        let mut view = self.clone();
        let other = view.add_function(OTHER.to_owned(), Kind::Group)?;
        let weight = self.weight();
        let whole = self.sum(weight);
        let view = view.with_tries(|trie| prune(trie, weight, whole, least, other))?;
        Ok(view.with_used_functions())
    }
}

fn prune(trie: &Trie, weight: Weight, whole: u64, least: Share, other: FunctionId) -> Result<Trie> {
    let totals = trie.totals(weight);
    let mut pruned = Trie::default();
    // Of each node, itself or the `(other)` that it is part of now.
    let mut new_ids: Vec<NodeId> = Vec::with_capacity(trie.len());
    // `(other)` below each new node, and at the top of known and of dropped paths.
    let mut others: Vec<Option<NodeId>> = Vec::new();
    let mut top = [None; 2];
    for node in trie.nodes() {
        let parent = trie.parent(node).map(|parent| new_ids[parent.index()]);
        let overflow = trie.is_overflow(node);
        let is_light = least.is_more_than(totals[node.index()], whole);
        let new = match parent {
            Some(parent) if pruned.function(parent) == other => parent,
            _ if is_light => {
                let known = match parent {
                    Some(parent) => others[parent.index()],
                    None => top[usize::from(overflow)],
                };
                match known {
                    Some(known) => known,
                    None => {
                        let new = pruned.push(parent, other)?;
                        others.push(None);
                        match parent {
                            Some(parent) => others[parent.index()] = Some(new),
                            None => top[usize::from(overflow)] = Some(new),
                        }
                        if overflow {
                            pruned.overflow.push(new);
                        }
                        new
                    }
                }
            }
            _ => {
                let new = pruned.push(parent, trie.function(node))?;
                others.push(None);
                if overflow {
                    pruned.overflow.push(new);
                }
                new
            }
        };
        pruned.add(new, trie.calls(node), trie.self_cost(node));
        new_ids.push(new);
    }
    Ok(pruned)
}
