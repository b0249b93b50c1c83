//! `wat2wasm in.wat out.wasm`: makes the test programs.

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = args.as_slice() else {
        eprintln!("usage: wat2wasm in.wat out.wasm");
        std::process::exit(2);
    };
    match wat::parse_file(input) {
        Ok(bytes) => std::fs::write(output, bytes).expect("output can be written"),
        Err(e) => {
            eprintln!("{e}");
            std::process::exit(1);
        }
    }
}
