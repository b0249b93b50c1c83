//! Names are data: whatever is in them, every output is well formed, says the
//! right figures, and brings no command to a terminal, a page or a spreadsheet.

mod common;

use std::collections::{HashMap, HashSet};
use std::io::Read;

use common::{CompactRecord, compact};
use serde_json::{Value, json};
use wasm_xray_profile::{Format, Profile, ReportFormat, ReportOptions, escape};

fn names() -> Vec<String> {
    let long = "long".repeat(2_500);
    [
        "\u{1b}[2J\u{1b}]0;title\u{7}",
        "two\nlines",
        "fake\nfn=(1) other\n1 1000000 1000000\n",
        "carriage\r\nreturn\ttab\u{b}\u{c}\u{0}zero\u{7f}",
        "a;b;c 7",
        "trailing 12 ",
        " ",
        "=HYPERLINK(\"http://localhost\";\"x\")",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\"quoted\",and,commas",
        "</title><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "]]>&amp;&lt;'\"",
        "twice",
        "twice",
        "twice [17]",
        "\u{202e}desrever\u{202c}\u{200b}\u{feff}\u{2028}\u{2029}",
        "not UTF-8: \u{fffd}\u{fffd}",
        "(1) compressed",
        "%s%n$(true)`true`",
        "../../etc/passwd",
        "名前 \u{1f469}\u{200d}\u{1f4bb} e\u{301}\u{301}\u{301}",
        "# comment",
        "\\u{1b}",
        "(root)",
        "(dropped paths)",
        &long,
        "_ZN",
        "_RNv",
        "",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Each name is that of a root with as many calls as its place, from 1, and a
/// thousand times the cost. Files, module and threads have such names, too.
fn profile(clock: &str) -> Profile {
    let names = names();
    let cost = if clock == "wall" { 1000 } else { 0 };
    let records: Vec<CompactRecord> = (1..=names.len() as u32)
        .map(|at| (at, 0, at, 0, u64::from(at), u64::from(at) * cost))
        .collect();
    let file = compact(&[(1, &records), (2, &[(1, 0, 1, 0, 5, 5 * cost)])]);
    let places: Vec<_> = (0..names.len()).map(|at| (at, at, at + 1)).collect();
    let map = json!({
        "version": 1,
        "clock": clock,
        "threads": [{"id": 1, "name": names[2]}, {"id": 2, "name": names[13]}],
        "unseen": [names[0], names[2]],
        "skipped": [{"module": names[0], "reason": names[2]}],
        "modules": [{"base": 1, "map": {
            "name": names[2], "hash": names[13], "imports": 0, "names": names,
            "sources": {"files": names, "functions": places},
            "skipped": [{"index": 0, "reason": names[1]}],
            "warnings": [names[3]],
        }}],
    });
    Profile::read(&file, &map.to_string()).unwrap()
}

/// Everything that is shown as text has these, and not the names themselves.
fn shown() -> Vec<String> {
    let named = names().into_iter().enumerate();
    named
        .map(|(at, name)| match name.as_str() {
            "" => format!("func[{at}]"),
            name => escape(name),
        })
        .collect()
}

fn text(profile: &Profile, format: Format) -> String {
    let bytes = profile.convert(format).unwrap();
    let text = String::from_utf8(bytes).expect("it is UTF-8");
    check_harmless(&text);
    text
}

/// No control character but the ends of our own lines.
fn check_harmless(text: &str) {
    for (at, char) in text.char_indices() {
        let harmful = char.is_control() && char != '\n'
            || matches!(
                char,
                '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{200b}'
            );
        let near = text[..at].chars().rev().take(40).collect::<String>();
        assert!(!harmful, "{char:?} after {near:?}");
    }
}

fn json_of(profile: &Profile, format: Format) -> Value {
    let bytes = profile.convert(format).unwrap();
    check_harmless(std::str::from_utf8(&bytes).unwrap());
    serde_json::from_slice(&bytes).expect("it is JSON")
}

#[test]
fn names_are_kept_as_they_are_in_our_own_files() {
    let profile = profile("wall");
    for format in [Format::Compact, Format::Xray] {
        let file = profile.convert(format).unwrap();
        let again = Profile::read(&file, &profile.map_json()).unwrap();
        assert_eq!(again.functions, profile.functions);
        for (id, name) in again.function_ids().zip(names()) {
            assert_eq!(again.raw_name(id), Some(name.as_str()));
            if !name.is_empty() {
                let found = again.find_functions(&name).unwrap();
                assert!(found.contains(&id), "{name:?} is found by its name");
            }
        }
    }
    let report = profile.report(&ReportOptions::default()).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    let rows = report["functions"].as_array().unwrap();
    assert_eq!(rows.len(), names().len());
    for (row, name) in rows.iter().rev().zip(&names()[1..]) {
        if !name.is_empty() {
            let raw = row.get("raw").unwrap_or(&row["name"]);
            assert!(names().iter().any(|name| raw == name.as_str()), "{row}");
        }
    }
}

