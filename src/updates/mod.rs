//! How a hypothesis moves when a label arrives.

mod clip;
mod gradient;
mod kernel_gradient;
mod kernel_newton;
mod kernel_ridge;
mod least_squares;
mod newton;
mod second_order;
mod step;

pub use clip::Clip;
pub use gradient::Gradient;
pub use kernel_gradient::KernelGradient;
pub use kernel_newton::{KernelNewton, Look};
pub use kernel_ridge::{KernelRidge, Regression};
pub use least_squares::LeastSquares;
pub use newton::Newton;
pub use second_order::{Border, SecondOrder};
pub use step::Step;

/// The most that one row may shrink `A^{-1}` by along its features: half as many digits are lost.
const LARGEST_SHRINKAGE: f64 = 1e14;

/// The largest derivative of the loss that a step is made from: a descent that diverges stays within float64.
const LARGEST_DERIVATIVE: f64 = 1e120;

/// `l'(yhat, y)`, the derivative of the square loss `(yhat - y)^2`.
pub fn loss_derivative(yhat: f64, y: f64) -> f64 {
    (2.0 * (yhat - y)).clamp(-LARGEST_DERIVATIVE, LARGEST_DERIVATIVE)
}
