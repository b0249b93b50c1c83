//! Names and declarations of subprograms.

use gimli::{
    AttributeValue, DW_AT_MIPS_linkage_name, DW_AT_abstract_origin, DW_AT_decl_file,
    DW_AT_decl_line, DW_AT_linkage_name, DW_AT_low_pc, DW_AT_name, DW_AT_specification,
    DW_TAG_subprogram, UnitOffset,
};

use super::units::{Entry, Reader, Result, Unit, read_entry, text};
use super::{Bytes, Known};

/// Entries from a function to its declaration: instance, definition, declaration.
const MAX_HOPS: u32 = 8;
/// Longest name that is taken, in bytes.
const MAX_NAME: usize = 64 << 10;

/// A function, as far as the entries say that were read for it.
struct Partial<'a> {
    function: u32,
    linkage_name: Option<Bytes<'a>>,
    name: Option<Bytes<'a>>,
    file: Option<u32>,
    line: Option<u32>,
    hops: u32,
}

pub(super) struct Declared<'a> {
    /// By function index: some entry has the function's address.
    claimed: Vec<bool>,
    /// What an entry in another unit says more about, by its offset in `.debug_info`.
    elsewhere: Vec<(usize, Partial<'a>)>,
}

impl<'a> Declared<'a> {
    pub fn new(known: &Known<'_>) -> Declared<'a> {
        Declared {
            claimed: vec![false; known.collected.names.len()],
            elsewhere: Vec::new(),
        }
    }

    /// Looks for the unit's subprograms.
    pub fn read_functions(
        &mut self,
        unit: &mut Unit<'a>,
        reader: &Reader<'a>,
        known: &mut Known<'_>,
    ) -> Result<()> {
        let abbreviations = unit.unit.abbreviations.clone();
        let mut entries = unit
            .unit
            .header
            .entries_raw(&abbreviations, None)
            .map_err(text)?;
        let mut entry = Entry::null();
        while !entries.is_empty() {
            let mut ahead = entries.clone();
            let Some(abbreviation) = ahead.read_abbreviation().map_err(text)? else {
                entries = ahead;
                continue;
            };
            if abbreviation.tag() != DW_TAG_subprogram {
                ahead
                    .skip_attributes(abbreviation.attributes())
                    .map_err(text)?;
                entries = ahead;
                continue;
            }
            read_entry(&mut entries, &mut entry)?;
            let Some(low_pc) = entry.attr_value(DW_AT_low_pc) else {
                continue;
            };
            let address = reader
                .dwarf
                .attr_address(&unit.unit, low_pc)
                .map_err(text)?;
            let Some(function) = address.and_then(|address| known.bodies.at_address(address))
            else {
                continue;
            };
            // Functions with equal code can have become one.
            if std::mem::replace(&mut self.claimed[function as usize], true) {
                continue;
            }
            let partial = Partial {
                function,
                linkage_name: None,
                name: None,
                file: None,
                line: None,
                hops: 0,
            };
            self.complete(partial, &mut entry, unit, reader, known)?;
        }
        Ok(())
    }

    /// Reads what entries in other units say.
    pub fn follow(&mut self, reader: &mut Reader<'a>, known: &mut Known<'_>) {
        while !self.elsewhere.is_empty() {
            let mut waiting = std::mem::take(&mut self.elsewhere);
            waiting.sort_by_key(|(offset, _)| *offset);
            let mut waiting = waiting.into_iter().peekable();
            while let Some((offset, _)) = waiting.peek() {
                let Some(at) = reader.unit_with(*offset) else {
                    let (_, partial) = waiting.next().expect("it was peeked at");
                    partial.finish(known);
                    continue;
                };
                let mut here = Vec::new();
                while let Some(one) =
                    waiting.next_if(|(offset, _)| reader.unit_with(*offset) == Some(at))
                {
                    here.push(one);
                }
                let start = reader.start(at);
                reader.visit(at, known, |unit, reader, known| {
                    for (offset, partial) in here.drain(..) {
                        let mut entry = Entry::null();
                        unit.entry(UnitOffset(offset - start), &mut entry)?;
                        self.complete(partial, &mut entry, unit, reader, known)?;
                    }
                    Ok(())
                });
            }
        }
    }

    /// Takes what the entry says, then what the entries say that it leads to.
    fn complete(
        &mut self,
        mut partial: Partial<'a>,
        entry: &mut Entry<'a>,
        unit: &mut Unit<'a>,
        reader: &Reader<'a>,
        known: &mut Known<'_>,
    ) -> Result<()> {
        loop {
            partial.add(entry, unit, reader, known);
            partial.hops += 1;
            let next = entry
                .attr_value(DW_AT_abstract_origin)
                .or_else(|| entry.attr_value(DW_AT_specification));
            match next {
                _ if partial.hops == MAX_HOPS || partial.is_complete() => break,
                Some(AttributeValue::UnitRef(offset)) => unit.entry(offset, entry)?,
                Some(AttributeValue::DebugInfoRef(offset)) => {
                    self.elsewhere.push((offset.0, partial));
                    return Ok(());
                }
                _ => break,
            }
        }
        partial.finish(known);
        Ok(())
    }
}

impl<'a> Partial<'a> {
    fn is_complete(&self) -> bool {
        self.linkage_name.is_some() && self.file.is_some() && self.line.is_some()
    }

    /// What is nearer to the function comes first and holds.
    fn add(
        &mut self,
        entry: &Entry<'a>,
        unit: &mut Unit<'a>,
        reader: &Reader<'a>,
        known: &mut Known<'_>,
    ) {
        if known.collected.names[self.function as usize].is_none() {
            let mut string = |value| {
                let string = reader.dwarf.attr_string(&unit.unit, value).ok()?;
                known.spend(string.len()).then_some(string)
            };
            if self.linkage_name.is_none() {
                self.linkage_name = entry
                    .attr_value(DW_AT_linkage_name)
                    .or_else(|| entry.attr_value(DW_AT_MIPS_linkage_name))
                    .and_then(&mut string);
            }
            if self.name.is_none() {
                self.name = entry.attr_value(DW_AT_name).and_then(&mut string);
            }
        }
        if self.file.is_none()
            && let Some(AttributeValue::FileIndex(index)) = entry.attr_value(DW_AT_decl_file)
        {
            self.file = unit.file(index, &reader.dwarf, known);
        }
        if self.line.is_none()
            && let Some(line) = entry.attr_value(DW_AT_decl_line)
        {
            let line = line.udata_value().and_then(|line| u32::try_from(line).ok());
            self.line = line.filter(|line| *line > 0);
        }
    }

    fn finish(self, known: &mut Known<'_>) {
        let function = self.function as usize;
        if let Some(name) = self.linkage_name.or(self.name)
            && !name.is_empty()
            && name.len() <= MAX_NAME
            && known.collected.names[function].is_none()
        {
            known.collected.names[function] = Some(name.to_string_lossy().into_owned());
        }
        // A file without a line is left to the line table.
        if let (Some(file), Some(line), None) =
            (self.file, self.line, known.collected.places[function])
        {
            known.collected.places[function] = Some((file, line));
        }
    }
}
