//! KRLS: kernel recursive least squares with an ALD dictionary.

use serde::{Deserialize, Serialize};

use super::Algorithm;
use crate::block::Block;
use crate::dictionary::Dictionary;
use crate::error::Error;
use crate::features::Features;
use crate::hypothesis::{Coefficients, Hypothesis};
use crate::kernels::AnyKernel;
use crate::linalg::Panels;
use crate::memory::heap;
use crate::rows::Rows;
use crate::state::State;
use crate::updates::{Rounds, Scores, SecondOrder, Step};

/// The largest kernel value: without a ridge, what a tiny row has fixed is blown up by a huge one.
const LARGEST_KAPPA: f64 = 1e30;

/// Parameters of [`KrlsAld`].
///
/// ```
/// use nystream::{KrlsAldParams, Learner};
///
/// let mut learner = Learner::new(KrlsAldParams::default())?;
/// learner.learn_row(&[0.0, 1.0], 0.5)?;
/// assert!((learner.predict_row(&[0.0, 1.0])? - 0.5).abs() < 1e-15);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KrlsAldParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// ALD threshold, 1e-10 to 1: a smaller one keeps more rows. Default 1e-3.
    pub alpha: f64,
    /// The most rows to keep, at least 1. Default: no cap.
    pub max_basis: Option<usize>,
}

impl Default for KrlsAldParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            alpha: 1e-3,
            max_basis: None,
        }
    }
}

impl KrlsAldParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<KrlsAld, Error> {
        Ok(KrlsAld {
            dictionary: Dictionary::new(self.kernel.clone(), self.alpha, self.max_basis)?,
            // Never seen: a row that brings a coordinate brings its entry of `A` as well.
            weights: SecondOrder::new(self.alpha),
            scores: Scores::new(1),
            coefficients: Coefficients::default(),
        })
    }
}

/// Least squares without a ridge on the features of an ALD dictionary, by Engel, Mannor and Meir (2004).
///
/// A row that joins is fitted exactly by its new coordinate, and the others leave it as it is. A row costs O(dJ + J^2)
/// with J rows kept, whatever the length of the stream.
#[derive(Debug, Clone)]
pub struct KrlsAld {
    dictionary: Dictionary,
    weights: SecondOrder,
    scores: Scores,
    coefficients: Coefficients,
}

impl KrlsAld {
    /// Rounds for features of many rows; those that bring a coordinate, and what comes after them, one by one.
    fn learn_features(
        &mut self,
        features: &Features,
        rounds: &mut Rounds,
        y: &[f64],
        yhat: &mut Vec<f64>,
        q: &mut Vec<f64>,
    ) {
        let start = yhat.len();
        let done = self
            .weights
            .learn_features(features, rounds, yhat, |i, _, value, q_now| {
                q.push(q_now);
                let step = Step::to(value - y[i], 1.0);
                features.gain(i).is_none().then_some((value, step))
            });
        for ((yhat, y), q) in yhat[start..].iter().zip(y).zip(q) {
            self.scores.push([y - yhat], *q);
        }
        let mut phi = Vec::new();
        for i in done..features.n_rows() {
            features.row_into(i, &mut phi);
            self.weights.measure(&phi);
            let predicted = self.weights.value(0, &phi);
            self.learn_measured(predicted, features.gain(i), y[i], 1.0);
            yhat.push(predicted);
        }
    }

    /// Ends the round of the row last measured.
    fn learn_measured(&mut self, yhat: f64, gain: Option<f64>, y: f64, weight: f64) {
        self.scores.push([y - yhat], self.weights.q());
        match gain {
            Some(coordinate) => self.interpolate(y - yhat, coordinate, weight),
            None => self.weights.step(weight, [weight * (yhat - y)]),
        }
    }

    /// Gains a coordinate with which the row last measured is fitted, given its error so far.
    ///
    /// `A` becomes `[A, 0; 0, 0] + a^2 phi phi^T` with the grown `phi` and the weight `a^2`; its inverse has the root
    /// `[S', -a P phi / r; 0, r / (a coordinate)]`, where `S'` is the root after `A += a^2 phi phi^T` in the old
    /// coordinates and `r^2 = 1 + a^2 phi . P phi`.
    fn interpolate(&mut self, error: f64, coordinate: f64, weight: f64) {
        let r = (weight.recip() + self.weights.q()).sqrt(); // that of the formulas over a
        self.weights.add(weight);
        let mut column: Vec<f64> = self.weights.g().iter().map(|g| -g / r).collect();
        column.push(r / coordinate);
        self.weights.push(error / coordinate, &column);
    }
}

impl Algorithm for KrlsAld {
    fn hypothesis(&self) -> Option<Hypothesis<'_>> {
        let (map, w) = (self.dictionary.map(), self.weights.w(0));
        Some(self.coefficients.of(map, w))
    }

    fn learn(&mut self, x: &[f64], y: f64) -> f64 {
        self.learn_weighted(x, y, 1.0)
    }

    fn takes_weights(&self) -> bool {
        true
    }

    fn learn_weighted(&mut self, x: &[f64], y: f64, weight: f64) -> f64 {
        self.coefficients.forget();
        self.dictionary.project(x);
        let phi = self.dictionary.phi();
        self.weights.measure(phi);
        let yhat = self.weights.value(0, phi);
        let gain = self.dictionary.grow_if_novel(x);
        self.learn_measured(yhat, gain, y, weight);
        yhat
    }

    fn scores(&self) -> Option<&Scores> {
        Some(&self.scores)
    }

    fn uncertainty(&self, x: &[f64]) -> f64 {
        let phi = self.dictionary.peek(x);
        self.weights.peek(&phi[..self.dictionary.size()])
    }

    fn n_coordinates(&self) -> Option<usize> {
        Some(self.dictionary.size())
    }

    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], block: &mut Block, yhat: &mut Vec<f64>) {
        self.coefficients.forget();
        self.dictionary.project_rows(rows, usize::MAX, block);
        block.q.clear();
        let Block {
            features,
            rounds,
            q,
            ..
        } = block;
        self.learn_features(features, rounds, y, yhat, q);
    }

    fn basis(&self) -> Option<&Panels> {
        Some(self.dictionary.rows())
    }

    fn kernel(&self) -> Option<&AnyKernel> {
        Some(self.dictionary.map().kernel())
    }

    fn largest_kappa(&self) -> f64 {
        LARGEST_KAPPA
    }

    fn save(&self, state: &mut State) {
        self.dictionary.save(state);
        self.weights.save(state);
        self.scores.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.dictionary.load(state)?;
        self.weights.load(state, self.dictionary.size())?;
        self.scores.load(state)
    }
}

heap!(KrlsAld: dictionary, weights, scores, coefficients);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_joins_is_fitted_exactly() {
        let mut learner = KrlsAldParams::default().build().unwrap();
        for (x, y) in [(0.0, 1.0), (1.0, -2.0), (2.5, 4.0)] {
            learner.learn(&[x], y);
            assert!((learner.predict(&[x]) - y).abs() < 1e-14);
        }
        assert_eq!(learner.basis().unwrap().n_rows(), 3);
    }

    #[test]
    fn a_row_that_does_not_join_is_averaged_with_the_one_before() {
        let mut learner = KrlsAldParams::default().build().unwrap();
        learner.learn(&[0.0], 1.0);
        learner.learn(&[0.0], 2.0);
        learner.learn(&[0.0], 6.0);
        assert!((learner.predict(&[0.0]) - 3.0).abs() < 1e-14);
    }
}
