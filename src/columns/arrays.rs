//! Arrays as tables: columns of numbers without names, in which NaN stands for a missing value.

use super::encoders::Encoder;
use super::kind::Kind;
use super::reading::Reading;
use super::table::{Column, Table};
use super::{Columns, Known};
use crate::data::{Number, Rows};

impl Columns {
    /// Begins to learn rows of arrays of this width.
    pub(crate) fn begin_numbers(&mut self, width: usize) {
        self.is_named = false;
        if !self.keeps_first_rows() {
            self.first = None;
        }
        self.add_numbers(width);
    }

    /// Goes on from so many rows of numbers, which were learned without columns, with these names if there are any.
    pub(crate) fn go_on(&mut self, width: usize, n_rows: u64, names: Option<&[String]>) {
        self.begin_numbers(width);
        (self.n_rows, self.is_named) = (n_rows, names.is_some());
        for (known, name) in self.all.iter_mut().zip(names.unwrap_or_default()) {
            known.name.clone_from(name);
        }
        self.names = self.all.iter().map(|known| known.name.clone()).collect();
    }

    /// Adds columns of numbers until there are so many.
    pub(crate) fn add_numbers(&mut self, width: usize) {
        for i in self.all.len()..width {
            self.all.push(Known::new(i.to_string()));
            self.begin(i, Some(Reading::of(Kind::Number)));
        }
    }

    /// Returns true if the first rows of such columns are kept: those of arrays tell scales alone.
    pub(super) fn keeps_first_rows(&self) -> bool {
        self.is_named || self.settings.scale
    }

    /// Number of columns, once one is known.
    pub(crate) fn n_columns(&self) -> Option<usize> {
        (!self.all.is_empty()).then_some(self.all.len())
    }

    /// Returns true if columns have names, or nothing has been learned.
    pub(crate) fn is_named(&self) -> bool {
        self.is_named
    }

    /// Returns true if the numbers of a row of an array are its features, unless one is missing.
    pub(crate) fn takes_numbers_as_they_are(&self) -> bool {
        !self.is_named && self.width() == self.all.len() && self.settings.missing_values.is_empty()
    }

    /// Learns the numbers of a row of an array, none of which is missing.
    pub(crate) fn learn_numbers(&mut self, x: &[f64]) {
        for (known, number) in self.all.iter_mut().zip(x) {
            if let Encoder::Number(encoder) = &mut known.encoder {
                encoder.note(*number);
            }
        }
        self.n_rows = self.n_rows.saturating_add(1);
    }

    /// The rows of an array as a table, whose columns have the names of those that are known, in their order.
    pub(crate) fn table_of<T: Number>(&self, rows: &Rows<'_, T>) -> Table {
        let name = |i: usize| {
            self.all
                .get(i)
                .map_or_else(|| i.to_string(), |known| known.name.clone())
        };
        let column = |i: usize| Column::Numbers(rows.iter().map(|x| x[i].into()).collect());
        let width = rows.n_features();
        Table::trusted(
            rows.len(),
            (0..width).map(name).collect(),
            (0..width).map(column).collect(),
        )
    }

    /// A table with the names of columns that have none of their own, if it has as many.
    pub(crate) fn renamed(&self, table: &Table) -> Option<Table> {
        let is_needed = !self.is_named && table.names().len() == self.all.len();
        let names = self.all.iter().map(|known| known.name.clone());
        is_needed.then(|| Table::trusted(table.n_rows(), names.collect(), table.columns().to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Change, OnMissing, Settings};

    const GAP: f64 = f64::NAN;

    fn rows(data: &[f64]) -> Rows<'_> {
        Rows::with_gaps(data, 2).unwrap()
    }

    #[test]
    fn numbers_are_their_own_features_until_one_is_missing() {
        let mut columns = Columns::new(Settings::default(), 1).unwrap();
        columns.begin_numbers(2);
        for x in [[1.0, 5.0], [2.0, 7.0], [3.0, 9.0]] {
            columns.learn_numbers(&x);
        }
        assert!(columns.takes_numbers_as_they_are() && columns.is_settled());
        let table = columns.table_of(&rows(&[4.0, GAP, GAP, 1.0]));
        let (mut matched, mut x) = (columns.check(&table).unwrap(), Vec::new());
        columns.encode(&mut matched, 0, &mut x);
        assert_eq!(x, [4.0, 7.0]);
        assert_eq!(columns.learn(&mut matched, 0, &[1.0], 1.0), Change::Wider);
        assert!(!columns.takes_numbers_as_they_are());
        columns.encode(&mut matched, 0, &mut x);
        assert_eq!(x, [4.0, 7.0, 1.0]);
        columns.encode(&mut matched, 1, &mut x);
        assert_eq!(x, [2.5, 1.0, 0.0]);
    }

    #[test]
    fn a_gap_is_an_error_if_the_user_says_so() {
        let missing = OnMissing::Error;
        let mut columns = Columns::new(
            Settings {
                missing,
                ..Settings::default()
            },
            1,
        )
        .unwrap();
        columns.begin_numbers(2);
        let table = columns.table_of(&rows(&[1.0, 2.0, 1.0, GAP]));
        let message = columns.check(&table).unwrap_err().to_string();
        assert_eq!(message, "column \"1\" has no value in row 1");
    }
}
