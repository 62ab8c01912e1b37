//! A lower-triangular matrix that grows by a row.

mod columns;

use nalgebra::DMatrix;

use crate::error::Error;
use crate::linalg::simd::{LANES, Lanes, Simd, WithSimd, rows, run};
use crate::runtime::memory::{grow_to, heap};

/// A lower-triangular matrix that grows by a row.
///
/// Rows are stored in bands of eight, padded with zeros to the length of the last row of the band. So no row ever
/// moves, and products work on eight rows and whole vector registers at a time.
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

/// Eight rows of a triangle, those from `8 index` on.
#[derive(Clone, Copy)]
struct Band<'a> {
    index: usize,
    data: &'a [f64],
}

impl Triangle {
    /// Number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Row `i`: its `i + 1` entries up to the diagonal.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.data[offset(i)..][..=i]
    }

    /// Appends a row of `size() + 1` entries.
    pub fn push_row(&mut self, row: &[f64]) {
        debug_assert_eq!(row.len(), self.size + 1);
        let start = offset(self.size);
        if self.size.is_multiple_of(LANES) {
            grow_to(&mut self.data, start + LANES * width(self.size), 0.0);
        }
        self.data[start..][..row.len()].copy_from_slice(row);
        self.size += 1;
    }

    /// Appends the row `[row, sqrt(residual)]`; fails if the root is not positive.
    ///
    /// If this is the Cholesky factor `L` of a matrix that grows by a row `k` and a diagonal entry, `row` is `L^{-1} k`
    /// and the residual is the entry less `||row||^2`.
    pub(crate) fn push_pivot(&mut self, row: &[f64], residual: f64) -> Result<(), Error> {
        let pivot = residual.sqrt();
        if pivot > 0.0 {
            let mut row = row.to_vec();
            row.push(pivot);
            self.push_row(&row);
            Ok(())
        } else {
            let row = self.size;
            Err(Error::NotPositiveDefinite { row, pivot })
        }
    }

    /// `out = T x`.
    pub fn mul_into(&self, x: &[f64], out: &mut [f64]) {
        run(Mul { t: self, x, out });
    }

    /// `out = T^T x`.
    pub fn tr_mul_into(&self, x: &[f64], out: &mut [f64]) {
        run(TrMul { t: self, x, out });
    }

    /// Solves `T y = b`, given `b`, for `y`.
    pub(crate) fn solve_in_place(&self, b: &mut [f64]) {
        run(Solve { t: self, b });
    }

    /// Solves `T^T y = b`, given `b`, for `y`.
    pub(crate) fn tr_solve_in_place(&self, b: &mut [f64]) {
        run(TrSolve { t: self, b });
    }

    /// The entries row by row, without the zeros.
    pub fn packed(&self) -> Vec<f64> {
        let mut packed = Vec::with_capacity(packed_len(self.size));
        self.pack_onto(&mut packed);
        packed
    }

    /// Appends the [`packed`](Self::packed) entries.
    pub(crate) fn pack_onto(&self, numbers: &mut Vec<f64>) {
        (0..self.size).for_each(|i| numbers.extend_from_slice(self.row(i)));
    }

    /// Becomes the triangle of `size` rows with these [`packed`](Self::packed) entries, in the same memory.
    pub(crate) fn unpack(&mut self, size: usize, data: &[f64]) {
        debug_assert_eq!(data.len(), packed_len(size));
        if self.size != size {
            self.data.clear();
            self.data.resize(offset(size.next_multiple_of(LANES)), 0.0);
            self.size = size;
        }
        for i in 0..size {
            self.data[offset(i)..][..=i].copy_from_slice(&data[packed_len(i)..][..=i]);
        }
    }

    /// The triangle of `size` rows with these [`packed`](Self::packed) entries, if their number is right.
    pub(crate) fn from_packed(size: usize, data: &[f64]) -> Option<Self> {
        if data.len() != packed_len(size) {
            return None;
        }
        let mut triangle = Self::default();
        triangle.unpack(size, data);
        Some(triangle)
    }

    /// Multiplies all entries.
    pub(super) fn scale_in_place(&mut self, factor: f64) {
        self.data.iter_mut().for_each(|entry| *entry *= factor);
    }

    /// The rows one after the other, each padded with zeros to this length.
    pub(super) fn to_square(&self, len: usize) -> Vec<f64> {
        let mut rows = vec![0.0; self.size * len];
        for (i, row) in rows.chunks_exact_mut(len.max(1)).enumerate() {
            row[..=i].copy_from_slice(self.row(i));
        }
        rows
    }

    /// The triangle as a square matrix.
    pub(crate) fn to_matrix(&self) -> DMatrix<f64> {
        DMatrix::from_row_slice(self.size, self.size, &self.to_square(self.size))
    }

    /// The triangle with these rows, of which only the entries up to the diagonal are read.
    pub(crate) fn from_rows<'a>(rows: impl IntoIterator<Item = &'a [f64]>) -> Self {
        let rows = rows.into_iter();
        let mut triangle = Self::default();
        triangle
            .data
            .reserve(offset(rows.size_hint().0.next_multiple_of(LANES)));
        for (i, row) in rows.enumerate() {
            triangle.push_row(&row[..=i]);
        }
        triangle
    }

    /// The `N` rows of one band from `first` on, with their padding.
    #[inline(always)]
    fn stored_rows<const N: usize>(&self, first: usize) -> [&[f64]; N] {
        rows(&self.data[offset(first)..], width(first))
    }

    fn bands(&self) -> impl DoubleEndedIterator<Item = Band<'_>> {
        (0..self.size.div_ceil(LANES)).map(|index| self.band(index))
    }

    fn band(&self, index: usize) -> Band<'_> {
        let (start, end) = (offset(LANES * index), offset(LANES * (index + 1)));
        Band {
            index,
            data: &self.data[start..end],
        }
    }

    /// The entries of the band of this index: eight rows of `8 (index + 1)`, one after the other.
    pub(super) fn band_mut(&mut self, index: usize) -> &mut [f64] {
        let (start, end) = (offset(LANES * index), offset(LANES * (index + 1)));
        &mut self.data[start..end]
    }
}

