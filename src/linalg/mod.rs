//! Matrices that gain a row at a time and are never computed anew, and the products they need.

mod batch;
mod cholesky;
mod eigen;
mod givens;
mod inverse_root;
mod panels;
mod product;
pub(crate) mod simd;
mod triangle;

use simd::{Simd, WithSimd, axpy_with, dot_with, run};

pub use batch::Batch;
pub use cholesky::CholeskyFactor;
pub(crate) use eigen::symmetric_eigen;
pub use givens::Givens;
pub(crate) use givens::rotate_in_place;
pub(crate) use inverse_root::ColumnsScratch;
pub use inverse_root::InverseRoot;
pub(crate) use inverse_root::Rotation;
pub use panels::Panels;
pub(crate) use product::mul_columns_into;
pub use simd::{LANES, Lanes};
pub use triangle::Triangle;
pub(crate) use triangle::packed_len;

/// `a . b` for slices of one length.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    run(Dot { a, b })
}

/// `||a||^2`.
pub(crate) fn norm_squared(a: &[f64]) -> f64 {
    dot(a, a)
}

/// Index of the least number, the first if there are several.
pub(crate) fn index_of_least(numbers: &[f64]) -> usize {
    let places = numbers.iter().enumerate();
    places
        .min_by(|(_, a), (_, b)| a.total_cmp(b))
        .map_or(0, |(i, _)| i)
}

/// `y += a x` for slices of one length.
pub(crate) fn axpy_in_place(a: f64, x: &[f64], y: &mut [f64]) {
    debug_assert_eq!(x.len(), y.len());
    run(Axpy { a, x, y });
}

struct Dot<'a> {
    a: &'a [f64],
    b: &'a [f64],
}

impl WithSimd for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        dot_with(simd, self.a, self.b)
    }
}

struct Axpy<'a> {
    a: f64,
    x: &'a [f64],
    y: &'a mut [f64],
}

impl WithSimd for Axpy<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        axpy_with(simd, self.a, self.x, self.y);
    }
}
