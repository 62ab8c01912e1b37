//! Growing matrices: each of them gains one row at a time and is never computed anew.

mod cholesky;
mod inverse_root;
mod panels;
mod triangle;

use nalgebra::{DVectorView, DVectorViewMut};

pub use cholesky::CholeskyFactor;
pub use inverse_root::InverseRoot;
pub use panels::{LANES, Lanes, Panels};
pub use triangle::Triangle;
pub(crate) use triangle::packed_len;

/// `a . b` for slices of one length.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    DVectorView::from_slice(a, a.len()).dot(&DVectorView::from_slice(b, b.len()))
}

/// `||a||^2`.
pub(crate) fn norm_squared(a: &[f64]) -> f64 {
    dot(a, a)
}

/// `y += a x` for slices of one length.
pub(crate) fn axpy_in_place(a: f64, x: &[f64], y: &mut [f64]) {
    let n = y.len();
    DVectorViewMut::from_slice(y, n).axpy(a, &DVectorView::from_slice(x, x.len()), 1.0);
}
