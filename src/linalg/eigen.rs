//! Eigenvalues of symmetric matrices.

use nalgebra::{DMatrix, SymmetricEigen};

/// The eigenvalues of a symmetric matrix, the largest first, and their eigenvectors as columns in the same order.
///
/// The reduction to a tridiagonal matrix loses its way where squares of numbers underflow. So entries far below the
/// rounding of the largest are taken for 0, and the diagonal is raised by that rounding, which leaves no smaller numbers.
pub(crate) fn symmetric_eigen(mut matrix: DMatrix<f64>) -> (Vec<f64>, DMatrix<f64>) {
    let rounding = f64::EPSILON * matrix.amax();
    for entry in matrix.iter_mut() {
        if entry.abs() < f64::EPSILON * rounding {
            *entry = 0.0;
        }
    }
    for i in 0..matrix.nrows() {
        matrix[(i, i)] += rounding;
    }
    let eigen = SymmetricEigen::new(matrix);
    let mut order: Vec<usize> = (0..eigen.eigenvalues.len()).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let values = order.iter().map(|&i| eigen.eigenvalues[i] - rounding);
    (values.collect(), eigen.eigenvectors.select_columns(&order))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rebuilt(matrix: &DMatrix<f64>) -> DMatrix<f64> {
        let (values, vectors) = symmetric_eigen(matrix.clone());
        assert!(values.is_sorted_by(|a, b| a >= b));
        &vectors * DMatrix::from_diagonal(&values.into()) * vectors.transpose()
    }

    #[test]
    fn numbers_whose_squares_underflow_do_no_harm() {
        let tiny = |i: usize, j: usize| 1e-161 * (i * j + i + j) as f64;
        let entry = |i, j| if i == j { 0.0 } else { tiny(i, j) };
        let mut matrix = DMatrix::from_fn(4, 4, entry);
        matrix[(0, 0)] = 1.0;
        assert!((rebuilt(&matrix) - matrix).amax() < 1e-15);
    }

    #[test]
    fn no_number_at_all() {
        assert_eq!(rebuilt(&DMatrix::zeros(3, 3)), DMatrix::zeros(3, 3));
    }

    proptest! {
        #[test]
        fn values_and_vectors_make_the_matrix(
            factors in proptest::collection::vec((-1.0..1.0_f64, -200..1_i32), 60),
            rank in 1..6_usize,
            zeros in 0..6_usize,
        ) {
            let entry = |i: usize, j: usize| {
                let (factor, exponent) = factors[i * 6 + j];
                if i % 6 < zeros { 0.0 } else { factor * 10f64.powi(exponent / 4) }
            };
            let wide = DMatrix::from_fn(10, rank, entry);
            let matrix = &wide * wide.transpose();
            let error = (rebuilt(&matrix) - &matrix).amax();
            prop_assert!(error <= 1e-13 * matrix.amax(), "{error}");
        }
    }
}
