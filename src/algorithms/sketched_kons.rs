//! Sketched-KONS: kernel online Newton step with a sketch of the gradients.

use serde::{Deserialize, Serialize};

use super::Kons;
use crate::data::checks::{not_negative, positive, within};
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::LARGEST;
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
        let (kernel, bound) = (self.kernel.clone(), Some(self.bound));
        let newton = KernelNewton::new(kernel, self.mu, self.eta, bound)?;
        let sketch = Sketch {
            gamma: self.gamma,
            score_factor: self.beta * (1.0 + self.epsilon),
            uniforms: Uniforms::new(self.random_state, self.uniforms.as_deref())?,
        };
        Kons::new(newton, Some(sketch), self.max_rows)
    }
}

/// An online Newton step in the space of the kernel, in whose matrix `A` a gradient enters with the probability
/// `max(min(beta tau, 1), gamma)`, where `tau` is its ridge leverage score given the gradients that have.
///
/// Every row learned is stored: row `t` costs O(d t + m^2) with `m` gradients in the sketch.
pub type SketchedKons = Kons;

/// Draws which gradients enter the matrix of the Newton step.
#[derive(Debug, Clone)]
pub(super) struct Sketch {
    gamma: f64,
    /// `beta (1 + epsilon)`.
    score_factor: f64,
    uniforms: Uniforms,
}

impl Sketch {
    /// Returns true if the gradient of row `t`, with this leverage score, enters.
    pub(super) fn takes(&self, t: usize, leverage: f64) -> bool {
        let score = self.score_factor * leverage;
        self.uniforms.of_row(t) < score.min(1.0).max(self.gamma)
    }

    /// Refuses `n_rows` more rows after `t` if there are no draws for them.
    pub(super) fn check_capacity(&self, t: usize, n_rows: usize) -> Result<(), Error> {
        self.uniforms.check_capacity(t, n_rows)
    }
}

heap!(Sketch: uniforms);
