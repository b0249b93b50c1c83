//! The targets, one file for each kind of input.

mod blocks;
mod foreign;
mod options;

use crate::Target;

/// Every target.
pub static TARGETS: &[&Target] = &[&blocks::BLOCKS, &foreign::FOREIGN, &options::OPTIONS];
