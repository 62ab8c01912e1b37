//! Checks of tables against the columns that are known.

use std::collections::HashSet;

use super::cell::Cell;
use super::demand::Demand;
use super::first_rows::SETTLED;
use super::infer::infer;
use super::kind::Kind;
use super::matched::places;
use super::table::{Column, Table};
use super::{Columns, Matched, OnMissing, OnNewColumns};
use crate::data::check_width;
use crate::error::{ColumnProblem, Error};

impl Columns {
    /// Finds the known columns in a table, and refuses the table if one of its rows could not be encoded once all before
    /// it have been learned.
    ///
    /// The error names every column that is wrong, with its first value that is. Nothing changes. Rows that are all
    /// learned are refused or not, however they are cut into tables.
    ///
    /// ```
    /// use nystream::columns::{Column, Columns, Settings, Table};
    ///
    /// let table = |column| Table::new(1, vec!["size".into()], vec![column]);
    /// let mut columns = Columns::new(Settings::default(), 1)?;
    /// let sizes = table(Column::Numbers(vec![5.0]))?;
    /// columns.learn(&mut columns.check(&sizes)?, 0, &[1.0], 1.0);
    ///
    /// let texts = table(Column::Texts { codes: vec![0], values: vec!["large".into()] })?;
    /// let error = columns.check(&texts).unwrap_err().to_string();
    /// assert_eq!(error, r#"column "size" should be a number, but is "large" in row 0"#);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn check<'t>(&self, table: &'t Table) -> Result<Matched<'t>, Error> {
        if !self.is_named {
            check_width("X", self.n_columns(), table.names().len())?;
        }
        let known = places(table, 0, self.all.iter().map(|known| &*known.name));
        let found: HashSet<usize> = known.iter().flatten().copied().collect();
        let mut problems = self.missing(table, &known);
        for (known, place) in (0..).zip(&known) {
            let place = place.and_then(|place| self.problem(Some(known), table, place));
            problems.extend(place);
        }
        for (place, name) in table.names().iter().enumerate() {
            if found.contains(&place) {
                continue;
            }
            if self.takes_new() {
                problems.extend(self.problem(None, table, place));
            } else if self.settings.on_new_columns == OnNewColumns::Error {
                problems.push(ColumnProblem::New(name.clone()));
            }
        }
        if problems.is_empty() {
            return Ok(Matched::new(table));
        }
        Err(Error::Columns { problems })
    }

    /// Returns true if columns that are not known may join.
    pub(super) fn takes_new(&self) -> bool {
        self.n_rows == 0 || self.settings.on_new_columns == OnNewColumns::Add
    }

    /// The columns that a table should have and has not.
    fn missing(&self, table: &Table, known: &[Option<usize>]) -> Vec<ColumnProblem> {
        if self.settings.on_new_columns != OnNewColumns::Error {
            return Vec::new();
        }
        if self.n_rows == 0 && self.is_named {
            let stated = self.settings.schema.keys();
            let missing = stated.filter(|name| !table.names().contains(name));
            return missing.cloned().map(ColumnProblem::Stated).collect();
        }
        let missing = self
            .all
            .iter()
            .zip(known)
            .filter(|(_, place)| place.is_none());
        let problems = missing.map(|(known, _)| ColumnProblem::Missing(known.name.clone()));
        problems.collect()
    }

    /// The first value of a column of a table that could not be encoded.
    fn problem(&self, known: Option<usize>, table: &Table, place: usize) -> Option<ColumnProblem> {
        let (name, column) = (table.names().get(place)?, table.columns().get(place)?);
        if let Some(row) = self.first_missing(known, name, column, table.n_rows()) {
            let column = name.clone();
            return Some(ColumnProblem::NoValue { column, row });
        }
        let (row, expected) = self.first_wrong(known, name, column)?;
        Some(ColumnProblem::Value {
            column: name.clone(),
            row,
            expected,
            value: column.cell(row, &self.settings).to_string(),
        })
    }

    /// The first row without a value of a column that is used, if missing values are errors.
    fn first_missing(
        &self,
        known: Option<usize>,
        name: &str,
        column: &Column,
        n_rows: usize,
    ) -> Option<usize> {
        let is_unused = known.is_some_and(|known| self.all[known].is_unused());
        let is_stated_unused = matches!(self.stated(name), Some(Kind::Unused(_)));
        if self.settings.missing == OnMissing::Fill || is_unused || is_stated_unused {
            return None;
        }
        let mut cells = column.cells(0..n_rows, &self.settings);
        cells.position(|cell| cell.is_missing())
    }

    /// The first row of a column that could not be encoded, and what its value should be.
    fn first_wrong(
        &self,
        known: Option<usize>,
        name: &str,
        column: &Column,
    ) -> Option<(usize, &'static str)> {
        let n_rows = column.len()?;
        let n_unsettled = SETTLED.saturating_sub(self.n_kept()).min(n_rows);
        let wrong = |demand: Demand, from, to| demand.first_wrong(column, from..to, &self.settings);
        if let Some(found) = wrong(self.unsettled(known, name), 0, n_unsettled) {
            return Some(found);
        }
        if n_unsettled == n_rows {
            return None;
        }
        let (demand, from) = self.settled(known, name, column, n_unsettled)?;
        wrong(demand, from, n_rows)
    }

    /// What values have to be before kinds are settled.
    fn unsettled(&self, known: Option<usize>, name: &str) -> Demand {
        let first = self.kept(known).find(|cell| !cell.is_missing());
        Demand::unsettled(self.stated(name), first)
    }

    /// What values have to be once kinds are settled, which they are when so many rows of a table are learned; and the
    /// row from which on they have to be.
    fn settled(
        &self,
        known: Option<usize>,
        name: &str,
        column: &Column,
        n_unsettled: usize,
    ) -> Option<(Demand, usize)> {
        let stated = self.stated(name);
        let read = if n_unsettled > 0 {
            let cells: Vec<_> = column.cells(0..n_unsettled, &self.settings).collect();
            infer(name, stated, self.kept(known).chain(&cells))
        } else {
            known.and_then(|known| self.all[known].reading)
        };
        if let Some(reading) = read {
            return Some((Demand::of_reading(reading), n_unsettled));
        }
        // The first value to come will tell the kind.
        let mut rows = n_unsettled..column.len()?;
        let first = rows.find(|row| !column.cell(*row, &self.settings).is_missing())?;
        let cell = column.cell(first, &self.settings);
        let reading = infer(name, stated, [cell].iter())?;
        Some((Demand::of_reading(reading), first))
    }

    /// The values of a known column in the rows kept.
    fn kept(&self, known: Option<usize>) -> impl Iterator<Item = &Cell<'_>> {
        let first = self.first.as_ref().zip(known);
        first
            .into_iter()
            .flat_map(|(first, known)| first.column(known))
    }

    /// Number of rows kept, or the number that settles the kinds if they are settled.
    fn n_kept(&self) -> usize {
        self.first
            .as_ref()
            .map_or(SETTLED, |first| first.rows().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::learn::tests::{columns, learn};
    use crate::columns::table::tests::{table, texts};
    use crate::columns::{Kind, Settings, Why};

    fn numbers(numbers: impl IntoIterator<Item = f64>) -> Column {
        Column::Numbers(numbers.into_iter().collect())
    }

    fn message(columns: &Columns, table: &Table) -> String {
        columns
            .check(table)
            .map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let mut columns = columns(Settings::default());
        let first = [
            ("a", numbers([1.0])),
            ("b", numbers([1.0])),
            ("c", texts(["x"])),
        ];
        learn(&mut columns, &table(first));
        let wrong = [
            ("d", numbers([0.0; 2])),
            ("c", numbers([1.0, f64::INFINITY])),
            ("a", texts(["", "x"])),
        ];
        let expected = "column \"b\" is missing: the rows learned have it; \
                        column \"a\" should be a number, but is \"x\" in row 1; \
                        column \"c\" should be a number of magnitude at most 1e100, but is inf in row 1; \
                        column \"d\" is new: the rows learned do not have it";
        assert_eq!(message(&columns, &table(wrong)), expected);
    }

    #[test]
    fn columns_whose_kind_is_stated_have_to_come_and_to_be_of_it() {
        let schema = [
            ("a".to_owned(), Kind::Number),
            ("b".to_owned(), Kind::Unused(Why::Stated)),
            ("c".to_owned(), Kind::Time),
        ];
        let settings = Settings {
            schema: schema.into(),
            ..Settings::default()
        };
        let columns = columns(settings);
        let wrong = table([("a", texts(["1"])), ("b", numbers([f64::INFINITY]))]);
        let expected = "column \"c\" is missing: schema names it; \
                        column \"a\" should be a number, but is \"1\" in row 0";
        assert_eq!(message(&columns, &wrong), expected);
        let right = |time| table([("a", numbers([1.0])), ("b", numbers([1.0])), ("c", time)]);
        assert_eq!(message(&columns, &right(numbers([1e9]))), "");
        assert_eq!(message(&columns, &right(texts(["13/01/2013"]))), "");
        let message = message(&columns, &right(numbers([1e50])));
        assert_eq!(
            message,
            "column \"c\" should be a time, but is 1e50 in row 0"
        );
    }

    /// Times, with something else in one row.
    fn times(n: usize, other: usize) -> Table {
        let text = |row| if row == other { "none" } else { "12:30" };
        table([("a", texts((0..n).map(text)))])
    }

    #[test]
    fn a_text_that_is_no_time_is_refused_once_kinds_are_settled() {
        let expected = |row| format!("column \"a\" should be a time, but is \"none\" in row {row}");
        for (n_before, row) in [(0, 256), (200, 56), (200, 70), (256, 0), (300, 1)] {
            let mut columns = columns(Settings::default());
            learn(&mut columns, &times(n_before, usize::MAX));
            assert_eq!(message(&columns, &times(100 + row, row)), expected(row));
        }
        for (n_before, row) in [(0, 255), (200, 55)] {
            let mut columns = columns(Settings::default());
            learn(&mut columns, &times(n_before, usize::MAX));
            assert_eq!(message(&columns, &times(100 + row, row)), "");
            learn(&mut columns, &times(100 + row, row));
            let kind = columns.schema().next().unwrap().kind;
            assert_eq!(kind, Some(Kind::Category));
        }
    }

    #[test]
    fn the_first_value_tells_what_those_after_it_have_to_be() {
        let late = (0..400).map(|row| if row < 300 { "" } else { "12:30" });
        let wrong = late.clone().chain(["x"]);
        for n_cut in [0, 100, 290, 301, 350] {
            let mut columns = columns(Settings::default());
            learn(
                &mut columns,
                &table([("a", texts(late.clone().take(n_cut)))]),
            );
            let rest = table([("a", texts(wrong.clone().skip(n_cut)))]);
            let expected = format!("in row {}", 400 - n_cut);
            assert!(message(&columns, &rest).ends_with(&expected), "{n_cut}");
        }
    }
}
