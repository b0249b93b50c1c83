//! A buffer that refuses to grow without bound.

use std::io;

/// The message for an output of more than `limit` bytes.
pub(super) fn too_large(limit: usize) -> String {
    format!(
        "the output would be larger than {} MiB: this format writes out every path with all its \
         callers; use the format `compact`, or a report with a limit",
        limit >> 20
    )
}

/// Takes bytes up to a limit; what would pass it is an error.
pub(crate) struct Limited {
    bytes: Vec<u8>,
    /// Most bytes that it takes.
    limit: usize,
}

impl Limited {
    pub fn new(limit: usize) -> Limited {
        Limited {
            bytes: Vec::new(),
            limit,
        }
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl io::Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.limit - self.bytes.len() {
            return Err(io::Error::other(too_large(self.limit)));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