#[test]
fn tables_have_a_line_for_each_row() {
    let profile = profile("wall");
    let report = |options: &str| {
        let options = ReportOptions::from_json(options).unwrap();
        assert_eq!(options.format, ReportFormat::Text);
        let text = profile.report(&options).unwrap();
        check_harmless(&text);
        text
    };
    let all = report(r#"{"format":"text","limit":0}"#);
    for (name, at) in shown().iter().zip(1u64..) {
        // A root in a second thread adds to the first one's.
        let calls = if at == 1 { 6 } else { at };
        let row = all.lines().find(|line| {
            line.trim_start().starts_with(&format!("{calls} ")) && line.contains(name)
        });
        assert!(row.is_some(), "{name} with {calls} calls in\n{all}");
    }
    let plain = |line: &str| line.trim_start().starts_with("1000000");
    assert!(!all.lines().any(plain), "a name made a row of its own");
    report(r#"{"format":"text","tree":true}"#);
    report(r#"{"format":"text","callers":"twice","callees":"twice"}"#);
}

#[test]
fn json_formats_have_each_name_once_and_escaped() {
    for clock in ["wall", "calls"] {
        let profile = profile(clock);
        let shown = shown();
        let speedscope = json_of(&profile, Format::Speedscope);
        let frames = speedscope["shared"]["frames"].as_array().unwrap();
        for (frame, name) in frames.iter().zip(&shown) {
            assert_eq!(frame["name"], name.as_str());
        }
        let chrome = json_of(&profile, Format::Cpuprofile);
        let nodes = chrome["nodes"].as_array().unwrap();
        for (name, at) in shown.iter().zip(1u64..) {
            let is = |node: &&Value| {
                node["callFrame"]["functionName"] == name.as_str() && node["calls"] == at
            };
            assert_eq!(nodes.iter().filter(is).count(), 1, "{name}");
        }
        let firefox = json_of(&profile, Format::Firefox);
        let strings = firefox["shared"]["stringArray"].as_array().unwrap();
        let functions = firefox["shared"]["funcTable"]["name"].as_array().unwrap();
        for (at, name) in functions.iter().zip(&shown) {
            assert_eq!(strings[at.as_u64().unwrap() as usize], name.as_str());
        }
        // JSON for programs has the names themselves; serde_json escapes what is control.
        let bytes = profile.convert(Format::Json).unwrap();
        let report: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(report["functions"].as_array().unwrap().len(), shown.len());
        assert_eq!(report["paths"].as_array().unwrap().len(), shown.len() + 1);
    }
}

#[test]
fn folded_stacks_have_a_line_for_each_path() {
    let profile = profile("calls");
    let folded = text(&profile, Format::Folded);
    let lines: Vec<&str> = folded.lines().collect();
    assert_eq!(lines.len(), names().len() + 1);
    let mut sum = 0;
    for line in &lines {
        let (stack, count) = line.rsplit_once(' ').unwrap();
        assert_eq!(stack.matches(';').count(), 1, "thread;function in {line:?}");
        sum += count.parse::<u64>().unwrap();
    }
    let expected: u64 = (1..=names().len() as u64).sum::<u64>() + 5;
    assert_eq!(sum, expected);
    let mut svg = Vec::new();
    let mut options = inferno::flamegraph::Options::default();
    inferno::flamegraph::from_lines(&mut options, lines, &mut svg).unwrap();
    let svg = String::from_utf8(svg).unwrap();
    assert!(svg.contains(&format!("total_samples=\"{expected}\"")));
}

#[test]
fn callgrind_has_only_lines_of_its_grammar() {
    let profile = profile("wall");
    let file = text(&profile, Format::Callgrind);
    let mut functions: HashMap<&str, &str> = HashMap::new();
    let (mut own, mut is_call) = (0, false);
    for line in file.lines() {
        let numbers = || line.split(' ').map(|number| number.parse::<u64>());
        match line.split_once(['=', ':']) {
            _ if line.is_empty() || line.starts_with('#') => {}
            Some(("fn" | "cfn" | "fl" | "cfi" | "ob" | "cob", value)) => {
                if value == "???" {
                    continue;
                }
                let (number, name) = value.strip_prefix('(').unwrap().split_once(')').unwrap();
                assert!(number.parse::<u32>().is_ok(), "{line}");
                let is_function = line.starts_with("fn") || line.starts_with("cfn");
                if let Some(name) = name.strip_prefix(' ').filter(|_| is_function) {
                    assert_eq!(functions.insert(number, name), None, "{line}");
                }
            }
            Some(("calls", value)) => {
                is_call = true;
                assert_eq!(value.split(' ').count(), 2, "{line}");
            }
            Some(("version" | "creator" | "positions" | "event" | "events" | "totals", _)) => {}
            _ => {
                assert!(
                    numbers().all(|number| number.is_ok()),
                    "{line:?} is no line of costs"
                );
                if !std::mem::replace(&mut is_call, false) {
                    own += line.split(' ').nth(1).unwrap().parse::<u64>().unwrap();
                }
            }
        }
    }
    let count = names().len() as u64;
    assert_eq!(own, 1000 * (count * (count + 1) / 2 + 5));
    let distinct: HashSet<&&str> = functions.values().collect();
    assert_eq!(
        distinct.len(),
        functions.len(),
        "names that are alike are told apart"
    );
}

#[test]
fn csv_has_its_columns_and_no_formula() {
    let profile = profile("wall");
    let file = text(&profile, Format::Csv);
    let rows: Vec<Vec<String>> = file.lines().map(fields).collect();
    assert_eq!(rows.len(), names().len() + 1);
    for row in &rows {
        assert_eq!(row.len(), rows[0].len(), "{row:?}");
        for field in row {
            assert!(!field.starts_with(['=', '+', '-', '@']), "{field:?}");
        }
    }
    let column = |name: &str| rows[0].iter().position(|title| title == name).unwrap();
    let (name, calls) = (column("name"), column("calls"));
    for (shown, at) in shown().iter().zip(1u64..) {
        let count = if at == 1 { 6 } else { at }.to_string();
        let is =
            |row: &&Vec<String>| row[name].trim_start_matches('\'') == shown && row[calls] == count;
        assert_eq!(rows.iter().filter(is).count(), 1, "{shown}");
    }
}

/// The fields of a line: RFC 4180.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                fields.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            char => fields.last_mut().unwrap().push(char),
        }
    }
    assert!(!quoted, "{line}");
    fields
}

