//! A table whose columns have been found and checked.

use std::collections::{HashMap, HashSet};

use super::Columns;
use super::encoders::Source;
use super::table::{Column, Table};

/// A table that [`Columns::check`] has checked, and what is known of its values so far.
///
/// It is for the columns that have checked it, and may be used while they learn. Each thread needs a copy of its own.
#[derive(Debug, Clone)]
pub struct Matched<'t> {
    table: &'t Table,
    /// The version of the columns that the sources are for.
    version: u64,
    /// The column of the table for each that is known, and the version of the known one that its source is for.
    columns: Vec<(Option<&'t Column>, u64)>,
    /// The values of these columns.
    sources: Vec<Source<'t>>,
}

impl<'t> Matched<'t> {
    pub(super) fn new(table: &'t Table) -> Self {
        Self {
            table,
            version: u64::MAX,
            columns: Vec::new(),
            sources: Vec::new(),
        }
    }

    /// The table.
    pub fn table(&self) -> &'t Table {
        self.table
    }

    /// The values of each column that is known.
    pub(super) fn sources(&mut self, known: &Columns) -> &mut [Source<'t>] {
        self.update(known);
        &mut self.sources
    }

    /// The column of the table for a known one.
    pub(super) fn column(&mut self, known: &Columns, i: usize) -> Option<&'t Column> {
        self.update(known);
        self.columns.get(i).and_then(|(column, _)| *column)
    }

    /// The names of columns that are not known.
    pub(super) fn new_names(&mut self, known: &Columns) -> Vec<&'t str> {
        self.update(known);
        let names = self.table.names();
        let n_found = self
            .columns
            .iter()
            .filter(|(column, _)| column.is_some())
            .count();
        if n_found == names.len() {
            return Vec::new();
        }
        let known: HashSet<&str> = known.all.iter().map(|known| &*known.name).collect();
        let new = names.iter().filter(|name| !known.contains(&***name));
        new.map(|name| &**name).collect()
    }

    /// Takes notice of how columns have changed.
    fn update(&mut self, known: &Columns) {
        if self.version == known.version {
            return;
        }
        self.version = known.version;
        let n_found = self.columns.len().min(known.all.len());
        let names = known.all[n_found..].iter().map(|known| &*known.name);
        for place in places(self.table, n_found, names) {
            let column = place.and_then(|place| self.table.columns().get(place));
            self.columns.push((column, u64::MAX));
            self.sources.push(Source::Nothing);
        }
        for ((column, version), (known_one, source)) in self
            .columns
            .iter_mut()
            .zip(known.all.iter().zip(&mut self.sources))
        {
            if *version != known_one.version {
                *version = known_one.version;
                let reading = known_one.reading;
                *source = column.map_or(Source::Nothing, |column| {
                    Source::of_column(column, reading, &known.settings)
                });
            }
        }
    }
}

/// The places in a table of columns of these names, the first of which is likely to be here.
pub(super) fn places<'a>(
    table: &Table,
    first: usize,
    names: impl Iterator<Item = &'a str>,
) -> Vec<Option<usize>> {
    let all = table.names();
    let mut by_name: Option<HashMap<&str, usize>> = None;
    let place = |(likely, name): (usize, &str)| {
        if all.get(likely).is_some_and(|found| found == name) {
            return Some(likely);
        }
        let index = || all.iter().zip(0..).map(|(name, i)| (&**name, i)).collect();
        by_name.get_or_insert_with(index).get(name).copied()
    };
    (first..).zip(names).map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_found_in_any_order() {
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let table =
            Table::new(0, names, vec![Column::Empty, Column::Empty, Column::Empty]).unwrap();
        let found = |first, names: &[&str]| places(&table, first, names.iter().copied());
        assert_eq!(found(0, &["a", "b", "c"]), [Some(0), Some(1), Some(2)]);
        assert_eq!(found(0, &["c", "d", "a"]), [Some(2), None, Some(0)]);
        assert_eq!(found(1, &["b", "a"]), [Some(1), Some(0)]);
    }
}
