//! Rows of JSON lines.

use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::batch::Problem;
use super::field::{Field, Type};
use super::reader::Fields;
use crate::limits::LARGEST;

/// Number of characters that a message shows of a value.
const SHOWN: usize = 60;

/// Objects with known keys.
#[derive(Debug, Clone)]
pub(super) struct Json {
    keys: Vec<String>,
    places: HashMap<String, usize>,
}

/// The value of each key in a row.
type Values<'a> = Vec<Option<&'a RawValue>>;

impl Json {
    pub(super) fn new(keys: Vec<String>) -> Self {
        let places = keys.iter().cloned().zip(0..).collect();
        Self { keys, places }
    }

    /// Appends the values of a row, or says what is wrong with it.
    pub(super) fn push(
        &self,
        row: &[u8],
        fields: &mut Fields<'_>,
    ) -> Result<(), (Option<usize>, Problem)> {
        let mended;
        let values = match self.values(row) {
            Ok(values) => values,
            Err(error) => {
                mended = with_infinities(row).ok_or_else(|| (None, no_json(row, &error)))?;
                self.values(&mended)
                    .map_err(|_| (None, no_json(row, &error)))?
            }
        };
        for field in fields.0.iter_mut().chain(&mut *fields.1) {
            let value = values[field.column()].map(RawValue::get);
            push(field, value).map_err(|problem| (Some(field.column()), problem))?;
        }
        Ok(())
    }

    fn values<'a>(&self, row: &'a [u8]) -> Result<Values<'a>, serde_json::Error> {
        let mut deserializer = serde_json::Deserializer::from_slice(row);
        let values = deserializer.deserialize_map(self)?;
        deserializer.end()?;
        Ok(values)
    }

    /// The place of a key, which is likely to be this.
    fn place(&self, likely: usize, key: &str) -> Option<usize> {
        if self.keys.get(likely).is_some_and(|known| known == key) {
            return Some(likely);
        }
        self.places.get(key).copied()
    }
}

impl<'de> Visitor<'de> for &Json {
    type Value = Values<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut values, mut likely) = (vec![None; self.keys.len()], 0);
        while let Some(place) = map.next_key_seed(Key { json: self, likely })? {
            match place {
                Some(place) => {
                    values[place] = Some(map.next_value()?);
                    likely = place + 1;
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(values)
    }
}

/// Reads a key as its place.
struct Key<'a> {
    json: &'a Json,
    likely: usize,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.json.place(self.likely, key))
    }
}

/// Appends a value as JSON writes it.
fn push(field: &mut Field, value: Option<&str>) -> Result<(), Problem> {
    let kind = field.kind();
    if kind == Type::Skipped {
        field.push_missing();
        return Ok(());
    }
    let strict = kind == Type::Strict;
    match value.map(|value| (value, value.as_bytes().first())) {
        None if strict => return Err(Problem::NoKey),
        Some(("null", _)) if strict => return Err(Problem::NoNumber("null".to_owned())),
        None | Some(("null", _)) => field.push_missing(),
        Some((value, Some(b'"'))) => return push_text(field, value),
        Some((value, Some(b'[' | b'{'))) => return Err(Problem::Nested(shown(value))),
        Some((truth @ ("true" | "false"), _)) => field.push_truth(truth == "true"),
        Some((value, _)) => return push_number(field, value),
    }
    Ok(())
}

fn push_number(field: &mut Field, value: &str) -> Result<(), Problem> {
    let number: f64 = value.parse().map_err(|_| Problem::NoNumber(shown(value)))?;
    match field.kind() {
        Type::Strict if number.abs() > LARGEST => Err(Problem::TooLarge(shown(value))),
        Type::Label => field.push_label_number(number, || shown(value)),
        _ => {
            field.push_number(number);
            Ok(())
        }
    }
}

fn push_text(field: &mut Field, value: &str) -> Result<(), Problem> {
    if value == NAN {
        if field.kind() == Type::Strict {
            return Err(Problem::TooLarge("NaN".to_owned()));
        }
        field.push_missing();
        return Ok(());
    }
    let no_number = || Problem::NoNumber(shown(value));
    let text: String = serde_json::from_str(value).map_err(|_| no_number())?;
    match field.kind() {
        Type::Strict => Err(no_number()),
        // A label in quotes is read as CSV reads it.
        Type::Label => field.push_cell(&text, false).map_err(|_| no_number()),
        _ if text.trim().is_empty() => {
            field.push_missing();
            Ok(())
        }
        _ => field.push_text(text.trim()).map_err(|_| no_number()),
    }
}

/// What stands for NaN, which is no JSON, but which many programs write.
const NAN: &str = r#""\u0000NaN""#;

