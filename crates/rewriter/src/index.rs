//! The index spaces of functions, as types: mixing them up is a compile error.

/// Index of a function in the input module, imports first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct OldFunc(pub u32);

/// Index of a function in the output module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NewFunc(pub u32);

/// Number of a child slot in the nodes of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(pub u32);

impl OldFunc {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Numbers the distinct callees of one function at a time, in order of first
/// occurrence; the analysis and the rewriting of a body number them alike.
///
/// Constant time per call site: entries of earlier functions are told apart by a stamp.
pub(crate) struct SlotNumbers {
    stamp: u32,
    next: u32,
    /// Per callee (stamp, slot), for direct calls and for tail calls; the latter once there are any.
    seen: [Vec<(u32, u32)>; 2],
    functions: usize,
}

impl SlotNumbers {
    pub fn new(functions: usize) -> Self {
        SlotNumbers {
            stamp: 0,
            next: 0,
            seen: [Vec::new(), Vec::new()],
            functions,
        }
    }

    /// Starts with another function.
    pub fn next_function(&mut self) {
        self.stamp += 1;
        self.next = 0;
    }

    /// The slot of `callee`. A tail call has another slot than a direct call, as its callee has another parent.
    pub fn slot(&mut self, callee: OldFunc, tail: bool) -> Slot {
        let seen = &mut self.seen[usize::from(tail)];
        if seen.is_empty() {
            seen.resize(self.functions, (0, 0));
        }
        let entry = &mut seen[callee.index()];
        if entry.0 != self.stamp {
            *entry = (self.stamp, self.next);
            self.next += 1;
        }
        Slot(entry.1)
    }

    /// Slots handed out for the current function.
    pub fn count(&self) -> u32 {
        self.next
    }
}
