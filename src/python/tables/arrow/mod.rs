//! Arrow streams, in which data frames hand over their memory.

mod arrays;
mod stream;

use arrow_array::{Array, ArrayReader};
use arrow_schema::{ArrowError, DataType, FieldRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{HELD, named};
use crate::columns::{Column, Table};
use arrays::Reading;

/// The table that a stream holds; `None` for a stream of something else, such as a series.
pub(super) fn table(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Table>> {
    let py = value.py();
    let is_of_polars = is_of_polars(value)?;
    if is_of_polars {
        check_names(argument, value)?;
    }
    let mut stream = stream::open(value)?;
    if is_of_polars && has_untyped(stream.field().data_type()) {
        stream = stream::open(&typed(value)?)?;
    }
    let DataType::Struct(fields) = stream.field().data_type() else {
        return Ok(None);
    };
    let fields = fields.clone();
    let names = fields.iter().map(|field| field.name().clone()).collect();
    let columns: PyResult<Vec<_>> = fields
        .iter()
        .map(|field| reading(py, argument, field))
        .collect();
    let mut columns = columns?;
    // The source may need the interpreter on other threads, so it is let go meanwhile.
    let n_rows = py.detach(|| read_rows(argument, stream, &mut columns))?;
    let columns = columns.into_iter().map(Reading::finish).collect();
    named(argument, n_rows, names, columns).map(Some)
}

/// Returns true for a table with a column that has no values and hence no type.
fn has_untyped(data_type: &DataType) -> bool {
    let is_untyped = |field: &FieldRef| *field.data_type() == DataType::Null;
    matches!(data_type, DataType::Struct(fields) if fields.iter().any(is_untyped))
}

fn is_of_polars(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let module = value.get_type().module()?;
    Ok(module.to_str()?.starts_with("polars."))
}

/// Refuses names that polars cannot hand out: it ends the process at a NUL character.
fn check_names(argument: &str, frame: &Bound<'_, PyAny>) -> PyResult<()> {
    let names = frame.getattr(intern!(frame.py(), "columns"));
    let names: Vec<String> = names.map_or(Ok(Vec::new()), |names| names.extract())?;
    match names.iter().find(|name| name.contains('\0')) {
        None => Ok(()),
        Some(name) => Err(PyValueError::new_err(format!(
            "column {name:?} of {argument} should have a name without NUL characters"
        ))),
    }
}

/// A frame of polars whose columns without values have a type: polars hands out those without one in a form that Arrow
/// does not allow.
fn typed<'py>(frame: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = frame.py();
    let (polars, types) = (py.import(intern!(py, "polars"))?, PyDict::new(py));
    types.set_item(polars.getattr("Null")?, polars.getattr("Boolean")?)?;
    frame.call_method1(intern!(py, "cast"), (types,))
}

/// The column that a stream of one column holds.
pub(super) fn column(argument: &str, name: &str, value: &Bound<'_, PyAny>) -> PyResult<Column> {
    let py = value.py();
    let stream = stream::open(value)?;
    let data_type = stream.field().data_type().clone();
    let mut column = reading_of(py, argument, name, &data_type)?;
    py.detach(|| {
        for array in stream {
            column.append(&*array.map_err(|error| failed(argument, &error))?)?;
        }
        Ok(column.finish())
    })
}

/// Reads the rows of a table; returns their number.
fn read_rows(
    argument: &str,
    stream: impl Iterator<Item = Result<arrow_array::ArrayRef, ArrowError>>,
    columns: &mut [Reading],
) -> PyResult<usize> {
    let mut n_rows = 0;
    for array in stream {
        let array = array.map_err(|error| failed(argument, &error))?;
        let Some(rows) = array.as_any().downcast_ref::<arrow_array::StructArray>() else {
            break;
        };
        if let Some(i) = (0..rows.len()).find(|i| rows.is_null(*i)) {
            let row = n_rows + i;
            return Err(PyValueError::new_err(format!(
                "{argument} has no values in row {row}"
            )));
        }
        for (column, array) in columns.iter_mut().zip(rows.columns()) {
            column.append(&**array)?;
        }
        n_rows += rows.len();
    }
    Ok(n_rows)
}

fn reading(py: Python<'_>, argument: &str, field: &FieldRef) -> PyResult<Reading> {
    reading_of(py, argument, field.name(), field.data_type())
}

fn reading_of(
    py: Python<'_>,
    argument: &str,
    name: &str,
    data_type: &DataType,
) -> PyResult<Reading> {
    let place = format!("column {name:?} of {argument}");
    match Reading::of(py, data_type) {
        Ok(Some(reading)) => Ok(reading),
        Ok(None) => Err(PyTypeError::new_err(format!(
            "{place} should hold {HELD}, but holds {data_type}"
        ))),
        Err(error) => Err(PyValueError::new_err(format!(
            "{place} {}",
            error.value(py)
        ))),
    }
}

/// The exception for a stream that breaks off.
fn failed(argument: &str, error: &ArrowError) -> PyErr {
    PyValueError::new_err(format!("{argument} cannot be read: {error}"))
}
