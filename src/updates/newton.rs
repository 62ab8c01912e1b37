//! Online Newton step.

use super::{Rounds, SecondOrder, Step, loss_derivative};
use crate::error::Error;
use crate::features::Features;
use crate::memory::heap;
use crate::params::regularisation;
use crate::state::State;

/// Online Newton step on features: a weight vector `w` and `A = mu I + eta sum_t e_t^2 phi_t phi_t^T`.
///
/// A round is [`predict`](Self::predict), then [`grow`](Self::grow) if the features gained a coordinate,
/// then [`step`](Self::step).
#[derive(Debug, Clone)]
pub struct Newton {
    eta: f64,
    weights: SecondOrder,
}

impl Newton {
    /// A step in no dimensions yet.
    pub fn new(mu: f64, eta: f64) -> Result<Self, Error> {
        regularisation("mu", mu)?;
        let weights = SecondOrder::new(mu);
        Ok(Self { eta, weights })
    }

    /// The weights.
    pub fn w(&self) -> &[f64] {
        self.weights.w(0)
    }

    /// The weights and the matrix.
    pub fn weights(&self) -> &SecondOrder {
        &self.weights
    }

    /// The largest `||phi||^2` whose step, with a derivative of the loss of at most `e`, `P` can take without
    /// losing too many digits.
    pub fn largest_kappa(&self, e: f64) -> f64 {
        self.weights.largest_kappa(self.eta * e * e)
    }

    /// Predicts `w . phi` after projecting `w`, in the norm of `A`, onto `{w : |w . phi| <= bound}`.
    ///
    /// The paper projects at the end of the round before; doing it now, when the row is known, is the same.
    pub fn predict(&mut self, phi: &[f64], bound: f64) -> f64 {
        self.weights.measure(phi);
        let yhat = self.weights.value(0, phi);
        let inside = yhat.clamp(-bound, bound);
        let excess = (yhat - inside) / self.weights.q();
        if excess != 0.0 && excess.is_finite() {
            self.weights.shift([excess]);
        }
        inside
    }

    /// Follows features that have gained a coordinate: `A` gains `mu` on its diagonal, `w` a 0.
    pub fn grow(&mut self, coordinate: f64) {
        self.weights.grow(coordinate);
    }

    /// `A += eta e^2 phi phi^T`, then `w -= e A^{-1} phi`, for the features last predicted
    /// and the derivative `e` of the loss.
    pub fn step(&mut self, e: f64) {
        self.weights.step(self.eta * e * e, [e]);
    }

    /// The same for `A` alone: `w` stays.
    pub fn step_matrix(&mut self, e: f64) {
        self.weights.add(self.eta * e * e);
    }

    /// Rounds for features of many rows; appends the predictions.
    pub(crate) fn learn_features(
        &mut self,
        features: &Features,
        rounds: &mut Rounds,
        y: &[f64],
        bound: f64,
        yhat: &mut Vec<f64>,
    ) {
        let eta = self.eta;
        let done = self
            .weights
            .learn_features(features, rounds, yhat, |i, _, value, q| {
                let inside = value.clamp(-bound, bound);
                let shift = if value == inside {
                    0.0
                } else {
                    (value - inside) / q
                };
                // The projection is in the coordinates before the row: one that brings another goes by itself.
                let blocked = shift.is_finite() && (shift == 0.0 || features.gain(i).is_none());
                let e = loss_derivative(inside, y[i]);
                let curvature = eta * e * e;
                let step = Step {
                    shift,
                    curvature,
                    e,
                };
                blocked.then_some((inside, step))
            });
        let mut phi = Vec::new();
        for i in done..features.n_rows() {
            features.row_into(i, &mut phi);
            let inside = self.predict(&phi, bound);
            if let Some(coordinate) = features.gain(i) {
                self.grow(coordinate);
            }
            self.step(loss_derivative(inside, y[i]));
            yhat.push(inside);
        }
    }

    /// Starts anew in `size` dimensions: `A = mu I`, `w = 0`.
    pub fn restart(&mut self, size: usize) {
        self.weights = SecondOrder::new(self.weights.diagonal());
        (0..size).for_each(|_| self.weights.grow(0.0));
    }

    pub(crate) fn save(&self, state: &mut State) {
        self.weights.save(state);
    }

    pub(crate) fn load(&mut self, state: &State, size: usize) -> Result<(), Error> {
        self.weights.load(state, size)
    }
}

heap!(Newton: weights);

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-14
    }

    #[test]
    fn one_step_in_one_dimension_by_hand() {
        let mut newton = Newton::new(2.0, 0.25).unwrap();
        assert!(close(newton.predict(&[], 1.0), 0.0));
        newton.grow(1.0);
        newton.step(-4.0);
        // A = 2 + 0.25 * 16 = 6, w = 4 / 6
        let root = newton.weights().root().columns().row(0)[0];
        assert!(close(root * root, 1.0 / 6.0));
        assert!(close(newton.w()[0], 4.0 / 6.0));
        // w . phi = 2 is projected to 1
        assert!(close(newton.predict(&[3.0], 1.0), 1.0));
        assert!(close(newton.w()[0], 1.0 / 3.0));
        newton.restart(2);
        assert_eq!(newton.w(), [0.0; 2]);
    }

    #[test]
    fn a_step_without_error_changes_nothing() {
        let mut newton = Newton::new(1.0, 0.125).unwrap();
        newton.predict(&[], 1.0);
        newton.grow(1.0);
        newton.step(0.0);
        assert!(close(newton.w()[0], 0.0));
        assert!(close(newton.weights().root().columns().row(0)[0], 1.0));
    }

    #[test]
    fn a_step_of_the_matrix_leaves_the_weights() {
        let mut newton = Newton::new(1.0, 0.25).unwrap();
        newton.predict(&[], 1.0);
        newton.grow(1.0);
        newton.step_matrix(2.0);
        assert_eq!(newton.w(), [0.0]);
        assert!(close(
            newton.weights().root().columns().row(0)[0],
            0.5_f64.sqrt()
        ));
    }

    #[test]
    fn an_error_whose_square_underflows_leaves_the_matrix() {
        let mut newton = Newton::new(1.0, 0.125).unwrap();
        newton.predict(&[], 1.0);
        newton.grow(1.0);
        newton.step(1e-155);
        assert_eq!(newton.w(), [-1e-155]);
        assert_eq!(newton.weights().root().columns().packed(), [1.0]);
    }

    #[test]
    fn an_absurd_label_does_not_send_the_weights_astray() {
        let mut newton = Newton::new(1.0, 0.125).unwrap();
        newton.predict(&[], 1.0);
        newton.grow(1.0);
        newton.predict(&[1.0], 1.0);
        newton.grow(1.0);
        newton.step(-1e15);
        for _ in 0..100 {
            let yhat = newton.predict(&[1.0, 1.0], 1.0);
            newton.step(yhat - 0.5);
        }
        assert!(newton.w().iter().all(|w| w.abs() < 2.0), "{:?}", newton.w());
    }
}
