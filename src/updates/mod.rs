//! Updates: how weights on [features](crate::features) move when a label arrives.
//!
//! | update | step |
//! |---|---|
//! | [`Gradient`] | against the gradient of the loss |
//! | [`Newton`] | against the gradient, scaled by the inverse of a sum of squared gradients |
//! | [`SampledNewton`] | the Newton step, on features whose space may change |
//! | [`LeastSquares`] | to the minimum of the squared errors and a ridge |
//! | [`Interpolation`] | to the minimum of the squared errors; rows that join are fitted exactly |
//!
//! The updates in [`every_row`] work in the space of the kernel and store every row.

pub mod every_row;
mod forgetting;
mod gradient;
mod interpolation;
mod least_squares;
mod newton;
mod rate;
mod rounds;
mod sampled_newton;
mod second_order;

use std::fmt;

use crate::error::Error;
use crate::features::{Change, FeatureMatrix};
use crate::limits::{LARGEST, Range, UNBOUNDED};
use crate::losses::AnyLoss;
use crate::persist::State;
use crate::runtime::{Heap, heap};

pub use gradient::Gradient;
pub use interpolation::Interpolation;
pub use least_squares::LeastSquares;
pub(crate) use least_squares::Moments;
pub use newton::Newton;
pub use rate::Rate;
pub use rounds::Rounds;
pub use sampled_newton::{NewSpace, SampledNewton};
pub(crate) use second_order::Border;
pub use second_order::SecondOrder;
pub(crate) use second_order::Step;

/// The largest factor by which one row may shrink `A^{-1}` along its features. The root loses half of these 14 digits.
const LARGEST_SHRINKAGE: f64 = 1e14;

/// The predictions of an update for some rows.
#[derive(Debug, Clone, Default)]
pub struct Output {
    /// The predictions for all targets of the first row, then those for the next.
    pub yhat: Vec<f64>,
    /// `phi . P phi` of each row, from an update that has such a matrix.
    pub q: Vec<f64>,
}

impl Output {
    pub(crate) fn clear(&mut self) {
        self.yhat.clear();
        self.q.clear();
    }
}

heap!(Output: yhat, q);

/// Weights on features, and the rule by which a round changes them.
///
/// A round is [`begin`](Self::begin), then [`finish`](Self::finish). The row may change its features between them.
pub trait Update: Clone + fmt::Debug + Heap + Send + Sync {
    /// True if a row may count more or less than once.
    const TAKES_WEIGHTS: bool = false;

    /// Number of features.
    fn size(&self) -> usize;

    /// Number of labels that a row has.
    fn n_targets(&self) -> usize {
        1
    }

    /// The weights of a target.
    fn w(&self, target: usize) -> &[f64];

    /// The loss, which says what prediction belongs to a value `w . phi`.
    fn loss(&self) -> AnyLoss {
        AnyLoss::default()
    }

    /// Follows features that have gained a coordinate in which past rows are 0.
    fn grow(&mut self);

    /// Begins a round with the features of a row from before it may change them.
    fn begin(&mut self, _phi: &[f64]) {}

    /// Ends a round: writes the predictions, then learns the labels of a row that counts `weight` times. `phi` has any
    /// coordinate that the row has gained. Returns `phi . P phi`, or 0 from an update without such a matrix.
    fn finish(
        &mut self,
        phi: &[f64],
        change: Change,
        y: &[f64],
        weight: f64,
        yhat: &mut [f64],
    ) -> f64;

    /// Returns true if the next rows may be learned together.
    fn takes_blocks(&self) -> bool {
        true
    }

    /// Makes the rounds of many rows; appends the predictions.
    fn learn_rows(
        &mut self,
        features: &FeatureMatrix,
        rounds: &mut Rounds,
        y: &[f64],
        out: &mut Output,
    );

    /// Lets so many rounds pass without a row: what was learned counts less, if the update forgets.
    fn elapse(&mut self, _rounds: u64) {}

    /// Returns true if predictions are more than `w . phi`, as forward predictions are.
    fn is_forward(&self) -> bool {
        false
    }

    /// Writes the predictions for features, the last of which may be a coordinate that the row would bring.
    fn predict_into(&self, phi: &[f64], out: &mut [f64]);

    /// The range of the predictions.
    fn range(&self) -> Range {
        UNBOUNDED
    }

    /// `phi . P phi`, the uncertainty about these features; `None` from an update without such a matrix.
    fn uncertainty(&self, _phi: &[f64]) -> Option<f64> {
        None
    }

    /// The largest `kappa(x, x)` that the update can work with.
    fn largest_kappa(&self) -> f64 {
        LARGEST
    }

    /// The least squares, if the update can follow a dictionary that loses a row.
    fn evicting(&mut self) -> Option<&mut LeastSquares> {
        None
    }

    /// Appends what the update has learned as plain numbers; returns false if it has no such form.
    fn pack(&mut self, _numbers: &mut Vec<f64>) -> bool {
        false
    }

    /// Becomes the update that [`pack`](Self::pack) has written; returns the numbers after those, or nothing if they are
    /// no such numbers.
    fn unpack<'n>(&mut self, _numbers: &'n [f64]) -> Option<&'n [f64]> {
        None
    }

    /// Writes what the update has learned.
    fn save(&self, state: &mut State);

    /// Reads the state of an update with the same parameters, for `size` features if that is known.
    fn load(&mut self, state: &State, size: Option<usize>) -> Result<(), Error>;
}
