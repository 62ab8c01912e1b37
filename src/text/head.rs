//! What the first lines of a file tell.

use std::fmt;

use memchr::memchr_iter;
use serde_json::{Map, Value};

use super::buffer::{Buffer, LONGEST, Next};
use super::cells::Cells;
use super::dialect::{Dialect, Wishes};
use super::encoding::Encoding;
use super::field::Type;
use super::number::{is_missing, is_missing_number, number};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Number of lines that are looked at.
const SAMPLE_LINES: usize = 512;

/// Number of rows by which a separator is judged.
const JUDGED: usize = 100;

/// What the first lines of a CSV file tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// How the file is written.
    pub dialect: Dialect,
    /// The names of the columns, without spaces around them; `None` if the first row is all numbers.
    pub names: Option<Vec<String>>,
    /// The type of each column.
    pub types: Vec<Type>,
    /// Number of bytes and of lines before the first row.
    pub n_bytes: usize,
    /// Number of lines before the first row.
    pub n_lines: usize,
}

/// A reason why a file has no head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoHead {
    /// The first line is too long.
    TooLong,
    /// The first line is no text in the encoding that was told.
    NoText,
}

impl fmt::Display for NoHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "the first line is too long",
            Self::NoText => "the first line is no text in this encoding",
        })
    }
}

impl std::error::Error for NoHead {}

impl Head {
    /// The head of a file that begins with these bytes, which may be all; `None` if there is no first row among them.
    pub fn of_csv(sample: &[u8], is_all: bool, wishes: &Wishes) -> Result<Option<Self>, NoHead> {
        let text = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(sample);
        let (n_before, n_all) = (sample.len() - text.len(), text.len());
        let text = first_lines(text);
        let is_all = is_all && text.len() == n_all;
        let encoding = wishes.encoding.unwrap_or_else(|| Encoding::of(text));
        let mut best: Option<(Score, Rows, u8)> = None;
        for separator in &wishes.separators {
            let Some(rows) = Rows::of(text, is_all, *separator, encoding)? else {
                return Ok(None);
            };
            let score = rows.score();
            if best.as_ref().is_none_or(|(other, ..)| score > *other) {
                best = Some((score, rows, *separator));
            }
        }
        let Some((_, rows, separator)) = best else {
            return Ok(None);
        };
        let decimal_comma = wishes
            .decimal_comma
            .unwrap_or_else(|| separator != b',' && rows.have_commas());
        let dialect = Dialect {
            separator,
            decimal_comma,
            encoding,
        };
        Ok(rows.head(dialect, is_all, n_before))
    }

    /// Number of columns.
    pub fn n_columns(&self) -> usize {
        self.types.len()
    }
}

/// Number of bytes and lines of the next row, if it is whole and not too long.
fn next_row(buffer: &mut Buffer, separator: u8) -> Option<(usize, usize)> {
    match buffer.next(Some(separator)) {
        Next::Row { len, n_lines, .. } => Some((len, usize::try_from(n_lines).unwrap_or(1))),
        Next::Open { first_line } => Some((first_line, 1)),
        Next::TooLong { .. } | Next::Wait => None,
    }
}

/// The lines that are looked at.
fn first_lines(text: &[u8]) -> &[u8] {
    let end = memchr_iter(b'\n', text).nth(SAMPLE_LINES - 1);
    end.map_or(text, |end| &text[..=end])
}

/// Whether there are several cells, the share of rows with as many as the first, in tenths, and their number.
type Score = (bool, usize, usize);

/// The first rows of a file, cut into cells.
struct Rows {
    cells: Vec<Vec<String>>,
    /// Number of bytes and lines up to the end of the first row, and up to its beginning.
    end: (usize, usize),
    start: (usize, usize),
}

