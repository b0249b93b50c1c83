//! The rewriter and the profile model, as JavaScript sees them.

mod instrument;
mod profile;
mod symbols;
mod trace;
mod view;
