//! KAAR: the kernel aggregating algorithm for regression.

use serde::{Deserialize, Serialize};

use super::online_krr::{OnlineKrr, OnlineKrrParams};
use crate::error::Error;

/// Parameters of [`Kaar`]: those of online kernel ridge regression.
///
/// ```
/// use nystream::{KaarParams, Learner, OnlineKrrParams};
///
/// let params = OnlineKrrParams { ridge: 1.0, ..Default::default() };
/// let mut learner = Learner::new(KaarParams(params))?;
/// learner.learn_row(&[0.0, 1.0], 1.0)?;
/// assert!((learner.predict_row(&[0.0, 1.0])? - 1.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KaarParams(pub OnlineKrrParams);

/// [`OnlineKrr`] in which the row to be predicted counts too, with the label 0: the exact kernel form of the prediction
/// of Vovk, Azoury and Warmuth, by Gammerman, Kalnishkan and Vovk (2004). A prediction costs as much as learning a row.
pub type Kaar = OnlineKrr;

impl KaarParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<Kaar, Error> {
        self.0.build_with(true)
    }
}
