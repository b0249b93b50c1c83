//! Every kind of function that `#[instrument]` takes, natively and on WebAssembly.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;
use wasm_xray::{Settings, StartError, StopError, Timing, enter, instrument, session};

use crate::program::{Recorded, record, record_with, turn};

/// What this module is called in names.
const HERE: &str = concat!(module_path!(), "::");

fn calls(recorded: &Recorded) -> BTreeMap<String, u64> {
    recorded.calls(HERE)
}

fn expect(paths: &[(&str, u64)]) -> BTreeMap<String, u64> {
    paths
        .iter()
        .map(|&(path, calls)| (path.to_owned(), calls))
        .collect()
}

#[instrument]
fn leaf() {}

#[instrument]
fn fib(n: u32) -> u32 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[test]
fn recursion_is_counted_by_depth() {
    let _turn = turn();
    let (result, recorded) = record(|| fib(4));
    assert_eq!(result, 3);
    let deep = |depth: usize| vec!["fib"; depth].join(" > ");
    assert_eq!(
        calls(&recorded),
        expect(&[(&deep(1), 1), (&deep(2), 2), (&deep(3), 4), (&deep(4), 2)])
    );
}

/// Documented, generic, with a lifetime, an early return and an error.
#[inline(never)]
#[must_use]
#[allow(clippy::manual_find, reason = "the early return is the point")]
#[instrument]
fn find<'a, T: PartialEq, const N: usize>(items: &'a [T; N], item: &T) -> Option<&'a T> {
    leaf();
    for candidate in items {
        if candidate == item {
            return Some(candidate);
        }
    }
    None
}

#[instrument]
fn digits(text: &str) -> Result<u32, Box<dyn std::error::Error>> {
    let first = text.parse::<u32>()?;
    leaf();
    Ok(first)
}

#[instrument]
fn squares(to: u32) -> impl Iterator<Item = u32> + Clone {
    (0..to).map(|n| n * n)
}

#[instrument]
unsafe fn read_it(pointer: *const u32) -> u32 {
    // SAFETY: the caller says so.
    unsafe { *pointer }
}

#[instrument]
extern "C" fn c_like(n: u32) -> u32 {
    n + 1
}

#[instrument(name = "another name")]
fn renamed() {
    leaf();
}

#[instrument]
#[track_caller]
fn where_from() -> u32 {
    std::panic::Location::caller().line()
}

#[instrument]
fn r#match(r#in: (u32, u32)) -> u32 {
    let (a, mut b) = r#in;
    b += a;
    b
}

#[test]
fn functions_of_every_kind_do_what_they_did() {
    let _turn = turn();
    let ((), recorded) = record(|| {
        assert_eq!(find(&[1, 2, 3], &2), Some(&2));
        assert_eq!(find(&["a"; 2], &"b"), None);
        assert_eq!(digits("12").unwrap(), 12);
        assert!(digits("x").is_err());
        assert_eq!(squares(4).clone().sum::<u32>(), 14);
        // SAFETY: a reference is valid.
        assert_eq!(unsafe { read_it(&7) }, 7);
        assert_eq!(c_like(1), 2);
        renamed();
        assert_eq!(where_from(), line!());
        assert_eq!(r#match((1, 2)), 3);
    });
    assert_eq!(
        calls(&recorded),
        expect(&[
            ("another name", 1),
            ("another name > leaf", 1),
            ("c_like", 1),
            ("digits", 2),
            ("digits > leaf", 1),
            ("find", 2),
            ("find > leaf", 2),
            ("match", 1),
            ("read_it", 1),
            ("squares", 1),
            ("where_from", 1),
        ])
    );
}

#[derive(Debug, PartialEq)]
struct Stack<T> {
    items: Vec<T>,
}

#[instrument]
impl<T: Clone> Stack<T> {
    const LIMIT: usize = Self::limit();

    const fn limit() -> usize {
        3
    }

    fn new() -> Self {
        Stack { items: Vec::new() }
    }

    /// Whether there was room.
    #[inline]
    #[must_use]
    fn push(&mut self, item: T) -> bool {
        if self.items.len() == Self::LIMIT {
            return false;
        }
        self.grow(item);
        true
    }

    fn grow(&mut self, item: T) {
        self.items.push(item);
    }

    #[instrument(skip)]
    fn len(&self) -> usize {
        self.items.len()
    }

    #[wasm_xray::instrument(name = "consumed")]
    fn into_items(self) -> Vec<T> {
        self.items
    }
}

#[instrument]
impl<T> fmt::Display for Stack<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("stack")
    }
}

