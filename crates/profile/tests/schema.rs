//! Every report is an instance of `docs/report.schema.json`, every diff of `docs/diff.schema.json`.
//!
//! Checks the keywords that the schema uses and refuses it if it uses others.

mod common;

use common::{calls, read, wall};
use serde_json::Value;
use wasm_xray_profile::{DiffOptions, Profile, ReportOptions, TransformOptions};

fn schema(name: &str) -> Value {
    let path = format!(
        "{}/../../docs/{name}.schema.json",
        env!("CARGO_MANIFEST_DIR")
    );
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    let fail = |what: &str| Err(format!("{at}: {what}: {value}"));
    for (keyword, rule) in schema.as_object().expect("a schema is an object") {
        match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => {}
            "$ref" => {
                let pointer = rule.as_str().unwrap().strip_prefix('#').unwrap();
                check(
                    root,
                    root.pointer(pointer)
                        .expect("the reference leads somewhere"),
                    value,
                    at,
                )?;
            }
            "type" => {
                let is = match rule.as_str().unwrap() {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "integer" => value.is_u64(),
                    "null" => value.is_null(),
                    "boolean" => value.is_boolean(),
                    other => panic!("type {other}"),
                };
                if !is {
                    return fail(&format!("not of type {rule}"));
                }
            }
            "minimum" => {
                if value.as_u64() < rule.as_u64() {
                    return fail("too small");
                }
            }
            "enum" if !rule.as_array().unwrap().contains(value) => return fail("not in the list"),
            "const" if rule != value => return fail("another constant"),
            "enum" | "const" => {}
            "anyOf" => {
                let any = rule.as_array().unwrap();
                if !any.iter().any(|one| check(root, one, value, at).is_ok()) {
                    return fail("none of the alternatives");
                }
            }
            "required" => {
                for key in rule.as_array().unwrap() {
                    if value.get(key.as_str().unwrap()).is_none() {
                        return fail(&format!("{key} is missing"));
                    }
                }
            }
            "additionalProperties" => {
                assert_eq!(rule, false);
                for key in value.as_object().unwrap().keys() {
                    if schema["properties"].get(key).is_none() {
                        return fail(&format!("{key} is not in the schema"));
                    }
                }
            }
            "properties" => {
                for (key, schema) in rule.as_object().unwrap() {
                    if let Some(value) = value.get(key) {
                        check(root, schema, value, &format!("{at}.{key}"))?;
                    }
                }
            }
            "items" => {
                for (index, value) in value.as_array().unwrap().iter().enumerate() {
                    check(root, rule, value, &format!("{at}[{index}]"))?;
                }
            }
            other => panic!("keyword {other}: teach this test"),
        }
    }
    Ok(())
}

#[test]
fn reports_are_instances_of_the_schema() {
    let schema = schema("report");
    let data = |name: &str| format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let native = (
        std::fs::read(data("threads.xray")).unwrap(),
        std::fs::read_to_string(data("threads.instr-map.yaml")).unwrap(),
    );
    let mut probed = wall();
    probed.1 = probed
        .1
        .replacen('{', r#"{"probe_cost":{"inner_ps":40500,"outer_ps":0},"#, 1);
    let everything =
        r##"{"paths": true, "tree": true, "limit": 5, "callers": "#3", "callees": "#3"}"##;
    for profile in [read(&wall()), read(&calls()), read(&native), read(&probed)] {
        for options in ["{}", everything] {
            let report = report(&profile, options);
            if let Err(error) = check(&schema, &schema, &report, "report") {
                panic!("{error}");
            }
        }
    }
}

#[test]
fn diffs_are_instances_of_the_schema() {
    let schema = schema("diff");
    let (wall, calls) = (read(&wall()), read(&calls()));
    let lighter = wall
        .transform(&TransformOptions::from_json(r##"{"ignore": ["#3"]}"##).unwrap())
        .unwrap();
    for diff in [
        wall.diff(&lighter).unwrap(),
        calls.diff(&calls).unwrap(),
        Profile::diff_runs(&[&wall, &lighter], &[&lighter, &lighter]).unwrap(),
    ] {
        let json = diff.json(DiffOptions::default()).unwrap();
        let json: Value = serde_json::from_str(&json).unwrap();
        if let Err(error) = check(&schema, &schema, &json, "diff") {
            panic!("{error}");
        }
    }
}

#[test]
fn the_check_itself_refuses_what_is_wrong() {
    let schema = schema("report");
    let good = report(&read(&wall()), "{\"paths\": true}");
    for (pointer, value) in [
        ("/clock", "sundial".into()),
        ("/threads/0/id", 0.into()),
        ("/functions/0/index", (-1).into()),
        ("/paths/1/path/0", "main".into()),
        ("/paths/0", serde_json::json!({"thread": 1})),
    ] {
        let mut bad = good.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(
            check(&schema, &schema, &bad, "report").is_err(),
            "{pointer}"
        );
    }
}

fn report(profile: &Profile, options: &str) -> Value {
    let options = ReportOptions::from_json(options).unwrap();
    serde_json::from_str(&profile.report(&options).unwrap()).unwrap()
}
