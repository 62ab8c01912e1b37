//! One row of a key: numbers, or a row of a table.

use std::cell::RefCell;
use std::sync::Arc;

use numpy::PyArrayMethods;
use parking_lot::ReentrantMutex;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use crate::columns::Table;
use crate::data::{FeatureNames, Rows};
use crate::keyed::{Key, Keyed};
use crate::python::late::Ticket;
use crate::python::{arrays, one_row, schema};

type Shared = ReentrantMutex<RefCell<Keyed>>;

/// A row of a table, if it is one and tables are taken.
pub(super) fn of_table(
    py: Python<'_>,
    keyed: &Shared,
    argument: &str,
    x: &Bound<'_, PyAny>,
) -> PyResult<Option<Arc<Table>>> {
    one_row::of_table(argument, x, || {
        keyed.lock_py_attached(py).borrow().takes_tables()
    })
}

/// Predicts a row.
pub(super) fn predict(
    py: Python<'_>,
    keyed: &Shared,
    key: Key<'_>,
    x: &Bound<'_, PyAny>,
) -> PyResult<f64> {
    if let Some(row) = of_table(py, keyed, "x", x)? {
        let guard = keyed.lock_py_attached(py);
        return Ok(guard.borrow().predict_table(&[key], &row)?[0]);
    }
    let (x, names) = arrays::row("x", x)?;
    let (guard, x) = (keyed.lock_py_attached(py), x.try_readonly()?);
    let keyed = guard.borrow();
    keyed.check_names("x", &names)?;
    Ok(keyed.predict_row(key, x.as_slice()?)?)
}

/// The ends of the interval of a row.
pub(super) fn interval(
    py: Python<'_>,
    keyed: &Shared,
    (key, x): (Key<'_>, &Bound<'_, PyAny>),
    level: f64,
) -> PyResult<Vec<f64>> {
    if let Some(row) = of_table(py, keyed, "X", x)? {
        let guard = keyed.lock_py_attached(py);
        return Ok(guard
            .borrow()
            .predict_table_intervals(&[key], &row, level)?);
    }
    let (x, names) = arrays::row("X", x)?;
    let (guard, x) = (keyed.lock_py_attached(py), x.try_readonly()?);
    let keyed = guard.borrow();
    keyed.check_names("X", &names)?;
    let rows = Rows::with_gaps(x.as_slice()?, x.as_slice()?.len())?;
    Ok(keyed.predict_intervals(&[key], &rows, level)?)
}

/// Learns a row.
pub(super) fn learn(
    py: Python<'_>,
    keyed: &Shared,
    (key, x): (Key<'_>, &Bound<'_, PyAny>),
    y: f64,
) -> PyResult<()> {
    if let Some(row) = of_table(py, keyed, "x", x)? {
        return schema::warn_after(py, keyed, || {
            let guard = keyed.lock_py_attached(py);
            guard.borrow_mut().learn_table(&[key], &row, &[y])?;
            Ok(())
        });
    }
    let (x, names) = arrays::row("x", x)?;
    let (guard, x) = (keyed.lock_py_attached(py), x.try_readonly()?);
    let mut keyed = guard.borrow_mut();
    keyed.check_names("x", &names)?;
    let is_first = keyed.n_seen() == 0;
    keyed.learn_row(key, x.as_slice()?, y)?;
    if is_first {
        keyed.name_features(names);
    }
    Ok(())
}

/// Predicts a row whose label comes later.
pub(super) fn ask(
    py: Python<'_>,
    keyed: &Shared,
    (key, x): (Key<'_>, &Bound<'_, PyAny>),
    level: Option<f64>,
) -> PyResult<Ticket> {
    level.map_or(Ok(()), crate::data::checks::level)?;
    let row = of_table(py, keyed, "x", x)?;
    let guard = keyed.lock_py_attached(py);
    let mut keyed = guard.borrow_mut();
    let (ticket, names) = if let Some(row) = row {
        (keyed.ask_table(key, &row)?, FeatureNames::default())
    } else {
        let (x, names) = arrays::row("x", x)?;
        let x = x.try_readonly()?;
        keyed.check_names("x", &names)?;
        (keyed.ask(key, x.as_slice()?)?, names)
    };
    let ends = level.map(|level| keyed.interval_of(&ticket, level));
    let ends = ends.transpose()?.map(Vec::from);
    Ok(Ticket::of_key(ticket, ends, names))
}

/// Learns the label of a row that was asked for.
pub(super) fn answer(py: Python<'_>, keyed: &Shared, ticket: &Ticket, y: f64) -> PyResult<()> {
    let (core, names) = ticket.asked_of_key()?;
    schema::warn_after(py, keyed, || {
        let guard = keyed.lock_py_attached(py);
        let mut keyed = guard.borrow_mut();
        keyed.check_names("ticket", names)?;
        let is_first = keyed.n_seen() == 0;
        keyed.answer(core, y)?;
        if is_first {
            keyed.name_features(names.clone());
        }
        Ok(())
    })
}
