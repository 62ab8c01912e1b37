//! Rows of a table that cannot be encoded, one by one.

use super::Columns;
use super::table::{Column, Table};
use crate::error::{ColumnProblem, Error};

/// The rows of a table that can be encoded, and those that cannot.
#[derive(Debug, Clone, PartialEq)]
pub struct Fitted {
    /// The rows that can be encoded; `None` if that is all of them.
    pub table: Option<Table>,
    /// Each row left out, and what is wrong with it first, in order.
    pub refused: Vec<(usize, ColumnProblem)>,
}

impl Columns {
    /// Leaves out the rows of a table that [`check`](Self::check) would refuse it for.
    ///
    /// ```
    /// use nystream::columns::{Column, Columns, Settings, Table};
    ///
    /// let sizes = Column::Numbers(vec![1.0, f64::INFINITY, 3.0]);
    /// let table = Table::new(3, vec!["size".into()], vec![sizes])?;
    /// let fitted = Columns::new(Settings::default(), 1)?.fit(&table)?;
    /// assert_eq!(fitted.table.unwrap().n_rows(), 2);
    /// assert_eq!(fitted.refused[0].0, 1);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn fit(&self, table: &Table) -> Result<Fitted, Error> {
        let (mut fitted, mut refused) = (None::<Table>, Vec::new());
        let mut left: Vec<usize> = (0..table.n_rows()).collect();
        while let Err(error) = self.check(fitted.as_ref().unwrap_or(table)) {
            let Error::Columns { problems } = error else {
                return Err(error);
            };
            let Some(rows) = rows_of(&problems) else {
                return Err(Error::Columns { problems });
            };
            // Rows after the first may be refused for it alone.
            let (row, problem) = rows;
            refused.push((left.remove(row), problem));
            fitted = Some(table.take(&left));
        }
        refused.sort_by_key(|(row, _)| *row);
        Ok(Fitted {
            table: fitted,
            refused,
        })
    }
}

/// The first row with a problem; `None` if there is a problem with a whole column.
fn rows_of(problems: &[ColumnProblem]) -> Option<(usize, ColumnProblem)> {
    let mut rows = Vec::with_capacity(problems.len());
    for problem in problems {
        match problem {
            ColumnProblem::NoValue { row, .. } | ColumnProblem::Value { row, .. } => {
                rows.push((*row, problem));
            }
            _ => return None,
        }
    }
    let first = rows.into_iter().min_by_key(|(row, _)| *row)?;
    Some((first.0, first.1.clone()))
}

impl Table {
    /// Some rows of the table.
    ///
    /// ```
    /// use nystream::columns::{Column, Table};
    ///
    /// let table = Table::new(3, vec!["size".into()], vec![Column::Numbers(vec![1.0, 2.0, 3.0])])?;
    /// assert_eq!(table.take(&[2, 0]).columns()[0], Column::Numbers(vec![3.0, 1.0]));
    /// # Ok::<(), nystream::Error>(())
    /// ```
    #[must_use]
    pub fn take(&self, rows: &[usize]) -> Self {
        let columns = self.columns().iter().map(|column| column.take(rows));
        Self::trusted(rows.len(), self.names().to_vec(), columns.collect())
    }
}

impl Column {
    /// Number of rows without a value, of so many.
    #[must_use]
    pub fn n_missing(&self, n_rows: usize) -> usize {
        match self {
            Self::Empty => n_rows,
            Self::Numbers(numbers) => numbers.iter().filter(|number| number.is_nan()).count(),
            Self::Truths(truths) => truths.iter().filter(|truth| truth.is_none()).count(),
            Self::Times(times) => times.iter().filter(|time| time.is_none()).count(),
            Self::Texts { codes, values } => {
                let is_blank: Vec<bool> =
                    values.iter().map(|value| value.trim().is_empty()).collect();
                let is_missing =
                    |code: &&u32| is_blank.get(**code as usize).copied().unwrap_or(true);
                codes.iter().filter(is_missing).count()
            }
        }
    }

    fn take(&self, rows: &[usize]) -> Self {
        match self {
            Self::Empty => Self::Empty,
            Self::Numbers(numbers) => Self::Numbers(some(numbers, rows)),
            Self::Truths(truths) => Self::Truths(some(truths, rows)),
            Self::Times(times) => Self::Times(some(times, rows)),
            Self::Texts { codes, values } => {
                let (codes, values) = (some(codes, rows), values.clone());
                Self::Texts { codes, values }
            }
        }
    }
}

fn some<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|row| values[*row]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Settings;
    use crate::columns::learn::tests::{columns, learn};
    use crate::columns::table::tests::{table, texts};

    #[test]
    fn rows_are_left_out_one_by_one() {
        let mut columns = columns(Settings::default());
        let numbers = |numbers: &[f64]| Column::Numbers(numbers.to_vec());
        learn(
            &mut columns,
            &table([("a", numbers(&[1.0])), ("b", texts(["x"]))]),
        );
        let wrong = table([
            ("a", numbers(&[1.0, 1e200, 3.0, f64::INFINITY])),
            ("b", texts(["x"; 4])),
        ]);
        let fitted = columns.fit(&wrong).unwrap();
        let rows: Vec<_> = fitted.refused.iter().map(|(row, _)| *row).collect();
        assert_eq!(rows, [1, 3]);
        assert_eq!(fitted.table.unwrap().columns()[0], numbers(&[1.0, 3.0]));
        let fitted = columns
            .fit(&table([("a", numbers(&[2.0])), ("b", texts(["y"]))]))
            .unwrap();
        assert_eq!((fitted.table, &*fitted.refused), (None, &[][..]));
        assert!(columns.fit(&table([("c", numbers(&[1.0]))])).is_err());
    }
}
