//! Prediction intervals.

use std::cell::RefCell;

use numpy::{PyArray1, PyArrayMethods};
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use super::arrays;
use super::chunks::{self, ScoreRows};
use crate::Learner;
use crate::data::{Number, Rows};
use crate::error::Error;

/// A learner that computes intervals of this level.
struct Intervals<'a>(ReentrantMutexGuard<'a, RefCell<Learner>>, f64);

impl ScoreRows for Intervals<'_> {
    fn score_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        self.0.borrow().predict_intervals(rows, self.1)
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
    let check = |names| {
        let guard = learner.lock_py_attached(py);
        guard.borrow().check_names("X", &names)?;
        PyResult::Ok(guard.borrow().n_targets())
    };
    let (ends, shape) = if arrays::is_row(X) {
        let (x, names) = arrays::row("X", X)?;
        let (n_targets, x) = (check(names)?, x.try_readonly()?);
        let rows = Rows::new(x.as_slice()?, x.len()?)?;
        let guard = learner.lock_py_attached(py);
        let ends = guard.borrow().predict_intervals(&rows, level)?;
        (ends, shape(None, n_targets))
    } else {
        let (X, names) = arrays::rows("X", X)?;
        let n_targets = check(names)?;
        let ends = chunks::score(py, &X, || Intervals(learner.lock(), level))?;
        let n_rows = ends.len() / (2 * n_targets);
        (ends, shape(Some(n_rows), n_targets))
    };
    Ok(PyArray1::from_vec(py, ends).reshape(shape)?.into_any())
}

/// The ends of the interval of one row, of each target if there are several.
pub(super) fn of_row(
    py: Python<'_>,
    ends: Vec<f64>,
    n_targets: usize,
) -> PyResult<Bound<'_, PyAny>> {
    let ends = PyArray1::from_vec(py, ends);
    Ok(ends.reshape(shape(None, n_targets))?.into_any())
}

/// The shape of the result: two ends for each target, if there are several, of each row, if there are many.
fn shape(n_rows: Option<usize>, n_targets: usize) -> Vec<usize> {
    let targets = (n_targets > 1).then_some(n_targets);
    n_rows.into_iter().chain(targets).chain([2]).collect()
}
