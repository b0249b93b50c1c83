//! Why a module cannot be rewritten.

use std::fmt;

/// Why a module cannot be rewritten, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    offset: Option<u64>,
}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// No WebAssembly at all.
    NotWasm,
    /// A component, not a core module.
    Component,
    /// Cut short, undecodable or, with validation, invalid.
    Malformed,
    /// It imports from `wasm-xray`, as instrumented modules do: it is one, or its names are the probes'.
    Reserved,
    /// Not the module but the filter makes no sense.
    Filter,
}

impl Error {
    pub(crate) fn malformed(message: impl Into<String>, offset: u64) -> Self {
        Error {
            kind: ErrorKind::Malformed,
            message: message.into(),
            offset: Some(offset),
        }
    }

    /// The module imports `name` from where probes are imported from.
    pub(crate) fn reserved(name: &str) -> Self {
        Error {
            kind: ErrorKind::Reserved,
            message: format!(
                "the module imports {name:?} from \"wasm-xray\", where probes come from: it is instrumented \
                 already, or another name for that import is needed"
            ),
            offset: None,
        }
    }

    pub(crate) fn filter(message: impl Into<String>) -> Self {
        Error {
            kind: ErrorKind::Filter,
            message: message.into(),
            offset: None,
        }
    }

    /// The kind of error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Offset in the input in bytes, where there is one.
    pub fn offset(&self) -> Option<u64> {
        self.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.offset {
            Some(offset) => write!(f, " (at offset {offset:#x})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

impl From<wasmparser::BinaryReaderError> for Error {
    fn from(e: wasmparser::BinaryReaderError) -> Self {
        Error::malformed(e.message(), e.offset())
    }
}

impl From<wasm_encoder::reencode::Error<Error>> for Error {
    fn from(e: wasm_encoder::reencode::Error<Error>) -> Self {
        use wasm_encoder::reencode::Error as E;
        match e {
            E::UserError(e) => e,
            E::ParseError(e) => e.into(),
            other => Error {
                kind: ErrorKind::Malformed,
                message: other.to_string(),
                offset: None,
            },
        }
    }
}

/// Tells apart what is not wasm, what is a component and what is cut short, since each needs another answer.
pub(crate) fn check_header(bytes: &[u8]) -> Result<(), Error> {
    let fail = |kind, message: &str| {
        Err(Error {
            kind,
            message: message.into(),
            offset: None,
        })
    };
    if bytes.is_empty() {
        return fail(ErrorKind::NotWasm, "the file is empty");
    }
    let magic = b"\0asm";
    if bytes.len() < 8 && magic.starts_with(&bytes[..bytes.len().min(4)]) {
        return fail(
            ErrorKind::Malformed,
            "the module is cut short within its 8-byte header",
        );
    }
    if !bytes.starts_with(magic) {
        return fail(
            ErrorKind::NotWasm,
            "not a WebAssembly module: it does not start with the bytes 00 61 73 6d",
        );
    }
    match bytes[4..8] {
        [1, 0, 0, 0] => Ok(()),
        [_, _, 1, 0] => fail(
            ErrorKind::Component,
            "this is a WebAssembly component, not a core module; extract its core modules first \
             (for example with `jco transpile`) and instrument those",
        ),
        _ => Err(Error::malformed("unknown WebAssembly version", 4)),
    }
}
