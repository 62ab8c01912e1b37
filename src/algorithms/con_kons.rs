//! CON-KONS: online Newton step on sampled rows, without restarts.

use serde::{Deserialize, Serialize};

use super::pros_n_kons::{ProsNKons, ProsNKonsParams};
use crate::error::Error;
use crate::updates::NewSpace;

/// Parameters of [`ConKons`]: those of PROS-N-KONS.
///
/// ```
/// use nystream::{ConKonsParams, Learner, ProsNKonsParams};
///
/// let params = ProsNKonsParams { gamma: 0.5, ..Default::default() };
/// let mut learner = Learner::new(ConKonsParams(params))?;
/// for _ in 0..20 {
///     learner.learn_row(&[0.0], 0.5)?;
/// }
/// assert!(learner.predict_row(&[0.0])? > 0.0);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ConKonsParams(pub ProsNKonsParams);

/// [`ProsNKons`] that carries matrix and weights over to a new space.
pub type ConKons = ProsNKons;

impl ConKonsParams {
    /// Checks the parameters and makes a learner that has seen nothing.
    pub fn build(&self) -> Result<ConKons, Error> {
        self.0.build_with(NewSpace::CarryOver)
    }
}
