//! Metrics: linear maps that stretch the directions of rows that matter and shrink the others.

use crate::error::Error;
use crate::linalg::dot;
use crate::persist::State;
use crate::runtime::heap;

/// A linear map of rows, after which a kernel with one width for all features compares them by what matters.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// The factor of each feature, or the rows of a matrix, one after the other.
    numbers: Vec<f64>,
    width: usize,
}

impl Metric {
    /// A factor for each feature.
    pub(crate) fn diagonal(factors: Vec<f64>) -> Self {
        let width = factors.len();
        Self {
            numbers: factors,
            width,
        }
    }

    /// The rows of a matrix, at least two, one after the other.
    pub(crate) fn full(numbers: Vec<f64>, width: usize) -> Self {
        Self { numbers, width }
    }

    /// The metric of rows whose features are multiplied by these factors first.
    pub(crate) fn after(&self, factors: &[f64]) -> Self {
        let numbers = self.numbers.chunks_exact(self.width);
        let numbers = numbers.flat_map(|row| row.iter().zip(factors).map(|(m, factor)| m * factor));
        Self {
            numbers: numbers.collect(),
            width: self.width,
        }
    }

    /// Width of the rows that are mapped.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The factor of each feature, unless features are mixed.
    pub(crate) fn factors(&self) -> Option<&[f64]> {
        (self.numbers.len() == self.width).then_some(&*self.numbers)
    }

    /// The rows of the matrix, unless there is only a factor for each feature.
    pub(crate) fn matrix(&self) -> Option<impl ExactSizeIterator<Item = &[f64]>> {
        let is_full = self.factors().is_none();
        is_full.then(|| self.numbers.chunks_exact(self.width))
    }

    /// Width of the rows after they are mapped.
    pub(crate) fn mapped_width(&self) -> usize {
        let n_rows = self.numbers.len() / self.width;
        if n_rows == 1 { self.width } else { n_rows }
    }

    /// Appends a mapped row.
    pub(crate) fn map_onto(&self, x: &[f64], out: &mut Vec<f64>) {
        match self.matrix() {
            None => out.extend(x.iter().zip(&self.numbers).map(|(x, factor)| x * factor)),
            Some(rows) => out.extend(rows.map(|row| dot(row, x))),
        }
    }

    /// Rows, one after the other, mapped.
    pub(crate) fn mapped(&self, rows: &[f64]) -> Vec<f64> {
        let mut out = Vec::with_capacity(rows.len() / self.width * self.mapped_width());
        for x in rows.chunks_exact(self.width) {
            self.map_onto(x, &mut out);
        }
        out
    }

    /// Adds the gradient of `f(metric(x))` in `x` to `out`, given that of `f`.
    pub(crate) fn pull_back(&self, gradient: &[f64], out: &mut [f64]) {
        match self.matrix() {
            None => {
                let terms = gradient.iter().zip(&self.numbers);
                out.iter_mut()
                    .zip(terms)
                    .for_each(|(out, (g, m))| *out += g * m);
            }
            Some(rows) => {
                for (g, row) in gradient.iter().zip(rows) {
                    out.iter_mut().zip(row).for_each(|(out, m)| *out += g * m);
                }
            }
        }
    }

    /// Writes the metric; features that rows may gain later have the factor `padding` in it.
    pub(crate) fn save(&self, padding: f64, state: &mut State) {
        state.put_padded("metric", &self.numbers, self.width, padding);
    }

    /// Reads a metric of rows of this width.
    pub(crate) fn load(state: &State, width: usize) -> Result<Self, Error> {
        let (n_rows, numbers) = state.matrix("metric", width)?;
        if n_rows == 0 {
            return Err(Error::model_file("metric should have a row"));
        }
        Ok(Self { numbers, width })
    }
}

heap!(Metric: numbers);
