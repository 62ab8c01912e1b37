//! Online Newton step.

use super::{Output, Rounds, SecondOrder, Step, Update};
use crate::data::checks::regularisation;
use crate::error::Error;
use crate::features::{Change, FeatureMatrix};
use crate::limits::Range;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::runtime::heap;

/// Online Newton step on features: a weight vector `w` and `A = mu I + eta sum_t e_t^2 phi_t phi_t^T`, where `e_t` is the
/// derivative of an exp-concave loss.
///
/// A round is [`predict`](Self::predict), then [`gain`](Self::gain) if the features gained a coordinate,
/// then [`step`](Self::step).
#[derive(Debug, Clone)]
pub struct Newton {
    loss: AnyLoss,
    eta: f64,
    /// Predictions stay within `[-bound, bound]`.
    bound: f64,
    /// The largest derivative of the loss that is expected.
    largest_derivative: f64,
    weights: SecondOrder,
    /// The prediction for the row at hand.
    yhat: f64,
}

impl Newton {
    /// A Newton step without features yet, with predictions within `[-bound, bound]`, where the derivative of the loss
    /// is expected to be at most `largest_derivative`.
    pub fn new(mu: f64, eta: f64, bound: f64, largest_derivative: f64) -> Result<Self, Error> {
        regularisation("mu", mu)?;
        Ok(Self {
            loss: AnyLoss::default(),
            eta,
            bound,
            largest_derivative,
            weights: SecondOrder::new(mu),
            yhat: 0.0,
        })
    }

    /// Sets the loss. Default squared.
    #[must_use]
    pub fn with_loss(self, loss: AnyLoss) -> Self {
        Self { loss, ..self }
    }

    /// The weights and the matrix.
    pub fn weights(&self) -> &SecondOrder {
        &self.weights
    }

    /// Predicts `w . phi` after projecting `w`, in the norm of `A`, onto `{w : |w . phi| <= bound}`.
    ///
    /// The paper projects at the end of the round before; projecting once the row is known is equivalent.
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
    pub fn gain(&mut self, coordinate: f64) {
        self.weights.grow(coordinate);
    }

    /// `A += eta e^2 phi phi^T`, then `w -= e A^{-1} phi`, for the features last predicted.
    pub fn step(&mut self, e: f64) {
        self.weights.step(self.eta * e * e, [e]);
    }

    /// `A += eta e^2 phi phi^T` for the features last predicted; `w` stays.
    pub(crate) fn step_matrix(&mut self, e: f64) {
        self.weights.add(self.eta * e * e);
    }

    /// Starts anew in `size` dimensions: `A = mu I`, `w = 0`.
    pub fn restart(&mut self, size: usize) {
        self.weights = SecondOrder::new(self.weights.diagonal());
        (0..size).for_each(|_| self.weights.grow(0.0));
    }

    /// Begins a round whose prediction is not bounded.
    pub(super) fn begin_unbounded(&mut self, phi: &[f64]) {
        self.yhat = self.predict(phi, f64::INFINITY);
    }

    /// The prediction for the row at hand.
    pub(super) fn yhat(&self) -> f64 {
        self.yhat
    }

    /// The derivative of the loss at the prediction for the row at hand.
    pub(super) fn derivative(&self, y: f64) -> f64 {
        self.loss.derivative(self.yhat, y)
    }
}

impl Update for Newton {
    fn size(&self) -> usize {
        self.weights.size()
    }

    fn w(&self, _target: usize) -> &[f64] {
        self.weights.w(0)
    }

    fn loss(&self) -> AnyLoss {
        self.loss
    }

    fn grow(&mut self) {
        self.gain(0.0);
    }

    fn begin(&mut self, phi: &[f64]) {
        self.yhat = self.predict(phi, self.bound);
    }

    fn finish(
        &mut self,
        _phi: &[f64],
        change: Change,
        y: &[f64],
        _weight: f64,
        yhat: &mut [f64],
    ) -> f64 {
        if let Change::Gain(coordinate) = change {
            self.gain(coordinate);
        }
        self.step(self.derivative(y[0]));
        yhat[0] = self.yhat;
        0.0
    }

