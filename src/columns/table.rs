//! Tables: typed columns of equal length.

use std::collections::HashSet;

use super::cell::Cell;
use super::settings::Settings;
use crate::error::{ColumnProblem, Error};
use crate::runtime::Heap;

/// The code of a missing value.
pub const MISSING: u32 = u32::MAX;

/// Some rows of a table, column by column.
///
/// ```
/// use nystream::columns::{Column, Table};
///
/// let names = vec!["size".to_owned(), "color".to_owned()];
/// let colors = Column::Texts { codes: vec![0, 1, 0], values: vec!["red".into(), "blue".into()] };
/// let sizes = Column::Numbers(vec![1.0, f64::NAN, 3.0]);
/// let table = Table::new(3, names, vec![sizes, colors])?;
/// assert_eq!(table.n_rows(), 3);
///
/// let short = Table::new(4, vec!["size".into()], vec![Column::Numbers(vec![1.0])]);
/// assert_eq!(short.unwrap_err().to_string(), r#"column "size" should have 4 rows, but has 1"#);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    names: Vec<String>,
    columns: Vec<Column>,
    n_rows: usize,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Column {
    /// No value in any row: the type of the column is not known.
    Empty,
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Truths.
    Truths(Vec<Option<bool>>),
    /// Microseconds since 1970 on the wall clock of the column's own zone.
    Times(Vec<Option<i64>>),
    /// Texts.
    Texts {
        /// The index of each row's text; [`MISSING`] where there is none.
        codes: Vec<u32>,
        /// The texts, each once.
        values: Vec<String>,
    },
}

impl Table {
    /// A table of columns with these names, which are all different, and so many rows.
    pub fn new(n_rows: usize, names: Vec<String>, columns: Vec<Column>) -> Result<Self, Error> {
        if names.len() != columns.len() {
            return Err(Error::Names {
                argument: "names",
                problem: format!("should be {}, one for each column", columns.len()),
            });
        }
        let (mut known, mut problems) = (HashSet::with_capacity(names.len()), Vec::new());
        for (name, column) in names.iter().zip(&columns) {
            let twice = (!known.insert(name)).then(|| ColumnProblem::Repeated(name.clone()));
            problems.extend(twice);
            problems.extend(column.problem(name, n_rows));
        }
        if problems.is_empty() {
            return Ok(Self {
                names,
                columns,
                n_rows,
            });
        }
        Err(Error::Columns { problems })
    }

    /// A table of columns that are known to be right.
    pub(crate) fn trusted(n_rows: usize, names: Vec<String>, columns: Vec<Column>) -> Self {
        Self {
            names,
            columns,
            n_rows,
        }
    }

    /// The names of the columns.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The columns.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }
}

impl Heap for Table {
    fn heap_bytes(&self) -> usize {
        let names = self
            .names
            .iter()
            .map(|name| size_of::<String>() + name.capacity());
        let columns = self
            .columns
            .iter()
            .map(|column| size_of::<Column>() + column.heap_bytes());
        names.chain(columns).sum()
    }
}

impl Heap for Column {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::Numbers(numbers) => size_of_val(&**numbers),
            Self::Truths(truths) => size_of_val(&**truths),
            Self::Times(times) => size_of_val(&**times),
            Self::Texts { codes, values } => {
                let values = values
                    .iter()
                    .map(|value| size_of::<String>() + value.capacity());
                size_of_val(&**codes) + values.sum::<usize>()
            }
        }
    }
}

impl Column {
    /// What makes the column unfit for a table with so many rows.
    fn problem(&self, name: &str, n_rows: usize) -> Option<ColumnProblem> {
        if let Some(found) = self.len().filter(|len| *len != n_rows) {
            let (column, expected) = (name.to_owned(), n_rows);
            return Some(ColumnProblem::Length {
                column,
                expected,
                found,
            });
        }
        let Self::Texts { codes, values } = self else {
            return None;
        };
        let is_wrong = |code: &u32| *code != MISSING && *code as usize >= values.len();
        codes
            .iter()
            .position(is_wrong)
            .map(|row| ColumnProblem::Code {
                column: name.to_owned(),
                row,
                code: codes[row],
                n_values: values.len(),
            })
    }

