//! KONS: kernel online Newton step (the paper's Algorithm 2).

use serde::{Deserialize, Serialize};

use super::{Algorithm, Basis, Facts};
use crate::data::checks::{at_least_one_if_given, capacity_for};
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::LARGEST;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::predictor::Predictor;
use crate::runtime::heap;
use crate::updates::every_row::KernelNewton;

/// Parameters of [`Kons`].
///
/// ```
/// use nystream::{KonsParams, Learner};
///
/// let mut learner = Learner::new(KonsParams::default())?;
/// learner.learn_row(&[0.0, 1.0], 0.5)?;
/// assert!(learner.predict_row(&[0.0, 1.0])? > 0.0);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KonsParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// Regularisation, 1e-10 to 1e100: `A` starts as `mu I`. Default 1.
    pub mu: f64,
    /// Weight of a squared gradient in `A`, positive. Default: `1 / (8 bound^2)`, or 1/8 without a bound.
    pub eta: Option<f64>,
    /// Predictions stay within `[-bound, bound]`, positive. Default: no bound.
    pub bound: Option<f64>,
    /// The most rows to store, at least 1. Default: no limit.
    pub max_rows: Option<usize>,
}

impl Default for KonsParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            mu: 1.0,
            eta: None,
            bound: None,
            max_rows: None,
        }
    }
}

impl KonsParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Kons, Error> {
        at_least_one_if_given("max_rows", self.max_rows)?;
        Ok(Kons {
            loss: AnyLoss::default(),
            newton: KernelNewton::new(self.kernel.clone(), self.mu, self.eta, self.bound)?,
            max_rows: self.max_rows,
        })
    }
}

/// An online Newton step in the space of the kernel.
///
/// Every row learned is stored: row `t` costs O(d t + t^2).
#[derive(Debug, Clone)]
pub struct Kons {
    loss: AnyLoss,
    newton: KernelNewton,
    max_rows: Option<usize>,
}

impl Algorithm for Kons {
    fn facts(&self) -> Facts {
        Facts {
            n_basis: self.newton.rows().n_rows(),
            ..Facts::default()
        }
    }

    fn learn_row(&mut self, x: &[f64], y: &[f64], _weight: f64, yhat: &mut [f64]) {
        let look = self.newton.look(x);
        let e = self.loss.derivative(look.yhat, y[0]);
        self.newton.step(x, &look, e, true);
        yhat[0] = look.yhat;
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        out[0] = self.newton.predict(x);
    }

    fn predictor(&self) -> Option<Predictor> {
        Some(Predictor::Expansion(self.newton.expansion()))
    }

    fn basis(&self) -> Option<Basis<'_>> {
        Some(Basis {
            rows: self.newton.rows(),
            kernel: self.newton.kernel(),
            largest_kappa: LARGEST,
        })
    }

    fn check_capacity(&self, n_rows: usize) -> Result<(), Error> {
        capacity_for(n_rows, self.newton.rows().n_rows(), self.max_rows)
    }

    fn save(&self, state: &mut State) {
        self.newton.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.newton.load(state)
    }
}

heap!(Kons: newton);
