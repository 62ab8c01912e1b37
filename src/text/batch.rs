//! Some rows of a file, and what is wrong with others.

use crate::columns::Column;

/// Rows that follow each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// The columns of the good rows.
    pub columns: Vec<Column>,
    /// Their labels, row by row; NaN where there is none.
    pub labels: Vec<f64>,
    /// The places of the good rows among all rows of the batch.
    pub rows: Vec<usize>,
    /// Their lines, counted from 1.
    pub lines: Vec<u64>,
    /// What is wrong with each of the other rows.
    pub faults: Vec<Fault>,
    /// Number of rows, good or bad.
    pub n_rows: usize,
}

/// A row that cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// Its place among all rows of the batch.
    pub row: usize,
    /// Its line, counted from 1.
    pub line: u64,
    /// The column that is wrong, if it is one.
    pub column: Option<usize>,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a row, and the value that is.
#[derive(Debug, Clone, PartialEq)]
pub enum Problem {
    /// A value that is no number, where there should be one.
    NoNumber(String),
    /// No value, where there should be one.
    NoValue,
    /// No key for a column.
    NoKey,
    /// A number that is not finite or too large.
    TooLarge(String),
    /// A value with values in it.
    Nested(String),
    /// As many cells, where there should be another number.
    Width(usize),
    /// Bytes that are no text in the encoding of the file.
    NoText,
    /// A quote that is not closed.
    Open,
    /// A line that is too long.
    TooLong,
    /// Text that is no JSON, and the reason.
    NoJson(String),
    /// JSON that is no object.
    NoObject(String),
}

impl Problem {
    /// The problem in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::NoNumber(_) => "number",
            Self::NoValue => "value",
            Self::NoKey => "key",
            Self::TooLarge(_) => "large",
            Self::Nested(_) => "nested",
            Self::Width(_) => "width",
            Self::NoText => "text",
            Self::Open => "open",
            Self::TooLong => "long",
            Self::NoJson(_) => "json",
            Self::NoObject(_) => "object",
        }
    }

    /// The value that is wrong, or the reason.
    pub fn value(&self) -> String {
        match self {
            Self::NoNumber(value)
            | Self::TooLarge(value)
            | Self::Nested(value)
            | Self::NoJson(value)
            | Self::NoObject(value) => value.clone(),
            Self::Width(n_cells) => n_cells.to_string(),
            Self::NoValue | Self::NoKey | Self::NoText | Self::Open | Self::TooLong => {
                String::new()
            }
        }
    }
}
