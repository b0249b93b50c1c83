//! The JSON of a source map, version 3: <https://tc39.es/ecma426/>.
//!
//! Read here, as published maps refer to sources that they do not list, and the
//! libraries refuse such a map as a whole.

use serde::Deserialize;

use crate::error::{Error, Result};

/// The source of an offset in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mapping {
    pub offset: u64,
    /// Index into [`SourceMap::sources`]; the map may not list it.
    pub source: u32,
    /// From 1 on.
    pub line: u32,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SourceMap {
    pub sources: Vec<String>,
    /// By ascending offset; offsets without a source are left out.
    pub mappings: Vec<Mapping>,
    /// Why the mappings end before the text does.
    pub fault: Option<String>,
}

/// What is `null` is as good as absent.
#[derive(Deserialize)]
struct Map {
    version: Option<u32>,
    #[serde(rename = "sourceRoot")]
    source_root: Option<String>,
    sources: Option<Vec<Option<String>>>,
    mappings: Option<String>,
    /// Maps of parts, in their place.
    sections: Option<Vec<Section>>,
}

#[derive(Deserialize)]
struct Section {
    offset: Position,
    map: Option<Map>,
}

#[derive(Deserialize)]
struct Position {
    line: u32,
    column: u32,
}

/// # Errors
///
/// It is no JSON, or not that of a source map of version 3. Faults in the
/// mappings are in [`SourceMap::fault`].
pub(super) fn decode(bytes: &[u8]) -> Result<SourceMap> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = match bytes.trim_ascii_start().strip_prefix(b")]}'") {
        Some(rest) => {
            let line = rest.iter().position(|byte| *byte == b'\n');
            &rest[line.unwrap_or(rest.len())..]
        }
        None => bytes,
    };
    let map: Map = serde_json::from_slice(bytes).map_err(|error| Error::new(error.to_string()))?;
    if map.version != Some(3) {
        return Err(Error::new("it does not say that it is of version 3"));
    }
    let mut all = SourceMap::default();
    add(&map, 0, &mut all);
    for section in map.sections.iter().flatten() {
        match &section.map {
            // A module is one line.
            Some(map) if section.offset.line == 0 => add(map, section.offset.column, &mut all),
            Some(_) => {}
            None => all.fault = Some("a section has no map in it".to_owned()),
        }
    }
    all.mappings.sort_by_key(|mapping| mapping.offset);
    Ok(all)
}

fn add(map: &Map, start: u32, all: &mut SourceMap) {
    let first_source = all.sources.len() as i64;
    let root = map.source_root.as_deref().unwrap_or_default();
    let sources = map.sources.iter().flatten();
    all.sources
        .extend(sources.map(|source| under(root, source.as_deref().unwrap_or_default())));
    let line = map
        .mappings
        .as_deref()
        .unwrap_or_default()
        .split(';')
        .next();
    let mut rest = line.unwrap_or_default().as_bytes();
    let length = rest.len();
    // Each is counted from the one before.
    let (mut offset, mut source, mut line) = (i64::from(start), first_source, 0i64);
    while !rest.is_empty() {
        let at = length - rest.len();
        let Some(segment) = segment(&mut rest) else {
            all.fault = Some(format!(
                "there is no segment at character {at} of the mappings"
            ));
            return;
        };
        offset = offset.saturating_add(segment.offset);
        let Some((to_source, to_line)) = segment.source_and_line else {
            continue;
        };
        source = source.saturating_add(to_source);
        line = line.saturating_add(to_line);
        let numbers = (
            u64::try_from(offset),
            u32::try_from(source),
            u32::try_from(line),
        );
        if let (Ok(offset), Ok(source), Ok(line)) = numbers {
            all.mappings.push(Mapping {
                offset,
                source,
                line: line.saturating_add(1),
            });
        }
    }
}

/// A source as seen from the map's folder of sources.
fn under(root: &str, source: &str) -> String {
    if root.is_empty() || source.starts_with('/') || source.contains("://") {
        source.to_owned()
    } else {
        format!("{}/{source}", root.trim_end_matches('/'))
    }
}

struct Segment {
    offset: i64,
    source_and_line: Option<(i64, i64)>,
}

/// Takes a segment of one, four or five numbers and the comma after it.
fn segment(rest: &mut &[u8]) -> Option<Segment> {
    let end = rest.iter().position(|byte| *byte == b',');
    let mut text = &rest[..end.unwrap_or(rest.len())];
    *rest = end.map_or(&[], |end| &rest[end + 1..]);
    let mut numbers = [0; 5];
    let mut count = 0;
    while !text.is_empty() {
        *numbers.get_mut(count)? = number(&mut text)?;
        count += 1;
    }
    let [offset, source, line, ..] = numbers;
    let source_and_line = match count {
        // Nothing between two commas, which some tools leave.
        0 | 1 => None,
        4 | 5 => Some((source, line)),
        _ => return None,
    };
    Some(Segment {
        offset,
        source_and_line,
    })
}

