//! Inverses of symmetric matrices.

use nalgebra::{Cholesky, DMatrix};

/// The size from which on a matrix is divided into blocks.
const LARGE: usize = 32;

/// The inverse of a symmetric positive definite matrix; `None` if it is not, up to rounding.
///
/// Large matrices are inverted by halves, so that nearly all of the work is in products of matrices.
pub(crate) fn symmetric_inverse(matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let (size, half) = (matrix.nrows(), matrix.nrows() / 2);
    if size < LARGE {
        return Cholesky::new(matrix).map(|factor| factor.inverse());
    }
    let below = matrix.view((half, 0), (size - half, half));
    let first = symmetric_inverse(matrix.view((0, 0), (half, half)).into_owned())?;
    let across = below * &first;
    let rest = matrix.view((half, half), (size - half, size - half));
    let last = symmetric_inverse(rest - &across * below.transpose())?;
    let corner = -(&last * &across);
    let mut inverse = DMatrix::zeros(size, size);
    let first = first - across.transpose() * &corner;
    inverse.view_mut((0, 0), (half, half)).copy_from(&first);
    inverse
        .view_mut((half, 0), corner.shape())
        .copy_from(&corner);
    let other = corner.transpose();
    inverse.view_mut((0, half), other.shape()).copy_from(&other);
    inverse
        .view_mut((half, half), last.shape())
        .copy_from(&last);
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        for size in [0, 1, 31, 32, 33, 100, 131] {
            let entry = |i: usize, j: usize| (-(i.abs_diff(j) as f64) / 9.0).exp();
            let identity = DMatrix::<f64>::identity(size, size);
            let matrix = DMatrix::from_fn(size, size, entry) + 1e-3 * &identity;
            let inverse = symmetric_inverse(matrix.clone()).unwrap();
            let error = matrix * inverse - identity;
            assert!(error.iter().all(|e| e.abs() < 1e-11), "{size}");
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_none() {
        for size in [2, 50] {
            let matrix = DMatrix::from_element(size, size, -1.0);
            assert_eq!(symmetric_inverse(matrix), None);
        }
    }
}
