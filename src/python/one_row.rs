//! Rows one by one: numbers, or those of a table.

use std::cell::RefCell;
use std::slice::from_ref;
use std::sync::Arc;

use numpy::PyArrayMethods;
use parking_lot::ReentrantMutex;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::PyFloat;

use super::late::{self, Ticket};
use super::{arrays, chunks, schema, tables};
use crate::Learner;
use crate::columns::Table;
use crate::data::FeatureNames;

type Shared = ReentrantMutex<RefCell<Learner>>;

/// A row of a table, if it is one and the model takes it.
pub(super) fn of_table(
    argument: &str,
    x: &Bound<'_, PyAny>,
    takes_tables: impl FnOnce() -> bool,
) -> PyResult<Option<Arc<Table>>> {
    if arrays::is_nameless(x) || !takes_tables() {
        return Ok(None);
    }
    tables::row(argument, x)
}

/// A row of a table, if it is one and the learner takes it.
fn row_of(py: Python<'_>, learner: &Shared, x: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Table>>> {
    of_table("x", x, || {
        learner.lock_py_attached(py).borrow().takes_tables()
    })
}

/// Predicts a row.
pub(super) fn predict<'py>(
    py: Python<'py>,
    learner: &Shared,
    x: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some(row) = row_of(py, learner, x)? {
        let yhat = learner.lock_py_attached(py).borrow().predict_table(&row)?;
        return Ok(chunks::prediction(py, yhat));
    }
    let (x, names) = arrays::row("x", x)?;
    let (guard, x) = (learner.lock_py_attached(py), x.try_readonly()?);
    let learner = guard.borrow();
    learner.check_names("x", &names)?;
    if learner.n_targets() == 1 {
        let yhat = learner.predict_row(x.as_slice()?)?;
        return Ok(PyFloat::new(py, yhat).into_any());
    }
    let yhat = learner.predict_targets(x.as_slice()?)?;
    Ok(chunks::prediction(py, yhat))
}

/// Learns a row.
pub(super) fn learn(
    py: Python<'_>,
    learner: &Shared,
    (x, y): (&Bound<'_, PyAny>, &[f64]),
    weight: Option<f64>,
) -> PyResult<()> {
    if let Some(row) = row_of(py, learner, x)? {
        let weights = weight.as_ref().map(from_ref);
        return schema::warn_after(py, learner, || {
            let guard = learner.lock_py_attached(py);
            guard.borrow_mut().learn_table(&row, y, weights)?;
            Ok(())
        });
    }
    let (x, names) = arrays::row("x", x)?;
    let (guard, x) = (learner.lock_py_attached(py), x.try_readonly()?);
    let mut learner = guard.borrow_mut();
    learner.check_names("x", &names)?;
    let is_first = learner.n_seen() == 0;
    learner.learn_targets(x.as_slice()?, y, weight, &mut vec![0.0; y.len()])?;
    if is_first {
        learner.name_features(names);
    }
    Ok(())
}

/// Predicts a row whose label comes later.
pub(super) fn ask(
    py: Python<'_>,
    learner: &Shared,
    x: &Bound<'_, PyAny>,
    level: Option<f64>,
) -> PyResult<Ticket> {
    if let Some(row) = row_of(py, learner, x)? {
        let guard = learner.lock_py_attached(py);
        let ask = |learner: &mut Learner| learner.ask_table(&row);
        return late::ask(&mut guard.borrow_mut(), level, FeatureNames::default(), ask);
    }
    let (x, names) = arrays::row("x", x)?;
    let (guard, x) = (learner.lock_py_attached(py), x.try_readonly()?);
    let mut learner = guard.borrow_mut();
    learner.check_names("x", &names)?;
    let x = x.as_slice()?;
    late::ask(&mut learner, level, names, |learner| learner.ask(x))
}
