//! What went wrong, where, and what the reader of the message can do.

use std::fmt;

/// An error with the offset of the bytes that caused it, where there are any.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    message: String,
    offset: Option<u64>,
}

/// Result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            message: message.into(),
            offset: None,
        }))
    }

    pub(crate) fn at(offset: usize, message: impl Into<String>) -> Error {
        Error(Box::new(Inner {
            message: message.into(),
            offset: Some(offset as u64),
        }))
    }

    /// Says what the offset is in, if that is not the file itself.
    pub(crate) fn within(mut self, what: &str) -> Error {
        if let Some(offset) = self.0.offset.take() {
            self.0.message += &format!(" (at byte {offset} of {what})");
        }
        self
    }

    /// Offset in bytes from the start of the profile file.
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// The message without the offset.
    pub fn message(&self) -> &str {
        &self.0.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.offset {
            Some(offset) => write!(f, "{} (at byte {offset})", self.0.message),
            None => f.write_str(&self.0.message),
        }
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Error {
        Error::new(error.to_string())
    }
}
