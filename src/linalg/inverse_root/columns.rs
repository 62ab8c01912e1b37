//! Many rank-one terms at once, as products of matrices.

use super::Triangle;
use crate::linalg::product::mul_columns_with;
use crate::linalg::simd::{
    LANES, Lanes, Simd, Tiled, WithSimd, WithTiles, add_tile, dot_with, first, products, run,
    run_tiled,
};

/// Scratch for [`add_columns`](super::InverseRoot::add_columns), which works on bands of eight columns of the root.
#[derive(Debug, Default)]
pub(crate) struct ColumnsScratch {
    /// `-X`.
    x: Vec<f64>,
    /// `C^{-1}`.
    c_inverses: Vec<[Lanes; LANES]>,
    /// `W_p^{-1}`.
    w_inverse: Vec<f64>,
    /// `C^{-1} X` of one band.
    scaled: Vec<f64>,
    /// Some rows of `S V` in groups of eight, each stored column by column.
    products: Vec<f64>,
}

impl ColumnsScratch {
    /// Adds the terms `V`, which has eight rows for each band; rows beyond the size are zeros.
    pub(super) fn add(&mut self, columns: &mut Triangle, v: &[f64], width: usize) {
        self.x.resize(v.len(), 0.0);
        self.c_inverses.clear();
        self.w_inverse.clear();
        self.w_inverse.resize(width * width, 0.0);
        for i in 0..width {
            self.w_inverse[i * width + i] = 1.0;
        }
        self.scaled.resize(LANES * width, 0.0);
        self.products.resize(GROUPS * LANES * width, 0.0);
        let scratch = self;
        run_tiled(FactorBands { scratch, v, width });
        run(AddColumns {
            columns,
            scratch,
            v,
            width,
        });
    }
}

struct FactorBands<'a> {
    scratch: &'a mut ColumnsScratch,
    v: &'a [f64],
    width: usize,
}

impl WithTiles for FactorBands<'_> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(self, simd: S) {
        let (width, stride) = (self.width, self.width / S::F64_LANES);
        let ColumnsScratch {
            x,
            c_inverses,
            w_inverse,
            scaled,
            ..
        } = self.scratch;
        let bands = self.v.chunks_exact(LANES * width);
        for (v, x) in bands.zip(x.chunks_exact_mut(LANES * width)) {
            mul_columns_with::<S, ROWS, REGISTERS>(simd, v, w_inverse, width, x);
            let c_inverse = inverse(&cholesky(gram(simd, x, v, width)));
            scaled.copy_from_slice(x);
            let rows = S::as_mut_simd_f64s(scaled).0;
            mul_lower(simd, &c_inverse, rows, stride, stride);
            subtract_gram::<S, ROWS, REGISTERS>(simd, scaled, w_inverse, width);
            for x in x.iter_mut() {
                *x = -*x;
            }
            c_inverses.push(c_inverse);
        }
    }
}

/// `I + X V^T`, where `X` and `V` have eight rows each.
#[inline(always)]
fn gram<S: Simd>(simd: S, x: &[f64], v: &[f64], width: usize) -> [Lanes; LANES] {
    let mut gram = [[0.0; LANES]; LANES];
    for i in 0..LANES {
        for j in 0..=i {
            gram[i][j] = dot_with(simd, &x[i * width..][..width], &v[j * width..][..width]);
        }
        gram[i][i] += 1.0;
    }
    gram
}

/// The Cholesky factor of a matrix of which the lower half is given.
#[inline(always)]
fn cholesky(mut matrix: [Lanes; LANES]) -> [Lanes; LANES] {
    for j in 0..LANES {
        let mut pivot = matrix[j][j];
        for m in 0..j {
            pivot -= matrix[j][m] * matrix[j][m];
        }
        matrix[j][j] = pivot.sqrt();
        for i in j + 1..LANES {
            let mut sum = matrix[i][j];
            for m in 0..j {
                sum -= matrix[i][m] * matrix[j][m];
            }
            matrix[i][j] = sum / matrix[j][j];
        }
    }
    matrix
}

/// The inverse of a lower triangle.
#[inline(always)]
fn inverse(factor: &[Lanes; LANES]) -> [Lanes; LANES] {
    let mut inverse = [[0.0; LANES]; LANES];
    for j in 0..LANES {
        inverse[j][j] = factor[j][j].recip();
        for i in j + 1..LANES {
            let mut sum = 0.0;
            for m in j..i {
                sum -= factor[i][m] * inverse[m][j];
            }
            inverse[i][j] = sum / factor[i][i];
        }
    }
    inverse
}

/// `Y = T Y` for a lower triangle and the first `len` registers of eight rows.
#[inline(always)]
fn mul_lower<S: Simd>(
    simd: S,
    t: &[Lanes; LANES],
    rows: &mut [S::f64s],
    stride: usize,
    len: usize,
) {
    for at in 0..len {
        // From the last row to the first, so that each row still reads the old values of those before it.
        for i in (0..LANES).rev() {
            let mut sum = simd.mul_f64s(simd.splat_f64s(t[i][i]), rows[i * stride + at]);
            for j in 0..i {
                sum = simd.mul_add_e_f64s(simd.splat_f64s(t[i][j]), rows[j * stride + at], sum);
            }
            rows[i * stride + at] = sum;
        }
    }
}