/// The row with numbers in place of NaN and infinities outside its texts; `None` if there are none.
pub(super) fn with_infinities(row: &[u8]) -> Option<Vec<u8>> {
    let (mut mended, mut rest, mut has_any) = (Vec::with_capacity(row.len()), row, false);
    while let Some(&byte) = rest.first() {
        let (taken, put): (usize, &[u8]) = match byte {
            b'"' => {
                let len = text_len(rest);
                (len, &rest[..len])
            }
            b'N' if rest.starts_with(b"NaN") => (3, NAN.as_bytes()),
            b'I' if rest.starts_with(b"Infinity") => (8, b"1e999"),
            _ => (1, &rest[..1]),
        };
        has_any |= taken != put.len();
        mended.extend_from_slice(put);
        rest = &rest[taken..];
    }
    has_any.then_some(mended)
}

/// The length of a text in quotes at the beginning of some bytes.
fn text_len(bytes: &[u8]) -> usize {
    let mut i = 1;
    while i < bytes.len() && bytes[i] != b'"' {
        i += if bytes[i] == b'\\' { 2 } else { 1 };
    }
    (i + 1).min(bytes.len())
}

/// What is wrong with a row that is no object.
fn no_json(row: &[u8], error: &serde_json::Error) -> Problem {
    if error.is_data() && serde_json::from_slice::<IgnoredAny>(row).is_ok() {
        return Problem::NoObject(shown(String::from_utf8_lossy(row).trim()));
    }
    Problem::NoJson(error.to_string())
}

fn shown(value: &str) -> String {
    value.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use super::super::reader::{Format, Reader};
    use super::*;
    use crate::columns::Column;

    fn read(text: &str, kind: Type) -> (Vec<Column>, Vec<(u64, Problem)>) {
        let keys = vec!["a".to_owned(), "b".to_owned()];
        let fields = (0..2).map(|i| Field::new(i, kind)).collect();
        let mut reader = Reader::new(Format::json(keys), fields, Vec::new());
        reader.feed(text.as_bytes());
        reader.end();
        reader.read(100);
        let batch = reader.take();
        let faults = batch
            .faults
            .into_iter()
            .map(|fault| (fault.line, fault.problem));
        (batch.columns, faults.collect())
    }

    #[test]
    fn values_have_the_types_that_json_gives_them() {
        let text = "{\"a\": 1.5, \"b\": \"x\\u00e9\"}\n\n{\"b\": null, \"c\": [1]}\n{\"b\": true, \"a\": NaN}\n";
        let (columns, faults) = read(text, Type::Unsettled);
        assert_eq!(faults, []);
        assert_eq!(format!("{:?}", columns[0]), "Numbers([1.5, NaN, NaN])");
        let codes = vec![0, crate::columns::MISSING, 1];
        assert_eq!(
            columns[1],
            Column::Texts {
                codes,
                values: vec!["xé".into(), "true".into()]
            }
        );
    }

    #[test]
    fn other_rows_are_bad() {
        let text = "[1]\n{\"a\": [2]}\n{\"a\": 1\n{\"a\": 1}\n{\"a\": \"x\"}\n{\"a\": 1} 2\n";
        let (columns, faults) = read(text, Type::Unsettled);
        assert_eq!(columns[0], Column::Numbers(vec![1.0]));
        assert_eq!(faults[0], (1, Problem::NoObject("[1]".into())));
        assert_eq!(faults[1], (2, Problem::Nested("[2]".into())));
        assert!(matches!(faults[2], (3, Problem::NoJson(_))));
        assert_eq!(faults[3], (5, Problem::NoNumber("\"x\"".into())));
        assert!(matches!(faults[4], (6, Problem::NoJson(_))));
    }

    #[test]
    fn strict_columns_take_numbers_and_truths_alone() {
        let row = |value| format!("{{\"a\": {value}, \"b\": true}}");
        let problem = |value| read(&row(value), Type::Strict).1.remove(0).1;
        assert_eq!(problem("null"), Problem::NoNumber("null".into()));
        assert_eq!(problem("\"2\""), Problem::NoNumber("\"2\"".into()));
        assert_eq!(problem("NaN"), Problem::TooLarge("NaN".into()));
        assert_eq!(problem("-Infinity"), Problem::TooLarge("-1e999".into()));
        assert_eq!(read("{\"a\": 1}", Type::Strict).1[0].1, Problem::NoKey);
        assert_eq!(
            read(&row("2"), Type::Strict).0,
            [Column::Numbers(vec![2.0]), Column::Numbers(vec![1.0])]
        );
    }
}
