//! A bound for what is read more than once.
//!
//! Debug information refers to itself: a thousand units can share a line table,
//! and a million functions the tail of one long string. That is bounded work in
//! files that compilers write, and would be squared work in one made to be slow.

/// Bytes that may be read again.
pub(crate) struct Budget(u64);

impl Budget {
    /// Enough for every file of a compiler.
    pub fn for_size(bytes: usize) -> Budget {
        Budget((bytes as u64).saturating_mul(8).saturating_add(16 << 20))
    }

    /// Whether there was so much left.
    pub fn spend(&mut self, bytes: usize) -> bool {
        match self.0.checked_sub(bytes as u64) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => {
                self.0 = 0;
                false
            }
        }
    }
}
