//! The row itself as features.

use super::{Block, FeatureMap};
use crate::data::Rows;
use crate::error::Error;
use crate::limits::{Range, clamp};
use crate::linalg::dot;
use crate::persist::State;
use crate::predictor::{Line, Predictor};
use crate::runtime::heap;

/// The map of a row to itself, after a constant if there is an intercept.
#[derive(Debug, Clone)]
pub struct LinearMap {
    intercept: bool,
    phi: Vec<f64>,
}

impl LinearMap {
    /// A map that has seen no row.
    pub(crate) fn new(intercept: bool) -> Self {
        let phi = Vec::new();
        Self { intercept, phi }
    }

    /// The constant and the slopes of a weight vector, which is empty before the first row.
    fn split<'w>(&self, w: &'w [f64]) -> (f64, &'w [f64]) {
        let (constant, slopes) = w.split_at(w.len().min(usize::from(self.intercept)));
        (constant.iter().sum(), slopes)
    }

    fn features_into(&self, x: &[f64], phi: &mut Vec<f64>) {
        phi.clear();
        phi.extend(self.intercept.then_some(1.0));
        phi.extend_from_slice(x);
    }
}

impl FeatureMap for LinearMap {
    const IS_PLAIN: bool = true;

    fn size(&self) -> usize {
        self.phi.len()
    }

    fn project(&mut self, x: &[f64]) {
        let mut phi = std::mem::take(&mut self.phi);
        self.features_into(x, &mut phi);
        self.phi = phi;
    }

    fn phi(&self) -> &[f64] {
        &self.phi
    }

    fn project_rows(&mut self, rows: &Rows<'_>, _full: usize, block: &mut Block) {
        self.phi
            .resize(rows.n_features() + usize::from(self.intercept), 0.0);
        block.set_rows(rows, self.intercept);
    }

    fn peek(&self, x: &[f64]) -> Vec<f64> {
        let mut phi = Vec::with_capacity(x.len() + 1);
        self.features_into(x, &mut phi);
        phi
    }

    fn predictor<'w>(&self, w: &dyn Fn(usize) -> &'w [f64], ranges: &[Range]) -> Predictor {
        let line = |(target, range): (usize, &Range)| {
            let (constant, slopes) = self.split(w(target));
            Line {
                slopes: slopes.to_vec(),
                constant,
                range: *range,
            }
        };
        Predictor::Linear(ranges.iter().enumerate().map(line).collect())
    }

    fn predict_into<'w>(
        &self,
        w: &dyn Fn(usize) -> &'w [f64],
        ranges: &[Range],
        x: &[f64],
        out: &mut [f64],
    ) -> bool {
        for (target, (out, range)) in out.iter_mut().zip(ranges).enumerate() {
            let (constant, slopes) = self.split(w(target));
            let x = if slopes.is_empty() { &[] } else { x };
            *out = clamp(dot(slopes, x) + constant, *range);
        }
        true
    }

    fn n_features(&self, size: usize) -> Option<usize> {
        (size > 0).then(|| size - usize::from(self.intercept))
    }

    fn min_floats(&self, width: usize) -> usize {
        width.saturating_mul(width) / 2
    }

    fn widen(&mut self, _from: usize, to: usize) -> Result<(), Error> {
        self.phi.resize(to + usize::from(self.intercept), 0.0);
        Ok(())
    }

    fn pack(&self, _numbers: &mut Vec<f64>) -> bool {
        true
    }

    fn unpack<'n>(&mut self, size: usize, numbers: &'n [f64]) -> Option<&'n [f64]> {
        self.phi.resize(size, 0.0);
        Some(numbers)
    }

    fn save(&self, _state: &mut State) {}

    fn load(&mut self, _state: &State) -> Result<Option<usize>, Error> {
        Ok(None)
    }
}

heap!(LinearMap: phi);
