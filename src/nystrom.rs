//! The Nyström map of a growing dictionary.

use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::linalg::{CholeskyFactor, Panels, norm_squared};
use crate::state::State;

/// `phi(x) = L^{-1} k_S(x)`, where `K_S = L L^T` is the kernel matrix of the stored rows `S`.
///
/// It is the paper's `Sigma^{-1/2} U^T k_S(x)` up to a rotation, so inner products, norms and predictions are the
/// same, and it is nested: a new row of `S` appends a coordinate and leaves the others as they were.
#[derive(Debug, Clone)]
pub struct NystromMap {
    kernel: AnyKernel,
    rows: Panels,
    factor: CholeskyFactor,
    /// `k_S(x)` of the row at hand.
    k: Vec<f64>,
}

impl NystromMap {
    /// The map of an empty dictionary.
    pub fn new(kernel: AnyKernel) -> Self {
        Self {
            kernel,
            rows: Panels::default(),
            factor: CholeskyFactor::default(),
            k: Vec::new(),
        }
    }

    /// The kernel.
    pub fn kernel(&self) -> &AnyKernel {
        &self.kernel
    }

    /// The stored rows `S`.
    pub fn rows(&self) -> &Panels {
        &self.rows
    }

    /// The factor of `K_S`.
    pub fn factor(&self) -> &CholeskyFactor {
        &self.factor
    }

    /// Writes `phi(x)` and returns the squared distance of `kappa(x, .)` to its projection,
    /// `kappa(x, x) - ||phi(x)||^2`, never below 0.
    pub fn features_into(&mut self, x: &[f64], kappa: f64, phi: &mut [f64]) -> f64 {
        self.kernel.row_into(x, &self.rows, &mut self.k);
        self.factor.solve_into(&self.k, phi);
        residual(kappa, phi)
    }

    /// The same for the row last seen, slower and as accurate as can be.
    pub fn refine_into(&self, kappa: f64, phi: &mut [f64]) -> f64 {
        self.factor.substitute_into(&self.k, phi);
        residual(kappa, phi)
    }

    /// Stores `x`, given its `phi` and residual; the new coordinate of `phi(x)` is the residual's root.
    pub fn grow(&mut self, x: &[f64], phi: &[f64], residual: f64) -> Result<(), Error> {
        self.factor.push(phi, residual)?;
        self.rows.push(x);
        self.k.push(0.0);
        Ok(())
    }

    /// The coefficients `c = L^{-T} w` with which `w . phi(x) = sum_i c_i kappa(x, z_i)`.
    pub fn coefficients(&self, w: &[f64]) -> Vec<f64> {
        let mut c = vec![0.0; w.len()];
        self.factor.tr_solve_into(w, &mut c);
        c
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put_rows("basis", &self.rows);
        state.put("factor", self.factor.lower().packed());
        state.put("inverse_factor", self.factor.inverse().packed());
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.rows = state.rows("basis")?;
        let size = self.rows.n_rows();
        let lower = state.factor("factor", size)?;
        let inverse = state.factor("inverse_factor", size)?;
        self.factor = CholeskyFactor::from_parts(lower, inverse);
        self.k = vec![0.0; size];
        Ok(())
    }
}

/// What the features leave of a row's kernel function.
fn residual(kappa: f64, phi: &[f64]) -> f64 {
    (kappa - norm_squared(phi)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Linear;

    #[test]
    fn features_of_orthogonal_rows_are_their_coordinates() {
        let mut map = NystromMap::new(Linear {}.into());
        map.grow(&[2.0, 0.0], &[], 4.0).unwrap();
        map.grow(&[0.0, 3.0], &[0.0], 9.0).unwrap();
        let mut phi = [0.0; 2];
        let residual = map.features_into(&[5.0, 7.0], 74.0, &mut phi);
        assert_eq!(phi, [5.0, 7.0]);
        assert!(residual.abs() < 1e-12);
        assert_eq!(map.coefficients(&[4.0, 6.0]), [2.0, 2.0]);
    }
}
