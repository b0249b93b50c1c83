//! Folded stacks: frames from the root on, `;` between them, a space, a number.
//! What the number counts, nobody says; it is taken for samples.

use super::{Found, Frame, Functions, profile, text};
use crate::error::{Error, Result};
use crate::model::{Clock, Dropped, FunctionId, Kind, NodeId, Origin, Profile, Thread};
use crate::names::escape;
use crate::trie::Builder;
use crate::write::DROPPED_FRAME;

/// Whether the first line is one of folded stacks.
pub(super) fn looks_like(file: &[u8]) -> bool {
    let first = file.split(|byte| *byte == b'\n').find(|line| {
        let line = line.trim_ascii();
        !line.is_empty() && !line.starts_with(b"#")
    });
    let number = |line: &[u8]| {
        let line = line.trim_ascii_end();
        let space = line.iter().rposition(|byte| *byte == b' ')?;
        let digits = &line[space + 1..];
        let stack = line[..space].trim_ascii();
        (!stack.is_empty() && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
            .then_some(())
    };
    first.is_some_and(|line| !line.contains(&0) && number(line).is_some())
}

pub(super) fn read(file: &[u8]) -> Result<Profile> {
    let file = text(file, "the file of folded stacks")?;
    let mut reader = Reader::default();
    let mut start = 0;
    for line in file.split_inclusive('\n') {
        reader.read_line(line.trim_end(), start)?;
        start += line.len();
    }
    let thread = Thread {
        id: 1,
        name: "main".to_owned(),
        phase: None,
        trie: reader.trie.finish()?,
    };
    let found = Found {
        clock: Clock::Samples,
        threads: vec![thread],
        origin: Origin::default(),
        dropped: Dropped::default(),
        unseen: Vec::new(),
    };
    profile(reader.functions, found)
}

#[derive(Default)]
struct Reader<'a> {
    functions: Functions,
    trie: Builder,
    /// The last line's path. The next one mostly shares its start.
    path: Vec<(&'a str, NodeId)>,
    frames: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    /// `start`: where the line is in the file.
    fn read_line(&mut self, line: &'a str, start: usize) -> Result<()> {
        if line.trim().is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let Some((stack, number)) = line.rsplit_once(' ') else {
            return Err(Error::at(
                start,
                "a line has no number at its end: a folded stack is frames, a space, a number",
            ));
        };
        let number: u64 = number.parse().map_err(|_| {
            let number = escape(number);
            Error::at(
                start + stack.len() + 1,
                format!("{number:?} is no count: it must be a whole number below 2^64"),
            )
        })?;
        self.frames.clear();
        let frames = stack.split(';').map(str::trim);
        self.frames.extend(frames.filter(|name| !name.is_empty()));
        let node = match self.frames.as_slice() {
            [] => return Err(Error::at(start, "a stack has no frames")),
            // As we write it: of the path only the leaf is known.
            [DROPPED_FRAME, leaf] => {
                let function = intern(&mut self.functions, leaf)?;
                self.trie.node(None, function, true)?
            }
            _ => self.node()?,
        };
        self.trie.add(node, 0, number);
        Ok(())
    }

    /// The node of the frames, of which there is at least one.
    fn node(&mut self) -> Result<NodeId> {
        let known = self.path.iter().zip(&self.frames);
        let shared = known
            .take_while(|((last, _), frame)| last == *frame)
            .count();
        self.path.truncate(shared);
        for name in &self.frames[shared..] {
            let caller = self.path.last().map(|(_, node)| *node);
            let function = intern(&mut self.functions, name)?;
            let node = self.trie.node(caller, function, false)?;
            self.path.push((name, node));
        }
        let (_, node) = self.path.last().expect("there is a frame");
        Ok(*node)
    }
}

fn intern(functions: &mut Functions, name: &str) -> Result<FunctionId> {
    functions.intern(&Frame {
        name,
        module: "",
        file: "",
        line: None,
        kind: Kind::Unknown,
    })
}
