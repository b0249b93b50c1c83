//! What a file is, by how it begins.

/// Files that hold symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Module,
    /// JSON, version 3.
    SourceMap,
    /// `index:name` lines.
    SymbolMap,
}

impl FileKind {
    /// Undefined for anything else.
    pub fn of(bytes: &[u8]) -> Option<FileKind> {
        if bytes.starts_with(b"\0asm") {
            return Some(FileKind::Module);
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        match bytes.trim_ascii_start().first() {
            // `)]}'` in front keeps browsers from running it.
            Some(b'{' | b')') => Some(FileKind::SourceMap),
            Some(b'0'..=b'9') => Some(FileKind::SymbolMap),
            _ => None,
        }
    }
}
