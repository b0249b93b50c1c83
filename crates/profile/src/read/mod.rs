//! Reading profiles: our files and those of other tools, told apart by what is in them.

mod blocks;
mod bytes;
mod compact;
mod foreign;
mod instrumentation_map;
mod map;
mod node_numbers;
mod xray;

use wasm_xray_abi::block::MAGIC;

pub(crate) use self::map::MAP_VERSION;
use crate::error::{Error, Result};
use crate::model::Profile;

impl Profile {
    /// Reads a profile: a file in the compact or in XRay's layout, Chrome's
    /// `.cpuprofile`, pprof's format or folded stacks; any of them in gzip, too.
    ///
    /// `map` says what belongs to a file in one of our layouts: the JSON of a
    /// `ProfileMap`, LLVM's instrumentation map in YAML for a native file, or
    /// nothing, and then functions are named by their ids. It must be empty for
    /// the other formats, which have their names in them.
    ///
    /// # Errors
    ///
    /// The file or the map is not what it claims to be; says where.
    pub fn read(bytes: &[u8], map: &str) -> Result<Profile> {
        if bytes.is_empty() {
            return Err(Error::at(0, "the profile is empty: was the run cut short?"));
        }
        if bytes.starts_with(&foreign::gunzip::MAGIC) {
            let plain = foreign::gunzip::gunzip(bytes)?;
            return read_plain(&plain, map).map_err(|error| error.within("the unpacked file"));
        }
        read_plain(bytes, map)
    }
}

fn read_plain(bytes: &[u8], map: &str) -> Result<Profile> {
    if bytes.starts_with(&MAGIC.to_le_bytes()) {
        return blocks::read(bytes, map);
    }
    let Some(read) = foreign::reader(bytes) else {
        return Err(Error::at(0, wrong_magic(bytes)));
    };
    if !map.trim().is_empty() {
        return Err(Error::new(
            "the profile is another tool's, which has its names in it: leave out the map",
        ));
    }
    read(bytes)
}

fn wrong_magic(file: &[u8]) -> String {
    let hint = match file {
        [0, b'a', b's', b'm', ..] => "it is a WebAssembly module; profile it with `wasm-xray run`",
        [b'{' | b'[', ..] => {
            "it looks like JSON, but not like a .cpuprofile; ours is the .xray file beside the map"
        }
        [b'-', b'-', b'-', ..] => "it looks like YAML; pass it as the map of a profile",
        _ if MAGIC.to_le_bytes().starts_with(file) => "it ends within its first eight bytes",
        _ => {
            "it is neither ours (which starts with `forpyarx`), nor a .cpuprofile, nor pprof's, nor folded stacks"
        }
    };
    format!("not a profile: {hint}")
}
