//! Recursive least squares.

use super::{Border, Rounds, SecondOrder, Step};
use crate::error::Error;
use crate::features::Features;
use crate::memory::heap;
use crate::params::regularisation;
use crate::state::State;

/// Least squares on features: `w` minimises `sum_t (w . phi_t - y_t)^2 + ridge ||w||^2`.
///
/// The prediction is `w . phi`, or the forward one of Vovk, Azoury and Warmuth: that of the `w` for which the row at
/// hand counts too, with the label 0.
#[derive(Debug, Clone)]
pub struct LeastSquares {
    forward: bool,
    weights: SecondOrder,
}

impl LeastSquares {
    /// Least squares in no dimensions yet.
    pub fn new(ridge: f64, forward: bool) -> Result<Self, Error> {
        regularisation("ridge", ridge)?;
        let weights = SecondOrder::new(ridge);
        Ok(Self { forward, weights })
    }

    /// Whether the prediction is the forward one.
    pub fn is_forward(&self) -> bool {
        self.forward
    }

    /// Number of features.
    pub fn size(&self) -> usize {
        self.weights.size()
    }

    /// The weights.
    pub fn w(&self) -> &[f64] {
        self.weights.w()
    }

    /// The largest `||phi||^2` that `A` can gain without losing too many digits.
    pub fn largest_kappa(&self) -> f64 {
        self.weights.largest_kappa(1.0)
    }

    /// The weights and the matrix `A = ridge I + sum_t phi_t phi_t^T`.
    pub fn weights(&self) -> &SecondOrder {
        &self.weights
    }

    /// Follows features that have gained a coordinate which past rows have not.
    pub fn grow(&mut self) {
        self.weights.grow(0.0);
    }

    /// Follows features that have gained a coordinate on past rows too.
    pub fn embed(&mut self, border: &Border) {
        self.weights.embed(border);
    }

    /// The prediction for these features, of which the last may be one that is to come.
    pub fn predict(&self, phi: &[f64]) -> f64 {
        let (known, novel) = phi.split_at(self.size());
        if !self.forward {
            return self.weights.value(known);
        }
        let (v, q) = self.weights.peek(known);
        let ridge = self.weights.diagonal();
        let novelty: f64 = novel.iter().map(|phi| phi * phi / ridge).sum();
        self.forecast(v, q + novelty)
    }

    /// The prediction for features with this coordinate to come.
    pub fn predict_embedded(&self, border: &Border, phi: &[f64], coordinate: f64) -> f64 {
        let (v, q) = border.peek(self.weights.peek(phi), phi, coordinate);
        self.forecast(v, q)
    }

    /// One round: predicts `phi`, then learns its label; returns the prediction.
    pub fn learn(&mut self, phi: &[f64], y: f64) -> f64 {
        self.learn_weighted(phi, y, 1.0)
    }

    /// The same for a row whose square counts `weight` times.
    pub fn learn_weighted(&mut self, phi: &[f64], y: f64, weight: f64) -> f64 {
        let v = self.weights.measure(phi);
        let yhat = self.forecast(v, self.weights.q());
        self.weights.step(weight, weight * (v - y));
        if self.forward {
            self.weights.settle();
        }
        yhat
    }

    /// Rounds for features of many rows; appends the predictions.
    pub(crate) fn learn_features(
        &mut self,
        features: &Features,
        rounds: &mut Rounds,
        y: &[f64],
        yhat: &mut Vec<f64>,
    ) {
        let forward = self.forward;
        let done = self
            .weights
            .learn_features(features, rounds, yhat, |i, v, q| {
                Some((forecast(forward, v, q), Step::to(v - y[i])))
            });
        let mut phi = Vec::new();
        for i in done..features.n_rows() {
            features.row_into(i, &mut phi);
            if let Some(coordinate) = features.gain(i) {
                self.grow();
                phi.push(coordinate);
            }
            yhat.push(self.learn(&phi, y[i]));
        }
    }

    fn forecast(&self, v: f64, q: f64) -> f64 {
        forecast(self.forward, v, q)
    }

    pub(crate) fn save(&self, state: &mut State) {
        self.weights.save(state);
    }

    pub(crate) fn load(&mut self, state: &State, size: usize) -> Result<(), Error> {
        self.weights.load(state, size)
    }
}

fn forecast(forward: bool, v: f64, q: f64) -> f64 {
    if forward { v / (1.0 + q) } else { v }
}

heap!(LeastSquares: weights);

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-14
    }

    #[test]
    fn two_rounds_in_one_dimension_by_hand() {
        for (forward, expected) in [(false, 1.6), (true, 1.6 / 1.8)] {
            let mut squares = LeastSquares::new(1.0, forward).unwrap();
            squares.grow();
            assert_eq!(squares.learn(&[2.0], 2.0), 0.0);
            // A = 1 + 4, w = 4 / 5, q = 4 / 5
            assert!(close(squares.predict(&[2.0]), expected));
            assert!(close(squares.learn(&[2.0], 1.0), expected));
            // A = 1 + 8, w = 6 / 9
            assert!(close(squares.w()[0], 6.0 / 9.0));
        }
    }

    #[test]
    fn a_coordinate_of_past_rows_is_embedded_exactly() {
        // Rows (1, 1) and (2, -1) with labels 1 and 2, learned whole, or in the first coordinate and then embedded.
        let mut whole = LeastSquares::new(0.5, true).unwrap();
        (0..2).for_each(|_| whole.grow());
        whole.learn(&[1.0, 1.0], 1.0);
        whole.learn(&[2.0, -1.0], 2.0);
        let mut squares = LeastSquares::new(0.5, true).unwrap();
        squares.grow();
        squares.learn(&[1.0], 1.0);
        squares.learn(&[2.0], 2.0);
        let border = squares.weights().border(&[1.0 - 2.0], 2.0, 1.0 - 2.0);
        let expected = whole.predict(&[3.0, 4.0]);
        assert!(close(
            squares.predict_embedded(&border, &[3.0], 4.0),
            expected
        ));
        squares.embed(&border);
        assert!(close(squares.predict(&[3.0, 4.0]), expected));
        assert!(close(squares.w()[1], whole.w()[1]));
    }
}
