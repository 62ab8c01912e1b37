//! What a learner predicts with, apart from how it learns.

use std::sync::OnceLock;

use crate::kernels::AnyKernel;
use crate::linalg::{Batch, Panels, mul_columns_into};
use crate::memory::heap;
use crate::nystrom::NystromMap;
use crate::rows::Rows;
use crate::updates::cut;

/// Rows that are scored together, and stored ones that they are compared with at a time: the kernel values stay in the
/// nearest cache.
const BATCH: usize = 64;
const STORED: usize = 32;

/// A kernel expansion `f = sum_i c_i kappa(z_i, .)` whose values, kept within a range, are the predictions.
///
/// A score costs O(dJ), whatever it takes to learn.
#[derive(Debug, Clone, Copy)]
pub struct Hypothesis<'a> {
    kernel: &'a AnyKernel,
    rows: &'a Panels,
    c: &'a [f64],
    range: (f64, f64),
}

impl<'a> Hypothesis<'a> {
    /// The expansion with these coefficients of the stored rows.
    pub fn new(kernel: &'a AnyKernel, rows: &'a Panels, c: &'a [f64]) -> Self {
        let range = (f64::NEG_INFINITY, f64::INFINITY);
        Self {
            kernel,
            rows,
            c,
            range,
        }
    }

    /// The same, with predictions from `low` to `high`.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        let range = (low, high);
        Self { range, ..self }
    }

    /// The kernel, the stored rows, their coefficients, and the range of predictions.
    pub(crate) fn parts(&self) -> (&'a AnyKernel, &'a Panels, &'a [f64], (f64, f64)) {
        (self.kernel, self.rows, self.c, self.range)
    }

    /// The prediction for a row.
    pub fn predict(&self, x: &[f64]) -> f64 {
        self.limit(self.kernel.expand(x, self.rows, self.c))
    }

    /// The predictions for many rows.
    pub fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        let mut batch = Batch::default();
        let mut k = vec![0.0; BATCH * STORED];
        let (mut sums, mut part) = ([0.0; BATCH], [0.0; BATCH]);
        for (i, out) in out.chunks_mut(BATCH).enumerate() {
            batch.fill(&rows.slice(i * BATCH..i * BATCH + out.len()));
            let width = batch.width();
            sums.fill(0.0);
            for first in (0..self.c.len()).step_by(STORED) {
                let range = first..self.c.len().min(first + STORED);
                let k = &mut k[..range.len() * width];
                self.kernel.batch_into(&batch, self.rows, range.clone(), k);
                mul_columns_into(&self.c[range], k, width, &mut part[..width]);
                for (sum, part) in sums.iter_mut().zip(part) {
                    *sum += part;
                }
            }
            for (out, sum) in out.iter_mut().zip(sums) {
                *out = self.limit(sum);
            }
        }
    }

    fn limit(&self, f: f64) -> f64 {
        cut(f).clamp(self.range.0, self.range.1)
    }
}

/// The coefficients of a hypothesis, computed when they are first asked for.
#[derive(Debug, Clone, Default)]
pub struct Coefficients(OnceLock<Vec<f64>>);

impl Coefficients {
    /// Those of `f = w . phi(.)`.
    pub fn of<'a>(&'a self, map: &'a NystromMap, w: &[f64]) -> Hypothesis<'a> {
        let c = self.get(|| map.coefficients(w));
        Hypothesis::new(map.kernel(), map.rows(), c)
    }

    /// The ones kept, or those that are computed now.
    pub fn get(&self, compute: impl FnOnce() -> Vec<f64>) -> &[f64] {
        self.0.get_or_init(compute)
    }

    /// Forgets them: the hypothesis is about to change.
    pub fn forget(&mut self) {
        self.0.take();
    }
}

heap!(Coefficients: 0);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{Gaussian, Laplacian, Linear, Polynomial};

    #[test]
    fn many_rows_are_scored_as_one() {
        let normalize = true;
        let kernels: [AnyKernel; 4] = [
            Gaussian::default().into(),
            Laplacian::default().into(),
            Linear {}.into(),
            Polynomial {
                normalize,
                ..Polynomial::default()
            }
            .into(),
        ];
        let data: Vec<f64> = (0..600).map(|i| (f64::from(i) * 0.7).sin()).collect();
        for (n_stored, n_rows) in [(0, 3), (1, 1), (7, 64), (33, 65), (100, 200)] {
            let stored: Panels = data.chunks_exact(3).take(n_stored).collect();
            let rows = Rows::new(&data[..3 * n_rows], 3).unwrap();
            for kernel in &kernels {
                let f = Hypothesis::new(kernel, &stored, &data[..n_stored]).within(-2.0, 3.0);
                let mut out = vec![f64::NAN; n_rows];
                f.predict_rows_into(&rows, &mut out);
                for (x, value) in rows.iter().zip(out) {
                    assert!((f.predict(x) - value).abs() < 1e-13, "{kernel:?}");
                    assert!((-2.0..=3.0).contains(&value));
                }
            }
        }
    }
}
