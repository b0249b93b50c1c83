//! Recording for as long as a value lives.

use std::eprintln;
use std::path::PathBuf;

use super::session::session;

/// See [`Session::record`](super::Session::record).
#[must_use = "what is recorded ends when this is dropped: give it a name, such as `_record`"]
pub struct Record {
    /// None if nothing is recorded.
    path: Option<PathBuf>,
}

impl Record {
    pub(super) fn start(path: PathBuf) -> Record {
        match session().start() {
            Ok(()) => Record { path: Some(path) },
            Err(error) => {
                eprintln!("wasm-xray: {} is not written: {error}.", path.display());
                Record { path: None }
            }
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        let Some(path) = self.path.take() else {
            return;
        };
        // Somebody may have stopped the session, and has the profile then.
        let Ok(profile) = session().stop() else {
            return;
        };
        if let Err(error) = profile.write(&path) {
            eprintln!("wasm-xray: the profile is not written: {error}. Give another path.");
        }
    }
}