impl Rows {
    fn of(
        text: &[u8],
        is_all: bool,
        separator: u8,
        encoding: Encoding,
    ) -> Result<Option<Self>, NoHead> {
        let mut buffer = Buffer::new();
        buffer.feed(text);
        if is_all {
            buffer.end();
        }
        let mut rows = Self {
            cells: Vec::new(),
            end: (0, 0),
            start: (0, 0),
        };
        let (mut place, mut cells) = ((0, 0), Cells::default());
        while let Some((len, n_lines)) = next_row(&mut buffer, separator) {
            let row = buffer.first(len);
            let after = (place.0 + len, place.1 + n_lines);
            let found = cut(row, separator, encoding, &mut cells);
            if rows.cells.is_empty() {
                if found.is_none() && !is_blank(row) {
                    return Err(NoHead::NoText);
                }
                (rows.start, rows.end) = (place, after);
            }
            rows.cells.extend(found);
            buffer.advance(len);
            place = after;
        }
        if rows.cells.is_empty() && text.len() > LONGEST {
            return Err(NoHead::TooLong);
        }
        Ok((!rows.cells.is_empty()).then_some(rows))
    }

    fn score(&self) -> Score {
        let n_cells = self.cells[0].len();
        let judged = &self.cells[..self.cells.len().min(JUDGED)];
        let n_alike = judged.iter().filter(|row| row.len() == n_cells).count();
        (n_cells > 1, 10 * n_alike / judged.len(), n_cells)
    }

    /// Returns true if more cells are numbers with a decimal comma than with a decimal point.
    fn have_commas(&self) -> bool {
        let cells = || self.cells.iter().flatten();
        let n_commas = cells()
            .filter(|cell| cell.contains(',') && number(cell, true).is_some())
            .count();
        let n_points = cells()
            .filter(|cell| cell.contains('.') && number(cell, false).is_some())
            .count();
        n_commas > n_points
    }

    /// The head; `None` if the first row is to come, after the names.
    fn head(mut self, dialect: Dialect, is_all: bool, n_before: usize) -> Option<Head> {
        let n_columns = self.cells[0].len();
        let is_data = {
            let mut filled = self.cells[0]
                .iter()
                .filter(|cell| !is_missing(cell))
                .peekable();
            filled.peek().is_some()
                && filled.all(|cell| number(cell, dialect.decimal_comma).is_some())
        };
        if !is_data && self.cells.len() == 1 && !is_all {
            return None;
        }
        let names = (!is_data).then(|| self.cells.remove(0));
        let (n_bytes, n_lines) = if is_data { self.start } else { self.end };
        let rows: Vec<_> = self
            .cells
            .iter()
            .filter(|row| row.len() == n_columns)
            .collect();
        let types =
            (0..n_columns).map(|i| type_of(rows.iter().map(|row| &*row[i]), dialect.decimal_comma));
        Some(Head {
            dialect,
            names,
            types: types.collect(),
            n_bytes: n_before + n_bytes,
            n_lines,
        })
    }
}

/// The cells of a row, without spaces around them; `None` if it is blank or no text.
fn cut(row: &[u8], separator: u8, encoding: Encoding, cells: &mut Cells) -> Option<Vec<String>> {
    if is_blank(row) {
        return None;
    }
    let text = encoding.text(row)?;
    let text = text.trim_end_matches(['\n', '\r']);
    let (text, spans) = cells.cut(text, separator);
    Some(
        spans
            .iter()
            .map(|(start, end)| text[*start..*end].trim().to_owned())
            .collect(),
    )
}

fn is_blank(row: &[u8]) -> bool {
    row.iter().all(|byte| matches!(byte, b' ' | b'\r' | b'\n'))
}

/// The type of a column with these cells: numbers if all that are there are.
fn type_of<'a>(cells: impl Iterator<Item = &'a str>, decimal_comma: bool) -> Type {
    let mut found = Type::Unsettled;
    for cell in cells.filter(|cell| !is_missing_number(cell)) {
        if number(cell, decimal_comma).is_none() {
            return Type::Text;
        }
        found = Type::Number;
    }
    found
}

