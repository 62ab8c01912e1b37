//! How a hypothesis moves when a label arrives.

mod clip;
mod forecasts;
mod forgetting;
mod gradient;
mod kernel_gradient;
mod kernel_newton;
mod kernel_ridge;
mod least_squares;
mod newton;
mod rate;
mod rounds;
mod scores;
mod second_order;

pub use clip::Clip;
pub use forecasts::Forecasts;
pub use gradient::Gradient;
pub use kernel_gradient::KernelGradient;
pub use kernel_newton::{KernelNewton, Look};
pub use kernel_ridge::{KernelRidge, Regression};
pub use least_squares::LeastSquares;
pub use newton::Newton;
pub use rate::Rate;
pub(crate) use rounds::Rounds;
pub use scores::Scores;
pub(crate) use second_order::Step;
pub use second_order::{Border, SecondOrder};

/// The most that one row may shrink `A^{-1}` by along its features. Its root loses half of the 14 digits.
const LARGEST_SHRINKAGE: f64 = 1e14;

/// Labels stay below 1e100. A hypothesis that leaves them far behind, as that of a descent with too large a rate does,
/// is cut here, so that no step from it leaves float64.
const LARGEST_PREDICTION: f64 = 1e120;

pub(crate) fn cut(yhat: f64) -> f64 {
    yhat.clamp(-LARGEST_PREDICTION, LARGEST_PREDICTION)
}

/// `l'(yhat, y)`, the derivative of the square loss `(yhat - y)^2`.
pub fn loss_derivative(yhat: f64, y: f64) -> f64 {
    2.0 * (yhat - y)
}
