//! Ridge regression on an ALD dictionary.

mod merge;

use serde::{Deserialize, Serialize};

use super::{Algorithm, learn_one_by_one, learn_one_target, predict_first_target};
use crate::block::Block;
use crate::dictionary::{Dictionary, Policy};
use crate::error::Error;
use crate::hypothesis::{Coefficients, Hypothesis};
use crate::kernels::AnyKernel;
use crate::linalg::{Panels, index_of_least};
use crate::memory::heap;
use crate::rows::Rows;
use crate::state::State;
use crate::updates::{Forecasts, LeastSquares, Scores};

/// Parameters of [`RidgeAld`].
///
/// ```
/// use nystream::{Learner, RidgeAldParams};
///
/// let mut learner = Learner::new(RidgeAldParams { ridge: 1.0, ..Default::default() })?;
/// learner.learn_row(&[0.0, 1.0], 0.5)?;
/// assert!((learner.predict_row(&[0.0, 1.0])? - 0.25).abs() < 1e-15);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RidgeAldParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// ALD threshold, 1e-10 to 1: a smaller one keeps more rows. Default 1e-3.
    pub alpha: f64,
    /// Weight of `||f||^2`, 1e-10 to 1e100. Default 1e-2.
    pub ridge: f64,
    /// Whether to predict as Vovk, Azoury and Warmuth do. Default false.
    pub forward: bool,
    /// Whether to keep predictions within the range of the labels seen. Default false.
    pub clip: bool,
    /// The most rows to keep, at least 1. Default: no cap.
    pub max_basis: Option<usize>,
    /// What happens at the cap. Default freeze.
    pub policy: Policy,
    /// How often a row counts a round later, 0.5 to 1. Default 1: nothing is forgotten.
    pub forgetting: f64,
    /// Number of labels that a row has, at least 1. Default 1.
    pub n_targets: usize,
}

impl Default for RidgeAldParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            alpha: 1e-3,
            ridge: 1e-2,
            forward: false,
            clip: false,
            max_basis: None,
            policy: Policy::default(),
            forgetting: 1.0,
            n_targets: 1,
        }
    }
}

impl RidgeAldParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<RidgeAld, Error> {
        let dictionary = Dictionary::new(self.kernel.clone(), self.alpha, self.max_basis)?;
        Ok(RidgeAld {
            dictionary: dictionary.policy(self.policy),
            squares: LeastSquares::new(self.ridge, self.forward)?
                .forgetting(self.forgetting)?
                .targets(self.n_targets)?,
            forecasts: Forecasts::new(self.clip, self.n_targets),
            coefficients: Coefficients::default(),
        })
    }
}

/// Least squares on the features of an ALD dictionary.
///
/// A row costs O(dJ + J^2) with J rows kept, whatever the length of the stream.
#[derive(Debug, Clone)]
pub struct RidgeAld {
    dictionary: Dictionary,
    squares: LeastSquares,
    forecasts: Forecasts,
    coefficients: Coefficients,
}

impl RidgeAld {
    /// Learns the row last projected, which may join, and returns `phi . P phi`.
    fn learn_projected(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) -> f64 {
        if self.dictionary.grow_if_novel(x).is_some() {
            self.squares.grow();
        }
        let phi = self.dictionary.phi();
        self.squares.learn_weighted(phi, y, weight, yhat)
    }

    /// Predicts the row last projected, then lets it take the place of the row whose removal costs least and learns it.
    fn replace(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) -> f64 {
        self.squares.settle();
        let phi = self.dictionary.phi();
        let q = self.squares.uncertainty(phi);
        self.squares.predict_into(phi, yhat);
        let costs = self.squares.removal_costs(self.dictionary.map().factor());
        let cheapest = index_of_least(&costs);
        let rotations = self.dictionary.remove(cheapest);
        self.squares.remove(&rotations, cheapest);
        self.dictionary.project_again(x);
        self.learn_projected(x, y, weight, &mut vec![0.0; y.len()]);
        q
    }
}

impl Algorithm for RidgeAld {
    fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        if self.squares.is_forward() {
            return None;
        }
        let (map, ranges) = (self.dictionary.map(), self.forecasts.ranges());
        let w = |target| self.squares.w(target);
        Some(self.coefficients.of_each(map, w, ranges))
    }

    fn n_targets(&self) -> usize {
        self.squares.n_targets()
    }

    fn predict(&self, x: &[f64]) -> f64 {
        predict_first_target(self, x)
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        if let Some(hypothesis) = self.hypothesis() {
            return hypothesis.predict_into(x, out);
        }
        self.squares.predict_into(&self.dictionary.peek(x), out);
        self.forecasts.clip(out);
    }

    fn scores(&self) -> Option<&Scores> {
        Some(self.forecasts.scores())
    }

    fn uncertainty(&self, x: &[f64]) -> f64 {
        self.squares.uncertainty(&self.dictionary.peek(x))
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        learn_one_target(self, x, y)
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn learn_targets(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) {
        self.coefficients.forget();
        self.dictionary.project(x);
        let q = if self.dictionary.wants_room() {
            self.replace(x, y, weight, yhat)
        } else {
            self.learn_projected(x, y, weight, yhat)
        };
        self.forecasts.close(yhat, y, q);
    }

    fn n_coordinates(&self) -> Option<usize> {
        Some(self.dictionary.size())
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        self.coefficients.forget();
        self.dictionary.project_rows(rows, usize::MAX, block);
        let start = yhat.len();
        block.q.clear();
        self.squares
            .learn_features(&block.features, &mut block.rounds, y, yhat, &mut block.q);
        self.forecasts.close_rows(&mut yhat[start..], y, &block.q);
        // After a row that takes the place of another, features are others: the block ends with it.
        let done = block.features.n_rows();
        let next = rows.slice(done..rows.len().min(done + 1));
        learn_one_by_one(self, &next, &y[done * self.n_targets()..], yhat);
    }

    fn basis(&self) -> Option<&Panels> {
        Some(self.dictionary.rows())
    }

    fn kernel(&self) -> Option<&AnyKernel> {
        Some(self.dictionary.map().kernel())
    }

    fn largest_kappa(&self) -> f64 {
        self.squares.largest_kappa()
    }

    fn save(&self, state: &mut State) {
        self.dictionary.save(state);
        self.squares.save(state);
        self.forecasts.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.dictionary.load(state)?;
        self.squares.load(state, self.dictionary.size())?;
        self.forecasts.load(state)
    }
}

heap!(RidgeAld: dictionary, squares, forecasts, coefficients);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forward_prediction_knows_that_its_row_will_join() {
        let params = RidgeAldParams {
            forward: true,
            clip: true,
            ..RidgeAldParams::default()
        };
        let mut learner = params.build().unwrap();
        for (x, y) in [(0.0, 1.0), (0.5, 2.0), (3.0, 0.5), (0.4, 1.5), (0.4, 3.0)] {
            let predicted = learner.predict(&[x]);
            assert!((predicted - learner.learn(&[x], y)).abs() < 1e-14);
        }
    }
}
