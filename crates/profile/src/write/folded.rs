//! Folded stacks, the input of flame graph tools.
//!
//! Weights are self costs, or calls with clock `calls`; paths of weight 0 are
//! left out, so calls that cost nothing measurable are not in the file.

use std::io::Write;

use super::{DROPPED_FRAME, PathText, for_each_path};
use crate::error::Result;
use crate::model::Profile;
use crate::names::escape;

pub(super) fn write(profile: &Profile, out: &mut impl Write) -> Result<()> {
    let frames: Vec<Vec<u8>> = profile.functions.iter().map(|f| frame(&f.name)).collect();
    let weight = profile.weight();
    for thread in &profile.threads {
        let mut path = PathText::new(b';');
        if profile.threads.len() > 1 {
            path.push(&frame(&thread.label()));
        }
        for_each_path(
            &thread.trie,
            &frames,
            Some(DROPPED_FRAME.as_bytes()),
            &mut path,
            |node, path| {
                let own = thread.trie.own(node, weight);
                if own > 0 {
                    out.write_all(path)?;
                    writeln!(out, " {own}")?;
                }
                Ok(())
            },
        )?;
    }
    Ok(())
}

fn frame(name: &str) -> Vec<u8> {
    escape(name).replace(';', ":").into_bytes()
}
