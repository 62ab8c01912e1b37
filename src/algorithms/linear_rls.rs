//! Linear ridge regression.

use serde::{Deserialize, Serialize};

use super::FeatureLearner;
use crate::error::Error;
use crate::features::LinearMap;
use crate::losses::AnyLoss;
use crate::updates::LeastSquares;

/// Parameters of [`LinearRls`].
///
/// ```
/// use nystream::{Learner, LinearRlsParams};
///
/// let mut learner = Learner::new(LinearRlsParams { ridge: 1e-9, ..Default::default() })?;
/// for x in [0.0, 1.0, 2.0] {
///     learner.learn_row(&[x], 3.0 * x + 1.0)?;
/// }
/// assert!((learner.predict_row(&[10.0])? - 31.0).abs() < 1e-6);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LinearRlsParams {
    /// Weight of `||w||^2`, 1e-10 to 1e100. Default 1e-2.
    pub ridge: f64,
    /// True to add a constant feature, penalised like the others. Default true.
    pub intercept: bool,
    /// True to predict as Vovk, Azoury and Warmuth do. Default false.
    pub forward: bool,
    /// True to clip predictions to the range of the labels seen. Default false.
    pub clip: bool,
    /// Forgetting factor, 0.5 to 1: a row counts this many times what it did a round before. Default 1.
    pub forgetting: f64,
    /// Number of labels that a row has, at least 1. Default 1.
    pub n_targets: usize,
    /// The loss; others than the squared one are for one target, without forward predictions. Default squared.
    #[serde(skip_serializing_if = "AnyLoss::is_squared")]
    pub loss: AnyLoss,
}

impl Default for LinearRlsParams {
    fn default() -> Self {
        Self {
            ridge: 1e-2,
            intercept: true,
            forward: false,
            clip: false,
            forgetting: 1.0,
            n_targets: 1,
            loss: AnyLoss::default(),
        }
    }
}

impl LinearRlsParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<LinearRls, Error> {
        let squares = LeastSquares::new(self.ridge, self.forward)?
            .forgetting(self.forgetting)?
            .targets(self.n_targets)?
            .loss(self.loss)?;
        let learner = LinearRls::new(LinearMap::new(self.intercept), squares);
        learner.recording_of(self.loss, self.clip)
    }
}

/// Exact ridge regression on the features themselves. A row costs O(d^2).
pub type LinearRls = FeatureLearner<LinearMap, LeastSquares>;
