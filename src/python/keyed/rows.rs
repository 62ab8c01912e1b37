//! Rows by key, many at a time and without holding the interpreter.

use std::cell::RefCell;

use numpy::{Element, PyArrayMethods, PyReadonlyArray2};
use parking_lot::ReentrantMutex;
use pyo3::prelude::*;

use crate::columns::Table;
use crate::data::{FeatureNames, Number, Rows};
use crate::error::Error;
use crate::keyed::{Key, Keyed};
use crate::python::arrays::Matrix;
use crate::python::chunks::{SCORED_LENGTHS, Source, in_chunks};
use crate::python::schema;
use crate::python::signals::Signals;
use crate::python::training_batch::Batch;

type Shared = ReentrantMutex<RefCell<Keyed>>;

/// Models by key, and the number of rows after which a label is known.
type To<'a> = (&'a Shared, usize);

/// Learns rows by key; returns the predictions made before each label was learned. Everything is checked before anything
/// is learned.
pub(super) fn learn(
    py: Python<'_>,
    to: To<'_>,
    keys: &[Key<'_>],
    X: &Batch<'_>,
    y: &[f64],
) -> PyResult<Vec<f64>> {
    match X {
        Batch::Table(table) => schema::warn_after(py, to.0, || learn_table(py, to, keys, table, y)),
        Batch::Matrix(Matrix::Float64(X), names) => {
            learn_rows(py, to, keys, (&X.try_readonly()?, names), y)
        }
        Batch::Matrix(Matrix::Float32(X), names) => {
            learn_rows(py, to, keys, (&X.try_readonly()?, names), y)
        }
    }
}

/// Learns the rows of a table. Everything is checked before anything is learned.
fn learn_table(
    py: Python<'_>,
    (keyed, delay): To<'_>,
    keys: &[Key<'_>],
    table: &Table,
    y: &[f64],
) -> PyResult<Vec<f64>> {
    let mut signals = Signals::new(py)?;
    py.detach(|| {
        let keyed = keyed.lock();
        let table = keyed.borrow().named(table)?.into_owned();
        let mut matched = keyed.borrow().check_table(keys, &table, y)?;
        let lengths = [Keyed::BLOCK; 2];
        in_chunks((table.n_rows(), 1), lengths, &mut signals, |range| {
            let mut keyed = keyed.borrow_mut();
            keyed.learn_all_but(delay)?;
            match delay {
                0 => keyed.learn_matched(&mut matched, keys, range, y),
                _ => keyed.learn_late_matched(&mut matched, keys, range, (y, delay)),
            }
        })
    })
}

fn learn_rows<T: Number + Element>(
    py: Python<'_>,
    (keyed, delay): To<'_>,
    keys: &[Key<'_>],
    (X, names): (&PyReadonlyArray2<'_, T>, &FeatureNames),
    y: &[f64],
) -> PyResult<Vec<f64>> {
    let (source, mut signals) = (Source::new(X)?, Signals::new(py)?);
    py.detach(|| {
        let (keyed, mut memory) = (keyed.lock(), Vec::new());
        let shape = (source.len(), source.n_features());
        keyed.borrow().check_names("X", names)?;
        keyed.borrow().check_labels(keys, shape, y)?;
        source.each_chunk(|rows, range| keyed.borrow().check(&keys[range], rows))?;
        let lengths = [Keyed::BLOCK; 2];
        in_chunks((source.len(), 1), lengths, &mut signals, |range| {
            let rows = source.float64(range.clone(), &mut memory)?;
            // Each chunk is checked again: a signal handler may have used the models.
            let mut keyed = keyed.borrow_mut();
            let is_first = keyed.n_seen() == 0;
            let (keys, y) = (&keys[range.clone()], &y[range]);
            keyed.learn_all_but(delay)?;
            let yhat = match delay {
                0 => keyed.learn_rows(keys, &rows, y),
                _ => keyed.learn_late_rows(keys, &rows, y, delay),
            }?;
            if is_first {
                keyed.name_features(names.clone());
            }
            Ok(yhat)
        })
    })
}

/// Numbers for each row by key.
#[derive(Clone, Copy)]
pub(super) enum Score {
    /// The prediction.
    Prediction,
    /// The two ends of an interval of this level.
    Interval(f64),
}

impl Score {
    /// Number of numbers for a row.
    fn len(self) -> usize {
        match self {
            Self::Prediction => 1,
            Self::Interval(_) => 2,
        }
    }

    /// The numbers of rows of an array.
    fn of_rows(self, keyed: &Keyed, keys: &[Key<'_>], rows: &Rows<'_>) -> Result<Vec<f64>, Error> {
        match self {
            Self::Prediction => keyed.predict_rows(keys, rows),
            Self::Interval(level) => keyed.predict_intervals(keys, rows, level),
        }
    }

    /// The numbers of rows of features.
    fn of_features(
        self,
        keyed: &Keyed,
        keys: &[Key<'_>],
        rows: &Rows<'_>,
    ) -> Result<Vec<f64>, Error> {
        match self {
            Self::Prediction => keyed.predict_features(keys, rows),
            Self::Interval(level) => keyed.intervals_of_features(keys, rows, level),
        }
    }
}

/// Computes the numbers of rows by key.
pub(super) fn score(
    py: Python<'_>,
    keyed: &Shared,
    keys: &[Key<'_>],
    X: &Batch<'_>,
    score: Score,
) -> PyResult<Vec<f64>> {
    match X {
        Batch::Table(table) => score_table(py, keyed, keys, table, score),
        Batch::Matrix(Matrix::Float64(X), names) => {
            score_rows(py, keyed, keys, (&X.try_readonly()?, names), score)
        }
        Batch::Matrix(Matrix::Float32(X), names) => {
            score_rows(py, keyed, keys, (&X.try_readonly()?, names), score)
        }
    }
}

fn score_table(
    py: Python<'_>,
    keyed: &Shared,
    keys: &[Key<'_>],
    table: &Table,
    score: Score,
) -> PyResult<Vec<f64>> {
    let mut signals = Signals::new(py)?;
    py.detach(|| {
        let keyed = keyed.lock();
        Keyed::check_keys(keys, table.n_rows())?;
        let features = keyed.borrow().features(table)?;
        let shape = (table.n_rows(), score.len());
        in_chunks(shape, SCORED_LENGTHS, &mut signals, |range| {
            let rows = features.rows().slice(range.clone());
            score.of_features(&keyed.borrow(), &keys[range], &rows)
        })
    })
}

fn score_rows<T: Number + Element>(
    py: Python<'_>,
    keyed: &Shared,
    keys: &[Key<'_>],
    (X, names): (&PyReadonlyArray2<'_, T>, &FeatureNames),
    score: Score,
) -> PyResult<Vec<f64>> {
    let (source, mut signals) = (Source::new(X)?, Signals::new(py)?);
    py.detach(|| {
        let (keyed, mut memory) = (keyed.lock(), Vec::new());
        keyed.borrow().check_names("X", names)?;
        keyed
            .borrow()
            .check_shape(keys, (source.len(), source.n_features()))?;
        let shape = (source.len(), score.len());
        in_chunks(shape, SCORED_LENGTHS, &mut signals, |range| {
            let rows = source.float64(range.clone(), &mut memory)?;
            score.of_rows(&keyed.borrow(), &keys[range], &rows)
        })
    })
}
