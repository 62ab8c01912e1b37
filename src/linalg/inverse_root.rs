//! The inverse of a growing matrix, kept as its root.

use super::Triangle;

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
/// let (mut v, mut g) = ([0.0; 2], [0.0; 2]);
/// root.tr_mul_into(&[0.0, 1.0], &mut v);
/// root.add(3.0, &v, &mut g);
/// assert_eq!(g, [0.0, 1.0]); // P phi before the term was added
/// root.tr_mul_into(&[0.0, 1.0], &mut v);
/// assert_eq!(v, [0.0, 0.5]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct InverseRoot {
    /// Row `j` is the column `j` of `S`.
    columns: Triangle,
}

impl InverseRoot {
    /// The root with these columns.
    pub fn from_columns(columns: Triangle) -> Self {
        Self { columns }
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

    /// `g = S v`, which is `P phi` if `v = S^T phi`.
    pub fn mul_into(&self, v: &[f64], g: &mut [f64]) {
        self.columns.tr_mul_into(v, g);
    }

    /// Appends a column to `S`.
    ///
    /// If `A` gains a row `a` and a diagonal entry, and `s` is the entry's Schur complement, it is
    /// `[-P a, 1] / sqrt(s)`.
    pub fn push(&mut self, column: &[f64]) {
        self.columns.push_row(column);
    }

    /// Appends a row to `A` that is zero but for `value` on the diagonal.
    pub fn push_diagonal(&mut self, value: f64) {
        let mut column = vec![0.0; self.size()];
        column.push(value.sqrt().recip());
        self.push(&column);
    }

    /// `A += curvature phi phi^T`, given a positive curvature and `v = S^T phi`; leaves in `g` what `P phi` was before.
    ///
    /// Carlson's update: the new root is `S M` with the upper triangle `M M^T = I - v v^T / (1 / curvature + ||v||^2)`,
    /// whose columns follow from running sums.
    pub fn add(&mut self, curvature: f64, v: &[f64], g: &mut [f64]) {
        g.fill(0.0);
        let mut before = curvature.recip();
        let mut before_root = before.sqrt();
        for (j, &v_j) in v.iter().enumerate() {
            let after = before + v_j * v_j;
            let after_root = after.sqrt();
            let scale = (before_root * after_root).recip();
            let (keep, take) = (scale * before, scale * v_j);
            for (s, g) in self.columns.row_mut(j).iter_mut().zip(&mut *g) {
                let old = *s;
                *s = keep * old - take * *g;
                *g += v_j * old;
            }
            (before, before_root) = (after, after_root);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_added_term_by_hand() {
        let mut root = InverseRoot::default();
        root.push_diagonal(1.0);
        root.push_diagonal(1.0);
        let mut g = [0.0; 2];
        root.add(1.0, &[1.0, 1.0], &mut g);
        assert_eq!(g, [1.0, 1.0]);
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
        let (mut v, mut g) = ([0.0; 2], [0.0; 2]);
        for curvature in [1e300, 1.0, 1e300] {
            root.tr_mul_into(&[1.0, 1.0], &mut v);
            root.add(curvature, &v, &mut g);
        }
        assert!(root.columns().packed().iter().all(|s| s.is_finite()));
    }
}
