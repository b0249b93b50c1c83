//! Prints what is known of each function of a module: index, name, file:line.
//!
//! `cargo run -p wasm-xray-symbols --example places -- MODULE [--debug FILE] [--source-map FILE]`

use wasm_xray_symbols::{Input, read};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut module = Vec::new();
    let (mut debug, mut source_map) = (None, None);
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut file =
            || Ok::<_, std::io::Error>(Some(std::fs::read(args.next().unwrap_or_default())?));
        match arg.as_str() {
            "--debug" => debug = file()?,
            "--source-map" => source_map = file()?,
            path => module = std::fs::read(path)?,
        }
    }
    let found = read(&Input {
        module: &module,
        debug: debug.as_deref(),
        source_map: source_map.as_deref(),
    })?;
    for (index, name) in found.symbols.names.iter().enumerate() {
        let place = match found.symbols.sources.place(index as u32) {
            Some((file, line)) => format!("{file}:{}", line.unwrap_or(0)),
            None => String::new(),
        };
        println!("{index}\t{}\t{place}", name.as_deref().unwrap_or_default());
    }
    eprintln!(
        "{} {} {:?}",
        found.from_dwarf, found.from_source_map, found.notes
    );
    Ok(())
}
