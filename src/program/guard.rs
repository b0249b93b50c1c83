//! Entering and leaving a function, or any part of one.

use core::marker::PhantomData;

use super::function::{Function, Owner};
use super::{session, thread};
use crate::ids::FunctionId;

/// A call that is being recorded; it is left when the guard is dropped.
///
/// Made by [`enter!`](crate::enter). It stays on its thread; held across an
/// `.await` it would take the calls of other tasks for its own, so use
/// `#[instrument]` on the `async fn` there. Guards of a thread are to be dropped
/// in the reverse order of their making: one that is dropped early leaves every
/// call that was entered since as well.
#[must_use = "the call is left at once: give the guard a name, such as `_guard`"]
pub struct Guard {
    /// The call, and the number of its session; none if it is not recorded.
    call: Option<(FunctionId, u32)>,
    /// Whether leaving counts a call.
    counts: bool,
    on_this_thread: PhantomData<*const ()>,
}

impl Guard {
    #[inline]
    pub(super) fn new(function: &'static Function, owner: Owner, counts: bool) -> Guard {
        let number = session::number();
        let call = if number == 0 {
            None
        } else {
            thread::enter(function, owner, number).map(|id| (id, number))
        };
        Guard {
            call,
            counts,
            on_this_thread: PhantomData,
        }
    }
}

impl Drop for Guard {
    #[inline]
    fn drop(&mut self) {
        if let Some((id, number)) = self.call {
            thread::leave(id, number, self.counts);
        }
    }
}

/// What `#[instrument]` puts in front of a function's body.
#[inline]
pub fn enter(function: &'static Function, owner: Owner) -> Guard {
    Guard::new(function, owner, true)
}
