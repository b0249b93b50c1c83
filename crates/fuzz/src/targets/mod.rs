//! The targets, one file for each kind of input.

mod blocks;
mod options;

use crate::Target;

/// Every target.
pub static TARGETS: &[&Target] = &[&blocks::BLOCKS, &options::OPTIONS];
