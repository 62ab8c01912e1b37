//! Sketched-KONS: kernel online Newton step with a sketch of the gradients.

use serde::{Deserialize, Serialize};

use super::{Algorithm, Basis, Facts};
use crate::data::checks::{at_least_one_if_given, capacity_for, not_negative, positive, within};
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::LARGEST;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::predictor::Predictor;
use crate::runtime::{Uniforms, heap};
use crate::updates::every_row::KernelNewton;

/// Parameters of [`SketchedKons`].
///
/// ```
/// use nystream::{Learner, SketchedKonsParams};
///
/// let mut learner = Learner::new(SketchedKonsParams::default())?;
/// learner.learn_row(&[0.0, 1.0], 0.5)?;
/// assert!(learner.predict_row(&[0.0, 1.0])? > 0.0);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SketchedKonsParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// Regularisation, 1e-10 to 1e100: `A` starts as `mu I`. Default 1.
    pub mu: f64,
    /// The least probability with which a gradient enters the sketch, above 0 and at most 1. Default 0.1.
    pub gamma: f64,
    /// Factor of the leverage score, positive. Default 1.
    pub beta: f64,
    /// The part by which the leverage score is overestimated, 0 or positive. Default 0.5.
    pub epsilon: f64,
    /// `C`, positive: predictions stay within `[-C, C]`. Default 1.
    pub bound: f64,
    /// Weight of a squared gradient in `A`, positive. Default: `1 / (8 C^2)`.
    pub eta: Option<f64>,
    /// Seed of the draws. Default 0.
    pub random_state: u64,
    /// The draws themselves, one number in [0, 1) for each row. Default: drawn.
    pub uniforms: Option<Vec<f64>>,
    /// The most rows to store, at least 1. Default: no limit.
    pub max_rows: Option<usize>,
}

impl Default for SketchedKonsParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            mu: 1.0,
            gamma: 0.1,
            beta: 1.0,
            epsilon: 0.5,
            bound: 1.0,
            eta: None,
            random_state: 0,
            uniforms: None,
            max_rows: None,
        }
    }
}

impl SketchedKonsParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<SketchedKons, Error> {
        let expected = "above 0 (1e-100) and at most 1";
        within("gamma", self.gamma, LARGEST.recip()..=1.0, expected)?;
        positive("beta", self.beta)?;
        not_negative("epsilon", self.epsilon)?;
        at_least_one_if_given("max_rows", self.max_rows)?;
        let (kernel, bound) = (self.kernel.clone(), Some(self.bound));
        Ok(SketchedKons {
            loss: AnyLoss::default(),
            newton: KernelNewton::new(kernel, self.mu, self.eta, bound)?,
            gamma: self.gamma,
            score_factor: self.beta * (1.0 + self.epsilon),
            uniforms: Uniforms::new(self.random_state, self.uniforms.as_deref())?,
            max_rows: self.max_rows,
        })
    }
}

/// An online Newton step in the space of the kernel, in whose matrix `A` a gradient enters with the probability
/// `max(min(beta tau, 1), gamma)`, where `tau` is its ridge leverage score given the gradients that have.
///
/// Every row learned is stored: row `t` costs O(d t + m^2) with `m` gradients in the sketch.
#[derive(Debug, Clone)]
pub struct SketchedKons {
    loss: AnyLoss,
    newton: KernelNewton,
    gamma: f64,
    /// `beta (1 + epsilon)`.
    score_factor: f64,
    uniforms: Uniforms,
    max_rows: Option<usize>,
}

impl SketchedKons {
    fn n_rows(&self) -> usize {
        self.newton.rows().n_rows()
    }
}

impl Algorithm for SketchedKons {
    fn facts(&self) -> Facts {
        Facts {
            n_basis: self.newton.rows().n_rows(),
            ..Facts::default()
        }
    }

    fn learn_row(&mut self, x: &[f64], y: &[f64], _weight: f64, yhat: &mut [f64]) {
        let look = self.newton.look(x);
        let e = self.loss.derivative(look.yhat, y[0]);
        let score = self.score_factor * self.newton.leverage(&look, e);
        let p = score.min(1.0).max(self.gamma);
        let enters = self.uniforms.of_row(self.n_rows()) < p;
        self.newton.step(x, &look, e, enters);
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
        capacity_for(n_rows, self.n_rows(), self.max_rows)?;
        self.uniforms.check_capacity(self.n_rows(), n_rows)
    }

    fn save(&self, state: &mut State) {
        self.newton.save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        self.newton.load(state)
    }
}

heap!(SketchedKons: newton, uniforms);
