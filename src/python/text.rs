//! Reading text: CSV and JSON lines.
#![allow(clippy::needless_pass_by_value, reason = "Python hands over lists")]

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::tables::Table;
use crate::columns;
use crate::text::{Batch, Dialect, Encoding, Field, Format, Head, Reader, Type, Wishes, keys_of};

/// The place of a column in the file, its name, and how it is read.
type Column = (usize, String, String);

/// A bad row: its place, its line, its column, and what is wrong with what.
type Fault = (usize, u64, Option<usize>, &'static str, String);

/// Rows that follow each other: the good ones as a table, their labels, places and lines; and the bad ones.
type Rows<'py> = (
    Table,
    Bound<'py, PyAny>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Vec<Fault>,
    usize,
);

/// A reader of text that is fed with bytes, and gives tables.
#[pyclass(module = "nystream._core")]
pub(super) struct TextReader {
    reader: Reader,
    names: Vec<String>,
    n_targets: usize,
}

#[pymethods]
impl TextReader {
    /// A reader of CSV with so many columns.
    #[staticmethod]
    fn csv(
        dialect: (char, bool, String),
        n_columns: usize,
        features: Vec<Column>,
        targets: Vec<usize>,
        missing: Vec<f64>,
    ) -> PyResult<Self> {
        let (separator, decimal_comma, encoding) = dialect;
        let encoding = encoding_of(&encoding)?;
        let dialect = Dialect {
            separator: byte(separator)?,
            decimal_comma,
            encoding,
        };
        Self::of(
            Format::csv(dialect, n_columns),
            n_columns,
            features,
            &targets,
            &missing,
        )
    }

    /// A reader of JSON lines, objects with these keys.
    #[staticmethod]
    fn json(
        keys: Vec<String>,
        features: Vec<Column>,
        targets: Vec<usize>,
        missing: Vec<f64>,
    ) -> PyResult<Self> {
        let n_columns = keys.len();
        Self::of(Format::json(keys), n_columns, features, &targets, &missing)
    }

    /// Begins after so many bytes and lines.
    fn begin(&mut self, n_bytes: u64, n_lines: u64) {
        self.reader.begin(n_bytes, n_lines);
    }

    /// Sets the most bytes of a line, and whether a last line without its end is left unread.
    fn limit(&mut self, longest: usize, leaves_unfinished: bool) {
        self.reader.limit(longest, leaves_unfinished);
    }

    /// Appends bytes.
    fn feed(&mut self, block: &Bound<'_, PyBytes>) {
        self.reader.feed(block.as_bytes());
    }

    /// Says that no more bytes will come.
    fn end(&mut self) {
        self.reader.end();
    }

    /// Reads until there are so many rows; returns False if more bytes are needed.
    fn read(&mut self, py: Python<'_>, n_rows: usize) -> bool {
        py.detach(|| self.reader.read(n_rows))
    }

    /// The rows that have been read.
    fn take<'py>(&mut self, py: Python<'py>) -> PyResult<Rows<'py>> {
        let Batch {
            columns,
            labels,
            rows,
            lines,
            faults,
            n_rows,
        } = self.reader.take();
        let table = columns::Table::new(rows.len(), self.names.clone(), columns)?;
        let labels = PyArray1::from_vec(py, labels);
        let labels = match self.n_targets {
            1 => labels.into_any(),
            n_targets => labels.reshape((rows.len(), n_targets))?.into_any(),
        };
        let rows = PyArray1::from_iter(
            py,
            rows.into_iter()
                .map(|row| i64::try_from(row).unwrap_or(i64::MAX)),
        );
        let lines = PyArray1::from_iter(py, lines.into_iter().map(u64::cast_signed));
        let faults = faults.into_iter().map(|fault| {
            let (name, value) = (fault.problem.name(), fault.problem.value());
            (fault.row, fault.line, fault.column, name, value)
        });
        Ok((table.into(), labels, rows, lines, faults.collect(), n_rows))
    }

    /// Number of bytes up to the end of the last row.
    #[getter]
    fn n_bytes(&self) -> u64 {
        self.reader.n_bytes()
    }

    /// Number of lines up to the end of the last row.
    #[getter]
    fn n_lines(&self) -> u64 {
        self.reader.n_lines()
    }

    /// True if bytes were left unread at the end.
    #[getter]
    fn has_rest(&self) -> bool {
        self.reader.has_rest()
    }
}

