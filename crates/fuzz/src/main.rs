//! `cargo run --release -p wasm-xray-fuzz -- TARGET [--seconds N] [--seed N] [--careful]`
//! or `-- TARGET FILE…` for inputs in files.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use wasm_xray_fuzz::fuzzer::check;
use wasm_xray_fuzz::{Fuzzer, Limit, TARGETS, Target};

/// Where failed inputs go, below the current folder.
const FAILED: &str = "target/fuzz";

struct Arguments {
    targets: Vec<&'static Target>,
    seconds: u64,
    seed: u64,
    careful: bool,
    files: Vec<PathBuf>,
}

fn usage() -> String {
    let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
    format!(
        "usage: fuzz TARGET [--seconds N] [--seed N] [--careful]
       fuzz TARGET FILE...

TARGET     all, {}
--seconds  how long each is tried (60)
--seed     another seed, other inputs (the time of day)
--careful  keeps each input in {FAILED} while it is tried, for one that ends the process
FILE       tries these inputs and says what each is answered",
        names.join(", ")
    )
}

fn arguments() -> Result<Arguments, String> {
    let now = std::time::UNIX_EPOCH
        .elapsed()
        .map_or(0, |time| time.as_secs());
    let mut arguments = Arguments {
        targets: Vec::new(),
        seconds: 60,
        seed: now,
        careful: false,
        files: Vec::new(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || {
            let value = words.next().unwrap_or_default();
            value
                .parse()
                .map_err(|_| format!("{word} needs a number, not {value:?}"))
        };
        match word.as_str() {
            "--seconds" => arguments.seconds = number()?,
            "--seed" => arguments.seed = number()?,
            "--careful" => arguments.careful = true,
            "all" if arguments.targets.is_empty() => arguments.targets = TARGETS.to_vec(),
            name if arguments.targets.is_empty() => {
                let target = Target::named(name).ok_or(format!("there is no target {name:?}"))?;
                arguments.targets.push(target);
            }
            option if option.starts_with('-') => return Err(format!("unknown option {option}")),
            file => arguments.files.push(file.into()),
        }
    }
    if arguments.targets.is_empty() {
        return Err("which target?".into());
    }
    Ok(arguments)
}

fn keep(name: &str, input: &[u8]) -> PathBuf {
    let path = PathBuf::from(FAILED).join(name);
    let _ = fs::create_dir_all(FAILED);
    fs::write(&path, input).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    path
}

fn fuzz(target: &'static Target, arguments: &Arguments) -> bool {
    let seed = arguments.seed;
    println!("{}: seed {seed}, {} s", target.name, arguments.seconds);
    let limit = Limit::Time(Duration::from_secs(arguments.seconds));
    let mut said = Instant::now();
    let result = Fuzzer::new(target, seed).run_with(limit, |summary, input| {
        if arguments.careful {
            keep(&format!("{}-now", target.name), input);
        }
        if said.elapsed() > Duration::from_secs(10) {
            said = Instant::now();
            println!("  {summary}");
        }
    });
    match result {
        Ok(summary) => {
            println!("  {summary}");
            true
        }
        Err(failure) => {
            let path = keep(&format!("{}-{seed}", target.name), &failure.input);
            println!("  FAILED: {}", failure.problem);
            println!("  The input is in {}. Again:", path.display());
            println!(
                "  cargo run -p wasm-xray-fuzz -- {} {}",
                target.name,
                path.display()
            );
            false
        }
    }
}

fn replay(target: &Target, path: &PathBuf) -> bool {
    let input = match fs::read(path) {
        Ok(input) => input,
        Err(error) => {
            println!("{}: {error}", path.display());
            return false;
        }
    };
    let answer = check(target, &input);
    match &answer {
        Ok((answer, peak)) => println!("{}: {answer} ({} KiB)", path.display(), peak >> 10),
        Err(problem) => println!("{}: FAILED: {problem}", path.display()),
    }
    answer.is_ok()
}

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("fuzz: {problem}\n\n{}", usage());
            return ExitCode::from(2);
        }
    };
    let mut good = true;
    for target in &arguments.targets {
        if arguments.files.is_empty() {
            good &= fuzz(target, &arguments);
        }
        for file in &arguments.files {
            good &= replay(target, file);
        }
    }
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
