//! A flame graph as one SVG file that needs nothing else, callers on top.
//!
//! Widths are costs, or calls with clock `calls`, exact to the hundredth of a
//! pixel; each title has the exact figure. What is narrower than the 12,000th
//! part, or below [`MAX_LEVELS`], is not drawn, so the file stays small whatever
//! the size of the profile. Not done with the crate inferno: it needs a source
//! of random numbers, which wasm32-unknown-unknown has only by a linker-wide setting.

mod layout;

use std::io::Write;

use self::layout::{Frame, Label, layout};
use crate::error::Result;
use crate::model::{Clock, FunctionId, Kind, Profile};
use crate::names::escape;
use crate::report::percent;

/// Deepest level that is drawn.
const MAX_LEVELS: u32 = 512;
/// Sizes in pixels.
const WIDTH: u32 = 1200;
const MARGIN: u32 = 10;
const TOP: u32 = 60;
const BOTTOM: u32 = 30;
const ROW: u32 = 17;
const FONT: u32 = 12;
/// Width of a character, in hundredths of a pixel.
const CHARACTER: u64 = 720;
/// Width of the widest frame, in hundredths of a pixel.
const FULL: u64 = (WIDTH - 2 * MARGIN) as u64 * 100;

/// Zoom, search and details; the picture is complete without.
const SCRIPT: &str = include_str!("flame_graph/script.js");
const STYLE: &str = "rect{rx:2px}g.f{cursor:pointer}g.f:hover rect{stroke:#000;stroke-width:.5}\
    g.above{opacity:.6}g.found rect{fill:#c0f}g.found text{fill:#fff}.button{cursor:pointer;fill:#06c}text{pointer-events:none}.button{pointer-events:all}";

pub(super) fn write(profile: &Profile, out: &mut impl Write) -> Result<()> {
    let picture = layout(profile);
    let levels = picture
        .frames
        .iter()
        .map(|frame| frame.level + 1)
        .max()
        .unwrap_or(0);
    let height = TOP + levels * ROW + BOTTOM;
    let unit = match profile.clock {
        Clock::Calls => "calls",
        Clock::Instructions => "instructions",
        Clock::Wall | Clock::Sampled => "ns",
        Clock::Tsc => "ticks",
        Clock::Samples => "samples",
    };
    let title = match profile.clock {
        Clock::Calls => "Calls by path",
        Clock::Instructions => "Instructions by path",
        Clock::Wall | Clock::Sampled => "Time by path (ns)",
        Clock::Samples => "Samples by path",
        Clock::Tsc => "Time by path (ticks)",
    };
    write!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"{FONT}\">\n\
         <style>{STYLE}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#f8f8f8\"/>\n\
         <text x=\"{}\" y=\"24\" text-anchor=\"middle\" font-size=\"17\">{title}</text>\n\
         <text id=\"reset\" class=\"button\" x=\"{MARGIN}\" y=\"24\" visibility=\"hidden\">Reset zoom</text>\n\
         <text id=\"search\" class=\"button\" x=\"{}\" y=\"24\" text-anchor=\"end\">Search</text>\n",
        WIDTH / 2,
        WIDTH - MARGIN,
    )?;
    if picture.cut_levels > 0 {
        writeln!(
            out,
            "<text x=\"{}\" y=\"44\" text-anchor=\"middle\">{} levels below {MAX_LEVELS} are not drawn</text>",
            WIDTH / 2,
            picture.cut_levels
        )?;
    }
    let base = height - 10;
    writeln!(
        out,
        "<text id=\"details\" x=\"{MARGIN}\" y=\"{base}\"> </text>"
    )?;
    writeln!(
        out,
        "<text id=\"matched\" x=\"{}\" y=\"{base}\" text-anchor=\"end\"> </text>",
        WIDTH - MARGIN
    )?;
    out.write_all(b"<g id=\"frames\">\n")?;
    for frame in &picture.frames {
        write_frame(profile, frame, picture.whole, unit, out)?;
    }
    out.write_all(b"</g>\n<script><![CDATA[\n")?;
    out.write_all(SCRIPT.as_bytes())?;
    out.write_all(b"]]></script>\n</svg>\n")?;
    Ok(())
}

fn write_frame(
    profile: &Profile,
    frame: &Frame,
    whole: u64,
    unit: &str,
    out: &mut impl Write,
) -> Result<()> {
    let name = match frame.label {
        Label::All => "all".to_owned(),
        Label::Thread(thread) => escape(&profile.threads[thread].label()),
        Label::Dropped => super::DROPPED_FRAME.to_owned(),
        Label::Function(function) => escape(&profile.function(function).name),
    };
    let (start, end) = (
        scale(frame.start, whole),
        scale(frame.start.saturating_add(frame.weight), whole),
    );
    let x = start + u64::from(MARGIN) * 100;
    let y = TOP + frame.level * ROW;
    write!(
        out,
        "<g class=\"f\"><title>{} ({} {unit}, {}%)</title><rect x=\"{}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>",
        xml(&name),
        frame.weight,
        percent(frame.weight, whole),
        pixels(x),
        pixels(end - start),
        ROW - 1,
        color(profile, frame.label, &name),
    )?;
    if let Some(label) = fit(&name, end - start) {
        write!(
            out,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            pixels(x + 300),
            y + FONT,
            xml(&label)
        )?;
    }
    out.write_all(b"</g>\n")?;
    Ok(())
}

/// Hundredths of a pixel from the left.
fn scale(weight: u64, whole: u64) -> u64 {
    (u128::from(weight) * u128::from(FULL) / u128::from(whole.max(1))) as u64
}

fn pixels(hundredths: u64) -> String {
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// The name, or its start, or nothing where not even that has room.
fn fit(name: &str, width: u64) -> Option<String> {
    let room = (width.saturating_sub(600) / CHARACTER) as usize;
    if room < 3 {
        return None;
    }
    let mut chars = name.chars();
    let mut label: String = chars.by_ref().take(room).collect();
    if chars.next().is_some() {
        label.pop();
        label.pop();
        label += "..";
    }
    Some(label)
}

/// Warm for wasm, blue for what the host does; the same name always has the same shade.
fn color(profile: &Profile, label: Label, name: &str) -> String {
    let shade = name.bytes().fold(0x811c_9dc5u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    let (a, b) = (shade % 60, (shade >> 8) % 50);
    let kind = |function: FunctionId| profile.function(function).kind;
    match label {
        Label::All | Label::Thread(_) => "rgb(220,220,220)".to_owned(),
        Label::Dropped => "rgb(180,180,180)".to_owned(),
        Label::Function(id) if kind(id) == Kind::Import => {
            format!("rgb({},{},{})", 110 + b, 160 + a, 225)
        }
        Label::Function(_) => format!("rgb({},{},{})", 230 + a % 25, 120 + a + b, 60 + b),
    }
}

pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            _ => out.push(char),
        }
    }
    out
}
