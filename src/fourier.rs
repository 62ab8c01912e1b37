//! Fourier features.

use crate::block::Block;
use crate::kernels::Geometry;
use crate::linalg::{Panels, dot, mul_columns_into};
use crate::memory::heap;
use crate::rows::Rows;
use crate::simd::sin_cos_in_place;
use crate::updates::cut;

/// Rows that are scored together.
const SCORED: usize = 32;

/// Pairs of features `(cos(omega . x), sin(omega . x)) / sqrt(D)` of `D` frequencies `omega`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fourier(pub(crate) Panels);

impl Fourier {
    /// Number of features.
    pub(crate) fn size(&self) -> usize {
        2 * self.0.n_rows()
    }

    fn scale(&self) -> f64 {
        (self.0.n_rows() as f64).sqrt().recip()
    }

    /// The features of a row: all cosines, then all sines.
    pub(crate) fn features_into(&self, x: &[f64], phi: &mut Vec<f64>) {
        phi.resize(self.size(), 0.0);
        let (cosines, sines) = phi.split_at_mut(self.0.n_rows());
        Geometry::Dot.compare_into(x, &self.0, 0, cosines);
        sin_cos_in_place(cosines, sines, self.scale());
    }

    /// The features of some rows.
    pub(crate) fn features_of_block(&self, rows: &Rows<'_>, block: &mut Block) {
        let n = self.0.n_rows();
        block.batch.fill(rows);
        block.features.reset(rows.len(), self.size());
        let (cosines, sines) = block
            .features
            .data_mut()
            .split_at_mut(n * block.batch.width());
        Geometry::Dot.compare_batch_into(&block.batch, &self.0, 0..n, cosines);
        sin_cos_in_place(cosines, sines, self.scale());
    }

    /// `w . phi(x)`.
    pub(crate) fn predict(&self, w: &[f64], x: &[f64]) -> f64 {
        let mut phi = Vec::new();
        self.features_into(x, &mut phi);
        cut(dot(w, &phi))
    }

    /// `w . phi(x)` of many rows.
    pub(crate) fn predict_rows_into(&self, w: &[f64], rows: &Rows<'_>, out: &mut [f64]) {
        let (mut block, mut values) = (Block::default(), Vec::new());
        for (i, out) in out.chunks_mut(SCORED).enumerate() {
            self.features_of_block(&rows.slice(i * SCORED..i * SCORED + out.len()), &mut block);
            let (width, features) = (block.features.width(), block.features.data());
            values.resize(width, 0.0);
            mul_columns_into(w, features, width, &mut values);
            for (out, &value) in out.iter_mut().zip(&values) {
                *out = cut(value);
            }
        }
    }
}

heap!(Fourier: 0);
