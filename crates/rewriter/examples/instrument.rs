//! `instrument [--imported|--wall] in.wasm out.wasm`: the rewriter alone, with its speed.

use std::time::Instant;
use wasm_xray_rewriter::{Clock, Options, Probes, instrument};

fn main() {
    let mut options = Options {
        validate: true,
        ..Options::default()
    };
    let mut files = Vec::new();
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "--imported" => options.probes = Probes::Imported,
            "--wall" => options.clock = Clock::Wall,
            "--no-validate" => options.validate = false,
            _ => files.push(arg),
        }
    }
    let bytes = std::fs::read(&files[0]).expect("input can be read");
    let start = Instant::now();
    let output = match instrument(&bytes, &options) {
        Ok(output) => output,
        Err(e) => {
            eprintln!("{}: {e}", files[0]);
            std::process::exit(1);
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    eprintln!(
        "{}: {} → {} bytes ({:.2} ×), {:.0} MB/s",
        files[0],
        bytes.len(),
        output.bytes.len(),
        output.bytes.len() as f64 / bytes.len() as f64,
        bytes.len() as f64 / 1e6 / seconds,
    );
    if let Err(e) = wasmparser::Validator::new_with_features(wasmparser::WasmFeatures::all())
        .validate_all(&output.bytes)
    {
        eprintln!("INVALID OUTPUT: {e}");
        std::process::exit(1);
    }
    if let Some(path) = files.get(1) {
        std::fs::write(path, output.bytes).expect("output can be written");
    }
}
