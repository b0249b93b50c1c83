//! Registering a module's functions with a trie.

use core::fmt;

use wasm_xray_abi::layout::*;

use crate::arena::Storage;
use crate::ids::FunctionId;
use crate::trie::Trie;

/// Why [`Trie::begin_module`] or [`Trie::add_function`] refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModuleError {
    /// The functions' descriptors and overflow nodes do not fit.
    ArenaFull,
    /// A module before this one announced more functions than were added.
    Incomplete,
    /// More functions than announced.
    TooManyFunctions,
    /// More than [`MAX_SLOTS`] slots.
    TooManySlots,
}

impl fmt::Display for ModuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ModuleError::ArenaFull => "the module does not fit into the arena: give a larger arena or instrument fewer functions",
            ModuleError::Incomplete => "the module before was not registered to its end: add its functions first",
            ModuleError::TooManyFunctions => "more functions than announced: begin the module with their number",
            ModuleError::TooManySlots => "too many child slots: let the calls beyond them use the hash table",
        })
    }
}

impl core::error::Error for ModuleError {}

/// Registering.
impl<S: Storage> Trie<S> {
    /// Reserves ids for a module of `functions` functions, imports included,
    /// with `slots` child slots in total, and returns the id of its first one.
    /// [`add_function`](Trie::add_function) must then be called once for each.
    pub fn begin_module(&self, functions: u32, slots: u32) -> Result<u32, ModuleError> {
        self.begin_module_with_counters(functions, slots, 0)
    }

    /// As [`begin_module`](Trie::begin_module), with `counters` counters of leaves
    /// in total, for [`add_function_with_counters`](Trie::add_function_with_counters).
    pub fn begin_module_with_counters(
        &self,
        functions: u32,
        slots: u32,
        counters: u32,
    ) -> Result<u32, ModuleError> {
        if self.functions.get() != self.reserved.get() || self.uncounted.get() > 0 {
            return Err(ModuleError::Incomplete);
        }
        let nodes = u64::from(functions) * u64::from(NODE_PLACES)
            + u64::from(slots) * 8
            + u64::from(counters) * u64::from(8 + COUNTED_SIZE);
        // They end on a multiple of 8.
        let descriptors = u64::from(functions) * u64::from(DESCRIPTOR_SIZE) + 4;
        if nodes + descriptors > u64::from(self.free()) {
            return Err(ModuleError::ArenaFull);
        }
        self.take_back();
        let base = self.reserved.get() + 1;
        self.reserved.set(self.reserved.get() + functions);
        Ok(base)
    }

    /// Registers the next function of the module, with its number of child
    /// slots, and reserves its overflow node.
    pub fn add_function(&self, slots: u32) -> Result<FunctionId, ModuleError> {
        self.add_function_with_counters(slots, 0)
    }

    /// As [`add_function`](Trie::add_function), with `counters` counters;
    /// [`add_counted`](Trie::add_counted) must then be called once for each.
    pub fn add_function_with_counters(
        &self,
        slots: u32,
        counters: u32,
    ) -> Result<FunctionId, ModuleError> {
        if self.uncounted.get() > 0 {
            return Err(ModuleError::Incomplete);
        }
        if self.functions.get() == self.reserved.get() {
            return Err(ModuleError::TooManyFunctions);
        }
        if slots > MAX_SLOTS || counters > MAX_SLOTS {
            return Err(ModuleError::TooManySlots);
        }
        if node_size(counters, slots) + COUNTED_SIZE * counters > self.free() {
            return Err(ModuleError::ArenaFull);
        }
        self.functions.set(self.functions.get() + 1);
        // SAFETY: the id is at least 1, its descriptor reserved, and the node fits.
        unsafe {
            let function = FunctionId::new_unchecked(self.functions.get());
            self.arena.u32_at(self.descriptor(function)).set(slots);
            self.arena
                .u32_at(self.descriptor(function) + 8)
                .set(counters);
            let size = node_size(counters, slots);
            let node = self.push_node(None, Some(function), size);
            self.overflow_word(function).set(node.offset());
            self.push(COUNTED_SIZE * counters);
            self.places
                .set(self.places.get().saturating_add(slots + counters));
            self.uncounted.set(counters);
            Ok(function)
        }
    }
}
