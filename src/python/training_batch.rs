//! Rows and labels to be learned, many at a time.

use std::cell::RefCell;

use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray2};
use parking_lot::ReentrantMutex;
use pyo3::prelude::*;

use super::arrays::{self, Matrix};
use super::chunks::{Source, in_chunks, training_lengths};
use super::signals::Signals;
use crate::Learner;
use crate::data::FeatureNames;
use crate::data::Number;
use crate::error::Error;

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Weights<'a> = Option<&'a [f64]>;

/// Rows, the names of their columns, their labels, and their weights if there are any.
pub(super) struct TrainingBatch<'py> {
    X: Matrix<'py>,
    names: FeatureNames,
    y: Floats<'py>,
    weights: Option<Floats<'py>>,
}

impl<'py> TrainingBatch<'py> {
    pub(super) fn new(
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        weights: Option<&Bound<'py, PyAny>>,
        n_targets: usize,
    ) -> PyResult<Self> {
        let (X, names) = arrays::rows("X", X)?;
        let y = arrays::labels("y", y, n_targets)?;
        let weights = weights.map(|weights| arrays::vector("sample_weight", weights));
        let weights = weights.transpose()?;
        // The conversion of y may have run the user's code, and that may have changed X.
        let (X, _) = match &X {
            Matrix::Float64(X) => arrays::rows("X", X),
            Matrix::Float32(X) => arrays::rows("X", X),
        }?;
        Ok(Self {
            X,
            names,
            y,
            weights,
        })
    }

    /// Learns all rows without holding the interpreter; returns the predictions made before each label was learned.
    pub(super) fn progressive(
        &self,
        py: Python<'py>,
        learner: &ReentrantMutex<RefCell<Learner>>,
        delay: usize,
    ) -> PyResult<Vec<f64>> {
        let y = self.y.try_readonly()?;
        let weights = self.weights.as_ref().map(PyArrayMethods::try_readonly);
        let weights = weights.transpose()?;
        let weights = weights.as_ref().map(|w| w.as_slice()).transpose()?;
        let y = y.as_slice()?;
        match &self.X {
            Matrix::Float64(X) => {
                self.learn_rows(py, (learner, delay), &X.try_readonly()?, y, weights)
            }
            Matrix::Float32(X) => {
                self.learn_rows(py, (learner, delay), &X.try_readonly()?, y, weights)
            }
        }
    }

    /// Learns rows of one type of numbers. Everything is checked before anything is learned.
    fn learn_rows<T: Number + Element>(
        &self,
        py: Python<'_>,
        (learner, delay): (&ReentrantMutex<RefCell<Learner>>, usize),
        X: &PyReadonlyArray2<'_, T>,
        y: &[f64],
        weights: Weights<'_>,
    ) -> PyResult<Vec<f64>> {
        let (source, names, mut signals) = (Source::new(X)?, &self.names, Signals::new(py)?);
        py.detach(|| {
            let learner = learner.lock();
            check(&learner.borrow(), &source, y, weights)?;
            learner.borrow().check_names("X", names)?;
            let (block_len, mut memory) = (learner.borrow().block_len(), Vec::new());
            let n_targets = learner.borrow().n_targets();
            let shape = (source.len(), n_targets);
            in_chunks(shape, training_lengths(block_len), &mut signals, |range| {
                let rows = source.float64(range.clone(), &mut memory)?;
                // Each chunk is checked again: a signal handler may have used the model.
                let mut learner = learner.borrow_mut();
                let (y, is_first) = (
                    &y[range.start * n_targets..range.end * n_targets],
                    learner.n_seen() == 0,
                );
                learner.learn_all_but(delay);
                let yhat = match (delay, weights) {
                    (0, None) => learner.learn_rows(&rows, y),
                    (0, Some(weights)) => learner.learn_weighted_rows(&rows, y, &weights[range]),
                    _ => learner.learn_late_rows(&rows, y, weights.map(|w| &w[range]), delay),
                }?;
                if is_first {
                    learner.name_features(names.clone());
                }
                Ok(yhat)
            })
        })
    }
}

/// Refuses what the learner cannot learn.
fn check<T: Number + Element>(
    learner: &Learner,
    source: &Source<'_, T>,
    y: &[f64],
    weights: Weights<'_>,
) -> Result<(), Error> {
    let needs_rows = weights.is_some() || learner.has_large_rows();
    let shape = (source.len(), source.n_features());
    source.check(needs_rows, |rows, range| {
        let weights = weights.and_then(|weights| weights.get(range));
        learner.check_rows(rows, weights)
    })?;
    learner.check_labels(shape, y, weights)
}
