//! The inverse of a growing matrix, kept as its root.

mod columns;
mod rotation;

use super::{Givens, Triangle, rotate_in_place};
use crate::linalg::simd::{LANES, run_tiled};
use crate::runtime::memory::heap;
pub(crate) use columns::ColumnsScratch;
pub(crate) use rotation::Rotation;
use rotation::Sweep;

/// `P = A^{-1} = S S^T` with an upper triangle `S`, for a matrix `A` that grows by rows and gains rank-one terms.
///
/// Updated by its root, `P` stays positive definite and keeps twice the digits that it would if the terms were
/// subtracted from it, at the same cost.
///
/// ```
/// use nystream::linalg::InverseRoot;
///
/// // A = [[4, 0], [0, 1]], and then A + 3 phi phi^T with phi = (0, 1).
/// let mut root = InverseRoot::default();
/// root.push(&[0.5]);
/// root.push(&[0.0, 1.0]);
/// let mut v = [0.0; 2];
/// root.tr_mul_into(&[0.0, 1.0], &mut v);
/// assert_eq!(root.add(3.0, &v), [0.0, 1.0]); // P phi before the term was added
/// root.tr_mul_into(&[0.0, 1.0], &mut v);
/// assert_eq!(v, [0.0, 0.5]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct InverseRoot {
    /// Row `j` is the column `j` of `S`.
    columns: Triangle,
    /// Scratch for `S v` and `phi`, padded with zeros to a multiple of eight.
    g: Vec<f64>,
    phi: Vec<f64>,
}

impl InverseRoot {
    /// The root with these columns.
    pub(crate) fn from_columns(columns: Triangle) -> Self {
        Self {
            columns,
            ..Self::default()
        }
    }

    /// Becomes the root of `size` rows with these packed columns.
    pub(crate) fn unpack(&mut self, size: usize, columns: &[f64]) {
        self.columns.unpack(size, columns);
    }

    /// The columns of `S`, each up to the diagonal.
    pub fn columns(&self) -> &Triangle {
        &self.columns
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.columns.size()
    }

    /// `v = S^T phi`, with which `phi . P phi = ||v||^2`.
    pub fn tr_mul_into(&self, phi: &[f64], v: &mut [f64]) {
        self.columns.mul_into(phi, v);
    }

    /// `V = S^T Phi` for `width` columns that are stored row by row; `V` may have more rows than needed.
    pub(crate) fn tr_mul_columns_into(&self, phi: &[f64], width: usize, v: &mut [f64]) {
        self.columns.mul_columns_into(phi, width, v);
    }

    /// `g = S v`, which is `P phi` if `v = S^T phi`.
    pub fn mul_into(&self, v: &[f64], g: &mut [f64]) {
        self.columns.tr_mul_into(v, g);
    }

    /// Appends a column to `S`.
    ///
    /// If `A` gains a row `a` and a diagonal entry whose Schur complement is `s`, the column is `[-P a, 1] / sqrt(s)`.
    pub fn push(&mut self, column: &[f64]) {
        self.columns.push_row(column);
    }

    /// Grows `A` by a row that is zero but for `value` on the diagonal.
    pub fn push_diagonal(&mut self, value: f64) {
        let mut column = vec![0.0; self.size()];
        column.push(value.sqrt().recip());
        self.push(&column);
    }

    /// `A += curvature phi phi^T`, given a positive curvature and `v = S^T phi`; returns `P phi` from before.
    pub fn add(&mut self, curvature: f64, v: &[f64]) -> &[f64] {
        let mut rotation = Rotation::default();
        rotation.set(curvature, v);
        self.rotate(&rotation)
    }

    /// Adds the term of this rotation to `A`; returns `P phi` of that term from before.
    pub(crate) fn rotate(&mut self, rotation: &Rotation) -> &[f64] {
        self.sweep(rotation, &[], &mut []);
        &self.g[..self.size()]
    }

    /// Adds the term of this rotation to `A`, then computes `v = S^T phi` of other features, reading the root once;
    /// returns `P phi` of the term from before.
    pub(crate) fn rotate_and_tr_mul(
        &mut self,
        rotation: &Rotation,
        phi: &[f64],
        v: &mut [f64],
    ) -> &[f64] {
        self.sweep(rotation, phi, v);
        &self.g[..self.size()]
    }

