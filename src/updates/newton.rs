//! The online Newton step (ONS).

use crate::error::Error;
use crate::linalg::{Symmetric, axpy_in_place, dot, norm_squared};
use crate::params::within;
use crate::rows::LARGEST;
use crate::state::State;

/// The smallest `mu`: below it rounding decides, not the data, because `P` starts as `I / mu` and loses by
/// subtraction what it has too much.
const SMALLEST_MU: f64 = 1e-6;

/// Part of its first value below which `phi . P phi` is rounding.
const NOISE: f64 = 1e-13;

/// The most that one row may shrink `P` by: as many digits are lost.
const LARGEST_SHRINKAGE: f64 = 1e8;

/// Online Newton step on features: a weight vector `w` and `P = A^{-1}`, where
/// `A = mu I + eta sum_t e_t^2 phi_t phi_t^T`.
///
/// A round is [`predict`](Self::predict), then [`grow`](Self::grow) if the features gained a coordinate,
/// then [`step`](Self::step). Each costs O(J^2) at most and none allocates but `grow`.
#[derive(Debug, Clone)]
pub struct Newton {
    mu: f64,
    eta: f64,
    w: Vec<f64>,
    p: Symmetric,
    /// `P phi` and `phi . P phi` of the round at hand.
    g: Vec<f64>,
    q: f64,
}

impl Newton {
    /// A step in no dimensions yet.
    pub fn new(mu: f64, eta: f64) -> Result<Self, Error> {
        let expected = "between 1e-6, below which rounding decides, and 1e100";
        within("mu", mu, SMALLEST_MU..=LARGEST, expected)?;
        Ok(Self {
            mu,
            eta,
            w: Vec::new(),
            p: Symmetric::default(),
            g: Vec::new(),
            q: 0.0,
        })
    }

    /// The weights.
    pub fn w(&self) -> &[f64] {
        &self.w
    }

    /// `P = A^{-1}`.
    pub fn p(&self) -> &Symmetric {
        &self.p
    }

    /// The largest `||phi||^2` whose step, with a derivative of the loss of at most `e`, `P` can take without
    /// losing too many digits.
    pub fn largest_kappa(&self, e: f64) -> f64 {
        (LARGEST_SHRINKAGE * self.mu / (self.eta * e * e)).min(LARGEST)
    }

    /// Predicts `w . phi` after projecting `w`, in the norm of `A`, onto `{w : |w . phi| <= bound}`.
    ///
    /// The paper projects at the end of the round before; doing it now, when the row is known, is the same.
    pub fn predict(&mut self, phi: &[f64], bound: f64) -> f64 {
        self.measure(phi);
        let yhat = dot(&self.w, phi);
        let inside = yhat.clamp(-bound, bound);
        let excess = (yhat - inside) / self.q;
        if excess != 0.0 && excess.is_finite() {
            axpy_in_place(-excess, &self.g, &mut self.w);
        }
        inside
    }

    /// Computes `P phi` and `phi . P phi`.
    ///
    /// Where labels far beyond their bound have shrunk `P` along `phi` by 13 digits, what is left is rounding and would
    /// send `w` anywhere: it counts as 0, and `w` stays where those labels have put it.
    fn measure(&mut self, phi: &[f64]) {
        self.p.mul_into(phi, &mut self.g);
        self.q = dot(phi, &self.g);
        let first = norm_squared(phi) / self.mu;
        if self.q <= NOISE * first {
            self.g.fill(0.0);
            self.q = 0.0;
        }
    }

    /// Follows features that have gained a coordinate: `A` gains `mu` on its diagonal, `w` a 0.
    pub fn grow(&mut self, coordinate: f64) {
        self.w.push(0.0);
        self.p.push_diagonal(self.mu.recip());
        self.g.push(coordinate / self.mu);
        self.q += coordinate * coordinate / self.mu;
    }

    /// `A += eta e^2 phi phi^T`, then `w -= e A^{-1} phi`, for the features last predicted
    /// and the derivative `e` of the loss.
    pub fn step(&mut self, e: f64) {
        if self.q == 0.0 {
            return;
        }
        let curvature = self.eta * e * e;
        // In this form neither 0 nor an overflow of the products gives NaN.
        let shrink = (curvature.recip() + self.q).recip();
        let length = e / (1.0 + curvature * self.q);
        self.p.rank_one_update(-shrink, &self.g);
        axpy_in_place(-length, &self.g, &mut self.w);
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put("w", self.w.clone());
        state.put("p", self.p.lower().packed());
    }

    pub(crate) fn load(&mut self, state: &State, size: usize) -> Result<(), Error> {
        self.w = state.vector("w", size)?;
        self.p = Symmetric::from_lower(state.triangle("p", size)?);
        self.g = vec![0.0; size];
        Ok(())
    }
}

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
        assert!(close(newton.p().lower().row(0)[0], 1.0 / 6.0));
        assert!(close(newton.w()[0], 4.0 / 6.0));
        // w . phi = 2 is projected to 1
        assert!(close(newton.predict(&[3.0], 1.0), 1.0));
        assert!(close(newton.w()[0], 1.0 / 3.0));
    }

    #[test]
    fn a_step_without_error_changes_nothing() {
        let mut newton = Newton::new(1.0, 0.125).unwrap();
        newton.predict(&[], 1.0);
        newton.grow(1.0);
        newton.step(0.0);
        assert!(close(newton.w()[0], 0.0));
        assert!(close(newton.p().lower().row(0)[0], 1.0));
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
