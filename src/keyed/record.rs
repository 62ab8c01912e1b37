//! A key and what belongs to it, as bytes of a file.

use std::io::{self, ErrorKind, Read, Write};

use super::own::Own;
use super::{Key, KeyBuf, Slot};
use crate::error::Error;

/// What a record begins with, for either kind of key.
const INT: u8 = 0;
const TEXT: u8 = 1;

/// A key and its slot as they are read: the model is still bytes.
pub(super) struct Record {
    pub(super) key: KeyBuf,
    pub(super) slot: Slot,
    pub(super) model: Vec<u8>,
}

/// Writes the record of a key, whose model is these bytes.
pub(super) fn write(
    out: &mut impl Write,
    key: Key<'_>,
    slot: &Slot,
    model: &[u8],
) -> io::Result<()> {
    match key {
        Key::Int(int) => {
            out.write_all(&[INT])?;
            out.write_all(&int.to_le_bytes())?;
        }
        Key::Text(text) => {
            out.write_all(&[TEXT])?;
            write_part(out, text.as_bytes())?;
        }
    }
    for bytes in [
        slot.age.to_le_bytes(),
        slot.mean.to_le_bytes(),
        slot.errors.to_le_bytes(),
        slot.used.to_le_bytes(),
    ] {
        out.write_all(&bytes)?;
    }
    write_part(out, model)
}

/// Writes bytes after their number.
fn write_part(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)
}

/// Reads what [`write`] has written.
pub(super) fn read(file: &mut impl Read) -> Result<Record, Error> {
    let key = match number::<1>(file)? {
        [INT] => KeyBuf::Int(i64::from_le_bytes(number(file)?)),
        [TEXT] => {
            let text = String::from_utf8(part(file)?);
            KeyBuf::Text(text.map_err(|_| wrong("a key should be a text"))?.into())
        }
        _ => return Err(wrong("a key should be an integer or a text")),
    };
    let slot = Slot {
        own: Own::Fresh,
        age: u64::from_le_bytes(number(file)?),
        mean: f64::from_le_bytes(number(file)?),
        errors: f64::from_le_bytes(number(file)?),
        used: u64::from_le_bytes(number(file)?),
    };
    if !slot.mean.is_finite() || !slot.errors.is_finite() || slot.errors < 0.0 {
        return Err(wrong("what is known of a key should be finite"));
    }
    let model = part(file)?;
    Ok(Record { key, slot, model })
}

/// Reads bytes after their number, as many as there are: a number that was changed takes no memory.
pub(super) fn part(file: &mut impl Read) -> Result<Vec<u8>, Error> {
    let (len, mut bytes) = (u64::from_le_bytes(number(file)?), Vec::new());
    let read = file.take(len).read_to_end(&mut bytes);
    match read.map_err(|error| reason(&error))? {
        n if n as u64 == len => Ok(bytes),
        _ => Err(reason(&ErrorKind::UnexpectedEof.into())),
    }
}

/// Reads `N` bytes.
pub(super) fn number<const N: usize>(file: &mut impl Read) -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes)
        .map_err(|error| reason(&error))?;
    Ok(bytes)
}

fn reason(error: &io::Error) -> Error {
    match error.kind() {
        ErrorKind::UnexpectedEof => wrong("it ends too soon"),
        _ => wrong(&error.to_string()),
    }
}

fn wrong(reason: &str) -> Error {
    Error::model_file(reason)
}