    fn learn_rows(
        &mut self,
        features: &FeatureMatrix,
        rounds: &mut Rounds,
        y: &[f64],
        out: &mut Output,
    ) {
        let (loss, eta, bound) = (self.loss, self.eta, self.bound);
        let round = |i: usize, _, value: f64, q: f64| {
            let inside = value.clamp(-bound, bound);
            let shift = if value == inside {
                0.0
            } else {
                (value - inside) / q
            };
            // The projection is in the coordinates from before the row, so a row that brings one is learned by itself.
            let blocked = shift.is_finite() && (shift == 0.0 || features.gain(i).is_none());
            let e = loss.derivative(inside, y[i]);
            let curvature = eta * e * e;
            let step = Step {
                shift,
                curvature,
                e,
            };
            blocked.then_some((inside, step))
        };
        let done = self
            .weights
            .step_rows(features, rounds, &mut out.yhat, round);
        let mut phi = Vec::new();
        for i in done..features.n_rows() {
            features.row_into(i, &mut phi);
            let inside = self.predict(&phi, bound);
            if let Some(coordinate) = features.gain(i) {
                self.gain(coordinate);
            }
            self.step(loss.derivative(inside, y[i]));
            out.yhat.push(inside);
        }
    }

    fn predict_into(&self, phi: &[f64], out: &mut [f64]) {
        let value = self.weights.value(0, &phi[..self.size()]);
        out[0] = value.clamp(-self.bound, self.bound);
    }

    fn range(&self) -> Range {
        (-self.bound, self.bound)
    }

    /// The largest `||phi||^2` whose step `P` can take without losing too many digits.
    fn largest_kappa(&self) -> f64 {
        let e = self.largest_derivative;
        self.weights.largest_kappa(self.eta * e * e)
    }

    fn save(&self, state: &mut State) {
        self.weights.save(state);
    }

    fn load(&mut self, state: &State, size: Option<usize>) -> Result<(), Error> {
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
        let mut newton = Newton::new(2.0, 0.25, 1.0, 4.0).unwrap();
        assert!(close(newton.predict(&[], 1.0), 0.0));
        newton.gain(1.0);
        newton.step(-4.0);
        // A = 2 + 0.25 * 16 = 6, w = 4 / 6
        let root = newton.weights().root().columns().row(0)[0];
        assert!(close(root * root, 1.0 / 6.0));
        assert!(close(newton.w(0)[0], 4.0 / 6.0));
        // w . phi = 2 is projected to 1
        assert!(close(newton.predict(&[3.0], 1.0), 1.0));
        assert!(close(newton.w(0)[0], 1.0 / 3.0));
        newton.restart(2);
        assert_eq!(newton.w(0), [0.0; 2]);
    }

    #[test]
    fn a_step_without_error_changes_nothing() {
        let mut newton = Newton::new(1.0, 0.125, 1.0, 4.0).unwrap();
        newton.predict(&[], 1.0);
        newton.gain(1.0);
        newton.step(0.0);
        assert!(close(newton.w(0)[0], 0.0));
        assert!(close(newton.weights().root().columns().row(0)[0], 1.0));
    }

    #[test]
    fn a_step_of_the_matrix_leaves_the_weights() {
        let mut newton = Newton::new(1.0, 0.25, 1.0, 4.0).unwrap();
        newton.predict(&[], 1.0);
        newton.gain(1.0);
        newton.step_matrix(2.0);
        assert_eq!(newton.w(0), [0.0]);
        assert!(close(
            newton.weights().root().columns().row(0)[0],
            0.5_f64.sqrt()
        ));
    }

    #[test]
    fn an_error_whose_square_underflows_leaves_the_matrix() {
        let mut newton = Newton::new(1.0, 0.125, 1.0, 4.0).unwrap();
        newton.predict(&[], 1.0);
        newton.gain(1.0);
        newton.step(1e-155);
        assert_eq!(newton.w(0), [-1e-155]);
        assert_eq!(newton.weights().root().columns().packed(), [1.0]);
    }

    #[test]
    fn an_absurd_label_does_not_send_the_weights_astray() {
        let mut newton = Newton::new(1.0, 0.125, 1.0, 4.0).unwrap();
        newton.predict(&[], 1.0);
        newton.gain(1.0);
        newton.predict(&[1.0], 1.0);
        newton.gain(1.0);
        newton.step(-1e15);
        for _ in 0..100 {
            let yhat = newton.predict(&[1.0, 1.0], 1.0);
            newton.step(yhat - 0.5);
        }
        assert!(
            newton.w(0).iter().all(|w| w.abs() < 2.0),
            "{:?}",
            newton.w(0)
        );
    }
}
