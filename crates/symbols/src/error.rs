//! What went wrong, and where.

use std::fmt;

/// Why a file gives no symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error(message.into())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<wasm_xray_rewriter::Error> for Error {
    fn from(error: wasm_xray_rewriter::Error) -> Error {
        Error(error.to_string())
    }
}

impl From<wasmparser::BinaryReaderError> for Error {
    fn from(error: wasmparser::BinaryReaderError) -> Error {
        Error(format!(
            "{} (at offset {:#x})",
            error.message(),
            error.offset()
        ))
    }
}