impl TextReader {
    fn of(
        format: Format,
        n_columns: usize,
        features: Vec<Column>,
        targets: &[usize],
        missing: &[f64],
    ) -> PyResult<Self> {
        let (mut names, mut fields) = (Vec::new(), Vec::new());
        for (column, name, kind) in features {
            fields.push(Field::new(within(column, n_columns)?, kind_of(&kind)?));
            names.push(name);
        }
        let label = |column: &usize| {
            Ok(Field::new(within(*column, n_columns)?, Type::Label).with_missing(missing.to_vec()))
        };
        let labels: PyResult<Vec<Field>> = targets.iter().map(label).collect();
        let reader = Reader::new(format, fields, labels?);
        Ok(Self {
            reader,
            names,
            n_targets: targets.len(),
        })
    }
}

/// What the first bytes of a CSV file tell: dialect, names, types of columns, and the bytes and lines before the first
/// row. None if there is no first row yet.
#[pyfunction]
#[pyo3(signature = (sample, is_all, separators, decimal=None, encoding=None))]
#[allow(clippy::type_complexity, reason = "Python takes it apart")]
pub(super) fn csv_head(
    sample: &Bound<'_, PyBytes>,
    is_all: bool,
    separators: &str,
    decimal: Option<char>,
    encoding: Option<&str>,
) -> PyResult<
    Option<(
        (char, bool, &'static str),
        Option<Vec<String>>,
        Vec<&'static str>,
        usize,
        usize,
    )>,
> {
    let separators: PyResult<Vec<u8>> = separators.chars().map(byte).collect();
    let wishes = Wishes {
        separators: separators?,
        decimal_comma: decimal.map(|sign| sign == ','),
        encoding: encoding.map(encoding_of).transpose()?,
    };
    let head = Head::of_csv(sample.as_bytes(), is_all, &wishes);
    let head = head.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(head.map(|head| {
        let Dialect {
            separator,
            decimal_comma,
            encoding,
        } = head.dialect;
        let types = head.types.into_iter().map(name_of).collect();
        let dialect = (char::from(separator), decimal_comma, encoding.name());
        (dialect, head.names, types, head.n_bytes, head.n_lines)
    }))
}

/// The keys of the first JSON object in some lines, and those that only later ones have; None if there is no object.
#[pyfunction]
pub(super) fn json_keys(sample: &Bound<'_, PyBytes>) -> Option<(Vec<String>, Vec<String>)> {
    keys_of(sample.as_bytes())
}

const TYPES: [(Type, &str); 5] = [
    (Type::Unsettled, "unsettled"),
    (Type::Number, "number"),
    (Type::Text, "text"),
    (Type::Skipped, "skipped"),
    (Type::Strict, "strict"),
];

fn kind_of(name: &str) -> PyResult<Type> {
    let found = TYPES.iter().find(|(_, known)| *known == name);
    found
        .map(|(kind, _)| *kind)
        .ok_or_else(|| PyValueError::new_err(format!("there is no type {name}")))
}

fn name_of(kind: Type) -> &'static str {
    let found = TYPES.iter().find(|(known, _)| *known == kind);
    found.map_or("label", |(_, name)| name)
}

fn encoding_of(name: &str) -> PyResult<Encoding> {
    let wrong = || {
        PyValueError::new_err(format!(
            "encoding should be utf-8, latin-1 or windows-1252, but is {name:?}"
        ))
    };
    Encoding::of_name(name).ok_or_else(wrong)
}

fn byte(sign: char) -> PyResult<u8> {
    let wrong = |_| {
        PyValueError::new_err(format!(
            "separator should be an ASCII character, but is {sign:?}"
        ))
    };
    u8::try_from(sign).map_err(wrong).and_then(|byte| {
        let is_right = byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r');
        is_right.then_some(byte).ok_or_else(|| PyValueError::new_err(format!(
            "separator should be an ASCII character that is no quote and no line end, but is {sign:?}"
        )))
    })
}

fn within(column: usize, n_columns: usize) -> PyResult<usize> {
    let wrong = || PyValueError::new_err(format!("there is no column {column}"));
    (column < n_columns).then_some(column).ok_or_else(wrong)
}
