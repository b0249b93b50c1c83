//! An array in segments, as XRay's `Array`: it grows without moving an element,
//! and segments that `trim` left empty are used again before new ones.

use core::borrow::Borrow;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::NonNull;

use crate::allocator::Allocator;

type Link<T, const N: usize> = Option<NonNull<Segment<T, N>>>;

/// Room for `N` elements, and its neighbours.
pub struct Segment<T, const N: usize> {
    previous: Link<T, N>,
    next: Link<T, N>,
    elements: [MaybeUninit<T>; N],
}

// SAFETY: the links are only followed by the array that owns all the segments.
unsafe impl<T: Send, const N: usize> Send for Segment<T, N> {}

/// An array of `T` in segments of `N`, out of an allocator that it owns or
/// (`A = &Allocator`) shares with others.
///
/// Appending, trimming by one and the last element take the same time whatever
/// the length; [`get`](SegmentedArray::get) walks over the segments before it.
pub struct SegmentedArray<'a, T, const N: usize, A = Allocator<'a, Segment<T, N>>> {
    allocator: A,
    head: Link<T, N>,
    tail: Link<T, N>,
    /// Segments without elements, linked by `next`.
    free: Link<T, N>,
    len: usize,
    owns: PhantomData<(T, &'a mut [Segment<T, N>])>,
}

// Invariant: the segments from `head` to `tail`, linked both ways, and those in
// `free` came from the allocator, are initialized but for their elements, live
// as long as 'a, and nobody else has a reference to them. There are
// `len.div_ceil(N)` from `head` to `tail`, and in those the first `len` elements
// are initialized.

// SAFETY: it owns elements and segments alone, like a `Vec` does.
unsafe impl<T: Send, const N: usize, A: Send> Send for SegmentedArray<'_, T, N, A> {}

impl<'a, T, const N: usize, A: Borrow<Allocator<'a, Segment<T, N>>>> SegmentedArray<'a, T, N, A> {
    /// An array without elements; it takes its first segment when it needs it.
    pub const fn new(allocator: A) -> Self {
        const {
            assert!(N > 0, "a segment has room for an element");
        }
        SegmentedArray {
            allocator,
            head: None,
            tail: None,
            free: None,
            len: 0,
            owns: PhantomData,
        }
    }

    /// Appends an element; gives it back if there is no segment left.
    #[inline]
    pub fn append(&mut self, value: T) -> Result<&mut T, T> {
        let at = self.len % N;
        if at == 0 && !self.grow() {
            return Err(value);
        }
        let Some(tail) = self.tail else {
            return Err(value);
        };
        // SAFETY: `tail` is an initialized segment of ours alone, and has room
        // at `at`, as `grow` has just made it or the length is within it.
        let element = unsafe { &mut (&mut (*tail.as_ptr()).elements)[at] };
        self.len += 1;
        Ok(element.write(value))
    }

    /// Appends a segment, one used before if there is one. Whether it did.
    #[cold]
    fn grow(&mut self) -> bool {
        let segment = match self.free {
            Some(segment) => {
                // SAFETY: segments in `free` are initialized but for their elements.
                self.free = unsafe { (*segment.as_ptr()).next };
                segment
            }
            None => match self.allocator.borrow().allocate() {
                Some(block) => NonNull::from(block).cast(),
                None => return false,
            },
        };
        // SAFETY: the segment is ours alone; its links may be uninitialized, so
        // they are written through pointers, and its elements stay so.
        unsafe {
            (&raw mut (*segment.as_ptr()).previous).write(self.tail);
            (&raw mut (*segment.as_ptr()).next).write(None);
            match self.tail {
                Some(tail) => (*tail.as_ptr()).next = Some(segment),
                None => self.head = Some(segment),
            }
        }
        self.tail = Some(segment);
        true
    }

    /// Drops the last `count` elements, or all if there are fewer. Segments left
    /// without elements stay with this array.
    pub fn trim(&mut self, count: usize) {
        for _ in 0..count.min(self.len) {
            self.pop();
        }
    }

    /// Takes the last element.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        let tail = self.tail?;
        self.len = self.len.checked_sub(1)?;
        let at = self.len % N;
        // SAFETY: `tail` is ours; the element is initialized, and counted no more.
        let element = unsafe { (&(*tail.as_ptr()).elements)[at].assume_init_read() };
        if at == 0 {
            self.shrink(tail);
        }
        Some(element)
    }

    /// Moves the last segment, which is empty, to the free ones.
    #[cold]
    fn shrink(&mut self, tail: NonNull<Segment<T, N>>) {
        // SAFETY: `tail` and its neighbour are ours.
        unsafe {
            self.tail = (*tail.as_ptr()).previous;
            match self.tail {
                Some(tail) => (*tail.as_ptr()).next = None,
                None => self.head = None,
            }
            (*tail.as_ptr()).next = self.free;
        }
        self.free = Some(tail);
    }
}

