//! Linear ridge regression.

use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::block::Block;
use crate::error::Error;
use crate::function::{Function, Line, linear_value};
use crate::memory::heap;
use crate::rows::Rows;
use crate::state::State;
use crate::updates::{Clip, LeastSquares};

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
}

impl Default for LinearRlsParams {
    fn default() -> Self {
        Self {
            ridge: 1e-2,
            intercept: true,
            forward: false,
            clip: false,
        }
    }
}

impl LinearRlsParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<LinearRls, Error> {
        Ok(LinearRls {
            squares: LeastSquares::new(self.ridge, self.forward)?,
            intercept: self.intercept,
            clip: Clip::new(self.clip),
            features: Vec::new(),
        })
    }
}

/// Exact ridge regression on the features themselves. A row costs O(d^2).
#[derive(Debug, Clone)]
pub struct LinearRls {
    squares: LeastSquares,
    intercept: bool,
    clip: Clip,
    /// The features of the row at hand.
    features: Vec<f64>,
}

impl LinearRls {
    fn grow_to(&mut self, size: usize) {
        while self.squares.size() < size {
            self.squares.grow();
        }
    }

    fn line(&self) -> (&[f64], f64) {
        let (constant, slopes) = self.squares.w().split_at(usize::from(self.intercept));
        (slopes, constant.iter().sum())
    }

    fn features_into(&self, x: &[f64], features: &mut Vec<f64>) {
        features.clear();
        features.extend(self.intercept.then_some(1.0));
        features.extend_from_slice(x);
    }
}

impl Algorithm for LinearRls {
    fn predict(&self, x: &[f64]) -> f64 {
        if self.squares.size() == 0 {
            return 0.0;
        }
        let yhat = if self.squares.is_forward() {
            let mut features = Vec::new();
            self.features_into(x, &mut features);
            self.squares.predict(&features)
        } else {
            let (slopes, constant) = self.line();
            linear_value(slopes, constant, x)
        };
        self.clip.apply(yhat)
    }

    fn function(&self) -> Option<Function> {
        if self.squares.size() == 0 {
            return Some(Function::Linear(Line::constant(0.0)));
        }
        let (slopes, constant) = self.line();
        let (slopes, range) = (slopes.to_vec(), self.clip.range());
        (!self.squares.is_forward()).then_some(Function::Linear(Line {
            slopes,
            constant,
            range,
        }))
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.learn_weighted(x, y, 1.0)
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64) -> f64 {
        let mut features = std::mem::take(&mut self.features);
        self.features_into(x, &mut features);
        self.grow_to(features.len());
        let yhat = self.squares.learn_weighted(&features, y, weight);
        let yhat = self.clip.apply(yhat);
        self.features = features;
        self.clip.include(y);
        yhat
    }

    fn n_coordinates(&self) -> Option<usize> {
        Some(self.squares.size())
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        block.batch.fill(rows);
        let known = block.batch.data();
        let size = rows.n_features() + usize::from(self.intercept);
        self.grow_to(size);
        block.features.reset(rows.len(), size);
        let features = block.features.data_mut();
        let (constant, features) = features.split_at_mut(features.len() - known.len());
        constant.fill(1.0);
        features.copy_from_slice(known);
        let start = yhat.len();
        self.squares
            .learn_features(&block.features, &mut block.rounds, y, yhat);
        self.clip.apply_and_include(&mut yhat[start..], y);
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
        self.clip.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.squares.load(state, state.any_vector("w")?.len())?;
        self.clip.load(state)
    }
}
heap!(LinearRls: squares, features);
