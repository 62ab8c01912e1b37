//! Frames of pandas, whose columns are NumPy's arrays, Python's objects or Arrow's arrays; and rows with names.

use numpy::{Ix1, PyArray, PyArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use super::{arrow, named, values, wrong_value};
use crate::columns::{Column, ColumnBuilder, Table, TextsBuilder};

/// A frame as a table; `None` for numbers whose columns have no names.
pub(super) fn table(argument: &str, frame: &Bound<'_, PyAny>) -> PyResult<Option<Table>> {
    let Some((names, columns)) = read(intern!(frame.py(), "columns"), frame)? else {
        return Ok(None);
    };
    let of = |(name, values): (&String, Bound<'_, PyAny>)| column(argument, name, &values);
    let columns: PyResult<Vec<Column>> = names.iter().zip(columns).map(of).collect();
    named(argument, frame.len()?, names, columns?).map(Some)
}

/// A series as a row; `None` for anything else, and for numbers without names.
pub(super) fn row(argument: &str, series: &Bound<'_, PyAny>) -> PyResult<Option<Table>> {
    if !series.get_type().hasattr(intern!(series.py(), "iloc"))? {
        return Ok(None);
    }
    let Some((names, values)) = read(intern!(series.py(), "row"), series)? else {
        return Ok(None);
    };
    let of = |(name, value): (&String, Bound<'_, PyAny>)| {
        let mut column = ColumnBuilder::default();
        if values::push(&mut column, &value)? {
            return Ok(column.finish());
        }
        Err(wrong_value(argument, name, None, &value))
    };
    let columns: PyResult<Vec<Column>> = names.iter().zip(values).map(of).collect();
    named(argument, 1, names, columns?).map(Some)
}

/// Rows of numbers with names, as this package makes them; `None` for anything else.
pub(super) fn named_rows(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Table>> {
    let py = value.py();
    let class = py
        .import(intern!(py, "nystream._frames"))?
        .getattr(intern!(py, "NamedRows"))?;
    if !value.is_instance(&class)? {
        return Ok(None);
    }
    let names = value.getattr(intern!(py, "columns"))?.extract()?;
    let rows = super::arrays::matrix(argument, &value.getattr(intern!(py, "rows"))?)?;
    let rows = rows.try_readonly()?;
    let columns = rows.as_array();
    let columns = columns
        .columns()
        .into_iter()
        .map(|column| Column::Numbers(column.to_vec()));
    named(argument, rows.as_array().nrows(), names, columns.collect()).map(Some)
}

type Read<'py> = Option<(Vec<String>, Vec<Bound<'py, PyAny>>)>;

/// What a function of the package's own module for pandas returns.
fn read<'py>(function: &Bound<'py, PyString>, value: &Bound<'py, PyAny>) -> PyResult<Read<'py>> {
    let py = value.py();
    let module = py.import(intern!(py, "nystream._pandas"))?;
    module.call_method1(function, (value,))?.extract()
}

/// A column of what `nystream._pandas` makes of it: a word, and the values.
fn column(argument: &str, name: &str, values: &Bound<'_, PyAny>) -> PyResult<Column> {
    let (form, values): (String, Bound<'_, PyAny>) = values.extract()?;
    match &*form {
        "numbers" => Ok(Column::Numbers(array(&values)?)),
        "truths" => Ok(Column::Truths(
            array(&values)?.into_iter().map(Some).collect(),
        )),
        "times" => {
            let micros: Vec<i64> = array(&values)?;
            Ok(Column::Times(
                micros.into_iter().map(values::moment).collect(),
            ))
        }
        "categories" => {
            let (codes, categories): (Bound<'_, PyAny>, Bound<'_, PyAny>) = values.extract()?;
            let codes: Vec<i64> = array(&codes)?;
            let codes = codes.into_iter().map(|code| usize::try_from(code).ok());
            let mut texts = TextsBuilder::default();
            texts.extend(codes, column(argument, name, &categories)?);
            Ok(texts.finish())
        }
        "arrow" => arrow::column(argument, name, &values),
        _ => objects(argument, name, values.cast()?),
    }
}

fn array<T: numpy::Element + Copy>(values: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    let array = values.cast::<PyArray<T, Ix1>>()?.try_readonly()?;
    let array = array.as_array();
    Ok(array.iter().copied().collect())
}

fn objects(argument: &str, name: &str, list: &Bound<'_, PyList>) -> PyResult<Column> {
    let mut column = ColumnBuilder::default();
    for (row, value) in list.iter().enumerate() {
        if !values::push(&mut column, &value)? {
            return Err(wrong_value(argument, name, Some(row), &value));
        }
    }
    Ok(column.finish())
}
