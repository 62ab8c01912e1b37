//! From anything that holds numbers to float64 in C order, copying only what is not that already.

use numpy::ndarray::Dimension;
use numpy::{Element, Ix1, Ix2, PyArray, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};
use pyo3::{PyTypeInfo, intern};

type Array<'py, D, T = f64> = Bound<'py, PyArray<T, D>>;

/// The most characters of a value that a message shows.
const SHOWN: usize = 80;

/// A vector, the one given or a converted one.
pub(super) fn vector<'py>(argument: &str, value: &Bound<'py, PyAny>) -> PyResult<Array<'py, Ix1>> {
    numbers(argument, value, "one-dimensional")
}

/// A matrix, the one given or a converted one.
pub(super) fn matrix<'py>(argument: &str, value: &Bound<'py, PyAny>) -> PyResult<Array<'py, Ix2>> {
    numbers(argument, value, "two-dimensional")
}

/// Rows as they are stored, if learners can read that without a copy of the whole.
pub(super) enum Matrix<'py> {
    Float64(Array<'py, Ix2>),
    Float32(Array<'py, Ix2, f32>),
}

/// Rows, those given or converted ones.
pub(super) fn rows<'py>(argument: &str, value: &Bound<'py, PyAny>) -> PyResult<Matrix<'py>> {
    Ok(match as_stored(value) {
        Some(array) => Matrix::Float32(array),
        None => Matrix::Float64(matrix(argument, value)?),
    })
}

/// Rows and their labels.
pub(super) fn rows_and_labels<'py>(
    X: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
) -> PyResult<(Matrix<'py>, Array<'py, Ix1>)> {
    let X = rows("X", X)?;
    let y = vector("y", y)?;
    // The conversion of y may have run a program of the user's, and that may have changed X.
    let X = match &X {
        Matrix::Float64(X) => rows("X", X),
        Matrix::Float32(X) => rows("X", X),
    };
    Ok((X?, y))
}

/// A number.
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
    let array = value.cast::<PyArray<T, D>>().ok()?;
    // A subclass may mean more than its numbers, as a masked array does.
    let plain = value.get_type().is(PyUntypedArray::type_object(value.py()));
    (plain && array.is_c_contiguous() && array.is_aligned()).then(|| array.clone())
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

/// NumPy's complaints get the argument's name; anything else, Ctrl-C among it, passes as it is.
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

/// Text, objects and complex numbers are refused; NumPy would read some of them as numbers.
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
