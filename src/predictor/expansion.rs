//! Kernel expansions.

use std::sync::Arc;

use crate::data::Rows;
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::{Range, clamp};
use crate::linalg::{Batch, Panels, mul_columns_into};
use crate::persist::State;
use crate::runtime::heap;

/// Rows that are scored together, and stored rows that they are compared with at a time; sized for the nearest cache.
const BATCH: usize = 64;
const STORED: usize = 32;

/// Kernel expansions `f = sum_i c_i kappa(z_i, .)`, one for each target, whose values are kept within a range.
///
/// A prediction costs O(dJ) with J rows, whatever the cost of learning.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// The kernel.
    pub kernel: AnyKernel,
    /// The rows `z_i`, shared with the learner that stores them.
    pub rows: Arc<Panels>,
    /// The coefficients `c_i`: those of the first target, then those of the next.
    pub c: Vec<f64>,
    ranges: Ranges,
}

/// The range of each target; that of a single target is stored without another allocation.
#[derive(Debug, Clone)]
enum Ranges {
    One(Range),
    Each(Vec<Range>),
}

impl From<&[Range]> for Ranges {
    fn from(ranges: &[Range]) -> Self {
        match ranges {
            [range] => Self::One(*range),
            _ => Self::Each(ranges.to_vec()),
        }
    }
}

impl Expansion {
    /// Expansions with these coefficients and a target for each range.
    pub fn new(kernel: &AnyKernel, rows: &Arc<Panels>, c: Vec<f64>, ranges: &[Range]) -> Self {
        Self {
            kernel: kernel.clone(),
            rows: Arc::clone(rows),
            c,
            ranges: ranges.into(),
        }
    }

    /// The range of the predictions of each target.
    pub fn ranges(&self) -> &[Range] {
        match &self.ranges {
            Ranges::One(range) => std::slice::from_ref(range),
            Ranges::Each(ranges) => ranges,
        }
    }

    /// Number of targets.
    pub fn n_targets(&self) -> usize {
        self.ranges().len()
    }

    /// Writes the predictions for a row, one for each target.
    pub fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        self.kernel.expand_into(x, &self.rows, &self.c, out);
        self.clamp_in_place(out);
    }

    /// Writes the predictions for many rows: those of all targets for the first row, then those for the next.
    pub fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        out.fill(0.0);
        self.add_rows_into(rows, out);
        for out in out.chunks_exact_mut(self.n_targets()) {
            self.clamp_in_place(out);
        }
    }

    fn clamp_in_place(&self, out: &mut [f64]) {
        for (out, range) in out.iter_mut().zip(self.ranges()) {
            *out = clamp(*out, *range);
        }
    }

    /// Adds the values of the expansions to `out`, without clipping to the ranges.
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
                self.kernel.batch_into(&batch, &self.rows, range.clone(), k);
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

    pub(super) fn save(&self, state: &mut State) {
        state.put_rows("basis", &self.rows);
        state.put("coefficients", &*self.c);
        state.put_ranges("range", self.ranges());
    }

    pub(super) fn load(kernel: AnyKernel, n_targets: usize, state: &State) -> Result<Self, Error> {
        kernel.check()?;
        let rows = state.rows("basis")?;
        let n = n_targets.saturating_mul(rows.n_rows());
        Ok(Self {
            kernel,
            rows: Arc::new(rows),
            c: state.vector("coefficients", n)?,
            ranges: state.ranges("range", n_targets)?.as_slice().into(),
        })
    }
}

heap!(Expansion: rows, c);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{Gaussian, Laplacian, Linear, Polynomial};
    use crate::limits::UNBOUNDED;

    fn predict(f: &Expansion, x: &[f64]) -> f64 {
        let mut yhat = [f64::NAN];
        f.predict_into(x, &mut yhat);
        yhat[0]
    }

    #[test]
    fn targets_share_rows_and_nothing_else() {
        let data: Vec<f64> = (0..600).map(|i| (f64::from(i) * 0.7).sin()).collect();
        let kernel: AnyKernel = Gaussian::default().into();
        let stored: Arc<Panels> = Arc::new(data.chunks_exact(3).take(70).collect());
        let rows = Rows::new(&data[..3 * 130], 3).unwrap();
        let ranges = [(-1.0, 1.0), UNBOUNDED, (0.0, 2.0)];
        let several = Expansion::new(&kernel, &stored, data[..210].to_vec(), &ranges);
        let (mut out, mut one) = (vec![f64::NAN; 390], [f64::NAN; 3]);
        several.predict_rows_into(&rows, &mut out);
        for (i, x) in rows.iter().enumerate() {
            several.predict_into(x, &mut one);
            for (target, range) in ranges.into_iter().enumerate() {
                let c = data[70 * target..][..70].to_vec();
                let alone = Expansion::new(&kernel, &stored, c, &[range]);
                assert!((out[3 * i + target] - predict(&alone, x)).abs() < 1e-13);
                assert_eq!(one[target], predict(&alone, x));
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
            let stored: Arc<Panels> = Arc::new(data.chunks_exact(3).take(n_stored).collect());
            let rows = Rows::new(&data[..3 * n_rows], 3).unwrap();
            for kernel in &kernels {
                let c = data[..n_stored].to_vec();
                let f = Expansion::new(kernel, &stored, c, &[(-2.0, 3.0)]);
                let mut out = vec![f64::NAN; n_rows];
                f.predict_rows_into(&rows, &mut out);
                for (x, value) in rows.iter().zip(out) {
                    assert!((predict(&f, x) - value).abs() < 1e-13, "{kernel:?}");
                    assert!((-2.0..=3.0).contains(&value));
                }
            }
        }
    }
}