    fn sweep(&mut self, rotation: &Rotation, phi: &[f64], v: &mut [f64]) {
        let padded = self.size().next_multiple_of(LANES);
        self.phi.clear();
        self.phi.extend_from_slice(phi);
        self.phi.resize(padded, 0.0);
        self.g.clear();
        self.g.resize(padded, 0.0);
        run_tiled(Sweep {
            root: self,
            rotation,
            v,
        });
    }

    /// Multiplies `A` by a positive number.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.columns.scale_in_place(factor.sqrt().recip());
    }

    /// `x . P x` of each column `x` of a lower triangle.
    pub(crate) fn quadratic_forms(&self, x: &Triangle) -> Vec<f64> {
        let mut sums = vec![0.0; self.size().next_multiple_of(LANES)];
        self.columns.square_sums_into(x, &mut sums);
        sums.truncate(self.size());
        sums
    }

    /// Follows features that become `G^T` times the old ones without the last coordinate, so that `A` loses its last
    /// row. The first rotation of `G` is that of the coordinates `j` and `j + 1`, each other that of the pair one
    /// further.
    ///
    /// Returns the last column of `P` over its last entry, by which a coordinate that is removed moves the others.
    pub fn remove(&mut self, rotations: &[Givens], j: usize) -> Vec<f64> {
        let (last, len) = (self.size() - 1, self.size() + 1);
        let mut columns = self.columns.to_square(len);
        for k in j..last {
            let (before, after) = columns.split_at_mut((k + 1) * len);
            let (left, right) = (&mut before[k * len..][..k + 2], &mut after[..k + 2]);
            rotate_in_place(&rotations[k - j..=k - j], k, left);
            rotate_in_place(&rotations[..=k - j], j, right);
            // This left an entry below the diagonal; a rotation of columns, which does not change P, removes it.
            let (rotation, _) = Givens::onto_first(right[k + 1], left[k + 1]);
            rotation.apply_to_rows(right, left);
        }
        for (k, column) in columns.chunks_exact_mut(len).enumerate().skip(j) {
            let sign = column[k].signum();
            for entry in column {
                *entry *= sign;
            }
        }
        let gone = columns.split_off(last * len);
        self.columns = Triangle::from_rows(columns.chunks_exact(len));
        gone[..last]
            .iter()
            .map(|entry| entry / gone[last])
            .collect()
    }

    /// `A += Phi Phi^T` for many rows, given `V = S^T Phi` row by row, padded with rows of zeros to a multiple of
    /// eight.
    ///
    /// Equal to one rotation for each row, computed as products of matrices. With `W_p = I + V_{<p}^T V_{<p}` over the
    /// rows of `V` before a band `p` of eight, `X = V_p W_p^{-1}`, and `C C^T = I + X V_p^T`, the columns of the band
    /// become `(S_p - (S V)_{<p} X^T) C^{-T}`.
    pub(crate) fn add_columns(&mut self, v: &[f64], width: usize, scratch: &mut ColumnsScratch) {
        scratch.add(&mut self.columns, v, width);
    }
}

heap!(InverseRoot: columns, g, phi);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_added_term_by_hand() {
        let mut root = InverseRoot::default();
        root.push_diagonal(1.0);
        root.push_diagonal(1.0);
        assert_eq!(root.add(1.0, &[1.0, 1.0]), [1.0, 1.0]);
        // A = [[2, 1], [1, 2]], P = [[2, -1], [-1, 2]] / 3
        let third = 1.0 / 3.0_f64;
        let expected = [0.5_f64.sqrt(), -(third / 2.0).sqrt(), (2.0 * third).sqrt()];
        for (value, expected) in root.columns().packed().iter().zip(expected) {
            assert!((value - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn a_huge_curvature_leaves_a_finite_root() {
        let mut root = InverseRoot::default();
        root.push_diagonal(1e-6);
        root.push_diagonal(1e-6);
        let mut v = [0.0; 2];
        for curvature in [1e300, 1.0, 1e300] {
            root.tr_mul_into(&[1.0, 1.0], &mut v);
            root.add(curvature, &v);
        }
        assert!(root.columns().packed().iter().all(|s| s.is_finite()));
    }
}
