//! Prediction intervals.

use std::cell::RefCell;

use numpy::{PyArray1, PyArrayMethods};
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use super::chunks::{self, ScoreRows};
use super::{arrays, tables};
use crate::Learner;
use crate::columns::Table;
use crate::data::{Number, Rows};
use crate::error::Error;
use crate::learner::Features;

/// A learner that computes intervals of this level.
struct Intervals<'a>(ReentrantMutexGuard<'a, RefCell<Learner>>, f64);

impl ScoreRows for Intervals<'_> {
    fn score_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        self.0.borrow().predict_intervals(rows, self.1)
    }

    fn features(&self, table: &Table) -> Result<Features, Error> {
        self.0.borrow().features(table)
    }

    fn score_features(&self, rows: &Rows<'_>) -> Result<Vec<f64>, Error> {
        self.0.borrow().intervals_of_features(rows, self.1)
    }

    fn values_per_row(&self) -> usize {
        2 * self.0.borrow().n_targets()
    }
}

/// The ends of the intervals of one row or of many.
pub(super) fn predict<'py>(
    py: Python<'py>,
    learner: &ReentrantMutex<RefCell<Learner>>,
    X: &Bound<'py, PyAny>,
    level: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let lock = || learner.lock_py_attached(py);
    let (n_targets, takes_tables) = (lock().borrow().n_targets(), lock().borrow().takes_tables());
    let open = || Intervals(learner.lock(), level);
    if takes_tables && let Some(row) = tables::row("X", X)? {
        let ends = lock().borrow().predict_table_intervals(&row, level)?;
        return of_row(py, ends, n_targets);
    }
    if takes_tables && let Some(table) = tables::table("X", X)? {
        let ends = chunks::score_table(py, &table, open)?;
        return of_rows(py, ends, Some(table.n_rows()), n_targets);
    }
    if arrays::is_row(X) {
        let (x, names) = arrays::row("X", X)?;
        let (guard, x) = (lock(), x.try_readonly()?);
        let learner = guard.borrow();
        learner.check_names("X", &names)?;
        let rows = Rows::with_gaps(x.as_slice()?, x.len()?)?;
        return of_row(py, learner.predict_intervals(&rows, level)?, n_targets);
    }
    let (X, names) = arrays::rows("X", X)?;
    lock().borrow().check_names("X", &names)?;
    let ends = chunks::score(py, &X, open)?;
    let n_rows = ends.len() / (2 * n_targets);
    of_rows(py, ends, Some(n_rows), n_targets)
}

/// The ends of the interval of one row, of each target if there are several.
pub(super) fn of_row(
    py: Python<'_>,
    ends: Vec<f64>,
    n_targets: usize,
) -> PyResult<Bound<'_, PyAny>> {
    of_rows(py, ends, None, n_targets)
}

/// The ends of the intervals of many rows, or of one.
pub(super) fn of_rows(
    py: Python<'_>,
    ends: Vec<f64>,
    n_rows: Option<usize>,
    n_targets: usize,
) -> PyResult<Bound<'_, PyAny>> {
    let ends = PyArray1::from_vec(py, ends);
    Ok(ends.reshape(shape(n_rows, n_targets))?.into_any())
}

/// The shape of the result: two ends for each target, if there are several, of each row, if there are many.
fn shape(n_rows: Option<usize>, n_targets: usize) -> Vec<usize> {
    let targets = (n_targets > 1).then_some(n_targets);
    n_rows.into_iter().chain(targets).chain([2]).collect()
}
