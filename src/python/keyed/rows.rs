//! Rows by key, many at a time and without holding the interpreter.

use std::cell::RefCell;
use std::ops::Range;

use numpy::{Element, PyArrayMethods, PyReadonlyArray2};
use parking_lot::ReentrantMutex;
use pyo3::prelude::*;

use crate::data::{FeatureNames, Number, Rows};
use crate::error::Error;
use crate::keyed::{Key, Keyed};
use crate::python::arrays::Matrix;
use crate::python::chunks::{SCORED_LENGTHS, Source, in_chunks};
use crate::python::signals::Signals;

type Shared = ReentrantMutex<RefCell<Keyed>>;

/// Learns rows by key; returns the predictions made before each label was learned. Everything is checked before anything
/// is learned.
pub(super) fn learn(
    py: Python<'_>,
    keyed: &Shared,
    keys: &[Key<'_>],
    (X, names): (&Matrix<'_>, &FeatureNames),
    y: &[f64],
) -> PyResult<Vec<f64>> {
    match X {
        Matrix::Float64(X) => learn_rows(py, keyed, keys, (&X.try_readonly()?, names), y),
        Matrix::Float32(X) => learn_rows(py, keyed, keys, (&X.try_readonly()?, names), y),
    }
}

fn learn_rows<T: Number + Element>(
    py: Python<'_>,
    keyed: &Shared,
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
            let yhat = keyed.learn_rows(&keys[range.clone()], &rows, &y[range])?;
            if is_first {
                keyed.name_features(names.clone());
            }
            Ok(yhat)
        })
    })
}

/// Computes `n` numbers for each row by key.
pub(super) fn score(
    py: Python<'_>,
    keyed: &Shared,
    keys: &[Key<'_>],
    (X, names): (&Matrix<'_>, &FeatureNames),
    (n, score): (usize, impl Scoring),
) -> PyResult<Vec<f64>> {
    match X {
        Matrix::Float64(X) => score_rows(py, keyed, keys, (&X.try_readonly()?, names), (n, score)),
        Matrix::Float32(X) => score_rows(py, keyed, keys, (&X.try_readonly()?, names), (n, score)),
    }
}

/// What computes numbers for rows by key.
pub(super) trait Scoring:
    Fn(&Keyed, &[Key<'_>], &Rows<'_>) -> Result<Vec<f64>, Error> + Send + Sync
{
}

impl<F: Fn(&Keyed, &[Key<'_>], &Rows<'_>) -> Result<Vec<f64>, Error> + Send + Sync> Scoring for F {}

fn score_rows<T: Number + Element>(
    py: Python<'_>,
    keyed: &Shared,
    keys: &[Key<'_>],
    (X, names): (&PyReadonlyArray2<'_, T>, &FeatureNames),
    (n, score): (usize, impl Scoring),
) -> PyResult<Vec<f64>> {
    let (source, mut signals) = (Source::new(X)?, Signals::new(py)?);
    py.detach(|| {
        let (keyed, mut memory) = (keyed.lock(), Vec::new());
        keyed.borrow().check_names("X", names)?;
        keyed
            .borrow()
            .check_shape(keys, (source.len(), source.n_features()))?;
        in_chunks(
            (source.len(), n),
            SCORED_LENGTHS,
            &mut signals,
            |range: Range<usize>| {
                let rows = source.float64(range.clone(), &mut memory)?;
                score(&keyed.borrow(), &keys[range], &rows)
            },
        )
    })
}
