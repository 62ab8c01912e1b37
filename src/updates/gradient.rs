//! Gradient descent on features.

use super::{Rate, cut, loss_derivative};
use crate::error::Error;
use crate::features::Features;
use crate::linalg::{axpy_in_place, dot, norm_squared};
use crate::memory::heap;
use crate::state::State;

/// Online gradient descent on features.
#[derive(Debug, Clone)]
pub struct Gradient {
    rate: Rate,
    w: Vec<f64>,
}

impl Gradient {
    /// Descent in no dimensions yet.
    pub fn new(rate: Rate) -> Self {
        Self::from_weights(rate, Vec::new())
    }

    /// Descent from these weights.
    pub fn from_weights(rate: Rate, w: Vec<f64>) -> Self {
        Self { rate, w }
    }

    /// The weights.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// The learning rate as it stands.
    pub fn rate(&self) -> &Rate {
        &self.rate
    }

    /// Predicts `w . phi`.
    pub fn predict(&self, phi: &[f64]) -> f64 {
        cut(dot(&self.w, phi))
    }

    /// Follows features that have gained a coordinate.
    pub fn grow(&mut self) {
        self.w.push(0.0);
    }

    /// `w -= eta_t e phi`, then back into the ball, if there is one.
    pub fn step(&mut self, phi: &[f64], e: f64) {
        let step = self.rate.next_step(e, || norm_squared(phi));
        axpy_in_place(-step, phi, &mut self.w);
        let shrink = self.rate.shrink(|| norm_squared(&self.w).sqrt());
        if shrink < 1.0 {
            self.w.iter_mut().for_each(|w| *w *= shrink);
        }
    }

    /// Rounds for features of many rows; appends the predictions.
    pub(crate) fn learn_features(&mut self, features: &Features, y: &[f64], yhat: &mut Vec<f64>) {
        let mut phi = Vec::new();
        for i in 0..features.n_rows() {
            features.row_into(i, &mut phi);
            let predicted = self.predict(&phi);
            if let Some(coordinate) = features.gain(i) {
                self.grow();
                phi.push(coordinate);
            }
            self.step(&phi, loss_derivative(predicted, y[i]));
            yhat.push(predicted);
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        self.rate.save(state);
        state.put("w", &*self.w);
    }

    pub(crate) fn load(&mut self, state: &State, size: usize) -> Result<(), Error> {
        self.rate.load(state)?;
        self.w = state.vector("w", size)?;
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
        assert!((gradient.w()[0] - 6.0 / 37.0_f64.sqrt()).abs() < 1e-15);
        gradient.step(&[2.0], -3.0);
        assert!((gradient.w()[0] - 1.0).abs() < 1e-15);
    }
}
