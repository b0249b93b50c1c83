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

/// Number of a leaf's counter in the nodes of one function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counter(pub u32);

impl OldFunc {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Numbers the distinct callees of one function at a time, in order of first
/// occurrence; the plan and the rewriting of a body number them alike.
///
/// Constant time per call site: entries of earlier functions are told apart by a stamp.
pub(crate) struct Places {
    stamp: u32,
    slots: u32,
    counters: u32,
    /// Per callee (stamp, number), for direct calls and for tail calls; the latter once there are any.
    seen: [Vec<(u32, u32)>; 2],
    functions: usize,
}

impl Places {
    pub fn new(functions: usize) -> Self {
        Places {
            stamp: 0,
            slots: 0,
            counters: 0,
            seen: [Vec::new(), Vec::new()],
            functions,
        }
    }

    /// Starts with another function.
    pub fn next_function(&mut self) {
        self.stamp += 1;
        self.slots = 0;
        self.counters = 0;
    }

    fn entry(&mut self, callee: OldFunc, tail: bool) -> &mut (u32, u32) {
        let seen = &mut self.seen[usize::from(tail)];
        if seen.is_empty() {
            seen.resize(self.functions, (0, 0));
        }
        &mut seen[callee.index()]
    }

    /// Whether this is the function's first call of `callee`, as a tail call or not.
    pub fn is_new(&mut self, callee: OldFunc, tail: bool) -> bool {
        let stamp = self.stamp;
        let entry = self.entry(callee, tail);
        std::mem::replace(&mut entry.0, stamp) != stamp
    }

    /// The slot of `callee`. A tail call has another slot than a direct call, as its callee has another parent.
    pub fn slot(&mut self, callee: OldFunc, tail: bool) -> Slot {
        if self.is_new(callee, tail) {
            self.entry(callee, tail).1 = self.slots;
            self.slots += 1;
        }
        Slot(self.entry(callee, tail).1)
    }

    /// The counter of `callee`, a leaf, which is never asked for its slot as well.
    pub fn counter(&mut self, callee: OldFunc) -> Counter {
        if self.is_new(callee, false) {
            self.entry(callee, false).1 = self.counters;
            self.counters += 1;
        }
        Counter(self.entry(callee, false).1)
    }
}
