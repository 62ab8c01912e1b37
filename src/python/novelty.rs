//! How far rows are from all that a learner knows.

use std::cell::RefCell;

use numpy::PyArray1;
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

/// A learner that computes novelties.
struct Novelty<'a>(ReentrantMutexGuard<'a, RefCell<Learner>>);

impl ScoreRows for Novelty<'_> {
    fn score_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        self.0.borrow().novelty(rows)
    }

    fn features(&self, table: &Table) -> Result<Features, Error> {
        self.0.borrow().features(table)
    }

    fn score_features(&self, rows: &Rows<'_>) -> Result<Vec<f64>, Error> {
        self.0.borrow().novelty_of_features(rows)
    }

    fn values_per_row(&self) -> usize {
        1
    }
}

/// The novelty of each row.
pub(super) fn of_rows<'py>(
    py: Python<'py>,
    learner: &ReentrantMutex<RefCell<Learner>>,
    X: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let open = || Novelty(learner.lock());
    let novelty = if let Some(table) = tables::table("X", X)? {
        chunks::score_table(py, &table, open)?
    } else {
        let (X, names) = arrays::rows("X", X)?;
        let guard = learner.lock_py_attached(py);
        guard.borrow().check_names("X", &names)?;
        drop(guard);
        chunks::score(py, &X, open)?
    };
    Ok(PyArray1::from_vec(py, novelty))
}
