//! A lower-triangular matrix that grows by a row.

use super::{axpy_in_place, dot};

/// A lower-triangular matrix that grows by a row.
///
/// Rows are stored one after the other with room to spare, so that a new row rarely moves the others.
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
    stride: usize,
    size: usize,
}

impl Triangle {
    /// Number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Row `i`: its `i + 1` entries up to the diagonal.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[i * self.stride..][..=i]
    }

    /// Row `i`, to be changed.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.data[i * self.stride..][..=i]
    }

    /// Appends a row of `size() + 1` entries.
    pub fn push_row(&mut self, row: &[f64]) {
        if self.size == self.stride {
            self.widen();
        }
        self.size += 1;
        self.row_mut(self.size - 1).copy_from_slice(row);
    }

    fn widen(&mut self) {
        let stride = (2 * self.stride).max(8);
        let mut data = vec![0.0; stride * stride];
        for i in 0..self.size {
            data[i * stride..][..=i].copy_from_slice(self.row(i));
        }
        self.data = data;
        self.stride = stride;
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
    pub fn packed(&self) -> Vec<f64> {
        (0..self.size)
            .flat_map(|i| self.row(i).iter().copied())
            .collect()
    }

    /// The matrix of `size` rows whose [`packed`](Self::packed) entries these are.
    pub fn from_packed(size: usize, packed: &[f64]) -> Self {
        let mut triangle = Self::default();
        let mut rest = packed;
        for i in 0..size {
            let (row, tail) = rest.split_at(i + 1);
            triangle.push_row(row);
            rest = tail;
        }
        triangle
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_follow_the_definition() {
        let t = Triangle::from_packed(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let mut out = [f64::NAN; 3];
        t.mul_into(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [1.0, 32.0, 654.0]);
        t.tr_mul_into(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [421.0, 530.0, 600.0]);
    }

    #[test]
    fn solves_undo_products() {
        let t = Triangle::from_packed(3, &[1.0, 2.0, 4.0, 4.0, 5.0, 2.0]);
        let mut b = [0.0; 3];
        t.mul_into(&[1.0, 10.0, 100.0], &mut b);
        t.solve_in_place(&mut b);
        assert_eq!(b, [1.0, 10.0, 100.0]);
        t.tr_mul_into(&[1.0, 10.0, 100.0], &mut b);
        t.tr_solve_in_place(&mut b);
        assert_eq!(b, [1.0, 10.0, 100.0]);
    }

    #[test]
    fn growing_past_the_room_keeps_every_row() {
        let mut t = Triangle::default();
        for i in 0..20_u32 {
            t.push_row(&vec![f64::from(i); i as usize + 1]);
        }
        let again = Triangle::from_packed(20, &t.packed());
        for i in 0..20_u32 {
            assert_eq!(again.row(i as usize), vec![f64::from(i); i as usize + 1]);
        }
    }
}
