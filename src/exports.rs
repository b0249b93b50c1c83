//! The session for probes and loader, as plain WebAssembly exports.
//!
//! Only the shipped module exports them. Nodes and function ids are i32 here;
//! nodes are as [`NodeId`] says, slot offsets in bytes from the node's start.
//!
//! # Safety
//!
//! The contract of [`Trie`](crate::Trie) holds for all of them: ids are this
//! session's, never 0, and a slot lies in its node. The rewriter and the loader
//! keep it, so probes carry no check.

#![allow(
    clippy::missing_safety_doc,
    reason = "one contract for all of them, above"
)]

use crate::collector::{Header, Refused};
use crate::ids::{FunctionId, NodeId, SlotOffset};
use crate::record::Layout;
use crate::session::{self, trie, wall};
use crate::trie::{InitError, ResetError};

/// Defines probes: i32 in, an i64 for costs; i32 out.
macro_rules! probes {
    ($($(#[$doc:meta])* fn $name:ident($($parameter:ident: $kind:tt),*) $(-> $result:tt)? = $body:expr;)*) => {$(
        $(#[$doc])*
        #[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($parameter: probes!(@type $kind)),*) $(-> probes!(@result $result))? {
            // SAFETY: the module's contract.
            unsafe {
                $(let $parameter = probes!(@in $kind $parameter);)*
                probes!(@out $($result)? ($body))
            }
        }
    )*};
    (@type cost) => { u64 };
    (@type $kind:tt) => { u32 };
    (@result node) => { u32 };
    (@result number) => { u32 };
    (@result word) => { u64 };
    (@in node $value:ident) => { NodeId::new_unchecked($value) };
    (@in id $value:ident) => { FunctionId::new_unchecked($value) };
    (@in slot $value:ident) => { SlotOffset($value) };
    (@in cost $value:ident) => { $value };
    (@out word ($body:expr)) => { $body };
    (@out node ($body:expr)) => { $body.offset() };
    (@out number ($body:expr)) => { $body };
    (@out ($body:expr)) => { $body };
}

probes! {
    /// [`Trie::slot`](crate::Trie::slot)
    fn xr_slot(parent: node, offset: slot, callee: id) -> word = trie().slot(parent, offset, callee);
    /// [`Trie::slot_tail`](crate::Trie::slot_tail)
    fn xr_slot_tail(node: node, offset: slot, callee: id) -> word = trie().slot_tail(node, offset, callee);
    /// [`Trie::child`](crate::Trie::child)
    fn xr_child(parent: node, callee: id) -> node = trie().child(parent, callee);
    /// [`Trie::call`](crate::Trie::call)
    fn xr_call(parent: node, offset: slot, callee: id) -> node = trie().call(parent, offset, callee);
    /// [`Trie::call_tail`](crate::Trie::call_tail)
    fn xr_call_tail(node: node, offset: slot, callee: id) -> node = trie().call_tail(node, offset, callee);
    /// [`Trie::enter`](crate::Trie::enter)
    fn xr_enter(function: id) -> node = trie().enter(function);
    /// [`Trie::uncount`](crate::Trie::uncount)
    fn xr_uncount(node: node) = trie().uncount(node);
    /// [`Trie::take`](crate::Trie::take)
    fn xr_take() -> node = trie().take();
    /// [`Trie::pass`](crate::Trie::pass)
    fn xr_pass(node: node) = trie().pass(Some(node));
    /// [`Trie::pass_parent`](crate::Trie::pass_parent)
    fn xr_pass_parent(node: node) = trie().pass_parent(node);
    /// [`Trie::swap_current`](crate::Trie::swap_current)
    fn xr_swap_current(node: node) -> node = trie().swap_current(node);
    /// [`Trie::count_leaf`](crate::Trie::count_leaf)
    fn xr_count(node: node, counter: slot) = trie().count_leaf(node, counter);
    /// [`Trie::charge`](crate::Trie::charge)
    fn xr_charge(node: node, cost: cost) = trie().charge(node, cost);
    /// [`Trie::leave`](crate::Trie::leave)
    fn xr_leave() = trie().leave();
    /// [`Trie::passed`](crate::Trie::passed); 0 if there is none.
    fn xr_passed() -> number = trie().passed().map_or(0, NodeId::offset);
    /// [`Trie::sampled_call`](crate::Trie::sampled_call)
    fn xr_sampled_call(parent: node, offset: slot, callee: id) -> node = trie().sampled_call(parent, offset, callee);
    /// [`Trie::sampled_call_tail`](crate::Trie::sampled_call_tail)
    fn xr_sampled_call_tail(node: node, offset: slot, callee: id) -> node = trie().sampled_call_tail(node, offset, callee);
    /// [`Trie::sampled_enter`](crate::Trie::sampled_enter)
    fn xr_sampled_enter(function: id) -> node = trie().sampled_enter(function);
    /// [`Trie::resume`](crate::Trie::resume)
    fn xr_sampled_resume(node: node) = trie().resume(node);
    /// [`Trie::sampled_exit`](crate::Trie::sampled_exit)
    fn xr_sampled_exit(node: node) = trie().sampled_exit(node);
    /// [`Wall::call`](crate::Wall::call)
    fn xr_wall_call(parent: node, offset: slot, callee: id) -> node = wall().call(trie(), parent, offset, callee);
    /// [`Wall::call_tail`](crate::Wall::call_tail)
    fn xr_wall_call_tail(node: node, offset: slot, callee: id) -> node = wall().call_tail(trie(), node, offset, callee);
    /// [`Wall::enter`](crate::Wall::enter)
    fn xr_wall_enter(function: id) -> node = wall().enter(trie(), function);
    /// [`Wall::exit`](crate::Wall::exit)
    fn xr_wall_exit(node: node) = wall().exit(trie(), node);
    /// [`Wall::resume`](crate::Wall::resume)
    fn xr_wall_resume(node: node) = wall().resume(trie(), node);
}

/// Takes `arena_len` bytes behind `ARENA_BASE` as the arena, once, before
/// anything else. 0, or why not: 1 = too small, 2 = too large, 3 = more than the
/// memory has.
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_init(arena_len: u32) -> u32 {
    wall().reset();
    match trie().init(arena_len) {
        Ok(()) => 0,
        Err(InitError::TooSmall) => 1,
        Err(InitError::TooLarge) => 2,
        Err(InitError::BeyondStorage) => 3,
    }
}

/// The id of the first of `functions` functions, imports included, that have
/// `slots` child slots and `counters` counters of leaves in total;
/// [`xr_add_function`] must follow for each. 0 if they do not fit, or the module before is incomplete.
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_begin_module(functions: u32, slots: u32, counters: u32) -> u32 {
    let base = trie().begin_module_with_counters(functions, slots, counters);
    base.unwrap_or(0)
}

/// 1 when the module's next function is registered, 0 if there is none or it does not fit.
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_add_function(slots: u32, counters: u32) -> u32 {
    let added = trie().add_function_with_counters(slots, counters);
    added.is_ok().into()
}

/// [`Trie::add_counted`](crate::Trie::add_counted), once for each counter of the function
/// added last: 1 when it is taken, 0 if there is no such counter or leaf.
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_add_counted(leaf: u32, cost: u32) -> u32 {
    let leaf = FunctionId::new(leaf);
    leaf.is_some_and(|leaf| trie().add_counted(leaf, cost).is_ok())
        .into()
}

/// [`Trie::dropped_paths`](crate::Trie::dropped_paths)
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_dropped_paths() -> f64 {
    trie().dropped_paths() as f64
}

/// [`Trie::dropped_calls`](crate::Trie::dropped_calls)
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_dropped_calls() -> f64 {
    trie().dropped_calls() as f64
}

/// [`Trie::paths`](crate::Trie::paths)
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_nodes() -> u32 {
    trie().paths()
}

/// [`Trie::used`](crate::Trie::used), in bytes.
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_arena_used() -> f64 {
    trie().used().into()
}

/// Starts a file: `layout` 0 is compact, 1 XRay's, and 2 or 3 the same with
/// recursion folded; `thread` at least 1;
/// `timestamp_ms` since 1970 and `process` go into its header, zeros where the
/// output must not depend on them. 0, or why not, see [`status`].
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_serialize(layout: u32, thread: u32, timestamp_ms: f64, process: u32) -> u32 {
    let Some((layout, fold)) = self::layout(layout) else {
        return 5;
    };
    let header = Header::from_ms(timestamp_ms, process);
    session::serialize(layout, fold, thread.into(), header).map_or_else(status, |()| 0)
}

/// The layout with this number, and whether recursion is folded.
pub fn layout(number: u32) -> Option<(Layout, bool)> {
    match number {
        0 | 2 => Some((Layout::Compact, number == 2)),
        1 | 3 => Some((Layout::Xray, number == 3)),
        _ => None,
    }
}

/// Writes the file's next piece to [`xr_buffer`] and returns its length in
/// bytes; 0 at the end; a negative [`status`] if refused.
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_next_buffer() -> i32 {
    match session::next_buffer() {
        Ok(len) => len.map_or(0, |len| len as i32),
        Err(refused) => -(status(refused) as i32),
    }
}

/// Address of the buffer: always the same.
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_buffer() -> *const u8 {
    session::buffer_address()
}

/// Records that the current file leaves out, see [`Collector::oversized`](crate::Collector::oversized).
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_oversized() -> u32 {
    session::collector().oversized()
}

/// 1 if recursion could not be folded in the current file, see
/// [`Collector::unfolded`](crate::Collector::unfolded).
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_unfolded() -> u32 {
    session::collector().unfolded()
}

/// Calls that found the collector busy.
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_busy() -> u32 {
    session::collector().busy()
}

/// [`session::reset`]. 0, or why not: 1 = instrumented code is running, 2 = not initialized.
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_reset() -> u32 {
    match session::reset() {
        Ok(()) => 0,
        Err(ResetError::Running) => 1,
        Err(ResetError::NotInitialized) => 2,
    }
}

/// The contract that this runtime keeps, `wasm_xray_abi::layout::ABI_VERSION`.
#[cfg_attr(wasm_xray_shipped, unsafe(no_mangle))]
pub extern "C" fn xr_abi_version() -> u32 {
    wasm_xray_abi::layout::ABI_VERSION
}

/// The number that stands for a refusal: 1 = busy, 2 = too many tries, 3 = thread
/// id 0, 4 = reset (or no room to stay folded) in between, 6 = buffer too small,
/// 7 = no session. (5 stands for an unknown layout.)
pub fn status(refused: Refused) -> u32 {
    match refused {
        Refused::Busy => 1,
        Refused::TooManyTries => 2,
        Refused::ThreadZero => 3,
        Refused::TrieReset => 4,
        Refused::BufferTooSmall => 6,
        Refused::NotRecording => 7,
    }
}
