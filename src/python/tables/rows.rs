//! Rows as dicts of names and values.

use std::collections::HashMap;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::{name, named, values, wrong_value};
use crate::columns::{ColumnBuilder, Table};
use crate::python::arrays::wrong_type;

type Item<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// A dict as a table of one row.
pub(super) fn of_dict(argument: &str, row: &Bound<'_, PyDict>) -> PyResult<Table> {
    let (mut names, mut columns) = (Vec::with_capacity(row.len()), Vec::with_capacity(row.len()));
    for (key, value) in items(row) {
        let name = name(argument, &key)?;
        let mut column = ColumnBuilder::default();
        if !values::push(&mut column, &value)? {
            return Err(wrong_value(argument, &name, None, &value));
        }
        names.push(name.into_owned());
        columns.push(column.finish());
    }
    named(argument, 1, names, columns)
}

/// A list of dicts as a table; `None` for a list of something else.
pub(super) fn of_list(argument: &str, list: &Bound<'_, PyList>) -> PyResult<Option<Table>> {
    let is_table = list
        .iter()
        .next()
        .is_some_and(|row| row.is_instance_of::<PyDict>());
    if is_table {
        of_dicts(argument, list).map(Some)
    } else {
        Ok(None)
    }
}

/// A list of dicts, which may be empty, as a table.
pub(super) fn of_dicts(argument: &str, list: &Bound<'_, PyList>) -> PyResult<Table> {
    let mut columns = Columns::default();
    for (i, row) in list.iter().enumerate() {
        let row = row.cast::<PyDict>();
        let row = row.map_err(|_| {
            let wrong = list.get_item(i).unwrap_or_else(|_| list.clone().into_any());
            wrong_type(&format!("row {i} of {argument}"), "a dict", &wrong)
        })?;
        columns.push(argument, row)?;
    }
    let finished = columns.all.into_iter().map(ColumnBuilder::finish);
    named(argument, columns.n_rows, columns.names, finished.collect())
}

/// Names and values. They are taken out before any of them is looked at, which may run code that changes the dict.
fn items<'py>(row: &Bound<'py, PyDict>) -> Vec<Item<'py>> {
    row.iter().collect()
}

/// Columns of which rows know only some.
#[derive(Default)]
struct Columns<'py> {
    names: Vec<String>,
    all: Vec<ColumnBuilder>,
    /// The keys of the first row with each column: most rows have the same, in the same order.
    keys: Vec<Bound<'py, PyAny>>,
    places: HashMap<String, usize>,
    n_rows: usize,
}

impl<'py> Columns<'py> {
    fn push(&mut self, argument: &str, row: &Bound<'py, PyDict>) -> PyResult<()> {
        for (i, (key, value)) in items(row).into_iter().enumerate() {
            let is_next = self.keys.get(i).is_some_and(|known| known.is(&key));
            let place = if is_next {
                i
            } else {
                self.place(argument, key)?
            };
            if !values::push(&mut self.all[place], &value)? {
                return Err(wrong_value(
                    argument,
                    &self.names[place],
                    Some(self.n_rows),
                    &value,
                ));
            }
        }
        self.n_rows += 1;
        let without = self
            .all
            .iter_mut()
            .filter(|column| column.n_rows() < self.n_rows);
        without.for_each(ColumnBuilder::missing);
        Ok(())
    }

    /// The place of a column, which joins if it is new.
    fn place(&mut self, argument: &str, key: Bound<'py, PyAny>) -> PyResult<usize> {
        let name = name(argument, &key)?.into_owned();
        if let Some(place) = self.places.get(&name) {
            return Ok(*place);
        }
        let mut column = ColumnBuilder::default();
        (0..self.n_rows).for_each(|_| column.missing());
        self.all.push(column);
        self.keys.push(key);
        self.names.push(name.clone());
        let place = self.places.len();
        self.places.insert(name, place);
        Ok(place)
    }
}