impl<'a> Band<'a> {
    fn width(self) -> usize {
        LANES * (self.index + 1)
    }

    fn row(self, r: usize) -> &'a [f64] {
        &self.data[r * self.width()..][..self.width()]
    }

    #[inline(always)]
    fn registers<S: Simd>(self) -> [&'a [S::f64s]; LANES] {
        let data = S::as_simd_f64s(self.data).0;
        let stride = data.len() / LANES;
        let mut rows = [&data[..stride]; LANES];
        for r in 0..LANES {
            rows[r] = &data[r * stride..][..stride];
        }
        rows
    }

    /// The products of the eight rows with a vector that may be shorter.
    #[inline(always)]
    fn dots<S: Simd>(self, simd: S, x: &[f64]) -> [f64; LANES] {
        let rows = self.registers::<S>();
        let (x, tail) = S::as_simd_f64s(x);
        let mut sums = [simd.splat_f64s(0.0); LANES];
        for (i, &x) in x.iter().enumerate() {
            for r in 0..LANES {
                sums[r] = simd.mul_add_e_f64s(rows[r][i], x, sums[r]);
            }
        }
        if !tail.is_empty() {
            let (i, x) = (x.len(), simd.partial_load_f64s(tail));
            for r in 0..LANES {
                sums[r] = simd.mul_add_e_f64s(rows[r][i], x, sums[r]);
            }
        }
        let mut dots = [0.0; LANES];
        for r in 0..LANES {
            dots[r] = simd.reduce_sum_f64s(sums[r]);
        }
        dots
    }

    /// `out += sum_r factors_r row_r`, up to the length of `out`.
    #[inline(always)]
    fn combine_into<S: Simd>(self, simd: S, factors: Lanes, out: &mut [f64]) {
        let rows = self.registers::<S>();
        let (out, tail) = S::as_mut_simd_f64s(out);
        for (i, out) in out.iter_mut().enumerate() {
            let mut sum = *out;
            for r in 0..LANES {
                sum = simd.mul_add_e_f64s(simd.splat_f64s(factors[r]), rows[r][i], sum);
            }
            *out = sum;
        }
        if !tail.is_empty() {
            let mut sum = simd.partial_load_f64s(tail);
            for r in 0..LANES {
                sum = simd.mul_add_e_f64s(simd.splat_f64s(factors[r]), rows[r][out.len()], sum);
            }
            simd.partial_store_f64s(tail, sum);
        }
    }
}

