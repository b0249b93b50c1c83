//! Instrumented functions: ids on the first call, no code before main.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::string::{String, ToString};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use crate::ids::FunctionId;

/// A static for each instrumented function, made by `#[instrument]` and
/// [`enter!`](crate::enter).
///
/// It gets its id when it is called for the first time in a session: that takes
/// a lock once, and then a load. Gathering all of them in a link section would
/// need none, but not every target has such sections with an end and a start;
/// on WebAssembly it would take constructors, which run before main.
pub struct Function {
    name: &'static str,
    /// 0: not registered yet.
    id: AtomicU32,
    /// Calls that no trie could take.
    unrecorded: AtomicU64,
}

/// Name of the type that a method belongs to.
pub type Owner = Option<fn() -> &'static str>;

impl Function {
    /// A function that is not registered. For the macros.
    pub const fn new(name: &'static str) -> Function {
        Function {
            name,
            id: AtomicU32::new(0),
            unrecorded: AtomicU64::new(0),
        }
    }

    /// The id, the same until the program ends.
    #[inline]
    pub(super) fn id(&'static self, owner: Owner) -> FunctionId {
        match FunctionId::new(self.id.load(Ordering::Acquire)) {
            Some(id) => id,
            None => self.register(owner),
        }
    }

    #[cold]
    fn register(&'static self, owner: Owner) -> FunctionId {
        let mut functions = registered();
        // Another thread may have been faster.
        if let Some(id) = FunctionId::new(self.id.load(Ordering::Acquire)) {
            return id;
        }
        let name = match owner {
            Some(owner) => method_name(owner(), self.name),
            None => self.name.to_string(),
        };
        functions.push(Registered {
            name,
            function: self,
        });
        let id = functions.len() as u32;
        self.id.store(id, Ordering::Release);
        // SAFETY: there is at least the one just pushed.
        unsafe { FunctionId::new_unchecked(id) }
    }

    /// A call that no trie takes; the profile says so.
    #[cold]
    pub(super) fn not_recorded(&self) {
        self.unrecorded.fetch_add(1, Ordering::Relaxed);
    }
}

/// A function with its id, which is its place in the list, from 1.
pub(super) struct Registered {
    pub(super) name: String,
    function: &'static Function,
}

impl Registered {
    /// Takes the number of calls that no trie took.
    pub(super) fn take_unrecorded(&self) -> u64 {
        self.function.unrecorded.swap(0, Ordering::Relaxed)
    }
}

/// All registered functions, in order of id.
pub(super) fn registered() -> MutexGuard<'static, Vec<Registered>> {
    static FUNCTIONS: Mutex<Vec<Registered>> = Mutex::new(Vec::new());
    FUNCTIONS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// `krate::Stack::push` for `push` of `krate::Stack<i32>`: one function, whatever
/// the type's arguments.
fn method_name(owner: &str, method: &str) -> String {
    let end = owner.find('<').filter(|&at| at > 0).unwrap_or(owner.len());
    [&owner[..end], "::", method].concat()
}

#[cfg(test)]
mod tests {
    use super::method_name;

    #[test]
    fn methods_are_named_after_their_type_without_arguments() {
        assert_eq!(method_name("a::b::Stack<i32>", "push"), "a::b::Stack::push");
        assert_eq!(method_name("a::Plain", "get"), "a::Plain::get");
        assert_eq!(method_name("<a::B as C>::D", "get"), "<a::B as C>::D::get");
    }
}
