//! Recursive least squares without a ridge.

use super::{Output, Rounds, SecondOrder, Step, Update};
use crate::error::Error;
use crate::features::{Change, FeatureMatrix};
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::runtime::heap;

/// The largest kernel value: without a ridge, a huge row would blow up the weights that a tiny one has fixed.
const LARGEST_KAPPA: f64 = 1e30;

/// Least squares without a ridge: a row that brings a coordinate is fitted exactly by it, and any other row moves the
/// weights to the minimum of the squared errors.
#[derive(Debug, Clone)]
pub struct Interpolation {
    loss: AnyLoss,
    weights: SecondOrder,
    /// The prediction for the row at hand.
    yhat: f64,
}

impl Interpolation {
    /// Least squares without features yet.
    pub(crate) fn new(alpha: f64) -> Self {
        Self {
            loss: AnyLoss::default(),
            // Never used: a row that brings a coordinate brings its entry of `A` as well.
            weights: SecondOrder::new(alpha),
            yhat: 0.0,
        }
    }

    /// Ends the round of the row last measured.
    fn finish_measured(&mut self, gain: Option<f64>, y: f64, weight: f64) {
        let residual = self.loss.residual(self.yhat, y);
        match gain {
            Some(coordinate) => self.fit(-residual, coordinate, weight),
            None => self.weights.step(weight, [weight * residual]),
        }
    }

    /// Gains a coordinate that fits the row last measured, given its error so far.
    ///
    /// `A` becomes `[A, 0; 0, 0] + a^2 phi phi^T` with the grown `phi` and the weight `a^2`; its inverse has the root
    /// `[S', -a P phi / r; 0, r / (a coordinate)]`, where `S'` is the root after `A += a^2 phi phi^T` in the old
    /// coordinates and `r^2 = 1 + a^2 phi . P phi`.
    fn fit(&mut self, error: f64, coordinate: f64, weight: f64) {
        let r = (weight.recip() + self.weights.q()).sqrt(); // that of the formulas over a
        self.weights.add(weight);
        let mut column: Vec<f64> = self.weights.g().iter().map(|g| -g / r).collect();
        column.push(r / coordinate);
        self.weights.push(error / coordinate, &column);
    }
}

impl Update for Interpolation {
    const TAKES_WEIGHTS: bool = true;

    fn size(&self) -> usize {
        self.weights.size()
    }

    fn w(&self, _target: usize) -> &[f64] {
        self.weights.w(0)
    }

    fn grow(&mut self) {
        self.weights.grow(0.0);
    }

    fn begin(&mut self, phi: &[f64]) {
        self.weights.measure(phi);
        self.yhat = self.weights.value(0, phi);
    }

    fn finish(
        &mut self,
        _phi: &[f64],
        change: Change,
        y: &[f64],
        weight: f64,
        yhat: &mut [f64],
    ) -> f64 {
        let q = self.weights.q();
        let gain = match change {
            Change::Gain(coordinate) => Some(coordinate),
            _ => None,
        };
        self.finish_measured(gain, y[0], weight);
        yhat[0] = self.yhat;
        q
    }

    /// Rows from the first that brings a coordinate on are learned one by one.
    fn learn_rows(
        &mut self,
        features: &FeatureMatrix,
        rounds: &mut Rounds,
        y: &[f64],
        out: &mut Output,
    ) {
        let (loss, start, q) = (self.loss, out.q.len(), &mut out.q);
        let round = |i: usize, _, value: f64, q_now: f64| {
            q.push(q_now);
            let step = Step::least_squares(loss.residual(value, y[i]), 1.0);
            features.gain(i).is_none().then_some((value, step))
        };
        let done = self
            .weights
            .step_rows(features, rounds, &mut out.yhat, round);
        out.q.truncate(start + done);
        let mut phi = Vec::new();
        for i in done..features.n_rows() {
            features.row_into(i, &mut phi);
            self.begin(&phi);
            out.q.push(self.weights.q());
            out.yhat.push(self.yhat);
            self.finish_measured(features.gain(i), y[i], 1.0);
        }
    }

    fn predict_into(&self, phi: &[f64], out: &mut [f64]) {
        out[0] = self.weights.value(0, &phi[..self.size()]);
    }

    fn uncertainty(&self, phi: &[f64]) -> Option<f64> {
        Some(self.weights.peek(&phi[..self.size()]))
    }

    fn largest_kappa(&self) -> f64 {
        LARGEST_KAPPA
    }

    fn save(&self, state: &mut State) {
        self.weights.save(state);
    }

    fn load(&mut self, state: &State, size: Option<usize>) -> Result<(), Error> {
        self.weights.load(state, size)
    }
}

heap!(Interpolation: weights);
