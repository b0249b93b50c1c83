//! The contracts between the parts of wasm-xray. `docs/ARCHITECTURE.md` tells how they are used.

#![cfg_attr(not(feature = "map"), no_std)]

pub mod block;
pub mod layout;
#[cfg(feature = "map")]
pub mod map;
pub mod probe;
