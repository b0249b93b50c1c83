//! The units, one at a time, each byte parsed a bounded number of times.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use gimli::{
    Abbreviations, AttributeValue, DW_AT_stmt_list, DebugAbbrev, DebugAbbrevOffset,
    DebuggingInformationEntry, EndianSlice, EntriesRaw, LittleEndian, SectionId, UnitHeader,
    UnitOffset,
};

use super::{Bytes, Dwarf, Known};
use crate::files::join;
use crate::line_headers::table_length;

/// Attributes of one entry; compilers write some twenty. In a file made to be
/// slow, an entry of one byte can have any number that take no byte.
const MAX_ATTRIBUTES: usize = 100;

pub(super) type Entry<'a> = DebuggingInformationEntry<Bytes<'a>>;

/// What is wrong with a unit.
pub(super) type Result<T> = std::result::Result<T, String>;

pub(super) fn text(error: gimli::Error) -> String {
    error.to_string()
}

pub(super) struct Reader<'a> {
    pub dwarf: gimli::Dwarf<Bytes<'a>>,
    debug_line: &'a [u8],
    debug_abbrev: &'a [u8],
    headers: Vec<UnitHeader<Bytes<'a>>>,
    /// Where abbreviations of units begin.
    tables: BTreeSet<usize>,
    abbreviations: HashMap<usize, Arc<Abbreviations>>,
    /// By offset of the unit in `.debug_info`.
    faults: BTreeMap<usize, String>,
}

/// A unit, and the numbers of its files as they are asked for.
pub(super) struct Unit<'a> {
    pub unit: gimli::Unit<Bytes<'a>>,
    files: HashMap<u64, Option<u32>>,
}

