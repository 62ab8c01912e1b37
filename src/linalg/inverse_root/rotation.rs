//! One rank-one term at a time.

use super::InverseRoot;
use crate::linalg::simd::{LANES, Simd, WithSimd, WithTiles, first, run};
use crate::runtime::memory::heap;

/// The rotation of the columns of `S` by which `A` gains a term `curvature phi phi^T`.
///
/// Carlson's update: the new root is `S R` with the upper triangle `R R^T = I - v v^T / (1 / curvature + ||v||^2)` and
/// `v = S^T phi`. Column by column, `s_j' = keep_j s_j - take_j sum_{i < j} v_i s_i`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rotation {
    size: usize,
    /// `v`, `keep` and `take` are padded to a multiple of eight with values that change nothing.
    v: Vec<f64>,
    keep: Vec<f64>,
    take: Vec<f64>,
    /// `1 / curvature + sum_{i < j} v_i^2` for each column, and for the one after the last.
    sums: Vec<f64>,
}

impl Rotation {
    /// Sets the rotation to that of a term with a positive curvature and `v = S^T phi`.
    pub(crate) fn set(&mut self, curvature: f64, v: &[f64]) {
        self.size = v.len();
        let padded = self.size.next_multiple_of(LANES);
        self.v.clear();
        self.v.extend_from_slice(v);
        self.v.resize(padded, 0.0);
        self.keep.resize(padded, 1.0);
        self.take.resize(padded, 0.0);
        self.sums.clear();
        let mut sum = curvature.recip();
        self.sums.push(sum);
        // Each sum needs the one before it; their roots, which take longer, do not.
        for v in &self.v {
            sum += v * v;
            self.sums.push(sum);
        }
        run(SetRotation { rotation: self });
    }

    /// Appends a column that the rotation does not change.
    pub(crate) fn push(&mut self) {
        self.size += 1;
        self.pad();
    }

    /// Becomes the rotation that changes none of `size` columns, in the same memory.
    pub(crate) fn reset(&mut self, size: usize) {
        for numbers in [&mut self.v, &mut self.keep, &mut self.take, &mut self.sums] {
            numbers.clear();
        }
        self.size = size;
        self.pad();
    }

    fn pad(&mut self) {
        let padded = self.size.next_multiple_of(LANES);
        self.v.resize(padded, 0.0);
        self.keep.resize(padded, 1.0);
        self.take.resize(padded, 0.0);
    }

    /// `v = S^T phi` of the term.
    pub(crate) fn v(&self) -> &[f64] {
        &self.v[..self.size]
    }
}

struct SetRotation<'a> {
    rotation: &'a mut Rotation,
}

impl WithSimd for SetRotation<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Rotation {
            v,
            keep,
            take,
            sums,
            ..
        } = self.rotation;
        let n = v.len();
        for sum in sums.iter_mut() {
            *sum = sum.sqrt();
        }
        let (roots, next) = (&sums[..n], &sums[1..=n]);
        let (keep, take, v) = (&mut keep[..n], &mut take[..n], &v[..n]);
        for j in 0..n {
            keep[j] = roots[j] / next[j];
            take[j] = v[j] / (roots[j] * next[j]);
        }
    }
}

/// Rotates a root; `g` becomes `S v` with the root from before, and `v` becomes `S^T phi` with the rotated one.
pub(super) struct Sweep<'a> {
    pub(super) root: &'a mut InverseRoot,
    pub(super) rotation: &'a Rotation,
    pub(super) v: &'a mut [f64],
}

impl WithTiles for Sweep<'_> {
    type Output = ();

    #[inline(always)]
    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(self, simd: S) {
        let InverseRoot { columns, g, phi } = self.root;
        let g = S::as_mut_simd_f64s(g).0.as_chunks_mut::<REGISTERS>().0;
        let phi = S::as_simd_f64s(phi).0.as_chunks::<REGISTERS>().0;
        let mut products = self.v.chunks_mut(LANES);
        for index in 0..columns.size().div_ceil(LANES) {
            let Rotation { keep, take, v, .. } = self.rotation;
            let columns = S::as_mut_simd_f64s(columns.band_mut(index)).0;
            let columns = columns.as_chunks_mut::<REGISTERS>().0;
            let groups = index + 1;
            let (g, phi) = (&mut g[..groups], &phi[..groups]);
            let mut dots = [0.0; LANES];
            for (half, columns) in columns.chunks_exact_mut(HALF * groups).enumerate() {
                let start = index * LANES + half * HALF;
                let rotation = [
                    first(&keep[start..]),
                    first(&take[start..]),
                    first(&v[start..]),
                ];
                let sums = sweep_half(simd, columns, &rotation, g, phi);
                for n in 0..HALF {
                    dots[half * HALF + n] = simd.reduce_sum_f64s(sums[n]);
                }
            }
            if let Some(v) = products.next() {
                v.copy_from_slice(&dots[..v.len()]);
            }
        }
    }
}

/// Number of columns that are rotated together: as many as leave registers for the rest.
const HALF: usize = LANES / 2;

/// Rotates the columns of half a band; returns their products with `phi`, not yet summed over the lanes.
#[inline(always)]
fn sweep_half<S: Simd, const REGISTERS: usize>(
    simd: S,
    columns: &mut [[S::f64s; REGISTERS]],
    [keep, take, v]: &[[f64; HALF]; 3],
    g: &mut [[S::f64s; REGISTERS]],
    phi: &[[S::f64s; REGISTERS]],
) -> [S::f64s; HALF] {
    let groups = g.len();
    let (c0, rest) = columns.split_at_mut(groups);
    let (c1, rest) = rest.split_at_mut(groups);
    let (c2, c3) = rest.split_at_mut(groups);
    let (c3, phi) = (&mut c3[..groups], &phi[..groups]);
    let mut sums = [simd.splat_f64s(0.0); HALF];
    for at in 0..groups {
        for r in 0..REGISTERS {
            let mut sum = g[at][r];
            let phi = phi[at][r];
            let columns = [
                &mut c0[at][r],
                &mut c1[at][r],
                &mut c2[at][r],
                &mut c3[at][r],
            ];
            for (n, s) in columns.into_iter().enumerate() {
                let old = *s;
                let kept = simd.mul_f64s(simd.splat_f64s(keep[n]), old);
                *s = simd.negate_mul_add_e_f64s(simd.splat_f64s(take[n]), sum, kept);
                sum = simd.mul_add_e_f64s(simd.splat_f64s(v[n]), old, sum);
                sums[n] = simd.mul_add_e_f64s(*s, phi, sums[n]);
            }
            g[at][r] = sum;
        }
    }
    sums
}
heap!(Rotation: v, keep, take, sums);
