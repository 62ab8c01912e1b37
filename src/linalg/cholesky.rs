//! The Cholesky factor of a growing kernel matrix, beside its inverse.

use nalgebra::DMatrix;

use super::{Givens, Triangle, norm_squared, packed_len, rotate_in_place};
use crate::error::Error;
use crate::runtime::memory::heap;

/// The Cholesky factor `L` of a growing matrix `K = L L^T`, and `L^{-1}`.
///
/// The inverse is kept explicitly because a product is faster than a substitution and every row of a stream needs one.
/// Both grow by substitution with `L` alone: built from products, the error of the inverse would grow with the square
/// of its norm, and not with the norm.
///
/// ```
/// use nystream::linalg::CholeskyFactor;
///
/// // K = [[4, 2], [2, 5]]
/// let mut factor = CholeskyFactor::default();
/// factor.push(&[], 4.0)?;
/// factor.push(&[1.0], 4.0)?; // L^{-1} k = 2 / 2, residual 5 - 1
/// assert_eq!(factor.lower().packed(), [2.0, 1.0, 2.0]);
/// assert_eq!(factor.inverse().packed(), [0.5, -0.25, 0.5]);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct CholeskyFactor {
    lower: Triangle,
    inverse: Triangle,
}

impl CholeskyFactor {
    /// A factor made of `L` and `L^{-1}`.
    pub(crate) fn from_parts(lower: Triangle, inverse: Triangle) -> Self {
        Self { lower, inverse }
    }

    /// The factor of a matrix, of which the entries above the diagonal are read.
    pub(crate) fn of(matrix: &DMatrix<f64>) -> Result<Self, Error> {
        let mut factor = Self::default();
        for (i, column) in matrix.column_iter().enumerate() {
            let mut phi = column.as_slice()[..i].to_vec();
            factor.lower.solve_in_place(&mut phi);
            factor.push(&phi, column[i] - norm_squared(&phi))?;
        }
        Ok(factor)
    }

    /// Appends the packed entries of `L`, then those of `L^{-1}`.
    pub(crate) fn pack_onto(&self, numbers: &mut Vec<f64>) {
        self.lower.pack_onto(numbers);
        self.inverse.pack_onto(numbers);
    }

    /// Becomes the factor of `size` rows that [`pack_onto`](Self::pack_onto) has written, in the same memory; returns the
    /// numbers after it, or nothing if there are too few.
    pub(crate) fn unpack<'n>(&mut self, size: usize, numbers: &'n [f64]) -> Option<&'n [f64]> {
        let (lower, rest) = numbers.split_at_checked(packed_len(size))?;
        let (inverse, rest) = rest.split_at_checked(packed_len(size))?;
        self.lower.unpack(size, lower);
        self.inverse.unpack(size, inverse);
        Some(rest)
    }

    /// `L^{-1}` alone.
    pub(crate) fn into_inverse(self) -> Triangle {
        self.inverse
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.lower.size()
    }

    /// `L`.
    pub fn lower(&self) -> &Triangle {
        &self.lower
    }

    /// `L^{-1}`.
    pub fn inverse(&self) -> &Triangle {
        &self.inverse
    }

    /// `out = L^{-1} k`, by a product.
    pub fn solve_into(&self, k: &[f64], out: &mut [f64]) {
        self.inverse.mul_into(k, out);
    }

    /// `out = L^{-1} K` for `width` columns that are stored row by row, by a product.
    pub(crate) fn solve_columns_into(&self, k: &[f64], width: usize, out: &mut [f64]) {
        self.inverse.mul_columns_into(k, width, out);
    }

    /// `out = L^{-1} k`, by substitution: slower, and as accurate as `L` is.
    pub(crate) fn substitute_into(&self, k: &[f64], out: &mut [f64]) {
        out.copy_from_slice(k);
        self.lower.solve_in_place(out);
    }

    /// `out = L^{-T} v`, by a product.
    pub(crate) fn tr_solve_into(&self, v: &[f64], out: &mut [f64]) {
        self.inverse.tr_mul_into(v, out);
    }

    /// Grows `K` by a row `k` and diagonal entry, given as `phi = L^{-1} k` and the
    /// `residual = diagonal - ||phi||^2`, the square of the new pivot.
    pub fn push(&mut self, phi: &[f64], residual: f64) -> Result<(), Error> {
        let mut beta = phi.to_vec();
        self.lower.tr_solve_in_place(&mut beta);
        self.lower.push_pivot(phi, residual)?;
        self.inverse.push_row(&inverse_row(beta, residual.sqrt()));
        Ok(())
    }

    /// Removes row `j` of `K`; returns the rotations `G` with which a vector `L^{-1} k` becomes `G^T L^{-1} k` without
    /// its last entry.
    ///
    /// Without its row `j`, `L` has an entry right of the diagonal in each row from there on. Rotations of neighbouring
    /// columns, the first of `j` and `j + 1`, remove these entries: `L_{-j} G = [L', 0]`.
    pub fn remove(&mut self, j: usize) -> Vec<Givens> {
        let size = self.size();
        let mut rotations = Vec::with_capacity(size - j - 1);
        let mut lower = self.lower.to_square(size);
        lower.drain(j * size..(j + 1) * size);
        for (i, row) in lower.chunks_exact_mut(size).enumerate().skip(j) {
            rotate_in_place(&rotations, j, &mut row[..=i]);
            let (rotation, pivot) = Givens::onto_first(row[i], row[i + 1]);
            row[i] = pivot;
            rotations.push(rotation);
        }
        self.lower = Triangle::from_rows(lower.chunks_exact(size));
        self.inverse = without_column(&self.inverse, j, &rotations);
        rotations
    }
}

