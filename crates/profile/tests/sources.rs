//! File and line of functions: added to a profile, and shown by every format that has a place for them.

mod common;

use std::io::Read;

use common::{calls, map, read, wall};
use serde_json::Value;
use wasm_xray_profile::{Format, Place, Profile, ReportOptions, Sources, Symbols};

/// `wall()` with the code identity `c0de`.
fn profile() -> Profile {
    let (file, map) = wall();
    let mut map: Value = serde_json::from_str(&map).unwrap();
    map["modules"][0]["map"]["code"] = "c0de".into();
    Profile::read(&file, &map.to_string()).unwrap()
}

/// `fib` is in `/src/fib.c:12`, `func[3]` in `lib/a.rs` and named, an import stays as it is.
fn symbols() -> Symbols {
    let place = |function, file, line| Place {
        function,
        file,
        line,
    };
    Symbols {
        module: Some("built".to_owned()),
        names: vec![None, None, None, Some("_Z5hellov".to_owned())],
        sources: Sources {
            files: vec!["/src/fib.c".to_owned(), "lib/a.rs".to_owned()],
            functions: vec![place(2, 0, 12), place(3, 1, 0), place(77, 1, 1)],
        },
    }
}

fn symbolized() -> Profile {
    let mut profile = profile();
    let modules = profile.modules_with_code("c0de").unwrap();
    assert_eq!(modules.len(), 1);
    let done = profile.symbolize(modules[0], &symbols());
    assert_eq!((done.named, done.placed), (1, 2));
    profile
}

fn json(profile: &Profile, format: Format) -> Value {
    serde_json::from_slice(&profile.convert(format).unwrap()).unwrap()
}

