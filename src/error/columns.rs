//! What is wrong with a table.

use std::fmt;

/// A reason why a column of a table was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnProblem {
    /// A column that rows learned do not have.
    #[error("column {0:?} is new: the rows learned do not have it")]
    New(String),
    /// A column that rows learned have.
    #[error("column {0:?} is missing: the rows learned have it")]
    Missing(String),
    /// A column whose kind is stated.
    #[error("column {0:?} is missing: schema names it")]
    Stated(String),
    /// A name that two columns have.
    #[error("column {0:?} comes twice")]
    Repeated(String),
    /// A column with more or fewer rows than the table.
    #[error("column {column:?} should have {expected} rows, but has {found}")]
    Length {
        /// Name of the column.
        column: String,
        /// Number of rows of the table.
        expected: usize,
        /// Number of rows of the column.
        found: usize,
    },
    /// A code without a value.
    #[error("column {column:?} should have codes below {n_values}, but is {code} in row {row}")]
    Code {
        /// Name of the column.
        column: String,
        /// The row.
        row: usize,
        /// The code.
        code: u32,
        /// Number of values that there are codes for.
        n_values: usize,
    },
    /// A value that is missing, where none may be.
    #[error("column {column:?} has no value in row {row}")]
    NoValue {
        /// Name of the column.
        column: String,
        /// The first row without a value.
        row: usize,
    },
    /// A value that cannot be encoded.
    #[error("column {column:?} should be {expected}, but is {value} in row {row}")]
    Value {
        /// Name of the column.
        column: String,
        /// The first row with such a value.
        row: usize,
        /// The values that the column may have.
        expected: &'static str,
        /// The value.
        value: String,
    },
}

/// Writes problems one after the other.
pub(super) struct Listed<'a>(pub(super) &'a [ColumnProblem]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problems: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&problems.join("; "))
    }
}
