//! By what a module is known again.

use crate::error::Error;
use sha2::{Digest, Sha256};
use twox_hash::XxHash3_128;
use wasmparser::BinaryReader;

/// Both identities of a module.
pub(crate) struct Identity {
    /// See [`wasm_xray_abi::map::ModuleMap::hash`].
    pub hash: String,
    /// See [`code_identity`].
    pub code: String,
}

impl Identity {
    pub fn of(bytes: &[u8]) -> Result<Identity, Error> {
        Ok(Identity {
            hash: module_hash(bytes),
            code: code_identity(bytes)?,
        })
    }
}

/// See [`wasm_xray_abi::map::ModuleMap::hash`]: the first 16 hex digits of the SHA-256.
pub fn module_hash(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    hash[..8].iter().map(|b| format!("{b:02x}")).collect()
}

/// Identity of everything in a module but its custom sections: the same for a
/// stripped module and its unstripped twin, and for how often a size is padded.
///
/// It tells builds apart; it is no protection against someone who wants to deceive.
///
/// # Errors
///
/// The bytes are not a module, or a section does not fit into them.
pub fn code_identity(bytes: &[u8]) -> Result<String, Error> {
    crate::error::check_header(bytes)?;
    let mut hasher = XxHash3_128::new();
    let mut reader = BinaryReader::new(&bytes[8..], 8);
    while !reader.eof() {
        let id = reader.read_u8()?;
        let size = reader.read_var_u32()?;
        let contents = reader.read_bytes(size as usize)?;
        if id != 0 {
            hasher.write(&[id]);
            hasher.write(&u64::from(size).to_le_bytes());
            hasher.write(contents);
        }
    }
    Ok(format!("{:032x}", hasher.finish_128()))
}

#[cfg(test)]
mod tests {
    use super::code_identity;

    #[test]
    fn only_custom_sections_do_not_count() {
        let module = |text: &str| wat::parse_str(text).unwrap();
        let identity = |bytes: &[u8]| code_identity(bytes).unwrap();
        let named = module("(module $m (func $f (nop)) (@custom \"x\" \"y\"))");
        let plain = module("(module (func (nop)))");
        let other = module("(module (func))");
        assert_ne!(named, plain);
        assert_eq!(identity(&named), identity(&plain));
        assert_ne!(identity(&plain), identity(&other));
        // The type section with a size of two bytes instead of one.
        assert_eq!(plain[8..10], [1, 4]);
        let padded = [&plain[..9], &[0x84, 0], &plain[10..]].concat();
        assert_eq!(identity(&padded), identity(&plain));
        assert!(code_identity(&plain[..plain.len() - 1]).is_err());
        assert!(code_identity(b"text").is_err());
    }
}