/// Takes a number in base 64, five bits a digit, lowest first; the first bit is the sign.
fn number(text: &mut &[u8]) -> Option<i64> {
    let mut value = 0i64;
    for shift in (0..60).step_by(5) {
        let (digit, rest) = text.split_first()?;
        *text = rest;
        let digit = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        value |= i64::from(digit & 31) << shift;
        if digit < 32 {
            let magnitude = value >> 1;
            return Some(if value & 1 == 1 {
                -magnitude
            } else {
                magnitude
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Mapping, decode};

    fn mapping(offset: u64, source: u32, line: u32) -> Mapping {
        Mapping {
            offset,
            source,
            line,
        }
    }

    #[test]
    fn reads_mappings_in_any_shape() {
        for (json, sources, mappings) in [
            // Offset 100 is line 5 of source 0, offset 102 has none, 104 is line 4 of source 1.
            (
                r#"{"version":3,"sources":["a","b"],"names":["n"],"mappings":"oGAIA,E,ECDAA"}"#,
                vec!["a", "b"],
                vec![mapping(100, 0, 5), mapping(104, 1, 4)],
            ),
            // Out of order, with more lines, and as browsers are kept from running it.
            (
                ")]}'\n{\"version\":3,\"sources\":[\"a\"],\"mappings\":\"EAAA,DAAA;AAAA\"}",
                vec!["a"],
                vec![mapping(1, 0, 1), mapping(2, 0, 1)],
            ),
            (
                r#"{"version":3,"sourceRoot":"r/","sources":["a","/b","c://d",null],"mappings":""}"#,
                vec!["r/a", "/b", "c://d", "r/"],
                vec![],
            ),
            (
                r#"{"version":3,"sources":null,"mappings":null}"#,
                vec![],
                vec![],
            ),
            (r#"{"version":3}"#, vec![], vec![]),
            (
                r#"{"version":3,"sections":[
                    {"offset":{"line":0,"column":50},"map":{"version":3,"sources":["b"],"mappings":"CAAC"}},
                    {"offset":{"line":0,"column":10},"map":{"version":3,"sources":["a"],"mappings":"CAAA"}},
                    {"offset":{"line":1,"column":0},"map":{"version":3,"sources":["c"],"mappings":"CAAA"}}]}"#,
                vec!["b", "a"],
                vec![mapping(11, 1, 1), mapping(51, 0, 1)],
            ),
            // A source that is not listed.
            (
                r#"{"version":3,"sources":[],"mappings":"AQAA"}"#,
                vec![],
                vec![mapping(0, 8, 1)],
            ),
        ] {
            let map = decode(json.as_bytes()).unwrap();
            assert_eq!(
                (map.sources, map.mappings, map.fault),
                (
                    sources.into_iter().map(str::to_owned).collect(),
                    mappings,
                    None
                ),
                "{json}"
            );
        }
    }

    #[test]
    fn keeps_what_comes_before_a_fault() {
        for bad in ["A!", "AA", "AAA", "AAAAAA", "g", "gggggggggggggggA", "é"] {
            let json = format!(r#"{{"version":3,"sources":["a"],"mappings":"CAAA,{bad},CAAA"}}"#);
            let map = decode(json.as_bytes()).unwrap();
            assert_eq!(map.mappings, [mapping(1, 0, 1)], "{bad}");
            assert_eq!(
                map.fault.unwrap(),
                "there is no segment at character 5 of the mappings"
            );
        }
        // Below offset 0, and numbers that leave every range.
        for odd in [
            "DAAA",
            "CADA",
            "CAAD,DAAA",
            "+//////////fAAA",
            "A+//////////fAA",
        ] {
            let json = format!(r#"{{"version":3,"sources":["a"],"mappings":"{odd}"}}"#);
            decode(json.as_bytes()).unwrap();
        }
    }

    #[test]
    fn refuses_what_is_no_source_map() {
        for (text, message) in [
            ("{", "EOF while parsing"),
            ("[]", "invalid"),
            (")]}'", "EOF while parsing"),
            (r#"{"version":2}"#, "not say that it is of version 3"),
            (r#"{"version":3,"mappings":7}"#, "invalid type"),
            (r#"{"version":3,"sections":[{}]}"#, "missing field"),
        ] {
            let error = decode(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