#[test]
fn a_flame_graph_has_no_elements_but_its_own() {
    let file = text(&profile("wall"), Format::Svg);
    // The script is ours, and the one thing that may have `<` in it.
    let (before, rest) = file.split_once("<script").expect("it has a script");
    let (_, after) = rest.split_once("</script>").unwrap();
    for part in [before, after] {
        for tag in part.split('<').skip(1) {
            let name: String = tag
                .trim_start_matches('/')
                .chars()
                .take_while(|char| char.is_ascii_alphanumeric())
                .collect();
            let known = [
                "svg", "g", "title", "rect", "text", "style", "defs", "desc", "",
            ];
            let known =
                known.contains(&name.as_str()) && (!name.is_empty() || tag.starts_with(['?', '!']));
            assert!(known, "<{}", tag.chars().take(60).collect::<String>());
        }
    }
    assert!(file.contains("&lt;/title&gt;&lt;script&gt;"), "as text");
}

#[test]
fn pprof_has_a_function_for_each_name() {
    let bytes = profile("wall").convert(Format::Pprof).unwrap();
    let mut proto = Vec::new();
    flate2::read::GzDecoder::new(bytes.as_slice())
        .read_to_end(&mut proto)
        .unwrap();
    let file = <Strings as prost::Message>::decode(proto.as_slice()).unwrap();
    for string in &file.string_table {
        check_harmless(string);
        assert!(!string.contains('\n'), "{string:?}");
    }
    let of = |function: &FunctionName| file.string_table[function.name as usize].clone();
    let distinct: HashSet<String> = file.function.iter().map(of).collect();
    // One more for what was dropped, which shares its name with one of ours here.
    assert_eq!(file.function.len(), names().len() + 1);
    assert_eq!(distinct.len(), names().len());
}

/// What this test looks at of pprof's `profile.proto`.
#[derive(prost::Message)]
struct Strings {
    #[prost(message, repeated, tag = "5")]
    function: Vec<FunctionName>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
}

#[derive(prost::Message)]
struct FunctionName {
    #[prost(int64, tag = "2")]
    name: i64,
}
