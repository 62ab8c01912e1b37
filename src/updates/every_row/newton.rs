//! Online Newton step that stores every row.

use std::sync::Arc;

use crate::data::checks::{positive_if_given, regularisation};
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::{LARGEST, cut};
use crate::linalg::{Panels, Triangle, dot, norm_squared};
use crate::persist::State;
use crate::predictor::Expansion;
use crate::runtime::heap;

/// The largest weight of a gradient in `A`, relative to `mu`: its 10 digits are lost to rounding.
const LARGEST_WEIGHT: f64 = 1e10;

/// Part of `kappa(x, x)` below which its residual counts as rounding.
const NOISE: f64 = 1e-10;

/// Online Newton step in the space of the kernel, on `f = sum_i c_i kappa(x_i, .)`.
///
/// `A = mu I + sum_i d_i^2 kappa(x_i, .) kappa(x_i, .)^T` over the rows of the sketch, some or all of those learned, is
/// never formed: with the factor `L L^T = D K D + mu I` of the sketch, and `z = L^{-1} D k(x)`,
/// `A^{-1} kappa(x, .) = (kappa(x, .) - sum_i d_i (L^{-T} z)_i kappa(x_i, .)) / mu`.
///
/// Every row learned is stored; a row costs O(d t + m^2) with `m` rows in the sketch.
#[derive(Debug, Clone)]
pub struct KernelNewton {
    kernel: AnyKernel,
    mu: f64,
    eta: f64,
    bound: f64,
    rows: Arc<Panels>,
    c: Vec<f64>,
    /// The rows of the sketch, their `d`, and the factor.
    sketch: Vec<usize>,
    d: Vec<f64>,
    factor: Triangle,
    /// Scratch: the kernel values of the row at hand, its `z`, and `L^{-T} z`.
    k: Vec<f64>,
    z: Vec<f64>,
    u: Vec<f64>,
}

/// The prediction for a row and the distances that the rest of its round needs.
#[derive(Debug, Clone, Copy)]
pub struct Look {
    /// The prediction.
    pub yhat: f64,
    /// `f(x)` before the projection.
    f: f64,
    /// `kappa(x, x)`.
    kappa: f64,
    /// `mu phi . A^{-1} phi`, the residual of `kappa(x, x)` after the sketch; 0 if it is no more than rounding.
    residual: f64,
}

impl KernelNewton {
    /// A Newton step from `f = 0` that keeps predictions within `bound`, if there is one.
    pub fn new(
        kernel: AnyKernel,
        mu: f64,
        eta: Option<f64>,
        bound: Option<f64>,
    ) -> Result<Self, Error> {
        kernel.check()?;
        regularisation("mu", mu)?;
        positive_if_given("eta", eta)?;
        positive_if_given("bound", bound)?;
        let scale = bound.unwrap_or(1.0);
        Ok(Self {
            kernel,
            mu,
            eta: eta.unwrap_or(0.125 / (scale * scale)),
            bound: bound.unwrap_or(f64::INFINITY),
            rows: Arc::default(),
            c: Vec::new(),
            sketch: Vec::new(),
            d: Vec::new(),
            factor: Triangle::default(),
            k: Vec::new(),
            z: Vec::new(),
            u: Vec::new(),
        })
    }

    /// The kernel.
    pub fn kernel(&self) -> &AnyKernel {
        &self.kernel
    }

    /// The rows stored.
    pub fn rows(&self) -> &Arc<Panels> {
        &self.rows
    }

    /// The prediction `f(x)`, within the bound.
    pub fn predict(&self, x: &[f64]) -> f64 {
        cut(self.kernel.expand(x, &self.rows, &self.c)).clamp(-self.bound, self.bound)
    }

    /// The predictor `f`, within the bound.
    pub fn expansion(&self) -> Expansion {
        let range = (-self.bound, self.bound);
        Expansion::new(&self.kernel, &self.rows, self.c.clone(), &[range])
    }

    /// Begins a round: predicts `x` after projecting `f`, in the norm of `A`, onto the predictors within the bound.
    pub fn look(&mut self, x: &[f64]) -> Look {
        self.k.resize(self.rows.n_rows(), 0.0);
        self.kernel.row_into(x, &self.rows, &mut self.k);
        let sketched = self.sketch.iter().zip(&self.d).map(|(&i, d)| d * self.k[i]);
        self.z.clear();
        self.z.extend(sketched);
        self.factor.solve_in_place(&mut self.z);
        let kappa = self.kernel.diagonal(x);
        let residual = kappa - norm_squared(&self.z);
        let f = cut(dot(&self.c, &self.k));
        Look {
            yhat: f.clamp(-self.bound, self.bound),
            f,
            kappa,
            residual: if residual > NOISE * kappa {
                residual
            } else {
                0.0
            },
        }
    }

