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

/// From where to where values may be.
pub type Range = (f64, f64);

/// The range of all numbers.
pub(crate) const ANYTHING: Range = (f64::NEG_INFINITY, f64::INFINITY);

/// Kernel expansions `f = sum_i c_i kappa(z_i, .)`, one for each target, whose values, kept within a range, are the
/// predictions.
///
/// A score costs O(dJ), whatever it takes to learn.
#[derive(Debug, Clone, Copy)]
pub struct Hypothesis<'a> {
    kernel: &'a AnyKernel,
    rows: &'a Panels,
    /// Those of the first target, then those of the next.
    c: &'a [f64],
    ranges: Ranges<'a>,
}

/// The range of each target.
#[derive(Debug, Clone, Copy)]
enum Ranges<'a> {
    One(Range),
    Each(&'a [Range]),
}

impl Ranges<'_> {
    fn get(&self) -> &[Range] {
        match self {
            Self::One(range) => std::slice::from_ref(range),
            Self::Each(ranges) => ranges,
        }
    }
}

impl<'a> Hypothesis<'a> {
    /// The expansion with these coefficients of the stored rows.
    pub fn new(kernel: &'a AnyKernel, rows: &'a Panels, c: &'a [f64]) -> Self {
        let ranges = Ranges::One(ANYTHING);
        Self {
            kernel,
            rows,
            c,
            ranges,
        }
    }

    /// The same, with predictions from `low` to `high`.
    #[must_use]
    pub fn within(self, low: f64, high: f64) -> Self {
        let ranges = Ranges::One((low, high));
        Self { ranges, ..self }
    }

    /// The same for as many targets as there are ranges, with predictions within them.
    #[must_use]
    pub fn within_each(self, ranges: &'a [Range]) -> Self {
        let ranges = Ranges::Each(ranges);
        Self { ranges, ..self }
    }

    /// The kernel, the stored rows, and their coefficients.
    pub(crate) fn parts(&self) -> (&'a AnyKernel, &'a Panels, &'a [f64]) {
        (self.kernel, self.rows, self.c)
    }

    /// The ranges of predictions.
    pub(crate) fn ranges(&self) -> &[Range] {
        self.ranges.get()
    }

    /// Number of targets.
    pub fn n_targets(&self) -> usize {
        self.ranges().len()
    }

    /// The prediction of the first target for a row.
    pub fn predict(&self, x: &[f64]) -> f64 {
        let c = &self.c[..self.rows.n_rows()];
        limit(self.kernel.expand(x, self.rows, c), self.ranges()[0])
    }

    /// The predictions of all targets for a row.
    pub fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        self.kernel.expand_into(x, self.rows, self.c, out);
        for (out, range) in out.iter_mut().zip(self.ranges()) {
            *out = limit(*out, *range);
        }
    }

    /// The predictions for many rows: those of all targets for the first row, then those for the next.
    pub fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        out.fill(0.0);
        self.add_rows_into(rows, out);
        for out in out.chunks_exact_mut(self.n_targets()) {
            for (out, range) in out.iter_mut().zip(self.ranges()) {
                *out = limit(*out, *range);
            }
        }
    }

    /// Adds the values of the functions to those that are there, whatever the ranges.
    pub(crate) fn add_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        let (n_stored, n_targets) = (self.rows.n_rows(), self.n_targets());
        let (mut batch, mut c) = (Batch::default(), vec![0.0; n_targets * STORED]);
        let mut k = vec![0.0; BATCH * STORED];
        let mut parts = vec![0.0; n_targets * BATCH];
        let mut sums = vec![0.0; n_targets * BATCH];
        for (i, out) in out.chunks_mut(n_targets * BATCH).enumerate() {
            let n_rows = out.len() / n_targets;
            batch.fill(&rows.slice(i * BATCH..i * BATCH + n_rows));
            let width = batch.width();
            sums.fill(0.0);
            for first in (0..n_stored).step_by(STORED) {
                let range = first..n_stored.min(first + STORED);
                let k = &mut k[..range.len() * width];
                self.kernel.batch_into(&batch, self.rows, range.clone(), k);
                let c = &mut c[..n_targets * range.len()];
                for (c, all) in c.chunks_mut(range.len()).zip(self.c.chunks(n_stored)) {
                    c.copy_from_slice(&all[range.clone()]);
                }
                mul_columns_into(c, k, width, &mut parts[..n_targets * width]);
                for (sum, part) in sums.iter_mut().zip(&parts[..n_targets * width]) {
                    *sum += part;
                }
            }
            for (target, sums) in sums.chunks(width).take(n_targets).enumerate() {
                let out = out.iter_mut().skip(target).step_by(n_targets);
                out.zip(sums).for_each(|(out, sum)| *out += sum);
            }
        }
    }
}

/// A value brought into a range.
pub(crate) fn limit(f: f64, (low, high): Range) -> f64 {
    cut(f).clamp(low, high)
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

    /// The same for as many targets as there are ranges.
    pub fn of_each<'a, 'w>(
        &'a self,
        map: &'a NystromMap,
        w: impl Fn(usize) -> &'w [f64],
        ranges: &'a [Range],
    ) -> Hypothesis<'a> {
        let each = |target| map.coefficients(w(target));
        let c = self.get(|| (0..ranges.len()).flat_map(each).collect());
        Hypothesis::new(map.kernel(), map.rows(), c).within_each(ranges)
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
    fn targets_share_rows_and_nothing_else() {
        let data: Vec<f64> = (0..600).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let kernel: AnyKernel = Gaussian::default().into();
        let stored: Panels = data.chunks_exact(3).take(70).collect();
        let rows = Rows::new(&data[..3 * 130], 3).unwrap();
        let ranges = [(-1.0, 1.0), ANYTHING, (0.0, 2.0)];
        let several = Hypothesis::new(&kernel, &stored, &data[..210]).within_each(&ranges);
        let (mut out, mut one) = (vec![f64::NAN; 390], [f64::NAN; 3]);
        several.predict_rows_into(&rows, &mut out);
        for (i, x) in rows.iter().enumerate() {
            several.predict_into(x, &mut one);
            for (target, (low, high)) in ranges.into_iter().enumerate() {
                let c = &data[70 * target..][..70];
                let alone = Hypothesis::new(&kernel, &stored, c).within(low, high);
                assert!((out[3 * i + target] - alone.predict(x)).abs() < 1e-13);
                assert_eq!(one[target], alone.predict(x));
            }
        }
    }

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
