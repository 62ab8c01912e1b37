//! A symmetric matrix of which the lower half is stored.

use super::{Triangle, axpy_in_place, dot};

/// A symmetric matrix that grows by a diagonal entry; only its lower half is stored.
///
/// ```
/// use nystream::linalg::Symmetric;
///
/// let mut p = Symmetric::default();
/// p.push_diagonal(2.0);
/// p.push_diagonal(2.0);
/// p.rank_one_update(-1.0, &[1.0, 1.0]);
/// let mut out = [0.0; 2];
/// p.mul_into(&[1.0, 10.0], &mut out);
/// assert_eq!(out, [-9.0, 9.0]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Symmetric(Triangle);

impl Symmetric {
    /// Number of rows.
    pub fn size(&self) -> usize {
        self.0.size()
    }

    /// The lower half.
    pub fn lower(&self) -> &Triangle {
        &self.0
    }

    /// The symmetric matrix with this lower half.
    pub fn from_lower(lower: Triangle) -> Self {
        Self(lower)
    }

    /// Appends a row and column that are zero but for `value` on the diagonal.
    pub fn push_diagonal(&mut self, value: f64) {
        let mut row = vec![0.0; self.size()];
        row.push(value);
        self.0.push_row(&row);
    }

    /// `out = P x`.
    pub fn mul_into(&self, x: &[f64], out: &mut [f64]) {
        for i in 0..self.size() {
            let (row, diagonal) = self.0.row(i).split_at(i);
            out[i] = dot(row, &x[..i]) + diagonal[0] * x[i];
            axpy_in_place(x[i], row, &mut out[..i]);
        }
    }

    /// `P += a g g^T`.
    pub fn rank_one_update(&mut self, a: f64, g: &[f64]) {
        for i in 0..self.size() {
            axpy_in_place(a * g[i], &g[..=i], self.0.row_mut(i));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn product_uses_both_halves() {
        let p = Symmetric::from_lower(Triangle::from_packed(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        let mut out = [f64::NAN; 3];
        p.mul_into(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [421.0, 532.0, 654.0]);
    }

    #[test]
    fn rank_one_update_changes_the_lower_half() {
        let mut p = Symmetric::default();
        p.push_diagonal(1.0);
        p.push_diagonal(1.0);
        p.rank_one_update(2.0, &[1.0, 3.0]);
        assert_eq!(p.lower().packed(), [3.0, 6.0, 19.0]);
    }
}
