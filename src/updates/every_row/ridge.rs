//! Kernel ridge regression that stores every row.

use std::sync::{Arc, OnceLock};

use crate::data::checks::regularisation;
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::{LARGEST, UNBOUNDED, cut};
use crate::linalg::{Panels, Triangle, dot, norm_squared};
use crate::persist::State;
use crate::predictor::Expansion;
use crate::runtime::heap;

/// The largest kernel value of a row with itself, relative to the ridge: its 10 digits are lost to rounding.
const LARGEST_CONDITION: f64 = 1e10;

/// Exact kernel ridge regression: `f(x) = y^T (K + a I)^{-1} k(x)` over all rows learned.
///
/// With the factor `L L^T = K + a I`, `b = L^{-1} y` and `z = L^{-1} k(x)`, it is `f(x) = b . z`, and a new row appends
/// to `L` and `b` without changing the rest. Every row is stored; a row costs O(d t + t^2).
#[derive(Debug, Clone)]
pub struct KernelRidge {
    kernel: AnyKernel,
    ridge: f64,
    rows: Arc<Panels>,
    factor: Triangle,
    b: Vec<f64>,
    /// The coefficients of `f`, once they have been asked for.
    c: OnceLock<Vec<f64>>,
    /// Scratch for `z`.
    z: Vec<f64>,
}

/// The regression at a row.
#[derive(Debug, Clone, Copy)]
pub struct Regression {
    /// `f(x)`.
    pub yhat: f64,
    /// `a / (a + s)`.
    shrinkage: f64,
    /// `s = kappa(x, x) - ||z||^2`, the residual of `kappa(x, x)` after the rows so far.
    residual: f64,
}

impl Regression {
    /// `s / a`, the variance of `f(x)` as a multiple of that of the noise.
    pub fn uncertainty(&self) -> f64 {
        self.shrinkage.recip() - 1.0
    }

    /// The prediction of Vovk, Azoury and Warmuth: `f(x)` as if the row had been learned with the label 0.
    pub fn forward(&self) -> f64 {
        self.yhat * self.shrinkage
    }
}

impl KernelRidge {
    /// Kernel ridge regression without rows yet.
    pub fn new(kernel: AnyKernel, ridge: f64) -> Result<Self, Error> {
        kernel.check()?;
        regularisation("ridge", ridge)?;
        Ok(Self {
            kernel,
            ridge,
            rows: Arc::default(),
            factor: Triangle::default(),
            b: Vec::new(),
            c: OnceLock::new(),
            z: Vec::new(),
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

    /// The largest kernel value of a row with itself that leaves enough digits to the ridge.
    pub(crate) fn largest_kappa(&self) -> f64 {
        (LARGEST_CONDITION * self.ridge).min(LARGEST)
    }

    /// The prediction `f(x)`, in O(d t).
    pub fn predict(&self, x: &[f64]) -> f64 {
        cut(self.kernel.expand(x, &self.rows, self.c()))
    }

    /// The predictor `f`.
    pub fn expansion(&self) -> Expansion {
        Expansion::new(&self.kernel, &self.rows, self.c().to_vec(), &[UNBOUNDED])
    }

    fn c(&self) -> &[f64] {
        self.c.get_or_init(|| {
            let mut c = self.b.clone();
            self.factor.tr_solve_in_place(&mut c);
            c
        })
    }

    /// The regression at `x`, in O(d t + t^2); allocates.
    pub(crate) fn regress(&self, x: &[f64]) -> Regression {
        self.regress_into(x, &mut Vec::new())
    }

    fn regress_into(&self, x: &[f64], z: &mut Vec<f64>) -> Regression {
        z.resize(self.rows.n_rows(), 0.0);
        self.kernel.row_into(x, &self.rows, z);
        self.factor.solve_in_place(z);
        let residual = (self.kernel.diagonal(x) - norm_squared(z)).max(0.0);
        Regression {
            yhat: dot(&self.b, z),
            shrinkage: self.ridge / (self.ridge + residual),
            residual,
        }
    }

    /// Makes one round: the regression at `x`, then learns its label, with the ridge divided by `weight`.
    pub fn learn_row(&mut self, x: &[f64], y: f64, weight: f64) -> Regression {
        self.c.take();
        let mut z = std::mem::take(&mut self.z);
        let regression = self.regress_into(x, &mut z);
        // The pivot is never below the root of what is added to the residual.
        let pivot_squared = self.ridge / weight + regression.residual;
        if self.factor.push_pivot(&z, pivot_squared).is_ok() {
            self.b.push((y - regression.yhat) / pivot_squared.sqrt());
            Arc::make_mut(&mut self.rows).push(x);
        }
        self.z = z;
        regression
    }

    pub(crate) fn save(&self, state: &mut State) {
        state.put_rows("basis", &self.rows);
        state.put("factor", self.factor.packed());
        state.put("b", &*self.b);
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.rows = Arc::new(state.rows("basis")?);
        self.factor = state.factor("factor", self.rows.n_rows())?;
        self.b = state.vector("b", self.rows.n_rows())?;
        Ok(())
    }
}

heap!(KernelRidge: rows, factor, b, c, z);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Linear;

    #[test]
    fn two_rounds_with_the_linear_kernel_by_hand() {
        let mut ridge = KernelRidge::new(Linear {}.into(), 1.0).unwrap();
        assert_eq!(ridge.learn_row(&[2.0], 2.0, 1.0).yhat, 0.0);
        // w = 4 / (1 + 4); with the next row and label 0 it is 4 / (1 + 8)
        let regression = ridge.regress(&[2.0]);
        assert!((regression.yhat - 8.0 / 5.0).abs() < 1e-14);
        assert!((regression.forward() - 8.0 / 9.0).abs() < 1e-14);
        assert!((ridge.predict(&[2.0]) - 8.0 / 5.0).abs() < 1e-14);
        ridge.learn_row(&[2.0], 1.0, 1.0);
        assert!((ridge.predict(&[1.0]) - 6.0 / 9.0).abs() < 1e-14);
    }
}
