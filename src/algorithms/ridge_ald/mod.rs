//! Ridge regression on an ALD dictionary.

mod merge;

use serde::{Deserialize, Serialize};

use super::FeatureLearner;
use crate::error::Error;
use crate::features::{Dictionary, Policy};
use crate::kernels::AnyKernel;
use crate::losses::AnyLoss;
use crate::updates::LeastSquares;

/// Parameters of [`RidgeAld`].
///
/// ```
/// use nystream::{Learner, RidgeAldParams};
///
/// let mut learner = Learner::new(RidgeAldParams { ridge: 1.0, ..Default::default() })?;
/// learner.learn_row(&[0.0, 1.0], 0.5)?;
/// assert!((learner.predict_row(&[0.0, 1.0])? - 0.25).abs() < 1e-15);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RidgeAldParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// ALD threshold, 1e-10 to 1: a smaller one keeps more rows. Default 1e-3.
    pub alpha: f64,
    /// Weight of `||f||^2`, 1e-10 to 1e100. Default 1e-2.
    pub ridge: f64,
    /// True to predict as Vovk, Azoury and Warmuth do. Default false.
    pub forward: bool,
    /// True to clip predictions to the range of the labels seen. Default false.
    pub clip: bool,
    /// The most rows to keep, at least 1. Default: no cap.
    pub max_basis: Option<usize>,
    /// The policy at the cap. Default freeze.
    pub policy: Policy,
    /// Forgetting factor, 0.5 to 1: a row counts this many times what it did a round before. Default 1.
    pub forgetting: f64,
    /// Number of labels that a row has, at least 1. Default 1.
    pub n_targets: usize,
    /// The loss; others than the squared one are for one target, without forward predictions. Default squared.
    #[serde(skip_serializing_if = "AnyLoss::is_squared")]
    pub loss: AnyLoss,
}

impl Default for RidgeAldParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            alpha: 1e-3,
            ridge: 1e-2,
            forward: false,
            clip: false,
            max_basis: None,
            policy: Policy::default(),
            forgetting: 1.0,
            n_targets: 1,
            loss: AnyLoss::default(),
        }
    }
}

impl RidgeAldParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<RidgeAld, Error> {
        let dictionary = Dictionary::new(self.kernel.clone(), self.alpha, self.max_basis)?;
        let squares = LeastSquares::new(self.ridge, self.forward)?
            .forgetting(self.forgetting)?
            .targets(self.n_targets)?
            .loss(self.loss)?;
        let learner = RidgeAld::new(dictionary.policy(self.policy), squares);
        learner.recording_of(self.loss, self.clip)
    }
}

/// Least squares on the features of an ALD dictionary.
///
/// A row costs O(dJ + J^2) with J rows kept, whatever the length of the stream.
pub type RidgeAld = FeatureLearner<Dictionary, LeastSquares>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;

    #[test]
    fn a_forward_prediction_knows_that_its_row_will_join() {
        let params = RidgeAldParams {
            forward: true,
            clip: true,
            ..RidgeAldParams::default()
        };
        let mut learner = params.build().unwrap();
        for (x, y) in [(0.0, 1.0), (0.5, 2.0), (3.0, 0.5), (0.4, 1.5), (0.4, 3.0)] {
            let (mut before, mut yhat) = ([f64::NAN], [f64::NAN]);
            learner.predict_into(&[x], &mut before);
            learner.learn_row(&[x], &[y], 1.0, &mut yhat);
            assert!((before[0] - yhat[0]).abs() < 1e-14);
        }
    }
}
