//! Where the functions' bodies are in a module.

/// Bodies of a module's own functions, in the order of the module.
#[derive(Default)]
pub(crate) struct Bodies {
    /// Index of the first function.
    pub imports: u32,
    /// Offset of the code section's contents in the module, in bytes; what DWARF counts from.
    pub code_start: u64,
    /// Offset in the module at which each body begins, after its size.
    starts: Vec<u64>,
    /// Offset at which each body ends; the next one's size follows.
    ends: Vec<u64>,
}

impl Bodies {
    pub fn push(&mut self, start: u64, end: u64) {
        self.starts.push(start);
        self.ends.push(end);
    }

    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Offset in the module at which the last body ends.
    pub fn code_end(&self) -> Option<u64> {
        self.ends.last().copied()
    }

    /// One more than the highest function index.
    pub fn end(&self) -> u32 {
        self.imports + self.ends.len() as u32
    }

    /// The function with an offset in its body or in the size before it.
    pub fn at(&self, offset: u64) -> Option<u32> {
        let place = self.ends.partition_point(|end| *end <= offset);
        // The first size follows the number of functions.
        let first = place.checked_sub(1).map(|before| self.ends[before]);
        let first = first.unwrap_or(self.code_start + 1);
        (place < self.ends.len() && offset >= first).then_some(self.imports + place as u32)
    }

    /// As [`Bodies::at`], for an address in DWARF.
    pub fn at_address(&self, address: u64) -> Option<u32> {
        self.at(self.code_start.checked_add(address)?)
    }

    /// Functions with first and end offset of their bodies.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64, u64)> {
        let ranges = self.starts.iter().zip(&self.ends);
        (self.imports..)
            .zip(ranges)
            .map(|(function, (start, end))| (function, *start, *end))
    }
}
