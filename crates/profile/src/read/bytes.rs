//! Little-endian fields with the offset at which each was found.

use crate::error::{Error, Result};

/// The rest of a file or of a block.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
    /// Of `rest` in the file.
    offset: usize,
}

impl<'a> Bytes<'a> {
    pub fn new(file: &'a [u8]) -> Bytes<'a> {
        Bytes {
            rest: file,
            offset: 0,
        }
    }

    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn len(&self) -> usize {
        self.rest.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Splits off the next `len` bytes, or nothing if there are fewer.
    pub fn take(&mut self, len: usize) -> Option<Bytes<'a>> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        let offset = self.offset;
        *self = Bytes {
            rest,
            offset: offset + len,
        };
        Some(Bytes {
            rest: taken,
            offset,
        })
    }

    /// Fails if fewer than `len` bytes are left of `what`.
    pub fn need(&self, len: usize, what: &str) -> Result<()> {
        if self.rest.len() >= len {
            return Ok(());
        }
        let left = self.rest.len();
        Err(Error::at(
            self.offset,
            format!("truncated: {what} needs {len} bytes, {left} are left"),
        ))
    }

    pub fn u32(&mut self, what: &str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub fn u64(&mut self, what: &str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        match self.rest.split_first_chunk() {
            Some((array, rest)) => {
                *self = Bytes {
                    rest,
                    offset: self.offset + N,
                };
                Ok(*array)
            }
            None => Err(self.need(N, what).expect_err("too short, as just seen")),
        }
    }
}
