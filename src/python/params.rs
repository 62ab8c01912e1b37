//! Conversion of parameters between Python's keyword arguments and the core's structs.

use std::hash::{DefaultHasher, Hash, Hasher};

use numpy::{PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyList, PyString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::arrays;
use super::kernel::Kernel;
use super::loss::{self, Loss};
use crate::error::Error;

/// The parameters of the kernel or learner of this name.
pub(super) fn from_py<T: DeserializeOwned>(
    name: &str,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<T> {
    let mut fields = Map::new();
    for (key, value) in kwargs.iter().flat_map(|kwargs| kwargs.iter()) {
        let key: String = key.extract()?;
        let value = to_value(&key, &value)?;
        fields.insert(key, value);
    }
    parsed(
        Value::Object(Map::from_iter([(name.to_owned(), fields.into())])),
        kwargs,
    )
}

/// Builds what keyword arguments, written as JSON, describe.
pub(super) fn parsed<T: DeserializeOwned>(
    value: Value,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<T> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let field = path.rsplit('.').next().unwrap_or(&path);
        let value = kwargs.and_then(|kwargs| kwargs.get_item(field).ok().flatten());
        mismatch(field, value.as_ref(), &error.inner().to_string())
    })
}

/// The name and the keyword arguments that these parameters come from.
pub(super) fn to_py<'py, T: Serialize>(
    py: Python<'py>,
    params: &T,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let value = serde_json::to_value(params).map_err(Error::model_file)?;
    tagged(py, &value)?.ok_or_else(|| PyTypeError::new_err(format!("{value} has no name")))
}

/// The public Python object with these parameters.
pub(super) fn object<'py, T: Serialize>(
    py: Python<'py>,
    params: &T,
) -> PyResult<Bound<'py, PyAny>> {
    let (name, kwargs) = to_py(py, params)?;
    facade(py, &name)?.call((), Some(&kwargs))
}

/// The constructor call of an object with these parameters.
pub(super) fn repr(object: &Bound<'_, PyAny>, kwargs: &Bound<'_, PyDict>) -> PyResult<String> {
    let name = object.get_type().name()?;
    let arguments = kwargs
        .iter()
        .map(|(key, value)| Ok(format!("{key}={}", short_repr(&value)?)))
        .collect::<PyResult<Vec<_>>>()?;
    Ok(format!("{name}({})", arguments.join(", ")))
}

/// The hash of an object with these parameters.
pub(super) fn hashed<T: Serialize>(params: &T) -> PyResult<u64> {
    let mut hasher = DefaultHasher::new();
    let text = serde_json::to_string(params).map_err(Error::model_file)?;
    text.hash(&mut hasher);
    Ok(hasher.finish())
}

/// What a pickle holds of an object that its class makes anew: the function that does, name and keyword arguments, and
/// what a user's subclass has stored on it.
pub(super) type Remade<'py> = (
    Bound<'py, PyAny>,
    (String, Bound<'py, PyDict>),
    Option<Bound<'py, PyAny>>,
);

/// The parts of a pickle of an object with these parameters.
pub(super) fn remade<'py, T: Serialize>(
    object: &Bound<'py, PyAny>,
    params: &T,
) -> PyResult<Remade<'py>> {
    let restore = object.get_type().getattr("_restore")?;
    let arguments = to_py(object.py(), params)?;
    Ok((restore, arguments, attributes(object)?))
}

/// The text of a value; a long list is cut.
fn short_repr(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyList>() {
        Ok(list) => Ok(arrays::shown(list)),
        Err(_) => Ok(value.repr()?.to_string()),
    }
}

pub(super) fn to_value(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(kernel) = value.cast::<Kernel>() {
        return Ok(serde_json::to_value(kernel.get().kernel()).map_err(Error::model_file)?);
    }
    if let Ok(loss) = value.cast::<Loss>() {
        return Ok(serde_json::to_value(loss.get().loss()).map_err(Error::model_file)?);
    }
    if name == "loss" {
        return Ok(serde_json::to_value(loss::named(value)?).map_err(Error::model_file)?);
    }
    if name == "kernel" {
        let expected = "a kernel such as nystream.Gaussian(sigma=1.0)";
        return Err(arrays::wrong_type(name, expected, value));
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    match name {
        "uniforms" => return vector(name, value),
        "frequencies" => return matrix(name, value),
        _ => {}
    }
    if let Ok(flag) = value.extract::<bool>() {
        return Ok(flag.into());
    }
    if let Ok(integer) = value.extract::<i64>() {
        return Ok(integer.into());
    }
    if let Ok(integer) = value.extract::<u64>() {
        return Ok(integer.into());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_string().into());
    }
    match arrays::number(name, value)? {
        // The sum turns -0.0 into 0.0: equal kernels have equal hashes.
        float if float.is_finite() => Ok((float + 0.0).into()),
        float => Err(PyValueError::new_err(format!(
            "{name} should be finite, but is {float}"
        ))),
    }
}

