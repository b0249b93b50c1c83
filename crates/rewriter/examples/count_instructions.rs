//! `count_instructions FROM TO`: makes modules whose every instruction counts itself, see
//! `tests/support/counting.rs`. FROM and TO are modules, or folders of modules.

#[path = "../tests/support/counting.rs"]
mod counting;

use std::path::Path;
use std::{env, fs, process};

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let [from, to] = args.as_slice() else {
        eprintln!("usage: count_instructions FROM TO (modules, or folders of them)");
        process::exit(2);
    };
    if let Err(message) = convert(Path::new(from), Path::new(to)) {
        eprintln!("{message}");
        process::exit(1);
    }
}

fn convert(from: &Path, to: &Path) -> Result<(), String> {
    let at = |path: &Path, e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    if !from.is_dir() {
        let bytes = fs::read(from).map_err(|e| at(from, &e))?;
        return fs::write(to, counting::counting(&bytes).map_err(|e| at(from, &e))?)
            .map_err(|e| at(to, &e));
    }
    fs::create_dir_all(to).map_err(|e| at(to, &e))?;
    for entry in fs::read_dir(from).map_err(|e| at(from, &e))? {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.extension().is_some_and(|e| e == "wasm") {
            convert(&path, &to.join(path.file_name().expect("a file")))?;
        }
    }
    Ok(())
}