/// Up to eight numbers, padded with zeros.
#[inline(always)]
fn padded(values: &[f64]) -> Lanes {
    let mut lanes = [0.0; LANES];
    lanes[..values.len()].copy_from_slice(values);
    lanes
}

/// Up to eight numbers negated, padded with zeros.
#[inline(always)]
fn negated(values: &[f64]) -> Lanes {
    let mut lanes = padded(values);
    for value in &mut lanes {
        *value = -*value;
    }
    lanes
}

struct Mul<'a> {
    t: &'a Triangle,
    x: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for Mul<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (band, out) in self.t.bands().zip(self.out.chunks_mut(LANES)) {
            let dots = band.dots(simd, &self.x[..self.x.len().min(band.width())]);
            out.copy_from_slice(&dots[..out.len()]);
        }
    }
}

struct TrMul<'a> {
    t: &'a Triangle,
    x: &'a [f64],
    out: &'a mut [f64],
}

impl WithSimd for TrMul<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.out.fill(0.0);
        for (band, x) in self.t.bands().zip(self.x.chunks(LANES)) {
            let end = self.out.len().min(band.width());
            band.combine_into(simd, padded(x), &mut self.out[..end]);
        }
    }
}

struct Solve<'a> {
    t: &'a Triangle,
    b: &'a mut [f64],
}

impl WithSimd for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for band in self.t.bands() {
            let first = LANES * band.index;
            let (known, rest) = self.b.split_at_mut(first);
            let dots = band.dots(simd, known);
            for r in 0..rest.len().min(LANES) {
                let row = &band.row(r)[first..];
                let dot: f64 = row[..r].iter().zip(&rest[..r]).map(|(t, y)| t * y).sum();
                rest[r] = (rest[r] - dots[r] - dot) / row[r];
            }
        }
    }
}

struct TrSolve<'a> {
    t: &'a Triangle,
    b: &'a mut [f64],
}

impl WithSimd for TrSolve<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for band in self.t.bands().rev() {
            let first = LANES * band.index;
            let (rest, known) = self.b.split_at_mut(first);
            let known = &mut known[..LANES.min(self.t.size - first)];
            for r in (0..known.len()).rev() {
                let row = &band.row(r)[first..];
                known[r] /= row[r];
                for m in 0..r {
                    known[m] -= known[r] * row[m];
                }
            }
            band.combine_into(simd, negated(known), rest);
        }
    }
}

/// Index at which row `i` starts.
fn offset(i: usize) -> usize {
    let band = i / LANES;
    LANES * LANES * (band * (band + 1) / 2) + (i % LANES) * width(i)
}

/// Number of entries that row `i` takes, with padding.
fn width(i: usize) -> usize {
    LANES * (i / LANES + 1)
}

/// Number of entries of a triangle with `size` rows.
pub(crate) fn packed_len(size: usize) -> usize {
    size * (size + 1) / 2
}

heap!(Triangle: data);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_follow_the_definition() {
        let t = Triangle::from_packed(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let mut out = [f64::NAN; 3];
        t.mul_into(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [1.0, 32.0, 654.0]);
        t.tr_mul_into(&[1.0, 10.0, 100.0], &mut out);
        assert_eq!(out, [421.0, 530.0, 600.0]);
    }

    #[test]
    fn solves_undo_products() {
        let t = Triangle::from_packed(3, &[1.0, 2.0, 4.0, 4.0, 5.0, 2.0]).unwrap();
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
        assert!(Triangle::from_packed(2, &[0.0; 4]).is_none());
    }
}
