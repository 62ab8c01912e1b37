//! Parameters between Python's keyword arguments and the core's structs.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::arrays::wrong_type;
use super::kernel::Kernel;
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
    let tagged = Value::Object(Map::from_iter([(name.to_owned(), fields.into())]));
    serde_path_to_error::deserialize(tagged).map_err(|error| {
        let path = error.path().to_string();
        let field = path.rsplit('.').next().unwrap_or(&path);
        mismatch(field, &error.inner().to_string())
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

/// The constructor call that makes these parameters.
pub(super) fn repr<T: Serialize>(py: Python<'_>, params: &T) -> PyResult<String> {
    let (name, kwargs) = to_py(py, params)?;
    let arguments = kwargs
        .iter()
        .map(|(key, value)| Ok(format!("{key}={}", value.repr()?)))
        .collect::<PyResult<Vec<_>>>()?;
    Ok(format!("{name}({})", arguments.join(", ")))
}

fn to_value(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(kernel) = value.cast::<Kernel>() {
        return Ok(serde_json::to_value(kernel.get().kernel()).map_err(Error::model_file)?);
    }
    if name == "kernel" {
        let expected = "a kernel such as nystream.Gaussian(sigma=1.0)";
        return Err(wrong_type(name, expected, value));
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(flag) = value.extract::<bool>() {
        return Ok(flag.into());
    }
    if let Ok(integer) = value.extract::<i64>() {
        return Ok(integer.into());
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(text.to_string().into());
    }
    match value.extract::<f64>() {
        Ok(float) if float.is_finite() => Ok(float.into()),
        Ok(float) => Err(PyValueError::new_err(format!(
            "{name} should be finite, but is {float}"
        ))),
        Err(_) => Err(wrong_type(name, "a number", value)),
    }
}

/// The one field of an object is the name of what its value describes.
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

fn to_object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(n) => match n.as_i64() {
            Some(integer) => integer.into_pyobject(py)?.into_any(),
            None => n.as_f64().into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        _ => match tagged(py, value)? {
            Some((name, kwargs)) => facade(py, &name)?.call((), Some(&kwargs))?,
            None => py.None().into_bound(py),
        },
    })
}

/// The public class of this name.
pub(super) fn facade<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("nystream")?.getattr(name)
}

/// Says what serde says in the words of every other message.
fn mismatch(field: &str, message: &str) -> PyErr {
    let Some((kind, (found, expected))) = message
        .split_once(": ")
        .and_then(|(kind, rest)| Some((kind, rest.split_once(", expected ")?)))
    else {
        return PyTypeError::new_err(message.to_owned());
    };
    let expected = match expected {
        "f64" => "a number",
        "usize" | "u32" => "a whole number of at least 0",
        other => other,
    };
    let message = format!("{field} should be {expected}, but is {found}");
    if kind == "invalid value" {
        PyValueError::new_err(message)
    } else {
        PyTypeError::new_err(message)
    }
}
