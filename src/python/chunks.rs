//! Work on whole arrays, some rows at a time and without holding the interpreter.

use std::ops::Range;

use numpy::ndarray::{ArrayView2, Axis, Slice};
use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyFloat;

use super::arrays::Matrix;
use super::signals::Signals;
use crate::Learner;
use crate::columns::Table;
use crate::data::{Number, Rows};
use crate::error::Error;
use crate::learner::Features;
use crate::runtime::memory::{refill, reserved};

/// The most rows that are learned between two checks of the clock.
const LARGEST_CHUNK: usize = 1024;

/// The fewest and the most rows that are scored between two checks of the clock: many, so that all threads have enough.
pub(super) const SCORED_LENGTHS: [usize; 2] = [LARGEST_CHUNK, 64 * LARGEST_CHUNK];

/// A model that computes the same number of values for each row, of any type of numbers.
pub(super) trait ScoreRows {
    fn score_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error>;

    /// The features of the rows of a table.
    fn features(&self, table: &Table) -> Result<Features, Error>;

    /// Computes the numbers of rows of features.
    fn score_features(&self, rows: &Rows<'_>) -> Result<Vec<f64>, Error>;

    /// Number of values for each row.
    fn values_per_row(&self) -> usize;
}

/// Scores all rows of an array without holding the interpreter. `open` returns the model, locked if need be.
pub(super) fn score<'py, M: ScoreRows>(
    py: Python<'py>,
    X: &Matrix<'py>,
    open: impl FnOnce() -> M + Send,
) -> PyResult<Vec<f64>> {
    match X {
        Matrix::Float64(X) => score_rows(py, &X.try_readonly()?, open),
        Matrix::Float32(X) => score_rows(py, &X.try_readonly()?, open),
    }
}

/// Scores all rows of a table, as [`score`] does with those of an array.
pub(super) fn score_table<M: ScoreRows>(
    py: Python<'_>,
    table: &Table,
    open: impl FnOnce() -> M + Send,
) -> PyResult<Vec<f64>> {
    let mut signals = Signals::new(py)?;
    py.detach(|| {
        let model = open();
        let features = model.features(table)?;
        let shape = (table.n_rows(), model.values_per_row());
        in_chunks(shape, SCORED_LENGTHS, &mut signals, |range| {
            model.score_features(&features.rows().slice(range))
        })
    })
}

/// Predictions as an array: a number for each row, or as many as there are targets.
pub(super) fn predictions(
    py: Python<'_>,
    yhat: Vec<f64>,
    n_targets: usize,
) -> PyResult<Bound<'_, PyAny>> {
    let n_rows = yhat.len() / n_targets;
    let array = PyArray1::from_vec(py, yhat);
    if n_targets == 1 {
        return Ok(array.into_any());
    }
    Ok(array.reshape((n_rows, n_targets))?.into_any())
}

