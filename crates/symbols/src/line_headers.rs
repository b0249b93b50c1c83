//! How large a line table is, before it is parsed: its parser believes the
//! number of files that a header claims, and sets memory aside for them.

/// Longest header that is parsed, in bytes; compilers write some thousand.
const MAX_HEADER: u64 = 1 << 20;

/// Length in bytes of the line table at an offset of `.debug_line`; `None` if it
/// is not one, or its header is longer than any compiler's.
pub(crate) fn table_length(debug_line: &[u8], offset: usize) -> Option<usize> {
    let table = debug_line.get(offset..)?;
    let word = |at: usize| Some(u32::from_le_bytes(*table.get(at..)?.first_chunk()?));
    let long = |at: usize| Some(u64::from_le_bytes(*table.get(at..)?.first_chunk()?));
    let (is_64, length) = match word(0)? {
        0xffff_ffff => (true, long(4)?),
        length => (false, length.into()),
    };
    let after_length = if is_64 { 12 } else { 4 };
    let version = u16::from_le_bytes(*table.get(after_length..)?.first_chunk()?);
    // Sizes of addresses and segment selectors came with version 5.
    let at = after_length + 2 + if version >= 5 { 2 } else { 0 };
    let header = if is_64 { long(at)? } else { word(at)?.into() };
    let total = usize::try_from(length.checked_add(after_length as u64)?).ok()?;
    (header <= MAX_HEADER && total <= table.len()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::table_length;

    fn table(length: u32, version: u16, header: u32) -> Vec<u8> {
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(version.to_le_bytes());
        if version >= 5 {
            bytes.extend([4, 0]);
        }
        bytes.extend(header.to_le_bytes());
        bytes.resize(64, 0);
        bytes
    }

    #[test]
    fn lying_headers_are_refused() {
        assert_eq!(table_length(&table(60, 4, 20), 0), Some(64));
        assert_eq!(table_length(&table(30, 5, 20), 0), Some(34));
        assert_eq!(table_length(&table(61, 4, 20), 0), None);
        assert_eq!(table_length(&table(60, 4, u32::MAX), 0), None);
        assert_eq!(table_length(&table(0xffff_ffff, 5, 20), 0), None);
        assert_eq!(table_length(&table(60, 4, 20), 65), None);
        assert_eq!(table_length(&[], 0), None);
    }
}
