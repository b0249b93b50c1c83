//! Why a session did not start or stop.

use core::fmt;

use crate::options::OptionError;

/// Why [`Session::start`](crate::program::Session::start) refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartError {
    /// The crate was built without the feature `enabled`.
    Disabled,
    /// A session is recording.
    Recording,
    /// The profile of the session before is still there.
    Unread,
    /// An option is out of its bounds.
    Option(OptionError<'static>),
    /// More than the static memory has, in bytes (WebAssembly only).
    NoRoom {
        /// What the options ask for.
        asked: u32,
        /// What there is.
        available: u32,
    },
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StartError::Disabled => f.write_str(DISABLED),
            StartError::Recording => f.write_str("a session is recording: stop it first"),
            StartError::Unread => {
                f.write_str("the profile of the session before is being read: drop it first")
            }
            StartError::Option(error) => error.fmt(f),
            StartError::NoRoom { asked, available } => write!(
                f,
                "{asked} bytes are more than the {available} that there are: ask for less, \
                 or set WASM_XRAY_ARENA_BYTES when compiling"
            ),
        }
    }
}

impl core::error::Error for StartError {}

/// Why [`Session::stop`](crate::program::Session::stop) refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopError {
    /// The crate was built without the feature `enabled`.
    Disabled,
    /// No session is recording.
    NotRecording,
}

impl fmt::Display for StopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopError::Disabled => DISABLED,
            StopError::NotRecording => "no session is recording: start one first",
        })
    }
}

impl core::error::Error for StopError {}

const DISABLED: &str =
    "this build records nothing: turn on the feature `enabled` of the crate wasm-xray";
