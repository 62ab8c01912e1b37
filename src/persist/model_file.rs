//! The format that all model files share: a header in JSON with format and version, and a checksum.
//!
//! A file is in the safetensors format: arrays of float64, and as its one metadata key the header. The checksum is the
//! SHA-256 of the header, with zeros in the checksum's place, and of the name, the shape and the bytes of every array.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{State, atomic};
use crate::error::Error;

/// Versions of the format that are read. The second has columns, the third forecasters; a model is written in the first
/// that holds it.
const FORMATS: [u32; 3] = [1, 2, 3];

/// The most bytes that parameters take in a header; arrays among them are stored apart.
const LONGEST_PARAMETERS: usize = 1 << 16;

/// The most bytes that a forecaster takes in a header: its parameters, its columns for each horizon, and what waits.
const LONGEST_FORECASTER: usize = 1 << 26;

/// The most bytes that names and kinds of columns take in a header.
const LONGEST_COLUMNS: usize = 1 << 23;

/// The fields that every format has, past and to come.
#[derive(Deserialize)]
struct Written {
    format: u32,
    version: String,
    sha256: Option<String>,
}

/// The fields that a header of this format may have. It is checked before anything is built from it, so that no file
/// takes more memory than its arrays and names do.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "most of it is read to be checked alone")]
struct Header<'a> {
    format: u32,
    version: &'a str,
    sha256: &'a str,
    #[serde(borrow)]
    learner: Option<&'a RawValue>,
    scorer: Option<&'a RawValue>,
    keyed: Option<&'a RawValue>,
    columns: Option<&'a RawValue>,
    forecaster: Option<&'a RawValue>,
    n_features: Option<u64>,
    n_seen: Option<u64>,
    n_targets: Option<u64>,
    feature_names: Option<Vec<IgnoredName>>,
}

/// A name that is read and not kept.
struct IgnoredName;

impl<'de> Deserialize<'de> for IgnoredName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|_| Self)
    }
}

impl Header<'_> {
    fn check(&self) -> Result<(), Error> {
        for (name, value, longest) in [
            ("learner", self.learner, LONGEST_PARAMETERS),
            ("scorer", self.scorer, LONGEST_PARAMETERS),
            ("keyed", self.keyed, LONGEST_PARAMETERS),
            ("columns", self.columns, LONGEST_COLUMNS),
            ("forecaster", self.forecaster, LONGEST_FORECASTER),
        ] {
            if value.is_some_and(|value| value.get().len() > longest) {
                return Err(Error::model_file(format!(
                    "{name} should have at most {longest} bytes"
                )));
            }
        }
        Ok(())
    }
}

/// The bytes of a model with this JSON content and these arrays.
pub(crate) fn to_bytes(mut content: Value, state: &State) -> Result<Vec<u8>, Error> {
    content["format"] = json!(format_of(&content));
    content["version"] = json!(env!("CARGO_PKG_VERSION"));
    content["sha256"] = json!(no_checksum());
    // One key, and sorted, so that equal models have equal bytes.
    content.sort_all_objects();
    let text = content.to_string();
    let sha256 = checksum(&text, state);
    state.to_bytes(text.replacen(&entry(&no_checksum()), &entry(&sha256), 1))
}

/// The first format that holds this content.
fn format_of(content: &Value) -> u32 {
    let has = |name| content.get(name).is_some();
    FORMATS[if has("forecaster") {
        2
    } else {
        usize::from(has("columns"))
    }]
}

/// The JSON content and the arrays of a model.
pub(crate) fn from_bytes(bytes: &[u8]) -> Result<(Value, State), Error> {
    let (state, text) = State::from_bytes(bytes)?;
    let Written {
        format,
        version,
        sha256,
    } = parse(&text)?;
    if !FORMATS.contains(&format) {
        let [first, .., last] = FORMATS;
        return Err(Error::model_file(format!(
            "its format is {format}, written by version {version}, and this version reads {first} to {last}"
        )));
    }
    let sha256 = sha256.ok_or_else(|| Error::model_file("it has no checksum"))?;
    let bare = text.replacen(&entry(&sha256), &entry(&no_checksum()), 1);
    if checksum(&bare, &state) != sha256 {
        return Err(Error::model_file(
            "its checksum is wrong: the file was damaged or changed by hand",
        ));
    }
    parse::<Header<'_>>(&text)?.check()?;
    Ok((parse(&text)?, state))
}

/// Writes the bytes of a model to a file.
pub(crate) fn save(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    atomic::write(path, bytes).map_err(|error| Error::io(path, &error))
}

/// Writes to a file what `content` writes, whose errors may be those of the crate inside those of the system.
pub(crate) fn save_with(
    path: &Path,
    content: impl FnOnce(&mut File) -> io::Result<()>,
) -> Result<(), Error> {
    atomic::write_with(path, content).map_err(|error| own(error, |error| Error::io(path, error)))
}

