//! Tables of any kind that Python has: data frames, dicts, and Arrow streams.

mod arrow;
mod class;
mod clock;
mod pandas;
mod rows;
mod series;
mod values;

use std::sync::Arc;

use numpy::PyUntypedArray;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString};

use super::arrays::{self, wrong_type};
use crate::columns::{self, Column};
pub(super) use class::Table;
pub(super) use series::column;

/// The table that a value is; `None` for what has no names of columns, such as an array.
pub(super) fn table(
    argument: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<Arc<columns::Table>>> {
    if let Ok(table) = value.cast::<Table>() {
        return Ok(Some(table.get().share()));
    }
    if value.is_instance_of::<PyUntypedArray>() {
        return Ok(None);
    }
    let table = if let Ok(list) = value.cast::<PyList>() {
        rows::of_list(argument, list)
    } else {
        frame(argument, value)
    };
    Ok(table?.map(Arc::new))
}

/// The row with names that a value is, as a table of one row; `None` for what has no names, such as an array.
pub(super) fn row(
    argument: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<Option<Arc<columns::Table>>> {
    if let Ok(dict) = value.cast::<PyDict>() {
        return rows::of_dict(argument, dict).map(|row| Some(Arc::new(row)));
    }
    if value.is_instance_of::<PyUntypedArray>() || value.is_instance_of::<PyList>() {
        return Ok(None);
    }
    if let Ok(table) = value.cast::<Table>() {
        let table = table.get().share();
        return match table.n_rows() {
            1 => Ok(Some(table)),
            _ => Err(wrong_type(argument, "one row", value)),
        };
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let dict = PyDict::new(value.py());
        dict.update(mapping)?;
        return rows::of_dict(argument, &dict).map(|row| Some(Arc::new(row)));
    }
    Ok(pandas::row(argument, value)?.map(Arc::new))
}

fn frame(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<columns::Table>> {
    let class = value.get_type();
    if class.hasattr("iloc")? {
        return pandas::table(argument, value);
    }
    if class.hasattr("__arrow_c_stream__")? {
        return arrow::table(argument, value);
    }
    pandas::named_rows(argument, value)
}

/// A table of columns with these names.
fn named(
    argument: &str,
    n_rows: usize,
    names: Vec<String>,
    columns: Vec<Column>,
) -> PyResult<columns::Table> {
    let table = columns::Table::new(n_rows, names, columns);
    table.map_err(|error| PyValueError::new_err(format!("{argument}: {error}")))
}

/// The name of a column, which is a key of a row.
fn name<'a>(argument: &str, key: &'a Bound<'_, PyAny>) -> PyResult<std::borrow::Cow<'a, str>> {
    let text = key.cast::<PyString>();
    let text = text.map_err(|_| wrong_type(&format!("a name in {argument}"), "a string", key))?;
    Ok(text.to_string_lossy())
}

/// The exception for a value that a table cannot hold.
fn wrong_value(argument: &str, name: &str, row: Option<usize>, value: &Bound<'_, PyAny>) -> PyErr {
    let place = row.map_or_else(String::new, |row| format!(" in row {row}"));
    let shown = arrays::shown(value);
    PyTypeError::new_err(format!(
        "column {name:?} of {argument} should hold {HELD}, but is {shown}{place}"
    ))
}

/// The types of values that a table holds.
const HELD: &str = "numbers, texts, truths or times";
