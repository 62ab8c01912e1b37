//! Recursive least squares.

mod changes;
mod moments;
mod proximal;
#[cfg(test)]
mod tests;

use super::forgetting::Forgetting;
use super::{Border, Output, Rounds, SecondOrder, Step, Update};
use crate::data::checks::{regularisation, targets as check_targets};
use crate::error::Error;
use crate::features::{Change, FeatureMatrix};
use crate::linalg::{CholeskyFactor, Givens};
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::runtime::heap;
pub(crate) use moments::Moments;
use proximal::Proximal;

/// Number of halvings after which what was learned is far below the ridge, whatever it was.
const MOST_PERIODS: u64 = 200;

/// Least squares on features: `w` minimises `sum_t (w . phi_t - y_t)^2 + ridge ||w||^2`, for each of some targets.
///
/// The prediction is `w . phi`, or the forward one of Vovk, Azoury and Warmuth: that of the `w` for which the row at
/// hand counts too, with the label 0.
///
/// With forgetting, a row counts `forgetting` times what it did a round before. The ridge, which bounds `A^{-1}` where
/// no rows come, is forgotten like the rows, but renewed whenever half of it is gone: it is between `ridge / 2` and
/// `ridge`, however long the stream.
///
/// Other losses take the place of the squared one for a single target. Then a row moves `w . phi` to where half the loss of
/// the row and the squared distance from what was learned before have the least sum, and the matrix gains half of the
/// curvature that the loss has there. For the squared loss that is least squares.
#[derive(Debug, Clone)]
pub struct LeastSquares {
    loss: Proximal,
    forward: bool,
    forgetting: Forgetting,
    /// Weights and matrix in the scale of the forgetting period.
    weights: SecondOrder,
}

impl LeastSquares {
    /// Least squares without features yet.
    pub fn new(ridge: f64, forward: bool) -> Result<Self, Error> {
        regularisation("ridge", ridge)?;
        Ok(Self {
            loss: Proximal::default(),
            forward,
            forgetting: Forgetting::new(1.0)?,
            weights: SecondOrder::new(ridge),
        })
    }

    /// Sets the forgetting factor: a row counts `factor` times what it did a round before.
    pub fn forgetting(self, factor: f64) -> Result<Self, Error> {
        let forgetting = Forgetting::new(factor)?;
        Ok(Self { forgetting, ..self })
    }

    /// Sets the number of targets.
    pub fn targets(self, n_targets: usize) -> Result<Self, Error> {
        check_targets(n_targets)?;
        let weights = SecondOrder::with_targets(self.weights.diagonal(), n_targets);
        Ok(Self { weights, ..self })
    }

    /// Sets the loss.
    pub fn loss(self, loss: AnyLoss) -> Result<Self, Error> {
        loss.check()?;
        let conflict = |first, reason| Error::Conflict {
            first,
            second: "loss",
            reason,
        };
        if !loss.is_squared() && self.n_targets() > 1 {
            return Err(conflict(
                "n_targets",
                "several targets share a matrix, which only the squared loss lets them",
            ));
        }
        if !loss.is_squared() && self.forward {
            return Err(conflict(
                "forward",
                "forward predictions are those of the squared loss",
            ));
        }
        let loss = Proximal::new(loss);
        Ok(Self { loss, ..self })
    }

    /// The weights and the matrix `A = ridge I + sum_t phi_t phi_t^T`.
    pub fn weights(&self) -> &SecondOrder {
        &self.weights
    }

    /// Follows features that have gained a coordinate in which past rows are not 0.
    pub(crate) fn embed(&mut self, border: &Border) {
        self.weights.embed(border);
    }

    /// Completes the pending step, which every read of the matrix would otherwise compute again.
    pub(crate) fn settle(&mut self) {
        self.weights.settle();
    }

    /// The cost of removing each row of the dictionary with this factor: the increase of the squared error.
    pub fn removal_costs(&self, factor: &CholeskyFactor) -> Vec<f64> {
        self.weights.removal_costs(factor)
    }

    /// Follows features that have lost a row, as if past features had been projected onto the rest.
    pub fn remove(&mut self, rotations: &[Givens], j: usize) {
        self.weights.remove(rotations, j);
    }

    /// The prediction of the first target for features, the last of which may be a coordinate that the row would bring.
    pub fn predict(&self, phi: &[f64]) -> f64 {
        self.predict_target(0, phi, || self.q_in_period(phi))
    }

