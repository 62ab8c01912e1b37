//! Gradient descent on features.

use crate::error::Error;
use crate::linalg::{axpy_in_place, dot, norm_squared};
use crate::state::State;

/// The learning rate `eta_t = U / sqrt(1 + sum_{s <= t} ||gradient_s||^2)`.
#[derive(Debug, Clone)]
pub struct AdaptiveStep {
    bound: f64,
    squared_norms: f64,
}

impl AdaptiveStep {
    /// The rate for hypotheses of norm at most `bound`.
    pub fn new(bound: f64) -> Self {
        Self {
            bound,
            squared_norms: 0.0,
        }
    }

    /// The bound `U`.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// The rate of a round whose gradient has this squared norm.
    pub fn next_rate(&mut self, squared_norm: f64) -> f64 {
        // At the largest number the rate is as good as 0; infinity could not be saved.
        self.squared_norms = (self.squared_norms + squared_norm).min(f64::MAX);
        self.bound / (1.0 + self.squared_norms).sqrt()
    }

    /// The factor that brings a hypothesis of this norm back into the ball.
    pub fn shrink(&self, norm: f64) -> f64 {
        if norm > self.bound {
            self.bound / norm
        } else {
            1.0
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put("squared_norms", vec![self.squared_norms]);
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.squared_norms = state.not_negative("squared_norms")?;
        Ok(())
    }
}

/// Online gradient descent on features inside the ball `||w|| <= U`.
#[derive(Debug, Clone)]
pub struct Gradient {
    rate: AdaptiveStep,
    w: Vec<f64>,
}

impl Gradient {
    /// Descent in no dimensions yet.
    pub fn new(bound: f64) -> Self {
        Self {
            rate: AdaptiveStep::new(bound),
            w: Vec::new(),
        }
    }

    /// The weights.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// The learning rate as it stands.
    pub fn rate(&self) -> &AdaptiveStep {
        &self.rate
    }

    /// Predicts `w . phi`.
    pub fn predict(&self, phi: &[f64]) -> f64 {
        dot(&self.w, phi)
    }

    /// Follows features that have gained a coordinate.
    pub fn grow(&mut self) {
        self.w.push(0.0);
    }

    /// `w -= eta_t e phi`, then back into the ball.
    pub fn step(&mut self, phi: &[f64], e: f64) {
        let eta = self.rate.next_rate(e * e * norm_squared(phi));
        axpy_in_place(-eta * e, phi, &mut self.w);
        let shrink = self.rate.shrink(norm_squared(&self.w).sqrt());
        self.w.iter_mut().for_each(|w| *w *= shrink);
    }

    pub(crate) fn save(&self, state: &mut State) {
        self.rate.save(state);
        state.put("w", self.w.clone());
    }

    pub(crate) fn load(&mut self, state: &State, size: usize) -> Result<(), Error> {
        self.rate.load(state)?;
        self.w = state.vector("w", size)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_in_one_dimension_by_hand() {
        let mut gradient = Gradient::new(1.0);
        gradient.grow();
        gradient.step(&[2.0], -3.0);
        // eta = 1 / sqrt(1 + 36), w = 6 / sqrt(37)
        assert!((gradient.w()[0] - 6.0 / 37.0_f64.sqrt()).abs() < 1e-15);
        gradient.step(&[2.0], -3.0);
        assert!((gradient.w()[0] - 1.0).abs() < 1e-15);
    }
}