/// The crate's own error inside one of the system, or else what `other` makes of that.
pub(crate) fn own(error: io::Error, other: impl FnOnce(&io::Error) -> Error) -> Error {
    match error.downcast::<Error>() {
        Ok(own) => own,
        Err(error) => other(&error),
    }
}

/// Reads a file and parses its bytes with `read`.
pub(crate) fn load<T>(
    path: &Path,
    read: impl FnOnce(&[u8]) -> Result<T, Error>,
) -> Result<T, Error> {
    let bytes = bytes_of(path).map_err(|error| Error::io(path, &error))?;
    read(&bytes).map_err(|error| in_file(path, error))
}

/// The error in the content of a file.
pub(crate) fn in_file(path: &Path, error: Error) -> Error {
    let (path, error) = (path.to_owned(), Box::new(error));
    Error::File { path, error }
}

/// Reads a file, or only its first bytes if no model begins like them: it may be large, or even endless.
fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let (mut file, mut bytes) = (File::open(path)?, Vec::new());
    file.by_ref().take(State::START).read_to_end(&mut bytes)?;
    if State::may_start_with(&bytes) {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Parses a field of the content.
pub(crate) fn field<T: DeserializeOwned>(content: &mut Value, name: &str) -> Result<T, Error> {
    let value = content.get_mut(name).map(Value::take).unwrap_or_default();
    serde_json::from_value(value).map_err(|error| Error::model_file(format!("{name}: {error}")))
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, Error> {
    serde_json::from_str(text).map_err(Error::model_file)
}

fn no_checksum() -> String {
    "0".repeat(64)
}

/// The text of the checksum in the header.
fn entry(sha256: &str) -> String {
    format!(r#""sha256":"{sha256}""#)
}

fn checksum(text: &str, state: &State) -> String {
    let mut digest = Sha256::new();
    digest.update(text);
    state.visit_bytes(|bytes| digest.update(bytes));
    let digits = |byte: &u8| {
        [byte >> 4, byte & 15].map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)]))
    };
    digest.finalize().iter().flat_map(digits).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Vec<u8> {
        let mut state = State::default();
        state.put("w", vec![1.0, -2.5]);
        to_bytes(json!({"learner": {"alpha": 0.1}, "sha256": "x"}), &state).unwrap()
    }

    fn reason(bytes: &[u8]) -> String {
        from_bytes(bytes).unwrap_err().to_string()
    }

    #[test]
    fn content_and_arrays_come_back() {
        let (mut content, state) = from_bytes(&example()).unwrap();
        assert_eq!(content["learner"]["alpha"], json!(0.1));
        assert_eq!(field::<u32>(&mut content, "format"), Ok(1));
        assert_eq!(state.vector("w", 2), Ok(vec![1.0, -2.5]));
        assert_eq!(example(), example());
    }

    #[test]
    fn every_changed_byte_is_noticed_or_makes_no_difference() {
        let bytes = example();
        for i in 0..bytes.len() {
            for flip in [1, 0x80] {
                let mut changed = bytes.clone();
                changed[i] ^= flip;
                if let Ok(read) = from_bytes(&changed) {
                    assert_eq!(Ok(read), from_bytes(&bytes), "byte {i}");
                }
            }
        }
    }

    #[test]
    fn a_changed_number_and_a_changed_parameter_are_told() {
        let bytes = example();
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() ^= 1;
        assert!(
            reason(&changed).contains("checksum"),
            "{}",
            reason(&changed)
        );
        let text = String::from_utf8_lossy(&bytes).replace("0.1", "0.2");
        assert!(reason(text.as_bytes()).contains("not a nystream model"));
    }

    #[test]
    fn unknown_and_endless_parts_of_the_header_are_refused() {
        let long = "[],".repeat(LONGEST_PARAMETERS) + "[]";
        let cases = [
            (r#""zzz":1"#.to_owned(), "unknown field `zzz`"),
            (r#""n_seen":[]"#.to_owned(), "invalid type"),
            (r#""feature_names":[[]]"#.to_owned(), "invalid type"),
            (format!(r#""learner":[{long}]"#), "at most 65536 bytes"),
        ];
        for (part, expected) in cases {
            let zeros = no_checksum();
            let text = format!(r#"{{"format":1,"version":"0","sha256":"{zeros}",{part}}}"#);
            let sha256 = checksum(&text, &State::default());
            let text = text.replacen(&zeros, &sha256, 1);
            let reason = reason(&State::default().to_bytes(text).unwrap());
            assert!(reason.contains(expected), "{reason}");
        }
    }

    #[test]
    fn another_format_is_refused_by_number() {
        let text = r#"{"format":4,"version":"9.9.9","something":"new"}"#;
        let bytes = State::default().to_bytes(text.into()).unwrap();
        let reason = reason(&bytes);
        assert!(
            reason.contains("format is 4, written by version 9.9.9"),
            "{reason}"
        );
    }
}
