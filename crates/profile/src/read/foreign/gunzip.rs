//! Files in gzip, which can claim to be of any size.

use std::io::Read;

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};

pub(in crate::read) const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Largest file when unpacked, in bytes. A thousandth of that can be in the input.
const MAX_BYTES: u64 = 1 << 30;

/// Unpacks a file as far as there is memory for it anyway.
pub(in crate::read) fn gunzip(file: &[u8]) -> Result<Vec<u8>> {
    gunzip_up_to(file, MAX_BYTES)
}

fn gunzip_up_to(file: &[u8], limit: u64) -> Result<Vec<u8>> {
    let mut decoder = MultiGzDecoder::new(file);
    let mut plain = Vec::new();
    let unpacked = (&mut decoder).take(limit + 1).read_to_end(&mut plain);
    // How much was left when it went wrong.
    let at = file.len() - decoder.get_ref().len();
    if let Err(error) = unpacked {
        return Err(Error::at(
            at,
            format!("the file starts as gzip, but cannot be unpacked ({error}): is it cut short?"),
        ));
    }
    if plain.len() as u64 > limit {
        return Err(Error::at(
            at,
            format!(
                "unpacked, the file has more than {} MiB, which is too much for a profile",
                limit >> 20
            ),
        ));
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{gunzip, gunzip_up_to};

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(plain).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn unpacks_what_fits() {
        let two = [gzip(b"a;b 1\n"), gzip(b"a;c 2\n")].concat();
        assert_eq!(gunzip(&two).unwrap(), b"a;b 1\na;c 2\n");
        let bomb = gzip(&vec![0; 10 << 20]);
        assert!(bomb.len() < 20 << 10);
        let error = gunzip_up_to(&bomb, 1 << 20).unwrap_err();
        assert!(error.message().contains("more than 1 MiB"), "{error}");
        let cut = gunzip(&bomb[..bomb.len() / 2]).unwrap_err();
        assert!(cut.message().contains("cut short"), "{cut}");
        assert!(cut.offset().unwrap() <= bomb.len() as u64 / 2);
    }
}
