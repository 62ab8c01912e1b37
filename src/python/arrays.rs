//! Conversion of anything that holds numbers to float64 in C order; only what is not that already is copied.

use std::path::PathBuf;

use numpy::ndarray::Dimension;
use numpy::{Element, Ix1, Ix2, PyArray, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::call::PyCallArgs;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyFloat, PyInt, PyList, PyTuple};
use pyo3::{PyTypeInfo, intern};

use crate::data::FeatureNames;
use crate::error::Error;

type Array<'py, D, T = f64> = Bound<'py, PyArray<T, D>>;

/// The most characters of a value that a message shows.
const SHOWN: usize = 80;

/// A vector: the array given, or a converted copy.
pub(super) fn vector<'py>(argument: &str, value: &Bound<'py, PyAny>) -> PyResult<Array<'py, Ix1>> {
    numbers(argument, value, "one-dimensional")
}

/// Returns true if the value is one row and not many.
pub(super) fn is_row(value: &Bound<'_, PyAny>) -> bool {
    let ndim = |value: &Bound<'_, PyAny>| value.getattr("ndim").and_then(|n| n.extract::<usize>());
    if let Ok(ndim) = ndim(value) {
        return ndim == 1;
    }
    let first = value.get_item(0);
    (value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>())
        && first.is_ok_and(|first| first.len().is_err())
}

/// Labels of many rows: a vector, or a matrix with a column for each target, row after row.
pub(super) fn labels<'py>(
    argument: &str,
    value: &Bound<'py, PyAny>,
    n_targets: usize,
) -> PyResult<Array<'py, Ix1>> {
    if n_targets == 1 {
        return vector(argument, value);
    }
    let frame = frame(argument, value)?;
    let matrix = matrix(argument, frame.as_ref().map_or(value, |(_, rows)| rows))?;
    if matrix.shape()[1] != n_targets {
        let found = matrix.shape()[1];
        return Err(PyValueError::new_err(format!(
            "{argument} should have a column for each of {n_targets} targets, but has {found}"
        )));
    }
    matrix.reshape(matrix.len())
}

/// Labels of one row: a number, or one for each target.
pub(super) fn label(
    argument: &'static str,
    value: &Bound<'_, PyAny>,
    n_targets: usize,
) -> PyResult<Vec<f64>> {
    if n_targets == 1 {
        return Ok(vec![number(argument, value)?]);
    }
    let labels = vector(argument, value)?.to_vec()?;
    if labels.len() != n_targets {
        let found = labels.len();
        return Err(PyValueError::new_err(format!(
            "{argument} should have a label for each of {n_targets} targets, but has {found}"
        )));
    }
    Ok(labels)
}

/// One row, given or converted, and the names of its features if it is a series that has them.
pub(super) fn row<'py>(
    argument: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<(Array<'py, Ix1>, FeatureNames)> {
    if let Some(array) = as_stored(value) {
        return Ok((array, FeatureNames::default()));
    }
    let names = if is_nameless(value) {
        None
    } else {
        call_frames("row_names", (value,), value.py())?.extract()?
    };
    Ok((vector(argument, value)?, FeatureNames::new(names)))
}

/// A matrix: the array given, or a converted copy.
pub(super) fn matrix<'py>(argument: &str, value: &Bound<'py, PyAny>) -> PyResult<Array<'py, Ix2>> {
    numbers(argument, value, "two-dimensional")
}

/// Rows as they are stored, in any layout, if learners can read them without a copy of the whole.
pub(super) enum Matrix<'py> {
    Float64(Array<'py, Ix2>),
    Float32(Array<'py, Ix2, f32>),
}

/// Rows, given or converted, and the names of their columns.
pub(super) fn rows<'py>(
    argument: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<(Matrix<'py>, FeatureNames)> {
    if let Some(matrix) = as_matrix(value) {
        return Ok((matrix, FeatureNames::default()));
    }
    let frame = frame(argument, value)?;
    let (names, value) = frame.unwrap_or_else(|| (FeatureNames::default(), value.clone()));
    let matrix = match as_matrix(&value) {
        Some(matrix) => matrix,
        None => Matrix::Float64(matrix(argument, &value)?),
    };
    Ok((matrix, names))
}

fn as_matrix<'py>(value: &Bound<'py, PyAny>) -> Option<Matrix<'py>> {
    let float64 = || as_aligned(value).map(Matrix::Float64);
    float64().or_else(|| as_aligned(value).map(Matrix::Float32))
}

/// Names and rows of a data frame; `None` for anything else.
fn frame<'py>(
    argument: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<(FeatureNames, Bound<'py, PyAny>)>> {
    if is_nameless(value) {
        return Ok(None);
    }
    let read = call_frames("read", (argument, value), value.py())?;
    let read: Option<(Option<Vec<String>>, Bound<'py, PyAny>)> = read.extract()?;
    Ok(read.map(|(names, rows)| (FeatureNames::new(names), rows)))
}

/// Returns true if a value surely has no column names.
pub(super) fn is_nameless(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyUntypedArray>()
        || value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
}

fn call_frames<'py>(
    function: &str,
    arguments: impl PyCallArgs<'py>,
    py: Python<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let frames = py.import(intern!(py, "nystream._frames"))?;
    frames.call_method1(function, arguments)
}

