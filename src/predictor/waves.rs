//! Predictors on Fourier features.

use std::sync::Arc;

use crate::data::Rows;
use crate::error::Error;
use crate::kernels::Geometry;
use crate::limits::cut;
use crate::linalg::simd::sin_cos_in_place;
use crate::linalg::{Batch, Panels, dot, mul_columns_into};
use crate::persist::State;
use crate::runtime::heap;

/// Rows that are scored together.
const SCORED: usize = 32;

/// Pairs of features `(cos(omega . x), sin(omega . x)) / sqrt(D)` of `D` frequencies `omega`.
#[derive(Debug, Clone, Default)]
pub struct Fourier(Arc<Panels>);

impl Fourier {
    /// Features with these frequencies, each as wide as a row.
    pub fn new(frequencies: Panels) -> Self {
        Self(Arc::new(frequencies))
    }

    /// The frequencies, as rows.
    pub fn frequencies(&self) -> &Panels {
        &self.0
    }

    pub(crate) fn frequencies_mut(&mut self) -> &mut Panels {
        Arc::make_mut(&mut self.0)
    }

    /// Number of features.
    pub fn size(&self) -> usize {
        2 * self.0.n_rows()
    }

    /// Width of the rows.
    pub fn n_features(&self) -> usize {
        self.0.n_features()
    }

    fn scale(&self) -> f64 {
        (self.0.n_rows() as f64).sqrt().recip()
    }

    /// Writes the features of a row: all cosines, then all sines.
    pub(crate) fn features_into(&self, x: &[f64], phi: &mut Vec<f64>) {
        phi.resize(self.size(), 0.0);
        let (cosines, sines) = phi.split_at_mut(self.0.n_rows());
        Geometry::Dot.compare_into(x, &self.0, 0, cosines);
        sin_cos_in_place(cosines, sines, self.scale());
    }

    /// The value `w . phi(x)` for a row.
    pub(crate) fn predict(&self, w: &[f64], x: &[f64]) -> f64 {
        let mut phi = Vec::new();
        self.features_into(x, &mut phi);
        cut(dot(w, &phi))
    }

    /// Writes the features of a batch of rows, coordinate by coordinate.
    pub(crate) fn features_of_batch_into(&self, batch: &Batch, phi: &mut [f64]) {
        let n = self.0.n_rows();
        let (cosines, sines) = phi.split_at_mut(n * batch.width());
        Geometry::Dot.compare_batch_into(batch, &self.0, 0..n, cosines);
        sin_cos_in_place(cosines, sines, self.scale());
    }
}

/// The predictor `w . phi(x)` on Fourier features.
#[derive(Debug, Clone)]
pub struct Waves {
    /// The features.
    pub fourier: Fourier,
    /// A weight for each cosine, then for each sine.
    pub w: Vec<f64>,
}

impl Waves {
    pub(super) fn predict(&self, x: &[f64]) -> f64 {
        self.fourier.predict(&self.w, x)
    }

    pub(super) fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        let (mut batch, mut phi, mut values) = (Batch::default(), Vec::new(), Vec::new());
        for (i, out) in out.chunks_mut(SCORED).enumerate() {
            batch.fill(&rows.slice(i * SCORED..i * SCORED + out.len()));
            let width = batch.width();
            phi.resize(self.fourier.size() * width, 0.0);
            self.fourier.features_of_batch_into(&batch, &mut phi);
            values.resize(width, 0.0);
            mul_columns_into(&self.w, &phi, width, &mut values);
            for (out, &value) in out.iter_mut().zip(&values) {
                *out = cut(value);
            }
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put_rows("frequencies", self.fourier.frequencies());
        state.put("w", &*self.w);
    }

    pub(super) fn load(state: &State) -> Result<Self, Error> {
        let fourier = Fourier::new(state.rows("frequencies")?);
        let w = state.vector("w", fourier.size())?;
        Ok(Self { fourier, w })
    }
}

heap!(Fourier: 0);
heap!(Waves: fourier, w);
