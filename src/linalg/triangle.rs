//! A lower-triangular matrix that grows by a row.

use super::{axpy_in_place, dot};
use crate::error::Error;

/// A lower-triangular matrix that grows by a row.
///
/// Rows are stored one after the other, without the zeros.
///
/// ```
/// use nystream::linalg::Triangle;
///
/// let mut t = Triangle::default();
/// t.push_row(&[2.0]);
/// t.push_row(&[3.0, 4.0]);
/// let mut out = [0.0; 2];
/// t.mul_into(&[1.0, 10.0], &mut out);
/// assert_eq!(out, [2.0, 43.0]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Triangle {
    data: Vec<f64>,
    size: usize,
}

impl Triangle {
    /// Number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Row `i`: its `i + 1` entries up to the diagonal.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[packed_len(i)..][..=i]
    }

    /// Row `i`, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[packed_len(i)..][..=i]
    }

    /// Appends a row of `size() + 1` entries.
    pub fn push_row(&mut self, row: &[f64]) {
        debug_assert_eq!(row.len(), self.size + 1);
        self.data.extend_from_slice(row);
        self.size += 1;
    }

    /// Appends the row `[row, sqrt(residual)]`, or says that a factor cannot have it.
    ///
    /// If this is the Cholesky factor `L` of a matrix that grows by a row `k` and a diagonal entry, `row` is
    /// `L^{-1} k` and the residual is the entry less `||row||^2`.
    pub fn push_pivot(&mut self, row: &[f64], residual: f64) -> Result<(), Error> {
        let pivot = residual.sqrt();
        if pivot > 0.0 {
            debug_assert_eq!(row.len(), self.size);
            self.data.extend_from_slice(row);
            self.data.push(pivot);
            self.size += 1;
            Ok(())
        } else {
            let row = self.size;
            Err(Error::NotPositiveDefinite { row, pivot })
        }
    }

    /// `out = T x`.
    pub fn mul_into(&self, x: &[f64], out: &mut [f64]) {
        for (i, value) in out.iter_mut().enumerate() {
            *value = dot(self.row(i), &x[..=i]);
        }
    }

    /// `out = T^T x`.
    pub fn tr_mul_into(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (i, &x_i) in x.iter().enumerate() {
            axpy_in_place(x_i, self.row(i), &mut out[..=i]);
        }
    }

    /// Solves `T y = b`, given `b`, for `y`.
    pub fn solve_in_place(&self, b: &mut [f64]) {
        for i in 0..b.len() {
            let (row, diagonal) = self.row(i).split_at(i);
            b[i] = (b[i] - dot(row, &b[..i])) / diagonal[0];
        }
    }

    /// Solves `T^T y = b`, given `b`, for `y`.
    pub fn tr_solve_in_place(&self, b: &mut [f64]) {
        for i in (0..b.len()).rev() {
            let (row, diagonal) = self.row(i).split_at(i);
            b[i] /= diagonal[0];
            axpy_in_place(-b[i], row, &mut b[..i]);
        }
    }

    /// The entries row by row, without the zeros.
    pub fn packed(&self) -> &[f64] {
        &self.data
    }

    /// The matrix of `size` rows whose [`packed`](Self::packed) entries these are, if there are as many.
    pub fn from_packed(size: usize, data: Vec<f64>) -> Option<Self> {
        (data.len() == packed_len(size)).then_some(Self { data, size })
    }
}

/// Number of entries of a triangle with `size` rows.
pub(crate) fn packed_len(size: usize) -> usize {
    size * (size + 1) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_follow_the_definition() {
        let t = Triangle::from_packed(3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let mut out = [f64::NAN; 3];
        t.mul_into(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [1.0, 32.0, 654.0]);
        t.tr_mul_into(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [421.0, 530.0, 600.0]);
    }

    #[test]
    fn solves_undo_products() {
        let t = Triangle::from_packed(3, vec![1.0, 2.0, 4.0, 4.0, 5.0, 2.0]).unwrap();
        let mut b = [0.0; 3];
        t.mul_into(&[1.0, 10.0, 100.0], &mut b);
        t.solve_in_place(&mut b);
        assert_eq!(b, [1.0, 10.0, 100.0]);
        t.tr_mul_into(&[1.0, 10.0, 100.0], &mut b);
        t.tr_solve_in_place(&mut b);
        assert_eq!(b, [1.0, 10.0, 100.0]);
    }

    #[test]
    fn rows_are_packed_one_after_the_other() {
        let mut t = Triangle::default();
        t.push_row(&[1.0]);
        t.push_pivot(&[2.0], 9.0).unwrap();
        assert_eq!(t.packed(), [1.0, 2.0, 3.0]);
        assert_eq!(t.row(1), [2.0, 3.0]);
        assert!(Triangle::from_packed(2, vec![0.0; 4]).is_none());
    }
}