impl<T> Stack<T> {
    /// The attribute does not see the type, but the compiler does.
    #[instrument]
    fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

#[instrument]
trait Shape {
    fn area(&self) -> u32;

    fn twice(&self) -> u32 {
        2 * self.area()
    }
}

struct Square(u32);

#[instrument]
impl Shape for Square {
    fn area(&self) -> u32 {
        self.0 * self.0
    }
}

#[instrument]
impl Shape for &'_ Square {
    fn area(&self) -> u32 {
        (**self).area()
    }
}

#[test]
fn whole_blocks_are_instrumented() {
    let _turn = turn();
    let ((), recorded) = record(|| {
        let mut stack = Stack::new();
        assert!(stack.push(1) && stack.push(2) && stack.push(3));
        assert!(!stack.push(4));
        assert!(!stack.is_empty());
        assert_eq!((stack.len(), stack.to_string()), (3, "stack".to_owned()));
        assert_eq!(stack.into_items(), [1, 2, 3]);
        assert!(Stack::<&str>::new().is_empty());
        let square = Square(3);
        assert_eq!((square.twice(), (&&square).area()), (18, 9));
    });
    assert_eq!(
        calls(&recorded),
        expect(&[
            ("<&Square as Shape>::area", 1),
            ("<&Square as Shape>::area > <Square as Shape>::area", 1),
            ("<Stack as Display>::fmt", 1),
            ("Shape::twice", 1),
            ("Shape::twice > <Square as Shape>::area", 1),
            ("Stack::is_empty", 2),
            ("Stack::new", 2),
            ("Stack::push", 4),
            ("Stack::push > Stack::grow", 3),
            ("consumed", 1),
        ])
    );
}

#[test]
fn guards_are_functions_of_their_own() {
    let _turn = turn();
    let ((), recorded) = record(|| {
        let _outer = enter!("outer");
        for _ in 0..3 {
            let _inner = enter!("inner");
            leaf();
        }
        leaf();
    });
    assert_eq!(
        calls(&recorded),
        expect(&[
            ("outer", 1),
            ("outer > inner", 3),
            ("outer > inner > leaf", 3),
            ("outer > leaf", 1),
        ])
    );
    assert!(recorded.map.contains(r#""unseen":[]"#) || !recorded.map.contains("unseen"));
}

/// Pending as often as it says.
struct Pending(u32);

impl Future for Pending {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        Poll::Pending
    }
}

#[instrument]
async fn waits(times: u32) -> Result<impl Iterator<Item = u32>, std::num::ParseIntError> {
    leaf();
    Pending(times).await;
    let parsed = "3".parse::<u32>()?;
    spin();
    Ok(0..parsed)
}

#[instrument]
async fn outer<'a>(text: &'a str, (times, _): (u32, u32)) -> &'a str {
    if times == 0 {
        return "";
    }
    assert_eq!(waits(times).await.unwrap().count(), 3);
    text
}

struct Service(u32);

#[instrument]
impl Service {
    async fn handle(&mut self) -> u32 {
        self.0 += 1;
        Pending(1).await;
        self.0
    }
}

fn poll_once<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn assert_send<T: Send>(value: T) -> T {
    value
}

/// Takes time that a clock sees.
#[instrument]
fn spin() {
    let before = now_ns();
    while now_ns() - before < 1_000_000 {}
}

#[cfg(target_arch = "wasm32")]
fn now_ns() -> u64 {
    wasm_xray::Clock::now_ns(&wasm_xray::session::Performance)
}

#[cfg(not(target_arch = "wasm32"))]
fn now_ns() -> u64 {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START
        .get_or_init(std::time::Instant::now)
        .elapsed()
        .as_nanos() as u64
}

