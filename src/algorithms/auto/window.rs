//! The window: the last rows and their labels, from which experts are made anew.

use std::ops::Range;

use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;
use crate::runtime::memory::append;

/// The most rows, and the most numbers in them.
const MOST_ROWS: usize = 8192;
const MOST_NUMBERS: usize = 1 << 18;

/// The last rows of a stream with their labels and weights.
#[derive(Debug, Clone)]
pub(super) struct Window {
    width: usize,
    n_targets: usize,
    rows: Vec<f64>,
    y: Vec<f64>,
    weights: Vec<f64>,
    /// The row that is replaced next, once the window is full.
    at: usize,
}

/// The rows of a window, in order.
#[derive(Debug)]
pub(super) struct Recent {
    pub(super) rows: Vec<f64>,
    pub(super) y: Vec<f64>,
    pub(super) weights: Vec<f64>,
}

impl Recent {
    /// The last rows, at most `n`.
    pub(super) fn last(&self, n: usize) -> Self {
        self.split(n).1
    }

    /// The rows before the last `n`, and the last `n`.
    pub(super) fn split(&self, n: usize) -> (Self, Self) {
        let n_rows = self.weights.len();
        let n_before = n_rows.saturating_sub(n);
        (self.slice(0..n_before), self.slice(n_before..n_rows))
    }

    fn slice(&self, range: Range<usize>) -> Self {
        let part = |numbers: &[f64]| {
            let width = numbers.len() / self.weights.len().max(1);
            numbers[range.start * width..range.end * width].to_vec()
        };
        Self {
            rows: part(&self.rows),
            y: part(&self.y),
            weights: part(&self.weights),
        }
    }

    /// The same rows with zeros for some features.
    pub(super) fn without(&self, features: &[bool]) -> Self {
        let mut rows = self.rows.clone();
        for row in rows.chunks_exact_mut(features.len()) {
            let hidden = row.iter_mut().zip(features).filter(|(_, hidden)| **hidden);
            hidden.for_each(|(x, _)| *x = 0.0);
        }
        Self {
            rows,
            y: self.y.clone(),
            weights: self.weights.clone(),
        }
    }

    /// The labels of one of `n_targets` targets.
    pub(super) fn labels(&self, target: usize, n_targets: usize) -> Vec<f64> {
        let labels = self.y.iter().skip(target);
        labels.step_by(n_targets).copied().collect()
    }

    /// An even part of the rows, at most `n`.
    pub(super) fn part(&self, n: usize) -> Self {
        let step = self.weights.len().div_ceil(n).max(1);
        let n_rows = self.weights.len().max(1);
        let every = |numbers: &[f64]| {
            let rows = numbers.chunks_exact((numbers.len() / n_rows).max(1));
            rows.step_by(step).flatten().copied().collect()
        };
        Self {
            rows: every(&self.rows),
            y: every(&self.y),
            weights: every(&self.weights),
        }
    }
}

impl Window {
    pub(super) fn new(width: usize, n_targets: usize) -> Self {
        Self {
            width,
            n_targets,
            rows: Vec::new(),
            y: Vec::new(),
            weights: Vec::new(),
            at: 0,
        }
    }

    /// Width of the rows.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Number of labels that a row has.
    pub(super) fn n_targets(&self) -> usize {
        self.n_targets
    }

    /// Number of rows that fit in.
    fn capacity(&self) -> usize {
        MOST_ROWS.min(MOST_NUMBERS / self.width).max(64)
    }

    /// Appends a row; a full window forgets its oldest row.
    pub(super) fn push(&mut self, row: &[f64], y: &[f64], weight: f64) {
        if self.weights.len() < self.capacity() {
            append(&mut self.rows, row);
            append(&mut self.y, y);
            append(&mut self.weights, &[weight]);
            return;
        }
        let at = self.at;
        self.rows[at * self.width..][..self.width].copy_from_slice(row);
        self.y[at * self.n_targets..][..self.n_targets].copy_from_slice(y);
        self.weights[at] = weight;
        self.at = (at + 1) % self.weights.len();
    }

    /// The last rows, at most `n`, the oldest first.
    pub(super) fn last(&self, n: usize) -> Recent {
        let n_rows = self.weights.len();
        let n = n.min(n_rows);
        let places = || (n_rows - n..n_rows).map(|i| (self.at + i) % n_rows);
        let part = |numbers: &[f64], width: usize| {
            let rows = places().flat_map(|i| &numbers[i * width..][..width]);
            rows.copied().collect()
        };
        Recent {
            rows: part(&self.rows, self.width),
            y: part(&self.y, self.n_targets),
            weights: part(&self.weights, 1),
        }
    }

    /// All rows, the oldest first.
    pub(super) fn recent(&self) -> Recent {
        Recent {
            rows: rotated(&self.rows, self.at * self.width),
            y: rotated(&self.y, self.at * self.n_targets),
            weights: rotated(&self.weights, self.at),
        }
    }

    /// Forgets all rows but the last `n`.
    pub(super) fn forget(&mut self, n: usize) {
        let last = self.last(n);
        (self.rows, self.y, self.weights) = (last.rows, last.y, last.weights);
        self.at = 0;
    }

    pub(super) fn save(&self, state: &mut State) {
        let all = self.recent();
        state.put_padded("window", &all.rows, self.width, 0.0);
        state.put("window_labels", all.y);
        state.put("window_weights", all.weights);
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        let (n_rows, rows) = state.matrix("window", self.width)?;
        if n_rows == 0 || n_rows > MOST_ROWS {
            return Err(Error::model_file("window should have 1 to 8192 rows"));
        }
        self.rows = rows;
        self.y = state.vector("window_labels", n_rows * self.n_targets)?;
        self.weights = state.vector("window_weights", n_rows)?;
        self.at = 0;
        // Rows may have become too wide for all of them.
        self.forget(self.capacity());
        Ok(())
    }
}

/// Numbers from index `start` on, then those before it.
fn rotated(numbers: &[f64], start: usize) -> Vec<f64> {
    let (end, begin) = numbers.split_at(start);
    [begin, end].concat()
}

heap!(Window: rows, y, weights);