    fn predict_target(&self, target: usize, phi: &[f64], q: impl FnOnce() -> f64) -> f64 {
        let v = self.weights.value(target, &phi[..self.size()]);
        if self.forward {
            forecast(true, v, self.forgetting.weight(0) * q())
        } else {
            v
        }
    }

    fn q_in_period(&self, phi: &[f64]) -> f64 {
        let (known, novel) = phi.split_at(self.size());
        let ridge = self.weights.diagonal();
        let novelty: f64 = novel.iter().map(|phi| phi * phi / ridge).sum();
        self.weights.peek(known) + novelty
    }

    /// The prediction for features with a coordinate that past rows gain too.
    pub(crate) fn predict_embedded(&self, border: &Border, phi: &[f64], coordinate: f64) -> f64 {
        let (v, q) = self.look_embedded(border, phi, coordinate);
        forecast(self.forward, v, q)
    }

    /// `phi . P phi` for features with a coordinate that past rows gain too.
    pub(crate) fn uncertainty_embedded(
        &self,
        border: &Border,
        phi: &[f64],
        coordinate: f64,
    ) -> f64 {
        self.look_embedded(border, phi, coordinate).1
    }

    fn look_embedded(&self, border: &Border, phi: &[f64], coordinate: f64) -> (f64, f64) {
        let known = (self.weights.value(0, phi), self.weights.peek(phi));
        border.peek(known, phi, coordinate)
    }

    /// Makes the round of one label: predicts `phi`, then learns the label; returns the prediction and `phi . P phi`.
    pub fn learn_row(&mut self, phi: &[f64], y: f64) -> (f64, f64) {
        let mut yhat = [0.0];
        let q = self.learn_targets(phi, &[y], 1.0, &mut yhat);
        (yhat[0], q)
    }

    /// Makes the round of a row whose squared error counts `weight` times: predicts `phi` for all targets, then learns
    /// the labels; returns `phi . P phi`.
    pub fn learn_targets(&mut self, phi: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) -> f64 {
        self.weights.measure(phi);
        let (now, q) = (self.forgetting.weight(0), self.weights.q());
        let known = self.forgetting.unit(0) * q;
        for (target, yhat) in yhat.iter_mut().enumerate() {
            *yhat = self.weights.value(target, phi);
        }
        let curvature = now * weight;
        if !self.loss.is_squared() {
            let step = self.loss.step((yhat[0], y[0]), curvature, q);
            self.weights.step(step.curvature, [step.e]);
            self.pass(1);
            return known;
        }
        let loss = self.loss.loss();
        let errors = yhat
            .iter()
            .zip(y)
            .map(|(v, y)| curvature * loss.residual(*v, *y));
        self.weights.step(curvature, errors);
        if self.forward {
            self.weights.settle();
            for yhat in yhat {
                *yhat = forecast(true, *yhat, now * q);
            }
        }
        self.pass(1);
        known
    }

    /// Counts rounds; at the end of a period, rescales and renews the ridge.
    fn pass(&mut self, rounds: u32) {
        if let Some(kept) = self.forgetting.pass(rounds) {
            self.weights.scale(kept);
            self.renew((1.0 - kept) * self.weights.diagonal());
        }
    }

    /// Lets rounds pass without a row. After very many only the ridge is left, so that more of them change nothing.
    fn pass_without_rows(&mut self, rounds: u64) {
        self.weights.settle();
        let period = u64::from(self.forgetting.period());
        let mut left = rounds.min(period.saturating_mul(MOST_PERIODS));
        while left > 0 {
            let some = u32::try_from(left)
                .unwrap_or(u32::MAX)
                .min(self.forgetting.rounds_left());
            self.pass(some);
            left -= u64::from(some);
        }
    }

    /// Indices of the rows of a dictionary whose removal would cost most; see [`SecondOrder::rows_worth_keeping`].
    pub(crate) fn rows_worth_keeping(&self, factor: &CholeskyFactor, size: usize) -> Vec<usize> {
        self.weights.rows_worth_keeping(factor, size)
    }
}

impl Update for LeastSquares {
    const TAKES_WEIGHTS: bool = true;

    fn size(&self) -> usize {
        self.weights.size()
    }

    fn n_targets(&self) -> usize {
        self.weights.n_targets()
    }

