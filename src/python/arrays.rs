//! From anything that holds numbers to float64 in C order, copying only what is not that already.

use numpy::{
    Ix1, Ix2, PyArray, PyArrayMethods, PyReadonlyArray, PyUntypedArray, PyUntypedArrayMethods,
    ndarray::Dimension,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;

/// A vector, borrowed or converted.
pub(super) fn vector<'py>(
    argument: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<PyReadonlyArray<'py, f64, Ix1>> {
    numbers(argument, value, "one-dimensional")
}

/// A matrix, borrowed or converted.
pub(super) fn matrix<'py>(
    argument: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<PyReadonlyArray<'py, f64, Ix2>> {
    numbers(argument, value, "two-dimensional")
}

/// A number.
pub(super) fn number(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    value
        .extract()
        .map_err(|_| wrong_type(argument, "a number", value))
}

/// The exception for a value of another type than `expected`.
pub(super) fn wrong_type(argument: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let shown = value
        .repr()
        .map_or_else(|_| "?".to_owned(), |r| r.to_string());
    PyTypeError::new_err(format!("{argument} should be {expected}, but is {shown}"))
}

fn numbers<'py, D: Dimension>(
    argument: &str,
    value: &Bound<'py, PyAny>,
    dimensions: &str,
) -> PyResult<PyReadonlyArray<'py, f64, D>> {
    if let Ok(array) = value.cast::<PyArray<f64, D>>()
        && array.is_c_contiguous()
        && array.is_aligned()
    {
        return Ok(array.try_readonly()?);
    }
    let array = as_array(argument, value)?;
    check_dtype(argument, &array)?;
    let py = array.py();
    let converted = py
        .import(intern!(py, "numpy"))?
        .call_method1(intern!(py, "require"), (&array, "float64", "CA"))?;
    match converted.cast::<PyArray<f64, D>>() {
        Ok(converted) => Ok(converted.try_readonly()?),
        Err(_) => Err(PyValueError::new_err(format!(
            "{argument} should be {dimensions}, but has the shape {}",
            array.getattr("shape")?.repr()?
        ))),
    }
}

fn as_array<'py>(
    argument: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let array = py
        .import(intern!(py, "numpy"))?
        .call_method1(intern!(py, "asarray"), (value,))
        .map_err(|error| {
            let reason = error.value(py).to_string();
            PyValueError::new_err(format!(
                "{argument} should be an array of numbers: {reason}"
            ))
        })?;
    Ok(array.cast_into()?)
}

/// Text, objects and complex numbers are refused; NumPy would read some of them as numbers.
fn check_dtype(argument: &str, array: &Bound<'_, PyUntypedArray>) -> PyResult<()> {
    let dtype = array.dtype();
    match dtype.getattr("kind")?.extract::<char>()? {
        'b' | 'i' | 'u' | 'f' => Ok(()),
        _ => Err(PyTypeError::new_err(format!(
            "{argument} should hold real numbers, but has the dtype {dtype}"
        ))),
    }
}
