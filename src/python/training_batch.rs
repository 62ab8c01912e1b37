//! Rows and labels to be learned, many at a time.

use std::cell::RefCell;
use std::sync::Arc;

use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray2};
use parking_lot::ReentrantMutex;
use pyo3::prelude::*;

use super::arrays::{self, Matrix};
use super::chunks::{Source, in_chunks, training_lengths};
use super::signals::Signals;
use super::{schema, tables};
use crate::Learner;
use crate::columns::Table;
use crate::data::{FeatureNames, Number};
use crate::error::Error;

/// The rows of an array with the names of its columns, or those of a table.
pub(super) enum Batch<'py> {
    Matrix(Matrix<'py>, FeatureNames),
    Table(Arc<Table>),
}

type Floats<'py> = Bound<'py, PyArray1<f64>>;
type Weights<'a> = Option<&'a [f64]>;

/// Rows, their labels, and their weights if there are any.
pub(super) struct TrainingBatch<'py> {
    X: Batch<'py>,
    y: Floats<'py>,
    weights: Option<Floats<'py>>,
}

impl<'py> TrainingBatch<'py> {
    pub(super) fn new(
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        weights: Option<&Bound<'py, PyAny>>,
        (n_targets, takes_tables): (usize, bool),
    ) -> PyResult<Self> {
        let batch = Batch::new(X, takes_tables)?;
        let y = arrays::labels("y", y, n_targets)?;
        let weights = weights.map(|weights| arrays::vector("sample_weight", weights));
        let weights = weights.transpose()?;
        let batch = batch.looked_at_again()?;
        Ok(Self {
            X: batch,
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
        let to = (learner, delay);
        match &self.X {
            Batch::Table(table) => {
                schema::warn_after(py, learner, || learn_table(py, to, table, y, weights))
            }
            Batch::Matrix(Matrix::Float64(X), names) => {
                learn_rows(py, to, (&X.try_readonly()?, names), y, weights)
            }
            Batch::Matrix(Matrix::Float32(X), names) => {
                learn_rows(py, to, (&X.try_readonly()?, names), y, weights)
            }
        }
    }
}

impl<'py> Batch<'py> {
    pub(super) fn new(X: &Bound<'py, PyAny>, takes_tables: bool) -> PyResult<Self> {
        if takes_tables && let Some(table) = tables::table("X", X)? {
            return Ok(Self::Table(table));
        }
        let (X, names) = arrays::rows("X", X)?;
        Ok(Self::Matrix(X, names))
    }

    /// The same batch, after the user's code may have run, which may have changed an array.
    fn looked_at_again(self) -> PyResult<Self> {
        let Self::Matrix(X, names) = self else {
            return Ok(self);
        };
        let (X, _) = match &X {
            Matrix::Float64(X) => arrays::rows("X", X),
            Matrix::Float32(X) => arrays::rows("X", X),
        }?;
        Ok(Self::Matrix(X, names))
    }
}

/// A learner, and the number of rows after which a label is known.
type To<'a> = (&'a ReentrantMutex<RefCell<Learner>>, usize);

/// Learns rows of one type of numbers. Everything is checked before anything is learned.
fn learn_rows<T: Number + Element>(
    py: Python<'_>,
    (learner, delay): To<'_>,
    (X, names): (&PyReadonlyArray2<'_, T>, &FeatureNames),
    y: &[f64],
    weights: Weights<'_>,
) -> PyResult<Vec<f64>> {
    let (source, mut signals) = (Source::new(X)?, Signals::new(py)?);
    py.detach(|| {
        let learner = learner.lock();
        check(&learner.borrow(), &source, y, weights)?;
        learner.borrow().check_names("X", names)?;
        let (lengths, mut memory) = (training_lengths(learner.borrow().block_len()), Vec::new());
        let n_targets = learner.borrow().n_targets();
        in_chunks((source.len(), n_targets), lengths, &mut signals, |range| {
            let rows = source.float64(range.clone(), &mut memory)?;
            // Each chunk is checked again: a signal handler may have used the model.
            let mut learner = learner.borrow_mut();
            let y = &y[range.start * n_targets..range.end * n_targets];
            let is_first = learner.n_seen() == 0;
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

/// Learns the rows of a table. Everything is checked before anything is learned.
fn learn_table(
    py: Python<'_>,
    (learner, delay): To<'_>,
    table: &Table,
    y: &[f64],
    weights: Weights<'_>,
) -> PyResult<Vec<f64>> {
    let mut signals = Signals::new(py)?;
    py.detach(|| {
        let learner = learner.lock();
        let table = learner.borrow().named(table)?.into_owned();
        let mut matched = learner.borrow().check_table(&table, y, weights)?;
        let lengths = training_lengths(learner.borrow().block_len());
        let shape = (table.n_rows(), learner.borrow().n_targets());
        in_chunks(shape, lengths, &mut signals, |range| {
            let mut learner = learner.borrow_mut();
            learner.learn_all_but(delay);
            match delay {
                0 => learner.learn_matched(&mut matched, range, y, weights),
                _ => learner.learn_late_matched(&mut matched, range, (y, weights), delay),
            }
        })
    })
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
    source.check(needs_rows, learner, |rows, range| {
        let weights = weights.and_then(|weights| weights.get(range));
        learner.check_rows(rows, weights)
    })?;
    learner.check_labels(shape, y, weights)
}
