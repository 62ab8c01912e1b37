//! Reads rows of text that comes in blocks.

use std::borrow::Cow;

use super::batch::{Batch, Fault, Problem};
use super::buffer::{Buffer, Next};
use super::cells::Cells;
use super::dialect::Dialect;
use super::field::Field;
use super::json::Json;
use crate::columns::Column;

/// The format of a text.
#[derive(Debug, Clone)]
pub struct Format(Rows);

#[derive(Debug, Clone)]
enum Rows {
    Csv {
        dialect: Dialect,
        n_columns: usize,
        cells: Cells,
    },
    Json(Json),
}

impl Format {
    /// CSV of a dialect, with so many cells in a row.
    pub fn csv(dialect: Dialect, n_columns: usize) -> Self {
        let cells = Cells::default();
        Self(Rows::Csv {
            dialect,
            n_columns,
            cells,
        })
    }

    /// JSON lines, objects with these keys.
    pub fn json(keys: Vec<String>) -> Self {
        Self(Rows::Json(Json::new(keys)))
    }

    /// The separator of cells that may go on over lines.
    fn separator(&self) -> Option<u8> {
        match &self.0 {
            Rows::Csv { dialect, .. } => Some(dialect.separator),
            Rows::Json(_) => None,
        }
    }
}

/// What is wrong with a row, and in which column.
type Wrong = (Option<usize>, Problem);

/// Reads rows from blocks of bytes.
#[derive(Debug, Clone)]
pub struct Reader {
    format: Format,
    buffer: Buffer,
    features: Vec<Field>,
    labels: Vec<Field>,
    /// Number of lines before the next row.
    n_lines: u64,
    /// Number of bytes up to the end of the last row.
    n_bytes: u64,
    n_rows: usize,
    rows: Vec<usize>,
    lines: Vec<u64>,
    faults: Vec<Fault>,
}

impl Reader {
    /// A reader of some columns.
    pub fn new(format: Format, features: Vec<Field>, labels: Vec<Field>) -> Self {
        Self {
            format,
            buffer: Buffer::new(),
            features,
            labels,
            n_lines: 0,
            n_bytes: 0,
            n_rows: 0,
            rows: Vec::new(),
            lines: Vec::new(),
            faults: Vec::new(),
        }
    }

    /// Begins at a place in the file, after so many bytes and lines.
    pub fn begin(&mut self, n_bytes: u64, n_lines: u64) {
        (self.n_bytes, self.n_lines) = (n_bytes, n_lines);
    }

    /// Sets the most bytes of a line, and whether a last line without its end is left unread.
    pub fn limit(&mut self, longest: usize, leaves_unfinished: bool) {
        self.buffer.limit(longest, leaves_unfinished);
    }

    /// Appends bytes.
    pub fn feed(&mut self, block: &[u8]) {
        self.buffer.feed(block);
    }

    /// Says that no more bytes will come.
    pub fn end(&mut self) {
        self.buffer.end();
    }

    /// Number of bytes up to the end of the last row that was read.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Number of lines up to the end of the last row that was read.
    pub fn n_lines(&self) -> u64 {
        self.n_lines
    }

    /// Returns true if there are bytes that were left unread at the end.
    pub fn has_rest(&self) -> bool {
        self.buffer.has_rest()
    }

    /// Reads until there are so many rows to be taken; returns false if more bytes are needed.
    pub fn read(&mut self, n_rows: usize) -> bool {
        while self.n_rows < n_rows {
            match self.buffer.next(self.format.separator()) {
                Next::Row {
                    len,
                    n_lines,
                    first_line,
                } => self.read_row(len, n_lines, first_line),
                Next::Open { first_line } => {
                    self.note((None, Problem::Open));
                    self.advance(first_line, 1);
                }
                Next::TooLong { n_bytes } => {
                    self.note((None, Problem::TooLong));
                    self.n_bytes += n_bytes as u64;
                    self.n_lines += 1;
                }
                Next::Wait => return false,
            }
        }
        true
    }

    fn read_row(&mut self, len: usize, n_lines: u64, first_line: usize) {
        let bytes = without_end(self.buffer.first(len));
        if bytes.iter().all(|byte| *byte == b' ' || *byte == b'\r') {
            return self.advance(len, n_lines);
        }
        let mut fields = (&mut *self.features, &mut *self.labels);
        match self.format.push(bytes, &mut fields) {
            Ok(()) => {
                self.rows.push(self.n_rows);
                self.lines.push(self.n_lines + 1);
                self.n_rows += 1;
                self.advance(len, n_lines);
            }
            // A quote that opened by mistake has been closed by a later one: only its own line is lost.
            Err((_, Problem::Width(_))) if n_lines > 1 => {
                self.note((None, Problem::Open));
                self.advance(first_line, 1);
            }
            Err(wrong) => {
                self.note(wrong);
                self.advance(len, n_lines);
            }
        }
    }

    /// Takes a row from the buffer.
    fn advance(&mut self, len: usize, n_lines: u64) {
        self.buffer.advance(len);
        self.n_bytes += len as u64;
        self.n_lines += n_lines;
    }