impl<T, const N: usize, A> SegmentedArray<'_, T, N, A> {
    /// Number of elements.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The element at `index`.
    pub fn get(&self, index: usize) -> Option<&T> {
        self.iter().nth(index)
    }

    /// The first element.
    pub fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    /// The last element.
    #[inline]
    pub fn last(&self) -> Option<&T> {
        let at = self.len.checked_sub(1)? % N;
        // SAFETY: there is a last element, and it is in the last segment.
        unsafe { Some((&(*self.tail?.as_ptr()).elements)[at].assume_init_ref()) }
    }

    /// The elements in order, from either end.
    pub fn iter(&self) -> Iter<'_, T, N> {
        Iter {
            head: self.head,
            head_at: 0,
            tail: self.tail,
            // Of the element behind the last one, in the last one's segment.
            tail_at: if self.len == 0 {
                0
            } else {
                (self.len - 1) % N + 1
            },
            left: self.len,
            array: PhantomData,
        }
    }
}

impl<'i, T, const N: usize, A> IntoIterator for &'i SegmentedArray<'_, T, N, A> {
    type Item = &'i T;
    type IntoIter = Iter<'i, T, N>;

    fn into_iter(self) -> Iter<'i, T, N> {
        self.iter()
    }
}

impl<T, const N: usize, A> Drop for SegmentedArray<'_, T, N, A> {
    fn drop(&mut self) {
        if !core::mem::needs_drop::<T>() {
            return;
        }
        let mut segment = self.head;
        while let Some(at) = segment {
            let count = self.len.min(N);
            self.len -= count;
            // SAFETY: the first `len` elements from here on are initialized, and
            // nobody uses them after this.
            unsafe {
                for element in &mut (&mut (*at.as_ptr()).elements)[..count] {
                    element.assume_init_drop();
                }
                segment = (*at.as_ptr()).next;
            }
        }
    }
}

/// See [`SegmentedArray::iter`].
pub struct Iter<'i, T, const N: usize> {
    head: Link<T, N>,
    head_at: usize,
    tail: Link<T, N>,
    tail_at: usize,
    left: usize,
    array: PhantomData<&'i T>,
}

// Invariant: the next `left` elements from `head_at` of `head` on are
// initialized, and end before `tail_at` of `tail`; the array is borrowed.

impl<'i, T, const N: usize> Iterator for Iter<'i, T, N> {
    type Item = &'i T;

    fn next(&mut self) -> Option<&'i T> {
        self.left = self.left.checked_sub(1)?;
        // SAFETY: there is an element, so its segment is there, and so is the next
        // one if it is the segment's last one and there are more.
        unsafe {
            if self.head_at == N {
                self.head = (*self.head?.as_ptr()).next;
                self.head_at = 0;
            }
            let at = self.head_at;
            self.head_at += 1;
            Some((&(*self.head?.as_ptr()).elements)[at].assume_init_ref())
        }
    }

    /// Skips whole segments at once.
    fn nth(&mut self, n: usize) -> Option<&'i T> {
        let mut n = n;
        if n >= self.left {
            self.left = 0;
            return None;
        }
        while n >= N - self.head_at {
            n -= N - self.head_at;
            self.left -= N - self.head_at;
            // SAFETY: as in `next`; at least one element is left behind this segment.
            self.head = unsafe { (*self.head?.as_ptr()).next };
            self.head_at = 0;
        }
        self.head_at += n;
        self.left -= n;
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<'i, T, const N: usize> DoubleEndedIterator for Iter<'i, T, N> {
    fn next_back(&mut self) -> Option<&'i T> {
        self.left = self.left.checked_sub(1)?;
        // SAFETY: as in `next`, the other way round.
        unsafe {
            if self.tail_at == 0 {
                self.tail = (*self.tail?.as_ptr()).previous;
                self.tail_at = N;
            }
            self.tail_at -= 1;
            Some((&(*self.tail?.as_ptr()).elements)[self.tail_at].assume_init_ref())
        }
    }
}

impl<T, const N: usize> ExactSizeIterator for Iter<'_, T, N> {}
impl<T, const N: usize> FusedIterator for Iter<'_, T, N> {}

// SAFETY: it stands for shared references to elements.
unsafe impl<T: Sync, const N: usize> Send for Iter<'_, T, N> {}
// SAFETY: as above.
unsafe impl<T: Sync, const N: usize> Sync for Iter<'_, T, N> {}

// SAFETY: `&self` only reads elements and links.
unsafe impl<T: Sync, const N: usize, A: Sync> Sync for SegmentedArray<'_, T, N, A> {}
