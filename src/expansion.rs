//! A hypothesis as a kernel expansion, for scoring.

use std::sync::OnceLock;

use crate::kernels::AnyKernel;
use crate::linalg::Panels;
use crate::nystrom::NystromMap;
use crate::updates::cut;

/// The coefficients of a hypothesis as a kernel expansion, computed when they are first asked for.
///
/// With them a score costs O(dJ), without them O(dJ + J^2).
#[derive(Debug, Clone, Default)]
pub struct Expansion(OnceLock<Vec<f64>>);

impl Expansion {
    /// `f(x)` of `f = w . phi(.)`.
    pub fn value(&self, map: &NystromMap, w: &[f64], x: &[f64]) -> f64 {
        self.value_of(map.kernel(), map.rows(), x, || map.coefficients(w))
    }

    /// `f(x)` of `f = sum_i c_i kappa(z_i, .)`.
    pub fn value_of(
        &self,
        kernel: &AnyKernel,
        rows: &Panels,
        x: &[f64],
        coefficients: impl FnOnce() -> Vec<f64>,
    ) -> f64 {
        cut(kernel.expand(x, rows, self.0.get_or_init(coefficients)))
    }

    /// Forgets the coefficients: the hypothesis is about to change.
    pub fn forget(&mut self) {
        self.0.take();
    }
}