#[test]
fn the_report_says_file_and_line() {
    let profile = symbolized();
    let report: Value =
        serde_json::from_str(&profile.report(&ReportOptions::default()).unwrap()).unwrap();
    let row = |name: &str| {
        let rows = report["functions"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap()
    };
    assert_eq!(row("fib")["file"], "/src/fib.c");
    assert_eq!(row("fib")["line"], 12);
    assert_eq!(row("fib")["module"], "built");
    assert_eq!(row("hello()")["raw"], "_Z5hellov");
    assert_eq!(row("hello()")["file"], "lib/a.rs");
    assert_eq!(row("hello()").get("line"), None);
    assert_eq!(row("env.now").get("file"), None);
    assert_eq!(row("app::main")["calls"], 1);
}

#[test]
fn places_outlive_a_file_and_a_merge() {
    let profile = symbolized();
    let (file, map) = (
        profile.convert(Format::Compact).unwrap(),
        profile.map_json(),
    );
    assert!(map.contains(
        r#""sources":{"files":["/src/fib.c","lib/a.rs"],"functions":[[2,0,12],[3,1,0]]}"#
    ));
    let again = Profile::read(&file, &map).unwrap();
    assert_eq!(again.functions, profile.functions);
    let mut merger = wasm_xray_profile::Merger::new();
    merger.add(again).unwrap();
    assert_eq!(merger.finish().unwrap().functions, profile.functions);
}

#[test]
fn every_format_with_a_place_for_them_has_them() {
    let profile = symbolized();

    let frames = &json(&profile, Format::Speedscope)["shared"]["frames"];
    assert_eq!(
        frames[2],
        serde_json::json!({"name": "fib", "file": "/src/fib.c", "line": 12})
    );
    assert_eq!(
        frames[0],
        serde_json::json!({"name": "env.now", "file": "built"})
    );

    let chrome = json(&profile, Format::Cpuprofile);
    let frame = |name: &str| {
        let nodes = chrome["nodes"].as_array().unwrap();
        let node = nodes
            .iter()
            .find(|node| node["callFrame"]["functionName"] == name);
        node.unwrap()["callFrame"].clone()
    };
    assert_eq!(frame("fib")["url"], "file:///src/fib.c");
    assert_eq!(frame("fib")["lineNumber"], 11);
    assert_eq!(frame("fib")["columnNumber"], 0);
    assert_eq!(frame("hello()")["url"], "lib/a.rs");
    assert_eq!(frame("hello()")["lineNumber"], -1);
    assert_eq!(frame("env.now")["url"], "wasm://wasm/built");

    let firefox = &json(&profile, Format::Firefox)["shared"];
    let text = |at: &Value| &firefox["stringArray"][at.as_u64().unwrap() as usize];
    let functions = &firefox["funcTable"];
    assert_eq!(text(&functions["name"][2]), "fib");
    let source = functions["source"][2].as_u64().unwrap() as usize;
    assert_eq!(text(&firefox["sources"]["filename"][source]), "/src/fib.c");
    assert_eq!(functions["lineNumber"][2], 12);
    assert_eq!(functions["source"][0], Value::Null);

    let csv = String::from_utf8(profile.convert(Format::Csv).unwrap()).unwrap();
    assert!(
        csv.contains("\"fib\",\"fib\",wasm,7,10,70,75,ns,\"/src/fib.c\",12\n"),
        "{csv}"
    );

    let callgrind = String::from_utf8(profile.convert(Format::Callgrind).unwrap()).unwrap();
    let fib = callgrind
        .split("\n\n")
        .find(|part| part.contains("\nfn=(3)"));
    let fib = fib.unwrap();
    let file = fib
        .lines()
        .find_map(|line| line.strip_prefix("fl=("))
        .unwrap();
    let number = file.split(')').next().unwrap();
    assert!(
        callgrind.contains(&format!("=({number}) /src/fib.c\n")),
        "{callgrind}"
    );
    assert!(fib.contains("\n12 70 7\n"), "{fib}");
    assert!(fib.contains("cfn=(3)\ncalls=6 12\n12 "), "{fib}");

    let mut proto = Vec::new();
    let file = profile.convert(Format::Pprof).unwrap();
    flate2::read::GzDecoder::new(file.as_slice())
        .read_to_end(&mut proto)
        .unwrap();
    let file = <pprof::Profile as prost::Message>::decode(proto.as_slice()).unwrap();
    let fib = &file.function[2];
    assert_eq!(file.string_table[fib.name as usize], "fib");
    assert_eq!(file.string_table[fib.filename as usize], "/src/fib.c");
    assert_eq!(fib.start_line, 12);
    assert_eq!(file.location[2].line[0].line, 12);
}

/// What this test looks at of pprof's `profile.proto`.
mod pprof {
    #[derive(prost::Message)]
    pub struct Profile {
        #[prost(message, repeated, tag = "4")]
        pub location: Vec<Location>,
        #[prost(message, repeated, tag = "5")]
        pub function: Vec<Function>,
        #[prost(string, repeated, tag = "6")]
        pub string_table: Vec<String>,
    }
    #[derive(prost::Message)]
    pub struct Location {
        #[prost(message, repeated, tag = "4")]
        pub line: Vec<Line>,
    }
    #[derive(prost::Message)]
    pub struct Line {
        #[prost(int64, tag = "2")]
        pub line: i64,
    }
    #[derive(prost::Message)]
    pub struct Function {
        #[prost(int64, tag = "2")]
        pub name: i64,
        #[prost(int64, tag = "4")]
        pub filename: i64,
        #[prost(int64, tag = "5")]
        pub start_line: i64,
    }
}

#[test]
fn the_wrong_module_is_refused_with_the_reason() {
    let error = profile().modules_with_code("beef").unwrap_err().to_string();
    assert!(
        error.contains("not that of a module of the profile (app)"),
        "{error}"
    );
    assert!(error.contains("wasm-opt -g"), "{error}");
    let old = read(&calls())
        .modules_with_code("")
        .unwrap_err()
        .to_string();
    assert!(old.contains("record it again"), "{old}");
}

#[test]
fn modules_are_found_by_name_or_by_room() {
    let profile = profile();
    assert_eq!(profile.modules_for(None, 5).len(), 1);
    assert_eq!(profile.modules_for(None, 6).len(), 0);
    assert_eq!(profile.modules_for(Some("app"), 6).len(), 1);
    assert_eq!(profile.modules_for(Some("other"), 1).len(), 0);
}

#[test]
fn places_that_lead_nowhere_are_passed_over() {
    let (file, _) = calls();
    let mut names: Value =
        serde_json::from_str(&map("calls", &[(1, "main")], 1, &common::NAMES)).unwrap();
    names["modules"][0]["map"]["sources"] =
        serde_json::json!({"files": ["a.c"], "functions": [[1, 9, 5], [2, 0, 3]]});
    let profile = Profile::read(&file, &names.to_string()).unwrap();
    let files: Vec<_> = profile
        .functions
        .iter()
        .map(|f| f.file.as_deref())
        .collect();
    assert_eq!(files, [None, None, Some("a.c"), None]);
}
