//! Async functions: a call's time is the time in which it is polled.

use core::future::Future;
use core::pin::Pin;
use core::task::{Context, Poll};

use super::function::{Function, Owner};
use super::guard::Guard;

/// A future that is entered and left with each poll. The call is counted with
/// the first one, under the function that polls it then.
pub struct Instrumented<F> {
    function: &'static Function,
    owner: Owner,
    polled: bool,
    future: F,
}

/// What `#[instrument]` wraps the body of an async function in.
pub fn instrumented<F: Future>(
    function: &'static Function,
    owner: Owner,
    future: F,
) -> Instrumented<F> {
    Instrumented {
        function,
        owner,
        polled: false,
        future,
    }
}

impl<F: Future> Future for Instrumented<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `future` is not moved out of the pinned value, here or in a
        // `Drop` (there is none); the other fields are never pinned.
        let (this, future) = unsafe {
            let this = self.get_unchecked_mut();
            let future = Pin::new_unchecked(&mut this.future);
            ((this.function, this.owner, &mut this.polled), future)
        };
        let (function, owner, polled) = this;
        let first = !core::mem::replace(polled, true);
        let _guard = Guard::new(function, owner, first);
        future.poll(context)
    }
}