pub(super) fn vector(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let numbers = arrays::vector(name, value)?.to_vec()?;
    list(&numbers, |i| format!("{name}[{i}]"))
}

fn matrix(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let numbers = arrays::matrix(name, value)?;
    let (width, numbers) = (numbers.shape()[1].max(1), numbers.to_vec()?);
    let rows = numbers.chunks(width).enumerate();
    rows.map(|(i, row)| list(row, |j| format!("{name}[{i}, {j}]")))
        .collect()
}

/// A list of finite numbers; JSON has no others.
fn list(numbers: &[f64], place: impl Fn(usize) -> String) -> PyResult<Value> {
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(numbers.into()),
        Some(i) => Err(PyValueError::new_err(format!(
            "{} should be finite, but is {}",
            place(i),
            numbers[i]
        ))),
    }
}

/// The name and the keyword arguments in a JSON object whose only field is the name.
fn tagged<'py>(py: Python<'py>, value: &Value) -> PyResult<Option<(String, Bound<'py, PyDict>)>> {
    let Some((name, Value::Object(fields))) = value.as_object().and_then(|o| o.iter().next())
    else {
        return Ok(None);
    };
    let kwargs = PyDict::new(py);
    for (key, value) in fields {
        kwargs.set_item(key, to_object(py, value)?)?;
    }
    Ok(Some((name.clone(), kwargs)))
}

/// A value of JSON as Python has it, in which objects are dicts.
pub(super) fn plain<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let Value::Object(fields) = value else {
        return to_object(py, value);
    };
    let dict = PyDict::new(py);
    for (key, value) in fields {
        dict.set_item(key, plain(py, value)?)?;
    }
    Ok(dict.into_any())
}

fn to_object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(n) => match n.as_i64() {
            Some(integer) => integer.into_pyobject(py)?.into_any(),
            None if n.is_u64() => n.as_u64().into_pyobject(py)?.into_any(),
            None => n.as_f64().into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(values) => {
            let values = values.iter().map(|value| to_object(py, value));
            PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        _ => match tagged(py, value)? {
            Some((name, kwargs)) => facade(py, &name)?.call((), Some(&kwargs))?,
            None => py.None().into_bound(py),
        },
    })
}

/// The attributes that a user's subclass has stored on an object, for copies and pickles.
pub(super) fn attributes<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    object.getattr_opt("__dict__")
}

/// What a pickle holds: the function that restores an object, its bytes, and what a user's subclass has stored on it.
pub(super) type Reduced<'py> = (
    Bound<'py, PyAny>,
    (Bound<'py, PyBytes>,),
    Option<Bound<'py, PyAny>>,
);

/// The parts of a pickle of an object whose class makes it of such bytes.
pub(super) fn reduced<'py>(
    object: &Bound<'py, PyAny>,
    bytes: Bound<'py, PyBytes>,
) -> PyResult<Reduced<'py>> {
    let restore = object.get_type().getattr("from_bytes")?;
    Ok((restore, (bytes,), attributes(object)?))
}

/// The error for tools that take an object apart without calling `__reduce__`: they would build a different one.
pub(super) fn no_state(object: &Bound<'_, PyAny>) -> PyErr {
    let name = object.get_type().name();
    let name = name.map_or_else(|_| "thing".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!(
        "a {name} is more than its attributes: store it by pickle or by its own methods"
    ))
}

/// The public class of this name.
pub(super) fn facade<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("nystream")?.getattr(name)
}

/// Puts serde's message into the words of every other: the value, and what it should be.
fn mismatch(field: &str, value: Option<&Bound<'_, PyAny>>, message: &str) -> PyErr {
    let (Some(value), Some((_, expected))) = (value, message.split_once(", expected ")) else {
        return PyTypeError::new_err(message.to_owned());
    };
    let (expected, whole) = match expected {
        "f64" => ("a number", false),
        "string or map" => ("a string", false),
        "usize" | "u32" => ("a whole number that is not negative", true),
        "u64" => ("a whole number from 0 to 2^64 - 1", true),
        other => (other, false),
    };
    if message.starts_with("unknown variant") && value.is_instance_of::<PyString>() {
        let (expected, shown) = (expected.replace('`', "'"), arrays::shown(value));
        return PyValueError::new_err(format!("{field} should be {expected}, but is {shown}"));
    }
    let integer = value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>();
    if message.starts_with("invalid value") || (whole && integer) {
        let shown = arrays::shown(value);
        PyValueError::new_err(format!("{field} should be {expected}, but is {shown}"))
    } else {
        arrays::wrong_type(field, expected, value)
    }
}
