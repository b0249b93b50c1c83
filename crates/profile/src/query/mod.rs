//! Questions to a profile. Each takes time linear in its paths.

mod choice;
pub mod error_bar;
pub mod find;
pub mod neighbours;
pub mod stats;
pub mod tree;
