//! DWARF in custom sections. Addresses are offsets from the start of the code
//! section's contents (<https://yurydelendik.github.io/webassembly-dwarf/>).
//!
//! A function's place is the declaration that its `DW_TAG_subprogram` leads to,
//! else the first line of its code in the line table. Functions that the linker
//! removed are left with an address that no body has.

mod declared;
mod lines;
mod units;

use std::collections::HashMap;

use gimli::{EndianSlice, LittleEndian, SectionId};

use crate::bodies::Bodies;
use crate::budget::Budget;
use crate::collected::Collected;
use declared::Declared;
use units::Reader;

type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// The sections of a module that are DWARF.
#[derive(Default)]
pub(crate) struct Dwarf<'a> {
    sections: HashMap<&'static str, &'a [u8]>,
}

const SECTIONS: [SectionId; 10] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
    SectionId::DebugTypes,
];

impl<'a> Dwarf<'a> {
    pub fn add_section(&mut self, name: &str, data: &'a [u8]) {
        if let Some(id) = SECTIONS.iter().find(|id| id.name() == name) {
            self.sections.insert(id.name(), data);
        }
    }

    /// Whether there are units: without them the other sections say nothing.
    pub fn has_info(&self) -> bool {
        !self.section(SectionId::DebugInfo).is_empty()
    }

    fn section(&self, id: SectionId) -> &'a [u8] {
        self.sections.get(id.name()).copied().unwrap_or_default()
    }
}

/// What is known of the functions, and what may still be read.
struct Known<'k> {
    bodies: &'k Bodies,
    collected: &'k mut Collected,
    budget: Budget,
    /// Whether something was left out to stay within a bound.
    is_cut: bool,
}

/// Gives functions without a place or a name those that DWARF knows.
pub(crate) fn read(dwarf: &Dwarf<'_>, bodies: &Bodies, collected: &mut Collected) {
    if !dwarf.has_info() {
        return;
    }
    let size = dwarf.sections.values().map(|data| data.len()).sum();
    let mut known = Known {
        bodies,
        collected,
        budget: Budget::for_size(size),
        is_cut: false,
    };
    let mut reader = Reader::new(dwarf);
    let mut declared = Declared::new(&known);
    for unit in reader.units() {
        reader.visit(unit, &mut known, |unit, reader, known| {
            declared.read_functions(unit, reader, known)
        });
    }
    declared.follow(&mut reader, &mut known);
    for unit in reader.units() {
        if known.has_unplaced() {
            reader.visit(unit, &mut known, |unit, reader, known| {
                lines::read(unit, &reader.dwarf, known)
            });
        }
    }
    if let Some(note) = reader.fault_note() {
        known.collected.note(note);
    }
    if known.is_cut {
        let note = "DWARF refers to the same bytes again and again: some of it was not read";
        known.collected.note(note);
    }
}

/// Gives instructions without a place the one that the line table has; `offsets`
/// are of the module and ascend.
pub(crate) fn locate(
    dwarf: &Dwarf<'_>,
    bodies: &Bodies,
    offsets: &[u64],
    places: &mut [Option<(u32, u32)>],
    collected: &mut Collected,
) {
    if !dwarf.has_info() {
        return;
    }
    let size = dwarf.sections.values().map(|data| data.len()).sum();
    let mut known = Known {
        bodies,
        collected,
        budget: Budget::for_size(size),
        is_cut: false,
    };
    let mut reader = Reader::new(dwarf);
    for unit in reader.units() {
        reader.visit(unit, &mut known, |unit, reader, known| {
            lines::locate(unit, &reader.dwarf, known, offsets, places)
        });
    }
}

impl Known<'_> {
    fn has_unplaced(&self) -> bool {
        self.collected.places[self.bodies.imports as usize..].contains(&None)
    }

    /// Counts bytes that could have been read before.
    fn spend(&mut self, bytes: usize) -> bool {
        let has_left = self.budget.spend(bytes);
        self.is_cut |= !has_left;
        has_left
    }
}