/// `G^T T` without its column `j` and its last row.
fn without_column(triangle: &Triangle, j: usize, rotations: &[Givens]) -> Triangle {
    let size = triangle.size();
    let mut rows = triangle.to_square(size);
    for (k, rotation) in (j..).zip(rotations) {
        let (before, after) = rows.split_at_mut((k + 1) * size);
        rotation.apply_to_rows(&mut before[k * size..][..k + 2], &mut after[..k + 2]);
    }
    rows.truncate((size - 1) * size);
    for row in rows.chunks_exact_mut(size) {
        row.copy_within(j + 1.., j);
    }
    Triangle::from_rows(rows.chunks_exact(size))
}

/// The new row of the inverse: `[-beta^T, 1] / pivot` with `beta = L^{-T} phi`.
fn inverse_row(mut beta: Vec<f64>, pivot: f64) -> Vec<f64> {
    for value in &mut beta {
        *value /= -pivot;
    }
    beta.push(pivot.recip());
    beta
}

heap!(CholeskyFactor: lower, inverse);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_removed_leaves_the_factor_of_the_others() {
        // K = [[4, 2, 1], [2, 5, 3], [1, 3, 6]] without its second row
        let mut factor = CholeskyFactor::default();
        factor.push(&[], 4.0).unwrap();
        factor.push(&[1.0], 4.0).unwrap();
        factor.push(&[0.5, 1.25], 6.0 - 0.25 - 1.5625).unwrap();
        let rotations = factor.remove(1);
        let root = 5.75_f64.sqrt();
        let close = |found: Vec<f64>, expected: [f64; 3]| {
            let pairs = found.iter().zip(expected);
            assert!(
                pairs.clone().count() == 3 && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-15)
            );
        };
        close(factor.lower().packed(), [2.0, 0.5, root]);
        close(factor.inverse().packed(), [0.5, -0.25 / root, root.recip()]);
        assert_eq!(rotations.len(), 1);
        assert!(factor.remove(1).is_empty());
        assert_eq!(factor.lower().packed(), [2.0]);
    }

    #[test]
    fn a_pivot_that_is_not_positive_is_refused_and_changes_nothing() {
        let mut factor = CholeskyFactor::default();
        factor.push(&[], 1.0).unwrap();
        for residual in [0.0, -1.0, f64::NAN] {
            assert!(matches!(
                factor.push(&[1.0], residual),
                Err(Error::NotPositiveDefinite { row: 1, .. })
            ));
        }
        assert_eq!(factor.size(), 1);
        assert_eq!(factor.inverse().size(), 1);
    }
}