/// The keys of the first object in some lines of JSON, and those that only later ones have; `None` if there is no object.
///
/// ```
/// let lines = b"{\"a\": 1}\n{\"b\": 2, \"a\": 3}\n";
/// assert_eq!(nystream::text::keys_of(lines), Some((vec!["a".into()], vec!["b".into()])));
/// ```
#[must_use]
pub fn keys_of(sample: &[u8]) -> Option<(Vec<String>, Vec<String>)> {
    let text = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(sample);
    let mut objects = text.split(|byte| *byte == b'\n').filter_map(object);
    let first: Vec<String> = objects.next()?.into_iter().map(|(key, _)| key).collect();
    let mut later = Vec::new();
    for (key, _) in objects.flatten() {
        if !first.contains(&key) && !later.contains(&key) {
            later.push(key);
        }
    }
    Some((first, later))
}

fn object(line: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(line)
        .or_else(|error| {
            let mended = super::json::with_infinities(line).ok_or(error)?;
            serde_json::from_slice(&mended)
        })
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head {
        Head::of_csv(text.as_bytes(), true, &Wishes::default())
            .unwrap()
            .unwrap()
    }

    #[test]
    fn the_dialect_is_recognised() {
        for (text, separator, decimal_comma) in [
            ("a,b\n1.5,2\n", b',', false),
            ("a;b\n1,5;2,5\n", b';', true),
            ("a;b\n1.5;2,5\n1.5;x\n", b';', false),
            ("a\tb\n1,5\t2\n", b'\t', true),
            ("a|b|c\nx, y|2|3\n", b'|', false),
            ("a,b\n\"x;y\",\"1,5\"\n", b',', false),
            ("name, first;town\nx;y\n", b';', false),
            ("a\n1\n", b',', false),
        ] {
            let dialect = head(text).dialect;
            assert_eq!(
                (dialect.separator, dialect.decimal_comma),
                (separator, decimal_comma),
                "{text}"
            );
        }
    }

    #[test]
    fn names_come_unless_the_first_row_is_numbers() {
        let found = head("\u{feff}\n a , \"b,c\" \n1,x\n,2\n");
        assert_eq!(found.names.unwrap(), ["a", "b,c"]);
        assert_eq!(found.types, [Type::Number, Type::Text]);
        assert_eq!((found.n_bytes, found.n_lines), (16, 2));
        let found = head("\n1,,3\n4,x,6\n");
        assert_eq!((found.names, found.n_bytes, found.n_lines), (None, 1, 1));
        assert_eq!(found.types, [Type::Number, Type::Text, Type::Number]);
    }

    #[test]
    fn a_pipe_waits_for_the_first_row_alone() {
        let head = |text: &str| Head::of_csv(text.as_bytes(), false, &Wishes::default()).unwrap();
        assert_eq!(head("a,b\n1,"), None);
        assert_eq!(head("1,2"), None);
        assert!(head("a,b\n1,2\n").is_some());
        assert!(head("1,2\n").is_some());
    }

    #[test]
    fn other_encodings_are_guessed() {
        let head = Head::of_csv(b"T(\xb0C),y\n1,2\n", true, &Wishes::default())
            .unwrap()
            .unwrap();
        assert_eq!(head.names.unwrap()[0], "T(°C)");
        let wishes = Wishes {
            encoding: Some(Encoding::Utf8),
            ..Wishes::default()
        };
        assert_eq!(
            Head::of_csv(b"T(\xb0C),y\n1,2\n", true, &wishes),
            Err(NoHead::NoText)
        );
    }

    #[test]
    fn columns_without_values_are_not_settled() {
        assert_eq!(
            head("a,b,c\n1,NA,-\n,,-\n").types,
            [Type::Number, Type::Unsettled, Type::Unsettled]
        );
    }
}
