//! Gradient descent on features.

use super::{Output, Rate, Rounds, Update};
use crate::error::Error;
use crate::features::{Change, FeatureMatrix};
use crate::limits::cut;
use crate::linalg::{axpy_in_place, dot, norm_squared};
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::runtime::heap;

/// Online gradient descent on features.
#[derive(Debug, Clone)]
pub struct Gradient {
    loss: AnyLoss,
    rate: Rate,
    w: Vec<f64>,
    /// The prediction for the row at hand.
    yhat: f64,
}

impl Gradient {
    /// Gradient descent without features yet.
    pub fn new(rate: Rate) -> Self {
        Self::from_weights(rate, Vec::new())
    }

    /// Gradient descent from these weights.
    pub(crate) fn from_weights(rate: Rate, w: Vec<f64>) -> Self {
        Self {
            loss: AnyLoss::default(),
            rate,
            w,
            yhat: 0.0,
        }
    }

    /// Sets the loss. Default squared.
    #[must_use]
    pub fn with_loss(self, loss: AnyLoss) -> Self {
        Self { loss, ..self }
    }

    /// The learning rate.
    pub fn rate(&self) -> &Rate {
        &self.rate
    }

    /// Predicts `w . phi`.
    pub fn predict(&self, phi: &[f64]) -> f64 {
        cut(dot(&self.w, phi))
    }

    /// `w -= eta_t e phi`, then `w` is brought back into the ball, if there is one.
    pub fn step(&mut self, phi: &[f64], e: f64) {
        let step = self.rate.next_step(e, || norm_squared(phi));
        axpy_in_place(-step, phi, &mut self.w);
        let shrink = self.rate.shrink(|| norm_squared(&self.w).sqrt());
        if shrink < 1.0 {
            self.w.iter_mut().for_each(|w| *w *= shrink);
        }
    }
}

impl Update for Gradient {
    fn size(&self) -> usize {
        self.w.len()
    }

    fn w(&self, _target: usize) -> &[f64] {
        &self.w
    }

    fn loss(&self) -> AnyLoss {
        self.loss
    }

    fn grow(&mut self) {
        self.w.push(0.0);
    }

    fn begin(&mut self, phi: &[f64]) {
        self.yhat = self.predict(phi);
    }

    fn finish(
        &mut self,
        phi: &[f64],
        change: Change,
        y: &[f64],
        _weight: f64,
        yhat: &mut [f64],
    ) -> f64 {
        if let Change::Gain(_) = change {
            self.grow();
        }
        self.step(phi, self.loss.derivative(self.yhat, y[0]));
        yhat[0] = self.yhat;
        0.0
    }

    fn learn_rows(
        &mut self,
        features: &FeatureMatrix,
        _rounds: &mut Rounds,
        y: &[f64],
        out: &mut Output,
    ) {
        let mut phi = Vec::new();
        for i in 0..features.n_rows() {
            features.row_into(i, &mut phi);
            let predicted = self.predict(&phi);
            if let Some(coordinate) = features.gain(i) {
                self.grow();
                phi.push(coordinate);
            }
            self.step(&phi, self.loss.derivative(predicted, y[i]));
            out.yhat.push(predicted);
        }
    }

    fn predict_into(&self, phi: &[f64], out: &mut [f64]) {
        out[0] = self.predict(&phi[..self.w.len()]);
    }

    fn save(&self, state: &mut State) {
        self.rate.save(state);
        state.put("w", &*self.w);
    }

    fn load(&mut self, state: &State, size: Option<usize>) -> Result<(), Error> {
        self.rate.load(state)?;
        self.w = match size {
            Some(size) => state.vector("w", size)?,
            None => state.any_vector("w")?,
        };
        Ok(())
    }
}

heap!(Gradient: w);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_in_one_dimension_by_hand() {
        let mut gradient = Gradient::new(Rate::adaptive(1.0));
        gradient.grow();
        gradient.step(&[2.0], -3.0);
        // eta = 1 / sqrt(1 + 36), w = 6 / sqrt(37)
        assert!((gradient.w(0)[0] - 6.0 / 37.0_f64.sqrt()).abs() < 1e-15);
        gradient.step(&[2.0], -3.0);
        assert!((gradient.w(0)[0] - 1.0).abs() < 1e-15);
    }
}
