//! Options of a session: names, units, defaults and bounds; from a string, as
//! XRay's flags, or as a struct.
//!
//! A string is `name=value` pairs between spaces, commas, colons or line ends; a
//! value may be in quotes of either kind. Of two values of one flag the later
//! one counts. Unlike XRay, an unknown flag is an error.

use core::fmt;

use wasm_xray_abi::layout::{ARENA_DEFAULT, ARENA_MAX, ARENA_MIN};

use crate::accounting::StackSegment;
use crate::record::Layout;

/// What a session can be told. [`FLAGS`] has the bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Size of each thread's arena, in bytes.
    pub per_thread_allocator_max: u32,
    /// Size of each thread's shadow stack, in bytes; a frame takes 16 and some.
    pub shadow_stack_max: u32,
    /// How many threads may post their trie.
    pub buffers_max: u32,
    /// Nothing is written when the session is flushed.
    pub no_flush: bool,
    /// Layout of the file.
    pub layout: Layout,
    /// A function called below itself is written as the outermost call, see
    /// [`Trie::fold_into`](crate::Trie::fold_into).
    pub fold_recursion: bool,
}

impl Options {
    /// The defaults.
    pub const DEFAULT: Options = Options {
        per_thread_allocator_max: ARENA_DEFAULT,
        shadow_stack_max: 1 << 20,
        buffers_max: 128,
        no_flush: false,
        layout: Layout::Compact,
        fold_recursion: false,
    };

    /// The defaults, changed by the flags in `text`.
    pub fn parse(text: &str) -> Result<Options, OptionError<'_>> {
        let mut options = Options::DEFAULT;
        let mut rest = text;
        loop {
            rest = rest.trim_start_matches(is_separator);
            if rest.is_empty() {
                return Ok(options);
            }
            let at = text.len() - rest.len();
            rest = options.set(rest).map_err(|(flag, problem)| OptionError {
                at: Some(at),
                flag,
                problem,
            })?;
        }
    }

    /// How many segments of a shadow stack are in `shadow_stack_max` bytes.
    pub const fn shadow_stack_segments(&self) -> usize {
        self.shadow_stack_max as usize / size_of::<StackSegment>()
    }

    /// Whether every number is within its bounds.
    pub fn check(&self) -> Result<(), OptionError<'static>> {
        let numbers = [
            (&PER_THREAD_ALLOCATOR_MAX, self.per_thread_allocator_max),
            (&SHADOW_STACK_MAX, self.shadow_stack_max),
            (&BUFFERS_MAX, self.buffers_max),
        ];
        for (flag, value) in numbers {
            if !flag.allows(value) {
                return Err(OptionError {
                    at: None,
                    flag: flag.name,
                    problem: Problem::OutOfBounds(flag),
                });
            }
        }
        Ok(())
    }

    /// Takes the flag at the start of `text`; returns what follows.
    fn set<'t>(&mut self, text: &'t str) -> Result<&'t str, (&'t str, Problem)> {
        let end = text
            .find(|c| c == '=' || is_separator(c))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at(end);
        let Some(rest) = rest.strip_prefix('=') else {
            return Err((name, Problem::NoValue));
        };
        let (value, rest) = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest[1..]
                .split_once(quote)
                .ok_or((name, Problem::OpenQuote))?,
            _ => rest.split_at(rest.find(is_separator).unwrap_or(rest.len())),
        };
        let number = |flag: &'static Flag| {
            if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err((name, Problem::NotANumber(flag)));
            }
            match value.parse() {
                Ok(value) if flag.allows(value) => Ok(value),
                _ => Err((name, Problem::OutOfBounds(flag))),
            }
        };
        let switch = || match value {
            "1" | "yes" | "true" => Ok(true),
            "0" | "no" | "false" => Ok(false),
            _ => Err((name, Problem::NotASwitch)),
        };
        match name {
            "per_thread_allocator_max" => {
                self.per_thread_allocator_max = number(&PER_THREAD_ALLOCATOR_MAX)?;
            }
            "shadow_stack_max" => self.shadow_stack_max = number(&SHADOW_STACK_MAX)?,
            "buffers_max" => self.buffers_max = number(&BUFFERS_MAX)?,
            "no_flush" => self.no_flush = switch()?,
            "fold_recursion" => self.fold_recursion = switch()?,
            "layout" => {
                self.layout = match value {
                    "compact" => Layout::Compact,
                    "xray" => Layout::Xray,
                    _ => return Err((name, Problem::NotALayout)),
                }
            }
            "global_allocator_max" | "stack_allocator_max" | "grace_period_ms" => {
                return Err((name, Problem::NotHere));
            }
            _ => return Err((name, Problem::Unknown)),
        }
        Ok(rest)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

