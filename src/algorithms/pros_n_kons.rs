//! PROS-N-KONS: online Newton step on sampled rows, with restarts.

use serde::{Deserialize, Serialize};

use super::FeatureLearner;
use super::nons_ald::newton;
use crate::data::checks::{positive, positive_if_given};
use crate::error::Error;
use crate::features::{Kors, SampledMap};
use crate::kernels::AnyKernel;
use crate::losses::AnyLoss;
use crate::runtime::Uniforms;
use crate::updates::{NewSpace, SampledNewton};

/// Parameters of [`ProsNKons`].
///
/// ```
/// use nystream::{Learner, ProsNKonsParams};
///
/// let uniforms = Some(vec![0.0, 0.9]);
/// let mut learner = Learner::new(ProsNKonsParams { uniforms, ..Default::default() })?;
/// learner.learn_row(&[0.0], 0.5)?; // kept: it gives the space of the next round
/// assert_eq!(learner.predict_row(&[0.0])?, 0.0);
/// learner.learn_row(&[0.0], 0.5)?;
/// assert!(learner.predict_row(&[0.0])? > 0.0);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ProsNKonsParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// Regularisation, 1e-10 to 1e100: `A` starts as `mu I`. Default 1.
    pub mu: f64,
    /// Regularisation of the leverage scores, positive: a larger one keeps fewer rows. Default 1.
    pub gamma: f64,
    /// Factor of the leverage scores, positive: a larger one keeps more rows. Default 1.
    pub beta: f64,
    /// The part by which leverage scores are overestimated, 0 or positive. Default 0.5.
    pub epsilon: f64,
    /// `C`, positive: predictions stay within `[-C, C]`, except, if weights are carried over, right after
    /// the space has changed. Default 1.
    pub bound: f64,
    /// Weight of a squared gradient in `A`, positive. Default: `1 / (16 C^2)` for the squared
    /// loss.
    pub eta: Option<f64>,
    /// Seed of the draws. Default 0.
    pub random_state: u64,
    /// The draws themselves, one number in [0, 1) for each row. Default: drawn.
    pub uniforms: Option<Vec<f64>>,
    /// The loss, which has to be exp-concave. Default squared.
    #[serde(skip_serializing_if = "AnyLoss::is_squared")]
    pub loss: AnyLoss,
}

impl Default for ProsNKonsParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            mu: 1.0,
            gamma: 1.0,
            beta: 1.0,
            epsilon: 0.5,
            bound: 1.0,
            eta: None,
            random_state: 0,
            uniforms: None,
            loss: AnyLoss::default(),
        }
    }
}

impl ProsNKonsParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<ProsNKons, Error> {
        self.build_with(NewSpace::Restart)
    }

    pub(super) fn build_with(&self, new_space: NewSpace) -> Result<ProsNKons, Error> {
        positive("bound", self.bound)?;
        positive_if_given("eta", self.eta)?;
        let uniforms = Uniforms::new(self.random_state, self.uniforms.as_deref())?;
        let (kernel, gamma) = (self.kernel.clone(), ("gamma", self.gamma));
        let kors = Kors::new(kernel, gamma, self.beta, self.epsilon, uniforms)?;
        let newton = newton(
            (self.mu, self.eta),
            (self.bound, self.bound),
            0.5,
            self.loss,
        )?;
        let update = SampledNewton::new(newton, new_space);
        Ok(ProsNKons::new(SampledMap::new(kors), update))
    }
}

/// An online Newton step on the Nyström features of rows sampled by their leverage scores, by Calandriello, Lazaric and
/// Valko (2017). A row kept in one round changes the space in the next.
///
/// A row costs O(dJ + J^2) with J rows kept.
pub type ProsNKons = FeatureLearner<SampledMap, SampledNewton>;
