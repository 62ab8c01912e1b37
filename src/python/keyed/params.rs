//! Parameters of models by key, as Python gives and gets them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};

use crate::algorithms::AnyParams;
use crate::columns::Settings;
use crate::keyed::KeyedParams;
use crate::python::{arrays, front};

/// A learner, and the settings of its columns, if it takes tables.
type Parts = (Option<AnyParams>, Option<Settings>);

/// The parameters that arguments say. Columns are those of the model, or else of the shared one.
pub(super) fn of(
    model: &Bound<'_, PyAny>,
    shared: Option<&Bound<'_, PyAny>>,
    max_keys: Option<&Bound<'_, PyAny>>,
    store: Option<&Bound<'_, PyAny>>,
) -> PyResult<KeyedParams> {
    let (model, columns) = front::parts_of_new("model", model)?;
    let (shared, others) = parts_of_shared(&model, shared)?;
    Ok(KeyedParams {
        shared,
        model,
        max_keys: max_keys.map(|n| arrays::count("max_keys", n)).transpose()?,
        store: store.map(|path| arrays::path("store", path)).transpose()?,
        columns: agreed(columns, others)?,
    })
}

/// The shared model: another of the keys' own unless it is given; none for False.
fn parts_of_shared(model: &AnyParams, shared: Option<&Bound<'_, PyAny>>) -> PyResult<Parts> {
    match shared.map(|shared| (shared, shared.cast::<PyBool>())) {
        None => Ok((Some(model.clone()), None)),
        Some((_, Ok(flag))) => Ok((flag.is_true().then(|| model.clone()), None)),
        Some((given, Err(_))) => {
            let (params, settings) = front::parts_of_new("shared", given)?;
            Ok((Some(params), settings))
        }
    }
}

/// The settings of the columns that all models share: those of the model, if it has any.
fn agreed(model: Option<Settings>, shared: Option<Settings>) -> PyResult<Option<Settings>> {
    let (Some(own), Some(other)) = (&model, &shared) else {
        return Ok(model.or(shared));
    };
    if own == other || *other == Settings::default() {
        return Ok(model);
    }
    Err(PyValueError::new_err(
        "shared should say of columns what model does, or nothing: all models have the same columns",
    ))
}

/// The arguments that parameters come from.
pub(super) fn to_dict<'py>(py: Python<'py>, own: &KeyedParams) -> PyResult<Bound<'py, PyDict>> {
    let (params, columns) = (PyDict::new(py), own.columns.as_ref());
    let object = |params: &AnyParams| front::new_object(py, params, columns);
    params.set_item("model", object(&own.model)?)?;
    params.set_item("shared", own.shared.as_ref().map(object).transpose()?)?;
    params.set_item("max_keys", own.max_keys)?;
    params.set_item("store", own.store.clone())?;
    Ok(params)
}