/// As [`Options::parse`] reads them, every flag.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Options {
            per_thread_allocator_max,
            shadow_stack_max,
            buffers_max,
            no_flush,
            layout,
            fold_recursion,
        } = self;
        write!(
            f,
            "per_thread_allocator_max={per_thread_allocator_max} shadow_stack_max={shadow_stack_max} \
             buffers_max={buffers_max} no_flush={} layout={} fold_recursion={}",
            u8::from(*no_flush),
            match layout {
                Layout::Compact => "compact",
                Layout::Xray => "xray",
            },
            u8::from(*fold_recursion),
        )
    }
}

fn is_separator(c: char) -> bool {
    matches!(c, ' ' | ',' | ':' | '\n' | '\t' | '\r')
}

/// What there is to know about a flag.
#[derive(Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its name; XRay's where it means the same.
    pub name: &'static str,
    /// Unit of the value, or what the value is.
    pub unit: &'static str,
    /// The default, as it is written.
    pub default: &'static str,
    /// Smallest and largest number; 0 and 1 for a switch and for a choice of two.
    pub bounds: (u32, u32),
    /// What it does.
    pub about: &'static str,
}

impl Flag {
    fn allows(&self, value: u32) -> bool {
        (self.bounds.0..=self.bounds.1).contains(&value)
    }
}

static PER_THREAD_ALLOCATOR_MAX: Flag = Flag {
    name: "per_thread_allocator_max",
    unit: "bytes",
    default: "67108864",
    bounds: (ARENA_MIN, ARENA_MAX),
    about: "size of each thread's arena",
};

static SHADOW_STACK_MAX: Flag = Flag {
    name: "shadow_stack_max",
    unit: "bytes",
    default: "1048576",
    bounds: (2 << 10, 1 << 30),
    about: "size of each thread's shadow stack, some 16 bytes a frame",
};

static BUFFERS_MAX: Flag = Flag {
    name: "buffers_max",
    unit: "threads",
    default: "128",
    bounds: (1, 65_536),
    about: "how many threads may post their trie",
};

static NO_FLUSH: Flag = Flag {
    name: "no_flush",
    unit: "yes or no",
    default: "no",
    bounds: (0, 1),
    about: "write nothing when the session is flushed",
};

static LAYOUT: Flag = Flag {
    name: "layout",
    unit: "compact or xray",
    default: "compact",
    bounds: (0, 1),
    about: "layout of the file, see docs/FORMAT.md",
};

static FOLD_RECURSION: Flag = Flag {
    name: "fold_recursion",
    unit: "yes or no",
    default: "no",
    bounds: (0, 1),
    about: "write a function called below itself as the outermost call, see docs/FORMAT.md",
};

/// Every flag.
pub static FLAGS: [&Flag; 6] = [
    &PER_THREAD_ALLOCATOR_MAX,
    &SHADOW_STACK_MAX,
    &BUFFERS_MAX,
    &NO_FLUSH,
    &LAYOUT,
    &FOLD_RECURSION,
];

/// A flag that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionError<'t> {
    /// Where the flag starts in the string, in bytes; none for a struct.
    pub at: Option<usize>,
    /// The flag's name, as given.
    pub flag: &'t str,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Problem {
    /// There is no such flag.
    Unknown,
    /// A flag of XRay that has no effect here: nothing is copied or waited for.
    NotHere,
    /// No `=` follows the name.
    NoValue,
    /// The value's quote does not end.
    OpenQuote,
    /// The value has to be a decimal number.
    NotANumber(&'static Flag),
    /// The number is not within the flag's bounds.
    OutOfBounds(&'static Flag),
    /// The value has to be yes or no.
    NotASwitch,
    /// The value has to be a layout.
    NotALayout,
}

impl fmt::Display for OptionError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OptionError { at, flag, problem } = self;
        match at {
            Some(at) => write!(f, "option {flag:?} at byte {at}: ")?,
            None => write!(f, "option {flag:?}: ")?,
        }
        match problem {
            Problem::Unknown => {
                f.write_str("unknown; there are")?;
                for flag in FLAGS {
                    write!(f, " {}", flag.name)?;
                }
                Ok(())
            }
            Problem::NotHere => {
                f.write_str("has no effect here, as nothing is copied or waited for: leave it out")
            }
            Problem::NoValue => f.write_str("no value: write name=value"),
            Problem::OpenQuote => f.write_str("the quote does not end: close it"),
            Problem::NotANumber(flag) => {
                write!(f, "not a number: give decimal digits, in {}", flag.unit)
            }
            Problem::OutOfBounds(flag) => write!(
                f,
                "out of bounds: give {} to {} {}",
                flag.bounds.0, flag.bounds.1, flag.unit
            ),
            Problem::NotASwitch => {
                f.write_str("neither yes nor no: give yes, true, 1, no, false or 0")
            }
            Problem::NotALayout => f.write_str("not a layout: give compact or xray"),
        }
    }
}

impl core::error::Error for OptionError<'_> {}