/// Predictions for one row: a number, or an array of as many as there are targets.
pub(super) fn prediction(py: Python<'_>, yhat: Vec<f64>) -> Bound<'_, PyAny> {
    match yhat[..] {
        [yhat] => PyFloat::new(py, yhat).into_any(),
        _ => PyArray1::from_vec(py, yhat).into_any(),
    }
}

fn score_rows<T: Number + Element, M: ScoreRows>(
    py: Python<'_>,
    X: &PyReadonlyArray2<'_, T>,
    open: impl FnOnce() -> M + Send,
) -> PyResult<Vec<f64>> {
    let (source, mut signals) = (Source::new(X)?, Signals::new(py)?);
    py.detach(|| {
        let (model, mut memory) = (open(), Vec::new());
        let shape = (source.len(), model.values_per_row());
        in_chunks(shape, SCORED_LENGTHS, &mut signals, |range| match &source {
            Source::InOrder(rows) => model.score_rows(&rows.slice(range)),
            Source::Strided(_) => model.score_rows(&source.float64(range, &mut memory)?),
        })
    })
}

/// Collects the results of `work` on all rows, chunk by chunk; a chunk has at least `shortest` and at most `longest`
/// rows. Memory for all results is reserved first; Ctrl-C is obeyed between two chunks.
pub(super) fn in_chunks(
    (n_rows, values_per_row): (usize, usize),
    [shortest, longest]: [usize; 2],
    signals: &mut Signals,
    mut work: impl FnMut(Range<usize>) -> Result<Vec<f64>, Error>,
) -> PyResult<Vec<f64>> {
    let what = || format!("{values_per_row} numbers for each of {n_rows} rows");
    let mut made = reserved(n_rows.saturating_mul(values_per_row), what)?;
    let (mut done, mut chunk) = (0, shortest);
    while done < n_rows {
        let range = done..n_rows.min(done + chunk);
        done = range.end;
        made.extend(work(range)?);
        // A row may take a microsecond or many milliseconds.
        chunk = if signals.check()? {
            shortest
        } else {
            longest.max(shortest).min(2 * chunk)
        };
    }
    Ok(made)
}

/// The least and the largest length of chunks of rows that are learned. How long a chunk is depends on the clock, so
/// chunks are multiples of `block_len`: where they end must not change the result.
pub(super) fn training_lengths(block_len: usize) -> [usize; 2] {
    [block_len, LARGEST_CHUNK]
}

/// Rows of an array in any layout.
pub(super) enum Source<'a, T> {
    InOrder(Rows<'a, T>),
    /// Rows that are gathered some at a time, so that the whole is never copied.
    Strided(ArrayView2<'a, T>),
}

impl<'a, T: Number + Element> Source<'a, T> {
    pub(super) fn new(X: &'a PyReadonlyArray2<'_, T>) -> PyResult<Self> {
        if X.is_empty() || X.is_c_contiguous() {
            let rows = Rows::unchecked("X", X.as_slice()?, X.shape()[1])?;
            return Ok(Self::InOrder(rows));
        }
        Ok(Self::Strided(X.as_array()))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::InOrder(rows) => rows.len(),
            Self::Strided(view) => view.nrows(),
        }
    }

    pub(super) fn n_features(&self) -> usize {
        match self {
            Self::InOrder(rows) => rows.n_features(),
            Self::Strided(view) => view.ncols(),
        }
    }

    /// Some rows as float64.
    pub(super) fn float64<'b>(
        &self,
        range: Range<usize>,
        memory: &'b mut Vec<f64>,
    ) -> Result<Rows<'b>, Error>
    where
        'a: 'b,
    {
        match self {
            Self::InOrder(rows) => rows.slice(range).float64(memory),
            Self::Strided(view) => {
                let (first, width) = (range.start, view.ncols());
                let some = view.slice_axis(Axis(0), Slice::from(range));
                refill(memory, some.iter().map(|&value| value.into()))?;
                Ok(Rows::trusted(memory, width, first))
            }
        }
    }

    /// Refuses rows with numbers that the learner refuses, and rows that `check` refuses, which is given some at a time.
    pub(super) fn check(
        &self,
        needs_rows: bool,
        learner: &Learner,
        check: impl Fn(&Rows<'_>, Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let (Self::InOrder(rows), false) = (self, needs_rows) {
            return learner.check_numbers_of("X", rows);
        }
        self.each_chunk(|rows, range| {
            learner.check_numbers_of("X", rows)?;
            check(rows, range)
        })
    }

    /// Calls `check` with all rows as float64, some at a time, until it fails.
    pub(super) fn each_chunk(
        &self,
        check: impl Fn(&Rows<'_>, Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut memory = Vec::new();
        for first in (0..self.len()).step_by(LARGEST_CHUNK) {
            let range = first..self.len().min(first + LARGEST_CHUNK);
            check(&self.float64(range.clone(), &mut memory)?, range)?;
        }
        Ok(())
    }
}
