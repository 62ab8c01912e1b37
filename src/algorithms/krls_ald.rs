//! KRLS: kernel recursive least squares with an ALD dictionary.

use serde::{Deserialize, Serialize};

use super::FeatureLearner;
use crate::error::Error;
use crate::features::Dictionary;
use crate::kernels::AnyKernel;
use crate::predictor::Record;
use crate::updates::Interpolation;

/// Parameters of [`KrlsAld`].
///
/// ```
/// use nystream::{KrlsAldParams, Learner};
///
/// let mut learner = Learner::new(KrlsAldParams::default())?;
/// learner.learn_row(&[0.0, 1.0], 0.5)?;
/// assert!((learner.predict_row(&[0.0, 1.0])? - 0.5).abs() < 1e-15);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KrlsAldParams {
    /// The kernel. Default Gaussian.
    pub kernel: AnyKernel,
    /// ALD threshold, 1e-10 to 1: a smaller one keeps more rows. Default 1e-3.
    pub alpha: f64,
    /// The most rows to keep, at least 1. Default: no cap.
    pub max_basis: Option<usize>,
}

impl Default for KrlsAldParams {
    fn default() -> Self {
        Self {
            kernel: AnyKernel::default(),
            alpha: 1e-3,
            max_basis: None,
        }
    }
}

impl KrlsAldParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<KrlsAld, Error> {
        let dictionary = Dictionary::new(self.kernel.clone(), self.alpha, self.max_basis)?;
        let learner = KrlsAld::new(dictionary, Interpolation::new(self.alpha));
        Ok(learner.recording(Record::new(1)))
    }
}

/// Least squares without a ridge on the features of an ALD dictionary, by Engel, Mannor and Meir (2004).
///
/// A row that joins is fitted exactly by its new coordinate; any other row moves the weights to the minimum of the
/// squared errors. A row costs O(dJ + J^2) with J rows kept, whatever the length of the stream.
pub type KrlsAld = FeatureLearner<Dictionary, Interpolation>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;

    fn learn(learner: &mut KrlsAld, x: f64, y: f64) {
        learner.learn_row(&[x], &[y], 1.0, &mut [0.0]);
    }

    fn predict(learner: &KrlsAld, x: f64) -> f64 {
        let mut yhat = [f64::NAN];
        learner.predict_into(&[x], &mut yhat);
        yhat[0]
    }

    #[test]
    fn a_row_that_joins_is_fitted_exactly() {
        let mut learner = KrlsAldParams::default().build().unwrap();
        for (x, y) in [(0.0, 1.0), (1.0, -2.0), (2.5, 4.0)] {
            learn(&mut learner, x, y);
            assert!((predict(&learner, x) - y).abs() < 1e-14);
        }
        assert_eq!(learner.facts().n_basis, 3);
    }

    #[test]
    fn a_row_that_does_not_join_is_averaged_with_the_one_before() {
        let mut learner = KrlsAldParams::default().build().unwrap();
        learn(&mut learner, 0.0, 1.0);
        learn(&mut learner, 0.0, 2.0);
        learn(&mut learner, 0.0, 6.0);
        assert!((predict(&learner, 0.0) - 3.0).abs() < 1e-14);
    }
}
