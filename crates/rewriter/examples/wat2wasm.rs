//! `wat2wasm FROM TO`: turns every `.wat` of a folder into a `.wasm` of another, for the tests.

use std::path::Path;
use std::{env, fs, process};

fn main() {
    let args: Vec<String> = env::args().skip(1).collect();
    let [from, to] = args.as_slice() else {
        eprintln!("usage: wat2wasm FROM TO (folders)");
        process::exit(2);
    };
    if let Err(message) = convert(Path::new(from), Path::new(to)) {
        eprintln!("{message}");
        process::exit(1);
    }
}

fn convert(from: &Path, to: &Path) -> Result<(), String> {
    fs::create_dir_all(to).map_err(|e| format!("{}: {e}", to.display()))?;
    let entries = fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))?;
    for entry in entries {
        let path = entry.map_err(|e| e.to_string())?.path();
        if path.extension().is_some_and(|e| e == "wat") {
            let bytes = wat::parse_file(&path).map_err(|e| e.to_string())?;
            let out = to
                .join(path.file_name().expect("a file"))
                .with_extension("wasm");
            fs::write(&out, bytes).map_err(|e| format!("{}: {e}", out.display()))?;
        }
    }
    Ok(())
}
