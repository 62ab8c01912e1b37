//! The parameters of Auto.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::label_range::LabelRange;
use super::{Auto, First};
use crate::data::checks::{at_least_one, targets};
use crate::error::Error;
use crate::features::Policy;
use crate::predictor::Scores;
use crate::updates::LeastSquares;

/// The fewest rows of a warm-up.
const SHORTEST: usize = 8;

/// Parameters of [`Auto`].
///
/// ```
/// use nystream::{AutoParams, Learner};
///
/// // Rows come in an order of their own, which predictions are not to depend on.
/// let params = AutoParams { use_past: false, ..AutoParams::default() };
/// let mut learner = Learner::new(params)?;
/// for i in 0..400 {
///     let x = f64::from(i % 20);
///     learner.learn_row(&[1e6 * x], 1e-3 * (x / 3.0).sin())?;
/// }
/// assert!((learner.predict_row(&[6e6])? - 1e-3 * 2.0_f64.sin()).abs() < 1e-5);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AutoParams {
    /// Number of rows of the warm-up, from which scales and widths are taken, at least 8. Default 300.
    pub warm_up: usize,
    /// The most rows that the dictionary of each width keeps, at least 1. Default 150.
    pub max_basis: usize,
    /// The policy at that cap. Default replace.
    pub policy: Policy,
    /// Forgetting factor of the comparison of experts, 0.5 to 1. Default 0.999.
    pub forgetting: f64,
    /// True if experts may look at the past of the labels. Default true.
    pub use_past: bool,
    /// Number of labels that a row has, at least 1. Default 1.
    pub n_targets: usize,
}

impl Default for AutoParams {
    fn default() -> Self {
        Self {
            warm_up: 300,
            max_basis: 150,
            policy: Policy::Replace,
            forgetting: 0.999,
            use_past: true,
            n_targets: 1,
        }
    }
}

impl AutoParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Auto, Error> {
        targets(self.n_targets)?;
        at_least_one("max_basis", self.max_basis)?;
        if self.warm_up < SHORTEST {
            let warm_up = self.warm_up as f64;
            return Err(Error::parameter("warm_up", "at least 8", warm_up));
        }
        LeastSquares::new(1.0, false)?.forgetting(self.forgetting)?;
        Ok(Auto {
            params: self.clone(),
            seen: 0,
            first: First::default(),
            means: vec![0.0; self.n_targets],
            weight: 0.0,
            ensemble: None,
            label_ranges: vec![LabelRange::default(); self.n_targets],
            scores: Scores::new(self.n_targets),
            predictor: OnceLock::new(),
        })
    }

    /// Number of targets whose past experts may look at.
    pub(super) fn n_pasts(&self) -> usize {
        if self.use_past { self.n_targets } else { 0 }
    }

    /// The forgetting factor of experts that forget `times` times as fast as the comparison of experts.
    pub(super) fn memory(&self, times: f64) -> f64 {
        (1.0 - times * (1.0 - self.forgetting)).max(0.5)
    }
}
