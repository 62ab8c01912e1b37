//! Conversion between learners with their columns and the keyword arguments that make them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyString};
use serde_json::{Map, Value};

use super::learner::Learner;
use super::{arrays, params};
use crate::algorithms::AnyParams;
use crate::columns::{Kind, Settings, Why};
use crate::error::Error;

type Core = crate::Learner;

/// The name of the class of learners that take tables only because they are told to.
const TABULAR: &str = "Tabular";

/// The keyword arguments that say how columns are treated.
const SETTINGS: [&str; 5] = [
    "schema",
    "missing",
    "missing_values",
    "max_categories",
    "on_new_columns",
];

/// A learner that has seen nothing.
pub(super) fn from_py(algorithm: &str, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Core> {
    let Some(kwargs) = kwargs else {
        return Ok(Core::new(params::from_py::<AnyParams>(algorithm, None)?)?);
    };
    let takes_settings =
        algorithm == TABULAR || AnyParams::default_of(algorithm).is_some_and(has_columns);
    if !takes_settings {
        return Ok(Core::new(params::from_py::<AnyParams>(
            algorithm,
            Some(kwargs),
        )?)?);
    }
    let (rest, settings) = (kwargs.copy()?, settings(kwargs)?);
    for name in SETTINGS {
        rest.del_item(name).unwrap_or_default();
    }
    let params = match rest.get_item("model")? {
        Some(model) if algorithm == TABULAR => params_of(&model)?,
        _ => params::from_py(algorithm, Some(&rest))?,
    };
    Ok(Core::with_columns(params, settings)?)
}

/// Returns true if learners with these parameters have columns without being told to.
fn has_columns(params: AnyParams) -> bool {
    Core::new(params).is_ok_and(|learner| learner.takes_tables())
}

/// The parameters of a learner that has seen nothing and has no columns.
fn params_of(model: &Bound<'_, PyAny>) -> PyResult<AnyParams> {
    let expected = "a learner that takes arrays alone and has seen nothing";
    params_if(("model", expected), model, |learner| {
        !learner.takes_tables()
    })
}

/// The parameters of a learner that has seen nothing, and the settings of its columns, if it takes tables.
pub(super) fn parts_of_new(
    argument: &str,
    model: &Bound<'_, PyAny>,
) -> PyResult<(AnyParams, Option<Settings>)> {
    let mut settings = None;
    let params = params_if(
        (argument, "a learner that has seen nothing"),
        model,
        |learner| {
            settings = learner.columns().map(|columns| Settings {
                scale: false,
                ..columns.settings().clone()
            });
            true
        },
    )?;
    Ok((params, settings))
}

/// The public object of a learner that has seen nothing, which takes tables if there are settings of columns.
pub(super) fn new_object<'py>(
    py: Python<'py>,
    params: &AnyParams,
    settings: Option<&Settings>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(settings) = settings else {
        return params::object(py, params);
    };
    let learner = Core::with_columns(params.clone(), settings.clone())?;
    Learner::wrap(py, learner, None)
}

fn params_if(
    (argument, expected): (&str, &str),
    model: &Bound<'_, PyAny>,
    is_right: impl FnOnce(&Core) -> bool,
) -> PyResult<AnyParams> {
    let wrong = || arrays::wrong_type(argument, expected, model);
    let learner = model.cast::<Learner>().map_err(|_| wrong())?;
    let learner = learner.get().copy(model.py());
    if learner.n_seen() > 0 || !is_right(&learner) {
        return Err(wrong());
    }
    Ok(learner.params().clone())
}

/// The settings of columns among keyword arguments.
fn settings(kwargs: &Bound<'_, PyDict>) -> PyResult<Settings> {
    let mut fields = Map::new();
    for name in SETTINGS {
        let Some(value) = kwargs.get_item(name)?.filter(|value| !value.is_none()) else {
            continue;
        };
        let value = match name {
            "schema" => schema(&value)?,
            "missing_values" => numbers(name, &value)?,
            _ => params::to_value(name, &value)?,
        };
        fields.insert(name.to_owned(), value);
    }
    params::parsed(fields.into(), Some(kwargs))
}

/// The kinds of columns by name.
fn schema(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let wrong = || arrays::wrong_type("schema", "a dict of kinds by the names of columns", value);
    let items = value.cast::<PyMapping>().map_err(|_| wrong())?.items()?;
    let item = |item: Bound<'_, PyAny>| {
        let (name, kind): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
        let name = name.cast_into::<PyString>().map_err(|_| wrong())?;
        let kind = kind.cast_into::<PyString>().map_err(|_| wrong())?;
        let kind = kind_of(&kind).map_err(|problem| {
            PyValueError::new_err(format!("schema[{}]: {problem}", arrays::shown(&name)))
        })?;
        Ok((name.to_string(), Value::from(String::from(kind))))
    };
    let fields: PyResult<Map<String, Value>> = items.iter().map(item).collect();
    Ok(fields?.into())
}

/// A kind by its text, which may be that of a model's own schema: what is left out for a reason is stated now.
fn kind_of(text: &Bound<'_, PyString>) -> Result<Kind, String> {
    Kind::try_from(text.to_string()).map(|kind| match kind {
        Kind::Unused(_) => Kind::Unused(Why::Stated),
        kind => kind,
    })
}

/// A list of numbers, or a number alone.
fn numbers(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(number) = arrays::number(name, value) {
        return Ok(vec![number].into());
    }
    params::vector(name, value)
}

/// The name of the class of a learner, and the keyword arguments that it comes from.
pub(super) fn to_py<'py>(
    py: Python<'py>,
    learner: &Core,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    to_dict(py, learner, |_, _| true)
}

/// The keyword arguments that a learner's text shows: settings of columns are left out if they are the usual ones.
pub(super) fn shown<'py>(py: Python<'py>, learner: &Core) -> PyResult<Bound<'py, PyDict>> {
    let usual = serde_json::to_value(Settings::default()).map_err(Error::model_file)?;
    let is_shown = |name: &str, value: &Value| usual.get(name) != Some(value);
    to_dict(py, learner, is_shown).map(|(_, kwargs)| kwargs)
}

fn to_dict<'py>(
    py: Python<'py>,
    learner: &Core,
    is_shown: impl Fn(&str, &Value) -> bool,
) -> PyResult<(String, Bound<'py, PyDict>)> {
    let (mut name, mut kwargs) = params::to_py(py, learner.params())?;
    let Some(columns) = learner.columns() else {
        return Ok((name, kwargs));
    };
    if !has_columns(learner.params().clone()) {
        let model = params::facade(py, &name)?.call((), Some(&kwargs))?;
        (name, kwargs) = (TABULAR.to_owned(), PyDict::new(py));
        kwargs.set_item("model", model)?;
    }
    let settings = serde_json::to_value(columns.settings()).map_err(Error::model_file)?;
    for name in SETTINGS {
        if let Some(value) = settings.get(name).filter(|value| is_shown(name, value)) {
            kwargs.set_item(name, setting(py, name, value)?)?;
        }
    }
    Ok((name, kwargs))
}

/// A setting as the keyword argument that it comes from.
fn setting<'py>(py: Python<'py>, name: &str, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    let plain = params::plain(py, value)?;
    match name {
        "schema" | "missing_values" if plain.is_empty()? => Ok(py.None().into_bound(py)),
        _ => Ok(plain),
    }
}
