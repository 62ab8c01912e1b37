//! Keys as Python has them: strings and whole numbers, one or many.

use numpy::{PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBool, PyInt, PyList, PyString, PyTuple};

use crate::keyed::Key;
use crate::python::arrays::{self, wrong_type};

/// What a key may be.
const EXPECTED: &str = "a string or a whole number";

/// A key that keeps the string of Python.
pub(super) enum PyKey {
    Int(i64),
    Text(PyBackedStr),
}

impl PyKey {
    pub(super) fn as_key(&self) -> Key<'_> {
        match self {
            Self::Int(key) => Key::Int(*key),
            Self::Text(key) => Key::Text(key),
        }
    }
}

/// A key as Python has it.
pub(in crate::python) fn to_py<'py>(py: Python<'py>, key: Key<'_>) -> PyResult<Bound<'py, PyAny>> {
    match key {
        Key::Int(key) => Ok(key.into_pyobject(py)?.into_any()),
        Key::Text(key) => Ok(key.into_pyobject(py)?.into_any()),
    }
}

/// Reads a key.
pub(super) fn one(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<PyKey> {
    read(value, || argument.to_owned())
}

fn read(value: &Bound<'_, PyAny>, argument: impl FnOnce() -> String) -> PyResult<PyKey> {
    if value.is_instance_of::<PyString>() {
        return Ok(PyKey::Text(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() || is_integer_of_numpy(value) {
        if value.is_instance_of::<PyBool>() {
            return Err(wrong_type(&argument(), EXPECTED, value));
        }
        return value.extract().map(PyKey::Int).map_err(|_| {
            let (argument, shown) = (argument(), arrays::shown(value));
            PyValueError::new_err(format!(
                "{argument} should be a whole number from -2^63 to 2^63 - 1, but is {shown}"
            ))
        });
    }
    Err(wrong_type(&argument(), EXPECTED, value))
}

fn is_integer_of_numpy(value: &Bound<'_, PyAny>) -> bool {
    let is_integer = |class: Bound<'_, PyAny>| value.is_instance(&class);
    let class = value
        .py()
        .import("numpy")
        .and_then(|numpy| numpy.getattr("integer"));
    class.and_then(is_integer).unwrap_or(false)
}

/// Reads the keys of many rows: an array, a list, or a column of a data frame.
pub(super) fn many(value: &Bound<'_, PyAny>) -> PyResult<Vec<PyKey>> {
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return each(value);
    }
    if value.hasattr("to_pylist")? {
        return each(&value.call_method0("to_pylist")?); // pyarrow
    }
    let array = as_array(value)?;
    match ints(&array)? {
        Some(ints) => Ok(ints),
        None => each(&array.call_method0(intern!(value.py(), "tolist"))?),
    }
}

/// Reads the keys of a list.
fn each(list: &Bound<'_, PyAny>) -> PyResult<Vec<PyKey>> {
    let keys = list.try_iter()?.enumerate();
    keys.map(|(i, key)| read(&key?, || format!("keys[{i}]")))
        .collect()
}

/// The keys as a vector of NumPy.
fn as_array<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let wrong = || {
        wrong_type(
            "keys",
            "an array or a list of strings or whole numbers",
            value,
        )
    };
    let array = match value.cast::<PyUntypedArray>() {
        Ok(array) => array.clone(),
        Err(_) if !value.hasattr("to_numpy")? => return Err(wrong()),
        Err(_) => value
            .call_method0("to_numpy")?
            .cast_into()
            .map_err(|_| wrong())?,
    };
    if array.ndim() == 1 {
        return Ok(array);
    }
    let shape = arrays::shown(&array.getattr("shape")?);
    Err(PyValueError::new_err(format!(
        "keys should be one-dimensional, but has the shape {shape}"
    )))
}

/// The keys of an array of integers; `None` for objects and strings.
fn ints(array: &Bound<'_, PyUntypedArray>) -> PyResult<Option<Vec<PyKey>>> {
    let (py, dtype) = (array.py(), array.dtype());
    match dtype.getattr(intern!(py, "kind"))?.extract::<char>()? {
        'U' | 'O' | 'T' => Ok(None),
        'u' if dtype.itemsize() == 8 => Ok(None),
        'i' | 'u' => {
            let ints = array.call_method1(intern!(py, "astype"), ("int64",))?;
            let ints = ints.cast_into::<PyArray1<i64>>()?.to_vec()?;
            Ok(Some(ints.into_iter().map(PyKey::Int).collect()))
        }
        _ => Err(PyTypeError::new_err(format!(
            "keys should be strings or whole numbers, but have the dtype {dtype}"
        ))),
    }
}
