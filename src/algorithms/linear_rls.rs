//! Linear ridge regression.

use serde::{Deserialize, Serialize};

use super::{Algorithm, learn_one_target, predict_first_target};
use crate::block::Block;
use crate::error::Error;
use crate::function::{Function, Line, linear_value};
use crate::hypothesis::{Range, limit};
use crate::memory::heap;
use crate::rows::Rows;
use crate::state::State;
use crate::updates::{Forecasts, LeastSquares, Scores};

/// Parameters of [`LinearRls`].
///
/// ```
/// use nystream::{Learner, LinearRlsParams};
///
/// let mut learner = Learner::new(LinearRlsParams { ridge: 1e-9, ..Default::default() })?;
/// for x in [0.0, 1.0, 2.0] {
///     learner.learn_row(&[x], 3.0 * x + 1.0)?;
/// }
/// assert!((learner.predict_row(&[10.0])? - 31.0).abs() < 1e-6);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinearRlsParams {
    /// Weight of `||w||^2`, 1e-10 to 1e100. Default 1e-2.
    pub ridge: f64,
    /// Whether there is a constant feature, penalised like the others. Default true.
    pub intercept: bool,
    /// Whether to predict as Vovk, Azoury and Warmuth do. Default false.
    pub forward: bool,
    /// Whether to keep predictions within the range of the labels seen. Default false.
    pub clip: bool,
    /// How often a row counts a round later, 0.5 to 1. Default 1: nothing is forgotten.
    pub forgetting: f64,
    /// Number of labels that a row has, at least 1. Default 1.
    pub n_targets: usize,
}

impl Default for LinearRlsParams {
    fn default() -> Self {
        Self {
            ridge: 1e-2,
            intercept: true,
            forward: false,
            clip: false,
            forgetting: 1.0,
            n_targets: 1,
        }
    }
}

impl LinearRlsParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<LinearRls, Error> {
        Ok(LinearRls {
            squares: LeastSquares::new(self.ridge, self.forward)?
                .forgetting(self.forgetting)?
                .targets(self.n_targets)?,
            intercept: self.intercept,
            forecasts: Forecasts::new(self.clip, self.n_targets),
            features: Vec::new(),
        })
    }
}

/// Exact ridge regression on the features themselves. A row costs O(d^2).
#[derive(Debug, Clone)]
pub struct LinearRls {
    squares: LeastSquares,
    intercept: bool,
    forecasts: Forecasts,
    /// The features of the row at hand.
    features: Vec<f64>,
}

impl LinearRls {
    fn grow_to(&mut self, size: usize) {
        while self.squares.size() < size {
            self.squares.grow();
        }
    }

    /// Slopes, constant and range of a target.
    fn line(&self, target: usize) -> (&[f64], f64, Range) {
        let w = self.squares.w(target);
        let (constant, slopes) = w.split_at(w.len().min(usize::from(self.intercept)));
        (
            slopes,
            constant.iter().sum(),
            self.forecasts.ranges()[target],
        )
    }

    fn features_into(&self, x: &[f64], features: &mut Vec<f64>) {
        features.clear();
        features.extend(self.intercept.then_some(1.0));
        features.extend_from_slice(x);
    }

    fn features(&self, x: &[f64]) -> Vec<f64> {
        let mut features = Vec::with_capacity(x.len() + 1);
        self.features_into(x, &mut features);
        features
    }
}

impl Algorithm for LinearRls {
    fn n_targets(&self) -> usize {
        self.squares.n_targets()
    }

    fn predict(&self, x: &[f64]) -> f64 {
        predict_first_target(self, x)
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        if self.squares.size() == 0 {
            out.fill(0.0);
        } else if self.squares.is_forward() {
            self.squares.predict_into(&self.features(x), out);
            self.forecasts.clip(out);
        } else {
            for (target, out) in out.iter_mut().enumerate() {
                let (slopes, constant, range) = self.line(target);
                *out = limit(linear_value(slopes, constant, x), range);
            }
        }
    }

    fn function(&self) -> Option<Function> {
        let lines = (0..self.n_targets()).map(|target| {
            let (slopes, constant, range) = self.line(target);
            let slopes = slopes.to_vec();
            Line {
                slopes,
                constant,
                range,
            }
        });
        (!self.squares.is_forward()).then(|| Function::Linear(lines.collect()))
    }

    fn scores(&self) -> Option<&Scores> {
        Some(self.forecasts.scores())
    }

    fn uncertainty(&self, x: &[f64]) -> f64 {
        self.squares.uncertainty(&self.features(x))
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        learn_one_target(self, x, y)
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn learn_targets(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) {
        let mut features = std::mem::take(&mut self.features);
        self.features_into(x, &mut features);
        self.grow_to(features.len());
        let q = self.squares.learn_weighted(&features, y, weight, yhat);
        self.features = features;
        self.forecasts.close(yhat, y, q);
    }

    fn n_coordinates(&self) -> Option<usize> {
        Some(self.squares.size())
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        self.grow_to(rows.n_features() + usize::from(self.intercept));
        block.take(rows, self.intercept);
        let start = yhat.len();
        block.q.clear();
        self.squares
            .learn_features(&block.features, &mut block.rounds, y, yhat, &mut block.q);
        self.forecasts.close_rows(&mut yhat[start..], y, &block.q);
    }

    fn widen(&mut self, _from: usize, to: usize) -> Result<(), Error> {
        self.grow_to(to + usize::from(self.intercept));
        Ok(())
    }

    fn numbers_at(&self, n_features: usize) -> usize {
        n_features.saturating_mul(n_features) / 2
    }

    fn n_features(&self) -> Option<usize> {
        let n = self.squares.size();
        (n > 0).then(|| n - usize::from(self.intercept))
    }

    fn save(&self, state: &mut State) {
        self.squares.save(state);
        self.forecasts.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        let size = state.any_vector("w")?.len() / self.n_targets();
        self.squares.load(state, size)?;
        self.forecasts.load(state)
    }
}
heap!(LinearRls: squares, forecasts, features);
