//! The same interface without the feature `enabled`: there is nothing behind it.

use core::convert::Infallible;
use std::io;
use std::string::String;
use std::vec::Vec;

use super::errors::{StartError, StopError};
use super::settings::Settings;
use crate::ids::FunctionId;

/// Nothing.
#[must_use = "with the feature `enabled` the call is left at once: give the guard a name, such as `_guard`"]
pub struct Guard(());

/// What `enter!` gives.
#[inline(always)]
pub const fn none() -> Guard {
    Guard(())
}

/// The session of this program.
pub fn session() -> Session {
    Session(())
}

/// Records nothing, as the feature `enabled` is off.
#[derive(Clone, Copy, Debug)]
pub struct Session(());

impl Session {
    /// [`StartError::Disabled`]
    ///
    /// # Errors
    ///
    /// Always.
    pub fn start(self) -> Result<(), StartError> {
        Err(StartError::Disabled)
    }

    /// [`StartError::Disabled`]
    ///
    /// # Errors
    ///
    /// Always.
    pub fn start_with(self, _: &Settings) -> Result<(), StartError> {
        Err(StartError::Disabled)
    }

    /// [`StopError::Disabled`]
    ///
    /// # Errors
    ///
    /// Always.
    pub fn stop(self) -> Result<Profile, StopError> {
        Err(StopError::Disabled)
    }

    /// [`StopError::Disabled`]
    ///
    /// # Errors
    ///
    /// Always.
    pub fn reset(self) -> Result<(), StopError> {
        Err(StopError::Disabled)
    }

    /// False.
    pub fn is_recording(self) -> bool {
        false
    }

    /// None.
    pub fn function_names(self) -> Vec<(FunctionId, String)> {
        Vec::new()
    }

    /// Does nothing.
    #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
    pub fn record(self, _: impl Into<std::path::PathBuf>) -> Record {
        Record(())
    }
}

/// Nothing.
#[must_use = "with the feature `enabled` recording ends when this is dropped: give it a name, such as `_record`"]
pub struct Record(());

/// What a session recorded. Without the feature `enabled` there is none.
pub struct Profile(Infallible);

impl Profile {
    /// Cannot be called.
    pub fn next_block(&mut self) -> Option<&[u8]> {
        match self.0 {}
    }

    /// Cannot be called.
    pub fn blocks(&mut self) -> impl Iterator<Item = Vec<u8>> + '_ {
        core::iter::from_fn(|| match self.0 {})
    }

    /// Cannot be called.
    pub fn map_json(&self) -> String {
        match self.0 {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    ///
    /// None.
    pub fn write_to(&mut self, _: &mut impl io::Write) -> io::Result<()> {
        match self.0 {}
    }

    /// Cannot be called.
    ///
    /// # Errors
    ///
    /// None.
    #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
    pub fn write(self, _: impl AsRef<std::path::Path>) -> io::Result<()> {
        match self.0 {}
    }
}
