//! What a session recorded.

use std::boxed::Box;
use std::format;
use std::io;
use std::string::String;
use std::vec::Vec;

use wasm_xray_abi::map::ProfileMap;

use super::session::LOG;
use crate::collector::BUFFER_SIZE;

/// What a session recorded, as pieces of a profile file and its map.
///
/// The tries stay where they are until this is dropped; then the next session
/// can start. `docs/FORMAT.md` describes the bytes.
pub struct Profile {
    map: ProfileMap,
    buffer: Box<[u8]>,
}

impl Profile {
    pub(super) fn new(map: ProfileMap) -> Profile {
        Profile {
            map,
            buffer: std::vec![0; BUFFER_SIZE].into_boxed_slice(),
        }
    }

    /// The file's next piece: its header of 32 bytes, then blocks of up to 64 KiB;
    /// `None` at the end. Each piece comes once, whichever method asks for it.
    pub fn next_block(&mut self) -> Option<&[u8]> {
        // Nobody else uses the log, and the buffer is large enough.
        LOG.next_buffer(&mut self.buffer).ok().flatten()
    }

    /// The pieces that are left, each in a vector of its own.
    pub fn blocks(&mut self) -> impl Iterator<Item = Vec<u8>> + '_ {
        core::iter::from_fn(|| self.next_block().map(<[u8]>::to_vec))
    }

    /// Names of functions and threads, clock, what was dropped and what was not
    /// seen: the JSON that belongs beside the file as `….map.json`. Ask for it
    /// after the blocks, as some things are known only when they are written.
    pub fn map_json(&self) -> String {
        let mut map = self.map.clone();
        let (oversized, unfolded) = (LOG.oversized(), LOG.unfolded());
        if oversized > 0 {
            map.unseen.push(format!(
                "{oversized} call paths are longer than a block of XRay's layout. Use the compact one, or fold recursion."
            ));
        }
        if unfolded > 0 {
            map.unseen.push(format!(
                "Recursion in {unfolded} threads is not folded, as their arenas have no room for it. Give more in per_thread_allocator_max."
            ));
        }
        // Only numbers and strings.
        serde_json::to_string(&map).unwrap_or_default()
    }

    /// Writes the pieces that are left.
    ///
    /// # Errors
    ///
    /// Those of the writer.
    pub fn write_to(&mut self, writer: &mut impl io::Write) -> io::Result<()> {
        while let Some(block) = self.next_block() {
            writer.write_all(block)?;
        }
        Ok(())
    }

    /// Writes the profile to `path`, such as `target/app.xray`, and its map beside
    /// it, `target/app.map.json`: `wasm-xray report target/app.xray` reads both.
    ///
    /// # Errors
    ///
    /// Those of the file system, with the path.
    #[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
    pub fn write(mut self, path: impl AsRef<std::path::Path>) -> io::Result<()> {
        let path = path.as_ref();
        let map_path = map_path(path);
        let at = |path: &std::path::Path, error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", path.display()))
        };
        let file = std::fs::File::create(path);
        file.and_then(|mut file| self.write_to(&mut file))
            .map_err(|error| at(path, error))?;
        std::fs::write(&map_path, self.map_json()).map_err(|error| at(&map_path, error))
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        // Nobody else uses the log.
        let _ = LOG.end();
    }
}

/// `app.map.json` for `app.xray`, and for `app`.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
fn map_path(path: &std::path::Path) -> std::path::PathBuf {
    let mut stem = match path.extension() {
        Some(extension) if extension == "xray" => path.with_extension(""),
        _ => path.into(),
    };
    stem.as_mut_os_string().push(".map.json");
    stem
}