    fn w(&self, target: usize) -> &[f64] {
        self.weights.w(target)
    }

    fn grow(&mut self) {
        self.weights.grow(0.0);
    }

    fn elapse(&mut self, rounds: u64) {
        self.pass_without_rows(rounds);
    }

    fn finish(
        &mut self,
        phi: &[f64],
        change: Change,
        y: &[f64],
        weight: f64,
        yhat: &mut [f64],
    ) -> f64 {
        if let Change::Gain(_) = change {
            self.grow();
        }
        self.learn_targets(phi, y, weight, yhat)
    }

    fn learn_rows(
        &mut self,
        features: &FeatureMatrix,
        rounds: &mut Rounds,
        y: &[f64],
        out: &mut Output,
    ) {
        let (forward, n_targets, start) = (self.forward, self.n_targets(), out.q.len());
        let (forgetting, q) = (&self.forgetting, &mut out.q);
        let (before, loss, mut losses) = (self.loss, self.loss.loss(), Vec::new());
        let round = |i: usize, target: usize, v: f64, q_now: f64| {
            let round = u32::try_from(i).ok()?;
            if round >= forgetting.rounds_left() {
                return None;
            }
            let weight = forgetting.weight(round);
            if target == 0 {
                q.push(forgetting.unit(round) * q_now);
            }
            let y = y[i * n_targets + target];
            if !loss.is_squared() {
                let mut after = *losses.last().unwrap_or(&before);
                let step = after.step((v, y), weight, q_now);
                losses.push(after);
                return Some((v, step));
            }
            let step = Step::least_squares(loss.residual(v, y), weight);
            Some((forecast(forward, v, weight * q_now), step))
        };
        let done = self
            .weights
            .step_rows(features, rounds, &mut out.yhat, round);
        out.q.truncate(start + done);
        if let Some(after) = done.checked_sub(1).and_then(|last| losses.get(last)) {
            self.loss = *after;
        }
        self.pass(u32::try_from(done).unwrap_or(u32::MAX));
        let (mut phi, mut predicted) = (Vec::new(), vec![0.0; n_targets]);
        for i in done..features.n_rows() {
            features.row_into(i, &mut phi);
            if let Some(coordinate) = features.gain(i) {
                self.grow();
                phi.push(coordinate);
            }
            let y = &y[i * n_targets..][..n_targets];
            out.q.push(self.learn_targets(&phi, y, 1.0, &mut predicted));
            out.yhat.extend_from_slice(&predicted);
        }
    }

    fn loss(&self) -> AnyLoss {
        self.loss.loss()
    }

    fn is_forward(&self) -> bool {
        self.forward
    }

    fn predict_into(&self, phi: &[f64], out: &mut [f64]) {
        let q = if self.forward {
            self.q_in_period(phi)
        } else {
            0.0
        };
        for (target, out) in out.iter_mut().enumerate() {
            *out = self.predict_target(target, phi, || q);
        }
    }

    fn uncertainty(&self, phi: &[f64]) -> Option<f64> {
        Some(self.forgetting.unit(0) * self.q_in_period(phi))
    }

    /// The largest `||phi||^2` that `A` can gain without losing too many digits.
    fn largest_kappa(&self) -> f64 {
        self.weights.largest_kappa(1.0)
    }

    fn evicting(&mut self) -> Option<&mut LeastSquares> {
        Some(self)
    }

    fn pack(&mut self, numbers: &mut Vec<f64>) -> bool {
        self.weights.pack(numbers);
        self.forgetting.pack(numbers);
        self.loss.pack(numbers);
        true
    }

    fn unpack<'n>(&mut self, numbers: &'n [f64]) -> Option<&'n [f64]> {
        let rest = self.weights.unpack(numbers)?;
        let rest = self.forgetting.unpack(rest)?;
        self.loss.unpack(rest)
    }

    fn save(&self, state: &mut State) {
        self.weights.save(state);
        self.forgetting.save(state);
        self.loss.save(state);
    }

    fn load(&mut self, state: &State, size: Option<usize>) -> Result<(), Error> {
        self.weights.load(state, size)?;
        self.forgetting.load(state)?;
        self.loss.load(state)
    }
}

fn forecast(forward: bool, v: f64, q: f64) -> f64 {
    if forward { v / (1.0 + q) } else { v }
}

heap!(LeastSquares: weights);
