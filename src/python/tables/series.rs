//! One-dimensional values of any kind as a column.

use numpy::{PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;

use super::values;
use crate::columns::{Column, ColumnBuilder};
use crate::python::arrays::wrong_type;

/// A list, an array or a series of any library as a column.
pub(in crate::python) fn column(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Column> {
    let py = value.py();
    let value = match value.getattr_opt(intern!(py, "to_numpy"))? {
        Some(to_numpy) => to_numpy.call0()?,
        None => value.clone(),
    };
    if let Ok(array) = value.cast::<PyUntypedArray>()
        && array.dtype().kind() == b'M'
    {
        return times(&value);
    }
    let expected = "a list, an array or a series";
    let all = value
        .try_iter()
        .map_err(|_| wrong_type(argument, expected, &value))?;
    let mut column = ColumnBuilder::default();
    for (i, one) in all.enumerate() {
        let one = one?;
        if !values::push(&mut column, &one)? {
            return Err(wrong_type(
                &format!("{argument}[{i}]"),
                "a time, a text or a number",
                &one,
            ));
        }
    }
    Ok(column.finish())
}

/// An array of NumPy's times as a column.
fn times(array: &Bound<'_, PyAny>) -> PyResult<Column> {
    let astype = intern!(array.py(), "astype");
    let micros = array
        .call_method1(astype, ("datetime64[us]",))?
        .call_method1(astype, ("int64",))?;
    let micros: Vec<i64> = micros.cast::<numpy::PyArray1<i64>>()?.to_vec()?;
    Ok(Column::Times(
        micros.into_iter().map(values::moment).collect(),
    ))
}