/// Reads a count; the error names the argument, where Python would say of -1 that it overflows.
pub(super) fn count(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<usize> {
    let number: i64 = value
        .extract()
        .map_err(|_| wrong_type(name, "a whole number", value))?;
    let count = usize::try_from(number);
    Ok(count.map_err(|_| Error::parameter(name, "at least 1", number as f64))?)
}

/// Reads bytes.
pub(super) fn bytes(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    value
        .extract()
        .map_err(|_| wrong_type(argument, "bytes", value))
}

/// Reads the path of a file.
pub(super) fn path(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    value
        .extract()
        .map_err(|_| wrong_type(argument, "a string or a path", value))
}

/// Reads a number.
pub(super) fn number(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
        return value
            .extract()
            .map_err(|error| too_large(argument, value, error));
    }
    let array = as_array(argument, value)?;
    match check_dtype(argument, &array) {
        Ok(()) if array.ndim() == 0 => value.extract(),
        _ => Err(wrong_type(argument, "a number", value)),
    }
}

/// The exception for a value of another type than `expected`.
pub(super) fn wrong_type(argument: &str, expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let shown = shown(value);
    PyTypeError::new_err(format!("{argument} should be {expected}, but is {shown}"))
}

/// The value as Python writes it, cut if it is long.
pub(super) fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value
        .repr()
        .map_or_else(|_| "?".to_owned(), |r| r.to_string());
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

fn too_large(argument: &str, value: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    if error.is_instance_of::<PyOverflowError>(value.py()) {
        let shown = shown(value);
        return PyValueError::new_err(format!(
            "{argument} should be a number that float64 can hold, but is {shown}"
        ));
    }
    error
}

fn numbers<'py, D: Dimension>(
    argument: &str,
    value: &Bound<'py, PyAny>,
    dimensions: &str,
) -> PyResult<Array<'py, D>> {
    let py = value.py();
    if let Some(array) = as_stored(value) {
        return Ok(array);
    }
    let array = as_array(argument, value)?;
    check_dtype(argument, &array)?;
    let converted = numpy(py)?.call_method1(intern!(py, "require"), (&array, "float64", "CA"))?;
    converted.cast_into::<PyArray<f64, D>>().map_err(|_| {
        let shape = array
            .getattr("shape")
            .map_or_else(|_| "?".to_owned(), |s| shown(&s));
        PyValueError::new_err(format!(
            "{argument} should be {dimensions}, but has the shape {shape}"
        ))
    })
}

/// The array itself, if it is one of this type in C order.
fn as_stored<'py, T: Element, D: Dimension>(value: &Bound<'py, PyAny>) -> Option<Array<'py, D, T>> {
    as_aligned(value).filter(PyUntypedArrayMethods::is_c_contiguous)
}

/// The array itself, if it is one of this type.
fn as_aligned<'py, T: Element, D: Dimension>(
    value: &Bound<'py, PyAny>,
) -> Option<Array<'py, D, T>> {
    let array = value.cast::<PyArray<T, D>>().ok()?;
    // A subclass may mean more than its numbers, as a masked array does.
    let plain = value.get_type().is(PyUntypedArray::type_object(value.py()));
    (plain && array.is_aligned()).then(|| array.clone())
}

fn numpy(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import(intern!(py, "numpy"))
}

fn as_array<'py>(
    argument: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = value.py();
    let numpy = numpy(py)?;
    if numpy
        .getattr("ma")?
        .call_method1("isMaskedArray", (value,))?
        .extract()?
    {
        return Err(PyTypeError::new_err(format!(
            "{argument} should not be a masked array: fill or drop what is masked"
        )));
    }
    let array = numpy.call_method1(intern!(py, "asarray"), (value,));
    let array = array.map_err(|error| not_an_array(py, argument, error))?;
    Ok(array.cast_into()?)
}

/// Adds the argument's name to NumPy's errors; any other, such as that of Ctrl-C, passes as it is.
fn not_an_array(py: Python<'_>, argument: &str, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyValueError>(py) && !error.is_instance_of::<PyTypeError>(py) {
        return error;
    }
    let reason = error.value(py);
    let named = PyValueError::new_err(format!(
        "{argument} should be an array of numbers: {reason}"
    ));
    named.set_cause(py, Some(error));
    named
}

/// Refuses text, objects and complex numbers, some of which NumPy would read as numbers.
fn check_dtype(argument: &str, array: &Bound<'_, PyUntypedArray>) -> PyResult<()> {
    let dtype = array.dtype();
    match dtype
        .getattr(intern!(array.py(), "kind"))?
        .extract::<char>()?
    {
        'b' | 'i' | 'u' | 'f' => Ok(()),
        _ => Err(PyTypeError::new_err(format!(
            "{argument} should hold real numbers, but has the dtype {dtype}"
        ))),
    }
}
