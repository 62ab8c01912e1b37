//! What forecasters take from Python, and the arguments that they come from.

use std::sync::Arc;

use numpy::PyArrayMethods;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::Core;
use crate::columns::{Column, Table};
use crate::error::Error;
use crate::python::learner::Learner;
use crate::python::{arrays, tables};

/// The keyword arguments that a forecaster comes from.
pub(super) fn kwargs<'py>(py: Python<'py>, core: &Core) -> PyResult<Bound<'py, PyDict>> {
    let (params, kwargs) = (core.params(), PyDict::new(py));
    let model = crate::Learner::with_columns(params.model.clone(), params.columns.clone())?;
    kwargs.set_item("model", Learner::wrap(py, model, None)?)?;
    let is_whole = params
        .horizons
        .iter()
        .copied()
        .eq(1..=params.horizons.len());
    if is_whole {
        kwargs.set_item("horizon", params.horizons.len())?;
    } else {
        kwargs.set_item("horizon", &params.horizons)?;
    }
    kwargs.set_item("every", params.every.map(|step| step.to_string()))?;
    match &params.seasons {
        None => kwargs.set_item("season", "auto")?,
        Some(seasons) => kwargs.set_item("season", seasons)?,
    }
    kwargs.set_item("ahead", &params.ahead)?;
    kwargs.set_item("half_life", params.half_life.map(|step| step.to_string()))?;
    Ok(kwargs)
}

/// The next slots of a forecaster without a clock.
pub(super) fn next_slots(core: &Core, n: usize) -> Vec<i64> {
    (core.now().map_or(0, |now| now + 1)..).take(n).collect()
}

/// Times as microseconds since 1970, or as numbers of slots without a clock.
pub(super) fn times(core: &Core, time: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
    let column = tables::column("time", time)?;
    let (found, expected) = match (core.params().every, &column) {
        (Some(_), column) => (column.moments(), "a time with a date"),
        (None, Column::Numbers(numbers)) => {
            (whole(numbers), "a whole number, since every is not given")
        }
        (None, _) => (Err(0), "a whole number, since every is not given"),
    };
    found.map_err(|row| match time.get_item(row) {
        Ok(value) => arrays::wrong_type(&format!("time[{row}]"), expected, &value),
        Err(_) => PyValueError::new_err(format!("time[{row}] should be {expected}")),
    })
}

/// Whole numbers; the error is the first row that has none.
fn whole(numbers: &[f64]) -> Result<Vec<i64>, usize> {
    let whole = |(row, number): (usize, &f64)| {
        #[allow(clippy::cast_possible_truncation, reason = "checked")]
        let slot = *number as i64;
        if *number == slot as f64 && number.abs() < 1e15 {
            Ok(slot)
        } else {
            Err(row)
        }
    };
    numbers.iter().enumerate().map(whole).collect()
}

/// Rows of features: those of a table, or of an array, whose columns have their numbers as names.
pub(super) fn features(argument: &'static str, X: &Bound<'_, PyAny>) -> PyResult<Arc<Table>> {
    if let Some(table) = tables::table(argument, X)? {
        return Ok(table);
    }
    let matrix = arrays::matrix(argument, X)?;
    let (width, numbers) = (matrix.dims()[1], matrix.to_vec()?);
    Ok(Arc::new(of_numbers(&numbers, width)?))
}

/// A row of features.
pub(super) fn row(x: &Bound<'_, PyAny>) -> PyResult<Arc<Table>> {
    if let Some(table) = tables::row("x", x)? {
        return Ok(table);
    }
    let numbers = arrays::vector("x", x)?.to_vec()?;
    Ok(Arc::new(of_numbers(&numbers, numbers.len())?))
}

/// A table of numbers, row after row, whose columns have their numbers as names.
fn of_numbers(numbers: &[f64], width: usize) -> Result<Table, Error> {
    let column =
        |i: usize| Column::Numbers(numbers.iter().skip(i).step_by(width).copied().collect());
    let names = (0..width).map(|i| i.to_string()).collect();
    Table::new(
        numbers.len() / width.max(1),
        names,
        (0..width).map(column).collect(),
    )
}