impl<'a> Reader<'a> {
    pub fn new(sections: &Dwarf<'a>) -> Reader<'a> {
        let slice = |id| EndianSlice::new(sections.section(id), LittleEndian);
        let Ok(dwarf) = gimli::Dwarf::load(|id| Ok::<_, std::convert::Infallible>(slice(id)));
        let mut reader = Reader {
            debug_line: sections.section(SectionId::DebugLine),
            debug_abbrev: sections.section(SectionId::DebugAbbrev),
            headers: Vec::new(),
            tables: BTreeSet::new(),
            abbreviations: HashMap::new(),
            faults: BTreeMap::new(),
            dwarf,
        };
        let mut units = reader.dwarf.units();
        loop {
            match units.next() {
                Ok(Some(header)) => reader.headers.push(header),
                Ok(None) => break,
                Err(error) => {
                    let end = reader.headers.last().map_or(0, end_of);
                    reader.faults.insert(end, text(error));
                    break;
                }
            }
        }
        let tables = reader
            .headers
            .iter()
            .map(|header| header.debug_abbrev_offset().0);
        reader.tables = tables.collect();
        reader
    }

    /// Numbers of the units, for [`Reader::visit`].
    pub fn units(&self) -> std::ops::Range<usize> {
        0..self.headers.len()
    }

    /// The unit that has an offset of `.debug_info`.
    pub fn unit_with(&self, offset: usize) -> Option<usize> {
        let after = self
            .headers
            .partition_point(|header| start_of(header) <= offset);
        let at = after.checked_sub(1)?;
        (offset < end_of(&self.headers[at])).then_some(at)
    }

    /// Where a unit starts in `.debug_info`.
    pub fn start(&self, unit: usize) -> usize {
        start_of(&self.headers[unit])
    }

    /// Opens a unit; what is wrong with it is noted, and the next one can be visited.
    pub fn visit<'k>(
        &mut self,
        unit: usize,
        known: &mut Known<'k>,
        mut visit: impl FnMut(&mut Unit<'a>, &Reader<'a>, &mut Known<'k>) -> Result<()>,
    ) {
        let done = self.open(unit, known).and_then(|opened| match opened {
            Some(mut opened) => visit(&mut opened, self, known),
            None => Ok(()),
        });
        if let Err(error) = done {
            self.faults
                .entry(start_of(&self.headers[unit]))
                .or_insert(error);
        }
    }

    /// `None`: there is no budget left for it.
    fn open(&mut self, unit: usize, known: &mut Known<'_>) -> Result<Option<Unit<'a>>> {
        let header = self.headers[unit];
        let abbreviations = self.abbreviations(&header)?;
        let mut root = Entry::null();
        let mut entries = header.entries_raw(&abbreviations, None).map_err(text)?;
        read_entry(&mut entries, &mut root)?;
        if let Some(AttributeValue::DebugLineRef(offset)) = root.attr_value(DW_AT_stmt_list) {
            let length = table_length(self.debug_line, offset.0)
                .ok_or_else(|| format!("no line table at offset {:#x}", offset.0))?;
            if !known.spend(length) {
                return Ok(None);
            }
        }
        let unit = gimli::Unit::new_with_abbreviations(&self.dwarf, header, abbreviations);
        Ok(Some(Unit {
            unit: unit.map_err(text)?,
            files: HashMap::new(),
        }))
    }

    /// A unit's abbreviations, parsed once for all units that share them. A table
    /// ends where another begins, so no byte is parsed for two.
    fn abbreviations(&mut self, header: &UnitHeader<Bytes<'a>>) -> Result<Arc<Abbreviations>> {
        let start = header.debug_abbrev_offset().0;
        if let Some(known) = self.abbreviations.get(&start) {
            return Ok(known.clone());
        }
        let next = self.tables.range(start + 1..).next().copied();
        let end = next.unwrap_or(self.debug_abbrev.len());
        let table = self.debug_abbrev.get(start..end).unwrap_or_default();
        let table = DebugAbbrev::from(EndianSlice::new(table, LittleEndian));
        let parsed = table.abbreviations(DebugAbbrevOffset(0)).map_err(text)?;
        let parsed = Arc::new(parsed);
        self.abbreviations.insert(start, parsed.clone());
        Ok(parsed)
    }

    /// A sentence about units that could not be read.
    pub fn fault_note(&self) -> Option<String> {
        let (offset, error) = self.faults.first_key_value()?;
        let more = match self.faults.len() {
            1 => String::new(),
            count => format!(", and {} more units are", count - 1),
        };
        Some(format!(
            "DWARF is malformed in the unit at offset {offset:#x} of .debug_info ({error}){more}: \
             functions there keep what else is known of them"
        ))
    }
}

impl<'a> Unit<'a> {
    /// Number of a file of the unit's line table, by its index there.
    pub fn file(
        &mut self,
        index: u64,
        dwarf: &gimli::Dwarf<Bytes<'_>>,
        known: &mut Known<'_>,
    ) -> Option<u32> {
        if let Some(number) = self.files.get(&index) {
            return *number;
        }
        let number = self.path(index, dwarf).and_then(|path| {
            let has_left = known.spend(path.len());
            has_left.then(|| known.collected.files.number(path))
        });
        self.files.insert(index, number);
        number
    }

    fn path(&self, index: u64, dwarf: &gimli::Dwarf<Bytes<'_>>) -> Option<String> {
        let header = self.unit.line_program.as_ref()?.header();
        let file = header.file(index)?;
        let string = |value| {
            let bytes = dwarf.attr_line_string(value).ok()?;
            Some(bytes.to_string_lossy().into_owned())
        };
        let mut path = match &self.unit.comp_dir {
            Some(folder) => folder.to_string_lossy().into_owned(),
            None => String::new(),
        };
        // The folder with index 0 is the unit's own.
        if file.directory_index() != 0
            && let Some(folder) = file.directory(header).and_then(string)
        {
            path = join(&path, &folder);
        }
        Some(join(&path, &string(file.path_name())?))
    }

    /// Reads the entry at an offset of the unit.
    pub fn entry(&self, offset: UnitOffset, entry: &mut Entry<'a>) -> Result<()> {
        let abbreviations = &self.unit.abbreviations;
        let entries = self.unit.header.entries_raw(abbreviations, Some(offset));
        read_entry(&mut entries.map_err(text)?, entry)
    }
}

/// Reads an entry; its tag is null for the end of a list of children.
pub(super) fn read_entry<'a>(
    entries: &mut EntriesRaw<'_, Bytes<'a>>,
    entry: &mut Entry<'a>,
) -> Result<()> {
    let mut ahead = entries.clone();
    if let Some(abbreviation) = ahead.read_abbreviation().map_err(text)?
        && abbreviation.attributes().len() > MAX_ATTRIBUTES
    {
        return Err(format!(
            "an entry has more than {MAX_ATTRIBUTES} attributes"
        ));
    }
    entries.read_entry(entry).map_err(text)?;
    Ok(())
}

fn start_of(header: &UnitHeader<Bytes<'_>>) -> usize {
    header.debug_info_offset().map_or(0, |offset| offset.0)
}

fn end_of(header: &UnitHeader<Bytes<'_>>) -> usize {
    start_of(header) + header.length_including_self()
}
