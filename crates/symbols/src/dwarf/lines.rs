//! Places of functions that no declaration gives one, and of instructions, from the line table.

use std::collections::HashMap;

use super::units::{Result, Unit, text};
use super::{Bytes, Known};

/// The row with the lowest address of a function.
struct First {
    address: u64,
    file: u64,
    line: u32,
}

/// Gives functions without a place the first line of their code.
pub(super) fn read(
    unit: &mut Unit<'_>,
    dwarf: &gimli::Dwarf<Bytes<'_>>,
    known: &mut Known<'_>,
) -> Result<()> {
    let Some(program) = unit.unit.line_program.clone() else {
        return Ok(());
    };
    let mut firsts: HashMap<u32, First> = HashMap::new();
    let mut rows = program.rows();
    let mut sequence_starts = true;
    let mut is_dead = false;
    let done = loop {
        let row = match rows.next_row() {
            Ok(Some((_, row))) => row,
            Ok(None) => break Ok(()),
            Err(error) => break Err(text(error)),
        };
        let function = known.bodies.at_address(row.address());
        // What the linker removed begins outside of every body, mostly at 0, and
        // would run into other functions.
        if std::mem::replace(&mut sequence_starts, row.end_sequence()) {
            is_dead = function.is_none();
        }
        let (Some(function), Some(line)) = (function, row.line()) else {
            continue;
        };
        if is_dead || row.end_sequence() || known.collected.places[function as usize].is_some() {
            continue;
        }
        let Ok(line) = u32::try_from(line.get()) else {
            continue;
        };
        let first = firsts.entry(function).or_insert(First {
            address: u64::MAX,
            file: 0,
            line: 0,
        });
        if row.address() < first.address {
            *first = First {
                address: row.address(),
                file: row.file_index(),
                line,
            };
        }
    };
    let mut firsts: Vec<(u32, First)> = firsts.into_iter().collect();
    firsts.sort_unstable_by_key(|(function, _)| *function);
    for (function, First { file, line, .. }) in firsts {
        if let Some(file) = unit.file(file, dwarf, known) {
            known.collected.places[function as usize] = Some((file, line));
        }
    }
    done
}

/// Gives the instructions at `offsets` without a place the line whose code they are in.
pub(super) fn locate(
    unit: &mut Unit<'_>,
    dwarf: &gimli::Dwarf<Bytes<'_>>,
    known: &mut Known<'_>,
    offsets: &[u64],
    places: &mut [Option<(u32, u32)>],
) -> Result<()> {
    let Some(program) = unit.unit.line_program.clone() else {
        return Ok(());
    };
    let code_start = known.bodies.code_start;
    let mut rows = program.rows();
    // The row before, if its line goes on: function, address, file and line.
    let mut before: Option<(u32, u64, u64, u32)> = None;
    let mut sequence_starts = true;
    let mut is_dead = false;
    while let Some((_, row)) = rows.next_row().map_err(text)? {
        let address = row.address();
        let function = known.bodies.at_address(address);
        if std::mem::replace(&mut sequence_starts, row.end_sequence()) {
            is_dead = function.is_none();
        }
        if let Some((function, from, file, line)) = before.take() {
            let index = |address: u64| {
                let offset = address.saturating_add(code_start);
                offsets.partition_point(|&at| at < offset)
            };
            let (first, end) = (index(from), index(address));
            for at in first..end.max(first) {
                if places[at].is_none()
                    && known.bodies.at(offsets[at]) == Some(function)
                    && let Some(file) = unit.file(file, dwarf, known)
                {
                    places[at] = Some((file, line));
                }
            }
        }
        let line = row.line().and_then(|line| u32::try_from(line.get()).ok());
        if let (Some(function), Some(line)) = (function, line)
            && !is_dead
            && !row.end_sequence()
        {
            before = Some((function, address, row.file_index(), line));
        }
    }
    Ok(())
}