    /// The ridge leverage score of the scaled gradient: `v . (A + v v^T)^{-1} v` with `v = sqrt(eta) e kappa(x, .)`.
    pub(crate) fn leverage(&self, look: &Look, e: f64) -> f64 {
        let squared = self.eta * e * e * look.residual;
        squared / (squared + self.mu)
    }

    /// Ends the round of the row last looked at: `A += eta e^2 phi phi^T` if the gradient enters the sketch, then `f -=
    /// e A^{-1} phi`.
    ///
    /// If the residual of `phi` is 0, `A^{-1} phi` is no more than rounding, and `f` stays.
    pub fn step(&mut self, x: &[f64], look: &Look, e: f64, enters: bool) {
        let mut length = 0.0;
        if look.residual > 0.0 {
            let curvature = if enters { self.eta * e * e } else { 0.0 };
            let excess = (look.f - look.yhat) * self.mu / look.residual;
            length = excess + e / (1.0 + curvature * look.residual / self.mu);
        }
        self.move_along(length / self.mu);
        if enters {
            self.enter(look, e);
        }
        Arc::make_mut(&mut self.rows).push(x);
        self.c.push(-length / self.mu);
    }

    /// Changes the coefficients of the sketch by `f -= length mu A^{-1} phi`.
    fn move_along(&mut self, length: f64) {
        self.u.clone_from(&self.z);
        self.factor.tr_solve_in_place(&mut self.u);
        for ((&i, d), u) in self.sketch.iter().zip(&self.d).zip(&self.u) {
            self.c[i] += length * d * u;
        }
    }

    /// Adds the gradient to the sketch, with no more weight than float64 can follow.
    fn enter(&mut self, look: &Look, e: f64) {
        let largest = (LARGEST_WEIGHT * self.mu / look.kappa).sqrt().min(LARGEST);
        let d = (self.eta.sqrt() * e).clamp(-largest, largest);
        self.z.iter_mut().for_each(|z| *z *= d);
        let pivot_squared = self.mu + d * d * look.residual;
        if self.factor.push_pivot(&self.z, pivot_squared).is_ok() {
            self.sketch.push(self.rows.n_rows());
            self.d.push(d);
        }
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put_rows("basis", &self.rows);
        state.put("coefficients", &*self.c);
        state.put_indices("sketch", &self.sketch);
        state.put("sketch_weights", &*self.d);
        state.put("factor", self.factor.packed());
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.rows = Arc::new(state.rows("basis")?);
        self.c = state.vector("coefficients", self.rows.n_rows())?;
        self.sketch = state.indices("sketch", self.rows.n_rows())?;
        self.d = state.vector("sketch_weights", self.sketch.len())?;
        self.factor = state.factor("factor", self.sketch.len())?;
        Ok(())
    }
}

heap!(KernelNewton: rows, c, sketch, d, factor, k, z, u);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Linear;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-14
    }

    #[test]
    fn two_rounds_with_the_linear_kernel_by_hand() {
        let mut newton = KernelNewton::new(Linear {}.into(), 2.0, Some(0.25), Some(1.0)).unwrap();
        let look = newton.look(&[1.0]);
        newton.step(&[1.0], &look, -4.0, true);
        // A = 2 + 0.25 * 16 = 6, w = 4 / 6
        assert!(close(newton.predict(&[1.0]), 4.0 / 6.0));
        // w . x = 2 is projected to 1: w = 1 / 3; the step without error changes nothing more.
        let look = newton.look(&[3.0]);
        assert!(close(look.yhat, 1.0));
        newton.step(&[3.0], &look, 0.0, true);
        assert!(close(newton.predict(&[1.0]), 1.0 / 3.0));
        // A stays 6 if the gradient does not enter: w = 1 / 3 + 1 / 6
        let look = newton.look(&[1.0]);
        assert!(close(newton.leverage(&look, -1.0), 0.25 / 6.25));
        newton.step(&[1.0], &look, -1.0, false);
        assert!(close(newton.predict(&[1.0]), 0.5));
    }

    #[test]
    fn eta_follows_the_bound() {
        let eta = |eta, bound| {
            KernelNewton::new(Linear {}.into(), 1.0, eta, bound)
                .unwrap()
                .eta
        };
        assert_eq!(
            [eta(None, None), eta(None, Some(2.0)), eta(Some(3.0), None)],
            [0.125, 0.125 / 4.0, 3.0]
        );
    }
}