    /// Number of rows, unless any number will do.
    pub(super) fn len(&self) -> Option<usize> {
        match self {
            Self::Empty => None,
            Self::Numbers(numbers) => Some(numbers.len()),
            Self::Truths(truths) => Some(truths.len()),
            Self::Times(times) => Some(times.len()),
            Self::Texts { codes, .. } => Some(codes.len()),
        }
    }

    /// The value of a row; missing beyond the last.
    pub(super) fn cell(&self, row: usize, settings: &Settings) -> Cell<'_> {
        let cell = match self {
            Self::Empty => None,
            Self::Numbers(numbers) => {
                let number = numbers
                    .get(row)
                    .filter(|number| !settings.is_missing(**number));
                number.map(|number| Cell::Number(*number))
            }
            Self::Truths(truths) => truths.get(row).copied().flatten().map(Cell::Truth),
            Self::Times(times) => times.get(row).copied().flatten().map(Cell::Time),
            Self::Texts { codes, values } => {
                let value = codes.get(row).and_then(|code| values.get(*code as usize));
                value.map(|value| Cell::of_text(value))
            }
        };
        cell.unwrap_or(Cell::Missing)
    }

    /// The values of some rows.
    pub(super) fn cells<'a>(
        &'a self,
        rows: impl Iterator<Item = usize> + 'a,
        settings: &'a Settings,
    ) -> impl Iterator<Item = Cell<'a>> + 'a {
        rows.map(|row| self.cell(row, settings))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A table of these columns, of which the first is not empty.
    pub(in crate::columns) fn table<const N: usize>(columns: [(&str, Column); N]) -> Table {
        let n_rows = columns[0].1.len().unwrap();
        let named = columns.map(|(name, column)| (name.to_owned(), column));
        let (names, columns) = named.into_iter().unzip();
        Table::new(n_rows, names, columns).unwrap()
    }

    /// A column of texts; an empty one is missing.
    pub(in crate::columns) fn texts<T: ToString>(texts: impl IntoIterator<Item = T>) -> Column {
        let (mut codes, mut values) = (Vec::new(), Vec::<String>::new());
        for text in texts {
            let text = text.to_string();
            let known = values.iter().position(|value| *value == text);
            codes.push(u32::try_from(known.unwrap_or(values.len())).unwrap());
            if known.is_none() {
                values.push(text);
            }
        }
        Column::Texts { codes, values }
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let codes = Column::Texts {
            codes: vec![MISSING, 0, 2],
            values: vec!["x".into()],
        };
        let columns = vec![Column::Numbers(vec![0.0]), Column::Empty, codes];
        let error = Table::new(3, names(&["a", "a", "b"]), columns).unwrap_err();
        let expected = "column \"a\" should have 3 rows, but has 1; column \"a\" comes twice; \
                        column \"b\" should have codes below 1, but is 2 in row 2";
        assert_eq!(error.to_string(), expected);
        assert!(Table::new(0, names(&["a"]), vec![]).is_err());
    }

    #[test]
    fn cells_are_values_or_missing() {
        let missing_values = vec![-200.0];
        let settings = Settings {
            missing_values,
            ..Settings::default()
        };
        let texts = Column::Texts {
            codes: vec![1, MISSING, 0],
            values: vec!["  ".into(), " a".into()],
        };
        let cells: Vec<_> = texts.cells(0..4, &settings).collect();
        assert_eq!(cells[0], Cell::of_text("a"));
        assert!(cells[1..].iter().all(Cell::is_missing));
        let numbers = Column::Numbers(vec![f64::NAN, -200.0, 0.5]);
        let cells: Vec<_> = numbers.cells(0..3, &settings).collect();
        assert_eq!(cells, [Cell::Missing, Cell::Missing, Cell::Number(0.5)]);
        assert_eq!(
            Column::Truths(vec![Some(true)]).cell(0, &settings),
            Cell::Truth(true)
        );
        assert_eq!(
            Column::Times(vec![Some(7)]).cell(0, &settings),
            Cell::Time(7)
        );
        assert_eq!(Column::Empty.cell(0, &settings), Cell::Missing);
    }
}