/// `matrix -= X^T X` for eight rows `X` and a square matrix.
#[inline(always)]
fn subtract_gram<S: Simd, const ROWS: usize, const REGISTERS: usize>(
    simd: S,
    x: &[f64],
    matrix: &mut [f64],
    width: usize,
) {
    let stride = width / S::F64_LANES;
    let (lanes, matrix) = (S::as_simd_f64s(x).0, S::as_mut_simd_f64s(matrix).0);
    for column in (0..width).step_by(ROWS) {
        let factors = |i: usize| negated::<ROWS>(&x[i * width + column..]);
        let matrix = &mut matrix[column * stride..];
        for at in (0..stride).step_by(REGISTERS) {
            let sums = products::<S, ROWS, REGISTERS>(simd, LANES, factors, lanes, stride, at);
            add_tile::<S, ROWS, REGISTERS>(simd, &sums, &mut matrix[at..], stride);
        }
    }
}

#[inline(always)]
fn negated<const N: usize>(values: &[f64]) -> [f64; N] {
    let mut negated = first(values);
    for value in &mut negated {
        *value = -*value;
    }
    negated
}

/// Groups of eight rows of `S` that are updated together, so that their part of `S V` stays in the nearest cache.
const GROUPS: usize = 4;

struct AddColumns<'a> {
    columns: &'a mut Triangle,
    scratch: &'a mut ColumnsScratch,
    v: &'a [f64],
    width: usize,
}

impl WithSimd for AddColumns<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let ColumnsScratch {
            x,
            c_inverses,
            products,
            ..
        } = self.scratch;
        for first in (0..c_inverses.len()).step_by(GROUPS) {
            products.fill(0.0);
            for band in first..c_inverses.len() {
                let groups = products.chunks_exact_mut(self.width * LANES);
                for (group, product) in (first..=band).zip(groups) {
                    let range = LANES * self.width * band..LANES * self.width * (band + 1);
                    let mut rotation = [[0.0; LANES]; LANES];
                    // Separate operations, so that each has all registers.
                    simd.vectorize(Tiled(MulProduct {
                        x: &x[range.clone()],
                        product,
                        rotation: &mut rotation,
                    }));
                    let columns = self.columns.band_mut(band);
                    simd.vectorize(Tiled(ExtendProduct {
                        v: &self.v[range],
                        columns,
                        group,
                        product,
                    }));
                    simd.vectorize(Tiled(Rotate {
                        rotation: &rotation,
                        c_inverse: &c_inverses[band],
                        columns,
                        group,
                    }));
                }
            }
        }
    }
}

/// `rotation = -X (S V)^T`, with `-X` given.
struct MulProduct<'a> {
    x: &'a [f64],
    product: &'a [f64],
    rotation: &'a mut [Lanes; LANES],
}

impl WithTiles for MulProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(self, simd: S) {
        let rotation = self.rotation.as_flattened_mut();
        mul_columns_with::<S, ROWS, REGISTERS>(simd, self.x, self.product, LANES, rotation);
    }
}

/// `(S V) += S_p V_p` in one group of rows.
struct ExtendProduct<'a> {
    v: &'a [f64],
    columns: &'a [f64],
    group: usize,
    product: &'a mut [f64],
}

impl WithTiles for ExtendProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(self, simd: S) {
        let columns = S::as_simd_f64s(self.columns).0;
        let product = S::as_mut_simd_f64s(self.product).0;
        let (stride, width) = (columns.len() / LANES, self.v.len() / LANES);
        let at = self.group * REGISTERS;
        for (n, product) in product.chunks_exact_mut(ROWS * REGISTERS).enumerate() {
            let factors = |j: usize| first::<ROWS>(&self.v[j * width + n * ROWS..]);
            let sums = products::<S, ROWS, REGISTERS>(simd, LANES, factors, columns, stride, at);
            add_tile::<S, ROWS, REGISTERS>(simd, &sums, product, REGISTERS);
        }
    }
}

/// `S_p = (S_p + rotation) C^{-T}` in one group of rows.
struct Rotate<'a> {
    rotation: &'a [Lanes; LANES],
    c_inverse: &'a [Lanes; LANES],
    columns: &'a mut [f64],
    group: usize,
}

impl WithTiles for Rotate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(self, simd: S) {
        let rotation = S::as_simd_f64s(self.rotation.as_flattened()).0;
        let columns = S::as_mut_simd_f64s(self.columns).0;
        let stride = columns.len() / LANES;
        let columns = &mut columns[self.group * REGISTERS..];
        for (j, rotation) in rotation.chunks_exact(REGISTERS).enumerate() {
            for r in 0..REGISTERS {
                let s = &mut columns[j * stride + r];
                *s = simd.add_f64s(*s, rotation[r]);
            }
        }
        mul_lower(simd, self.c_inverse, columns, stride, REGISTERS);
    }
}
