//! Input made from other input.

use crate::Target;

/// Random numbers from a seed (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The same seed gives the same numbers.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// Any number.
    pub fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.any() % end.max(1) as u64) as usize
    }

    /// One of them.
    ///
    /// # Panics
    ///
    /// There is none.
    pub fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// A range of at most `longest` within `len`.
    fn range(&mut self, len: usize, longest: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        let count = self.below((len - start).min(longest) + 1);
        start..start + count
    }
}

/// Numbers at which readers tend to trip.
const NUMBERS: [u64; 16] = [
    0,
    1,
    2,
    15,
    16,
    32,
    127,
    128,
    255,
    65_535,
    65_536,
    i32::MAX as u64,
    1 << 31,
    u32::MAX as u64,
    i64::MAX as u64,
    u64::MAX,
];

/// An input made of one or two of `corpus`, which is not empty.
pub fn input(random: &mut Random, target: &Target, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = random.one_of(corpus).clone();
    for _ in 0..1 + random.below(6) {
        change(random, target, corpus, &mut bytes);
    }
    if let Some(mend) = target.mend
        && random.below(2) == 0
    {
        mend(&mut bytes);
    }
    bytes.truncate(target.max_len);
    bytes
}

fn change(random: &mut Random, target: &Target, corpus: &[Vec<u8>], bytes: &mut Vec<u8>) {
    let len = bytes.len();
    match random.below(10) {
        0 if len > 0 => bytes[random.below(len)] ^= 1 << random.below(8),
        1 if len > 0 => bytes[random.below(len)] = random.any() as u8,
        // A number of some size, mostly at a multiple of it.
        2 | 3 => {
            let width = *random.one_of(&[1, 2, 4, 4, 8]);
            let Some(last) = len.checked_sub(width) else {
                return;
            };
            let mut at = random.below(last + 1);
            if random.below(4) > 0 {
                at -= at % width;
            }
            let field = &mut bytes[at..at + width];
            let mut old = [0; 8];
            old[..width].copy_from_slice(field);
            let new = match random.below(3) {
                0 => *random.one_of(&NUMBERS),
                1 => u64::from_le_bytes(old)
                    .wrapping_add(random.below(9) as u64)
                    .wrapping_sub(4),
                _ => random.below(64) as u64,
            };
            field.copy_from_slice(&new.to_le_bytes()[..width]);
        }
        4 => {
            let range = random.range(len, 64);
            bytes.drain(range);
        }
        // A piece of itself, or of another, in between or over what is there.
        5 | 6 => {
            let from = random.one_of(corpus);
            let piece = from[random.range(from.len(), 256)].to_vec();
            let at = random.below(len + 1);
            let over = if random.below(2) == 0 {
                0
            } else {
                piece.len().min(len - at)
            };
            bytes.splice(at..at + over, piece);
        }
        7 if !target.words.is_empty() => {
            let word = random.one_of(target.words).iter().copied();
            let at = random.below(len + 1);
            bytes.splice(at..at, word);
        }
        8 => bytes.truncate(random.below(len + 1)),
        // The end of another.
        _ => {
            let from = random.one_of(corpus);
            bytes.truncate(random.below(len + 1));
            bytes.extend_from_slice(&from[random.below(from.len() + 1)..]);
        }
    }
}
