//! Gradient descent that stores every row.

use std::sync::Arc;

use super::super::Rate;
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::{UNBOUNDED, cut};
use crate::linalg::Panels;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::predictor::Expansion;
use crate::runtime::heap;

/// Online gradient descent in the space of the kernel, on `f = sum_i c_i kappa(z_i, .)`.
///
/// Every row learned is stored, so a row costs O(d t). The norm of `f` follows its own recursion, in O(1).
#[derive(Debug, Clone)]
pub struct KernelGradient {
    loss: AnyLoss,
    kernel: AnyKernel,
    rate: Rate,
    rows: Arc<Panels>,
    c: Vec<f64>,
    norm_squared: f64,
}

impl KernelGradient {
    /// Gradient descent from `f = 0`.
    pub fn new(kernel: AnyKernel, rate: Rate) -> Self {
        Self::from_expansion(kernel, rate, Arc::default(), Vec::new(), 0.0)
    }

    /// Gradient descent from `f = sum_i c_i kappa(z_i, .)`, whose squared norm is given.
    pub(crate) fn from_expansion(
        kernel: AnyKernel,
        rate: Rate,
        rows: Arc<Panels>,
        c: Vec<f64>,
        norm_squared: f64,
    ) -> Self {
        Self {
            loss: AnyLoss::default(),
            kernel,
            rate,
            rows,
            c,
            norm_squared,
        }
    }

    /// Sets the loss. Default squared.
    #[must_use]
    pub fn with_loss(self, loss: AnyLoss) -> Self {
        Self { loss, ..self }
    }

    /// The loss.
    pub fn loss(&self) -> AnyLoss {
        self.loss
    }

    /// The kernel.
    pub fn kernel(&self) -> &AnyKernel {
        &self.kernel
    }

    /// The rows stored.
    pub fn rows(&self) -> &Arc<Panels> {
        &self.rows
    }

    /// The coefficients `c`.
    pub fn coefficients(&self) -> &[f64] {
        &self.c
    }

    /// The value `f(x)`.
    pub fn predict(&self, x: &[f64]) -> f64 {
        cut(self.kernel.expand(x, &self.rows, &self.c))
    }

    /// The predictor `f`.
    pub fn expansion(&self) -> Expansion {
        Expansion::new(&self.kernel, &self.rows, self.c.clone(), &[UNBOUNDED])
    }

    /// The norm of `f`.
    pub fn norm(&self) -> f64 {
        self.norm_squared.sqrt()
    }

    /// Makes one round: finds the value of `x`, then learns its label; returns the value.
    pub fn learn_row(&mut self, x: &[f64], y: f64) -> f64 {
        let yhat = self.predict(x);
        self.step(x, yhat, self.loss.derivative(yhat, y));
        yhat
    }

    /// `f -= eta_t e kappa(x, .)`, then `f` is brought back into the ball, if there is one; `yhat` is the old `f(x)`.
    fn step(&mut self, x: &[f64], yhat: f64, e: f64) {
        let kappa = self.kernel.diagonal(x);
        let step = self.rate.next_step(e, || kappa);
        Arc::make_mut(&mut self.rows).push(x);
        self.c.push(-step);
        // Rounding can make the square of a norm near 0 negative.
        let grown = (self.norm_squared + step * (step * kappa - 2.0 * yhat)).clamp(0.0, f64::MAX);
        let shrink = self.rate.shrink(|| grown.sqrt());
        if shrink < 1.0 {
            self.c.iter_mut().for_each(|c| *c *= shrink);
        }
        self.norm_squared = grown * shrink * shrink;
    }

    pub(crate) fn save(&self, state: &mut State) {
        self.rate.save(state);
        state.put_rows("basis", &self.rows);
        state.put("coefficients", &*self.c);
        state.put("norm_squared", [self.norm_squared]);
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.rate.load(state)?;
        self.rows = Arc::new(state.rows("basis")?);
        self.c = state.vector("coefficients", self.rows.n_rows())?;
        self.norm_squared = state.not_negative("norm_squared")?;
        Ok(())
    }
}

heap!(KernelGradient: rows, c);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Linear;

    #[test]
    fn two_steps_with_the_linear_kernel_by_hand() {
        let rate = Rate::adaptive(1.0);
        let kernel: AnyKernel = Linear {}.into();
        let mut descent = KernelGradient::new(kernel, rate);
        // e = -3, eta = 1 / sqrt(1 + 36), w = 6 / sqrt(37)
        descent.learn_row(&[2.0], 1.5);
        let w = 6.0 / 37.0_f64.sqrt();
        assert!((descent.predict(&[1.0]) - w).abs() < 1e-15);
        assert!((descent.norm() - w).abs() < 1e-15);
        // A large label takes it to the edge of the ball.
        descent.learn_row(&[2.0], 9.0);
        assert!((descent.predict(&[1.0]) - 1.0).abs() < 1e-15);
        assert!((descent.norm() - 1.0).abs() < 1e-15);
    }
}