#[test]
fn an_async_call_is_counted_once_and_its_time_is_that_of_its_polls() {
    let _turn = turn();
    let wall = Settings {
        timing: Timing::Wall,
        ..Settings::default()
    };
    let (suspended, recorded) = record_with(&wall, || {
        let mut future = pin!(assert_send(outer("x", (3, 0))));
        let mut suspended = 0;
        let mut other = pin!(outer("y", (1, 0)));
        while poll_once(future.as_mut()).is_pending() {
            let before = now_ns();
            spin();
            suspended += now_ns() - before;
        }
        // Left unfinished.
        assert!(poll_once(other.as_mut()).is_pending());
        // Never polled: it was not called.
        drop(outer("z", (0, 0)));
        let mut service = Service(1);
        let mut handle = pin!(service.handle());
        assert!(poll_once(handle.as_mut()).is_pending());
        assert_eq!(poll_once(handle.as_mut()), Poll::Ready(2));
        suspended
    });
    assert!(suspended >= 3_000_000);
    assert_eq!(
        calls(&recorded),
        expect(&[
            ("Service::handle", 1),
            ("outer", 2),
            ("outer > waits", 2),
            ("outer > waits > leaf", 2),
            ("outer > waits > spin", 1),
            ("spin", 3),
        ])
    );
    let cost = |path: &str| {
        recorded
            .paths
            .iter()
            .filter(|((_, name), _)| name.replace(HERE, "") == path)
            .map(|(_, (_, cost))| cost)
            .sum::<u64>()
    };
    assert!(cost("spin") >= 3_000_000);
    assert!(cost("outer > waits > spin") >= 1_000_000);
    assert!(recorded.map.contains(r#""clock":"wall""#));
}

#[test]
fn a_session_answers_calls_out_of_order() {
    let _turn = turn();
    assert_eq!(session().stop().err(), Some(StopError::NotRecording));
    assert_eq!(session().reset(), Err(StopError::NotRecording));
    assert!(!session().is_recording());
    leaf();
    session().start().unwrap();
    assert_eq!(session().start(), Err(StartError::Recording));
    assert!(session().is_recording());
    leaf();
    let profile = session().stop().unwrap();
    assert_eq!(session().start(), Err(StartError::Unread));
    leaf();
    let recorded = Recorded::read(profile);
    assert_eq!(calls(&recorded), expect(&[("leaf", 1)]));
}

#[test]
fn the_options_of_a_session_are_checked() {
    let _turn = turn();
    let mut settings = Settings::default();
    settings.options.per_thread_allocator_max = 1000;
    let error = session().start_with(&settings).unwrap_err();
    assert!(error.to_string().contains("65536"), "{error}");
    session().start().unwrap();
    drop(session().stop().unwrap());
}

#[test]
fn a_reset_forgets_counts_and_live_calls() {
    let _turn = turn();
    let ((), recorded) = record(|| {
        leaf();
        {
            let _outer = enter!("forgotten");
            leaf();
            session().reset().unwrap();
            leaf();
        }
        leaf();
    });
    assert_eq!(calls(&recorded), expect(&[("leaf", 2)]));
}

#[test]
fn what_is_live_when_a_session_starts_or_ends_is_not_counted() {
    let _turn = turn();
    let before = enter!("before");
    session().start().unwrap();
    drop(before);
    leaf();
    let _after = enter!("after");
    leaf();
    let recorded = Recorded::read(session().stop().unwrap());
    let mut calls = calls(&recorded);
    assert_eq!(calls.remove("after"), Some(0));
    assert_eq!(calls, expect(&[("after > leaf", 1), ("leaf", 1)]));
    assert!(
        recorded
            .map
            .contains("1 call had not returned and is not counted"),
        "{}",
        recorded.map
    );
}

#[test]
fn a_full_arena_loses_no_call() {
    let _turn = turn();
    let mut settings = Settings::default();
    settings.options.per_thread_allocator_max = 64 << 10;
    settings.options.shadow_stack_max = 8 << 10;
    #[instrument]
    fn even(depth: u32, path: u32) {
        if depth > 0 {
            [even, odd][path as usize % 2](depth - 1, path / 2);
        }
    }
    #[instrument]
    fn odd(depth: u32, path: u32) {
        even(depth, path);
    }
    let ((), recorded) = record_with(&settings, || {
        for path in 0..4096 {
            even(12, path);
        }
    });
    let name = |name: &str| format!("{HERE}{name}");
    let odds: u64 = (0..4096u64).map(|path| u64::from(path.count_ones())).sum();
    assert_eq!(recorded.calls_of(&name("even")), 13 * 4096);
    assert_eq!(recorded.calls_of(&name("odd")), odds);
    assert!(recorded.map.contains(r#""dropped":{"paths":"#));
    assert!(!recorded.map.contains(r#""dropped":{"paths":0"#));
    // Deeper than the shadow stack of some 400 frames.
    let ((), recorded) = record_with(&settings, || even(1000, 0));
    assert_eq!(recorded.calls_of(&name("even")), 1001);
}