    /// Counts a bad row, and lets go of the values that were read of it.
    fn note(&mut self, (column, problem): Wrong) {
        let (row, line, n_good) = (self.n_rows, self.n_lines + 1, self.rows.len());
        self.features
            .iter_mut()
            .chain(&mut self.labels)
            .for_each(|field| field.truncate(n_good));
        self.faults.push(Fault {
            row,
            line,
            column,
            problem,
        });
        self.n_rows += 1;
    }

    /// The rows that have been read.
    pub fn take(&mut self) -> Batch {
        let columns = self.features.iter_mut().map(Field::take).collect();
        let (rows, lines) = (
            std::mem::take(&mut self.rows),
            std::mem::take(&mut self.lines),
        );
        Batch {
            columns,
            labels: row_by_row(&mut self.labels, rows.len()),
            rows,
            lines,
            faults: std::mem::take(&mut self.faults),
            n_rows: std::mem::take(&mut self.n_rows),
        }
    }
}

impl Format {
    /// Appends the values of a row, or says what is wrong with it; some of its values may have been appended then.
    fn push(&mut self, row: &[u8], fields: &mut Fields<'_>) -> Result<(), Wrong> {
        match &mut self.0 {
            Rows::Json(json) => json.push(row, fields),
            Rows::Csv {
                dialect,
                n_columns,
                cells,
            } => {
                let row: Cow<'_, str> =
                    dialect.encoding.text(row).ok_or((None, Problem::NoText))?;
                let (text, spans) = cells.cut(&row, dialect.separator);
                if spans.len() != *n_columns {
                    return Err((None, Problem::Width(spans.len())));
                }
                for field in fields.0.iter_mut().chain(&mut *fields.1) {
                    let (start, end) = spans[field.column()];
                    let pushed = field.push_cell(&text[start..end], dialect.decimal_comma);
                    pushed.map_err(|problem| (Some(field.column()), problem))?;
                }
                Ok(())
            }
        }
    }
}

/// Features and labels.
pub(super) type Fields<'a> = (&'a mut [Field], &'a mut [Field]);

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Columns of labels, row by row.
fn row_by_row(fields: &mut [Field], n_rows: usize) -> Vec<f64> {
    let columns: Vec<Column> = fields.iter_mut().map(Field::take).collect();
    let [Column::Numbers(labels)] = &*columns else {
        let mut labels = Vec::with_capacity(n_rows * columns.len());
        for row in 0..n_rows {
            labels.extend(columns.iter().map(|column| match column {
                Column::Numbers(numbers) => numbers[row],
                _ => f64::NAN,
            }));
        }
        return labels;
    };
    labels.clone()
}

#[cfg(test)]
mod tests {
    use super::super::encoding::Encoding;
    use super::super::field::Type;
    use super::*;

    fn reader(types: &[Type]) -> Reader {
        let dialect = Dialect {
            separator: b',',
            decimal_comma: false,
            encoding: Encoding::Utf8,
        };
        let fields = types
            .iter()
            .enumerate()
            .map(|(i, kind)| Field::new(i, *kind))
            .collect();
        let label = vec![Field::new(types.len(), Type::Label)];
        Reader::new(Format::csv(dialect, types.len() + 1), fields, label)
    }

    #[test]
    fn good_rows_are_read_and_bad_ones_are_told() {
        let mut reader = reader(&[Type::Number, Type::Text]);
        reader.feed(b"1,x,5\n\n2,y\nz,x,3\n,\"a\nb\",\n3,x,6\n");
        assert!(reader.read(4) && !reader.read(6));
        reader.end();
        let batch = reader.take();
        assert_eq!(
            (batch.n_rows, &*batch.rows, &*batch.lines),
            (5, &[0, 3, 4][..], &[1, 5, 7][..])
        );
        let faults: Vec<_> = batch
            .faults
            .iter()
            .map(|fault| (fault.row, fault.line, fault.column))
            .collect();
        assert_eq!(faults, [(1, 3, None), (2, 4, Some(0))]);
        let [Column::Numbers(numbers), Column::Texts { codes, values }] = &*batch.columns else {
            panic!("{batch:?}");
        };
        assert_eq!(format!("{numbers:?}"), "[1.0, NaN, 3.0]");
        assert_eq!(
            (&**codes, &**values),
            (&[0, 1, 0][..], &["x".to_owned(), "a\nb".to_owned()][..])
        );
        assert_eq!(format!("{:?}", batch.labels), "[5.0, NaN, 6.0]");
        assert_eq!((reader.n_bytes(), reader.n_lines()), (31, 7));
    }

    #[test]
    fn a_quote_by_mistake_costs_its_own_line() {
        let mut reader = reader(&[Type::Text]);
        reader.feed(b"\"x,1\na,2\n\"b\",3\n");
        reader.end();
        reader.read(10);
        let batch = reader.take();
        assert_eq!((batch.rows, batch.labels), (vec![1, 2], vec![2.0, 3.0]));
        assert_eq!(batch.faults[0].problem, Problem::Open);
    }
}
