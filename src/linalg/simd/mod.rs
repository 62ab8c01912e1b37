//! One body of code for every instruction set: the best one that the processor has is chosen at run time.
//!
//! Everything here is `inline(always)`: only what is inlined into [`run`] is compiled for the set chosen. That is why
//! small arrays are filled by loops: the closures of `map` and `from_fn` may be left out of line.

mod math;

use std::sync::LazyLock;

use pulp::Arch;
pub(crate) use pulp::{Simd, WithSimd};

pub(crate) use math::{Arithmetic, Elementwise, exp, map_in_place, sin_cos_in_place};

/// Number of values stored side by side: as many as the widest instruction set takes at once.
pub const LANES: usize = 8;

/// One number for each of some rows.
pub type Lanes = [f64; LANES];

/// The environment variable that selects the code that runs on every processor.
const VARIABLE: &str = "NYSTREAM_SIMD";

/// The instruction set that operations run with.
#[derive(Clone, Copy)]
enum Set {
    Best(Arch),
    /// The widths of other processors without their instructions, to test that code anywhere.
    #[cfg(debug_assertions)]
    Lanes8,
    #[cfg(debug_assertions)]
    Lanes2,
}

static SET: LazyLock<Set> = LazyLock::new(|| match std::env::var(VARIABLE).as_deref() {
    Ok("baseline") => Set::Best(Arch::Scalar),
    #[cfg(debug_assertions)]
    Ok("lanes-8") => Set::Lanes8,
    #[cfg(debug_assertions)]
    Ok("lanes-2") => Set::Lanes2,
    _ => Set::Best(Arch::new()),
});

/// Runs an operation with the selected instruction set.
#[inline]
pub(crate) fn run<Op: WithSimd>(op: Op) -> Op::Output {
    match *SET {
        Set::Best(arch) => arch.dispatch(op),
        #[cfg(debug_assertions)]
        Set::Lanes8 => pulp::Scalar512b.vectorize(op),
        #[cfg(debug_assertions)]
        Set::Lanes2 => pulp::Scalar128b.vectorize(op),
    }
}

/// The name of the instruction set in use.
pub fn instruction_set() -> &'static str {
    struct Name;
    impl WithSimd for Name {
        type Output = &'static str;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> Self::Output {
            match S::F64_LANES {
                8 => "AVX-512",
                4 => "AVX2",
                2 => "128-bit",
                _ => "baseline",
            }
        }
    }
    run(Name)
}

/// An operation on tiles: `ROWS` rows of eight lanes, that is of `REGISTERS` registers each.
///
/// A tile's sums stay in registers, so its shape follows from how many there are.
pub(crate) trait WithTiles {
    type Output;

    fn with_tiles<S: Simd, const ROWS: usize, const REGISTERS: usize>(
        self,
        simd: S,
    ) -> Self::Output;
}

/// Runs an operation on tiles with the tile shape of the instruction set.
pub(crate) struct Tiled<Op>(pub(crate) Op);

impl<Op: WithTiles> WithSimd for Tiled<Op> {
    type Output = Op::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
        match S::F64_LANES {
            8 => self.0.with_tiles::<S, 8, 1>(simd),
            4 => self.0.with_tiles::<S, 4, 2>(simd),
            2 => self.0.with_tiles::<S, 4, 4>(simd),
            _ => self.0.with_tiles::<S, 2, 8>(simd),
        }
    }
}

/// Runs an operation on tiles with the selected instruction set.
#[inline]
pub(crate) fn run_tiled<Op: WithTiles>(op: Op) -> Op::Output {
    run(Tiled(op))
}

/// One tile: a number for each of its rows and lanes.
pub(crate) type Tile<S, const ROWS: usize, const REGISTERS: usize> =
    [[<S as Simd>::f64s; REGISTERS]; ROWS];

/// `sum_{i < len} factors(i)[n] lanes_i` for each row `n` of a tile, where `lanes_i` are the eight numbers from
/// register `at` of row `i` on, and rows have `stride` registers: the inner loop of every product of matrices.
///
/// The factors are broadcast, so they may be anywhere in memory.
#[inline(always)]
pub(crate) fn products<S: Simd, const ROWS: usize, const REGISTERS: usize>(
    simd: S,
    len: usize,
    factors: impl Fn(usize) -> [f64; ROWS],
    lanes: &[S::f64s],
    stride: usize,
    at: usize,
) -> Tile<S, ROWS, REGISTERS> {
    let mut sums = [[simd.splat_f64s(0.0); REGISTERS]; ROWS];
    for i in 0..len {
        let lanes = &lanes[i * stride + at..][..REGISTERS];
        let factors = factors(i);
        for n in 0..ROWS {
            let factor = simd.splat_f64s(factors[n]);
            for r in 0..REGISTERS {
                sums[n][r] = simd.mul_add_e_f64s(factor, lanes[r], sums[n][r]);
            }
        }
    }
    sums
}

/// Adds a tile to the numbers of rows that are `stride` registers apart.
#[inline(always)]
pub(crate) fn add_tile<S: Simd, const ROWS: usize, const REGISTERS: usize>(
    simd: S,
    tile: &Tile<S, ROWS, REGISTERS>,
    lanes: &mut [S::f64s],
    stride: usize,
) {
    for n in 0..ROWS {
        let lanes = &mut lanes[n * stride..][..REGISTERS];
        for r in 0..REGISTERS {
            lanes[r] = simd.add_f64s(lanes[r], tile[n][r]);
        }
    }
}

/// Stores a tile in rows that are `stride` registers apart.
#[inline(always)]
pub(crate) fn store_tile<S: Simd, const ROWS: usize, const REGISTERS: usize>(
    tile: &Tile<S, ROWS, REGISTERS>,
    lanes: &mut [S::f64s],
    stride: usize,
) {
    for n in 0..ROWS {
        lanes[n * stride..][..REGISTERS].copy_from_slice(&tile[n]);
    }
}

/// Splits data into rows of `len` numbers.
#[inline(always)]
pub(crate) fn rows<const ROWS: usize>(data: &[f64], len: usize) -> [&[f64]; ROWS] {
    let mut rows = [&data[..len]; ROWS];
    for n in 0..ROWS {
        rows[n] = &data[n * len..][..len];
    }
    rows
}

/// Entry `i` of each row.
#[inline(always)]
pub(crate) fn entries<const ROWS: usize>(rows: &[&[f64]; ROWS], i: usize) -> [f64; ROWS] {
    let mut entries = [0.0; ROWS];
    for n in 0..ROWS {
        entries[n] = rows[n][i];
    }
    entries
}

/// The first numbers of a slice.
#[inline(always)]
pub(crate) fn first<const N: usize>(values: &[f64]) -> [f64; N] {
    let mut first = [0.0; N];
    first.copy_from_slice(&values[..N]);
    first
}

/// `a . b` for slices of one length.
#[inline(always)]
pub(crate) fn dot_with<S: Simd>(simd: S, a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_tail), (b, b_tail)) = (S::as_simd_f64s(a), S::as_simd_f64s(b));
    let mut sums = [simd.splat_f64s(0.0); 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    for (a, b) in a4.remainder().iter().zip(b4.remainder()) {
        sums[3] = simd.mul_add_e_f64s(*a, *b, sums[3]);
    }
    for (a, b) in a4.zip(b4) {
        for n in 0..4 {
            sums[n] = simd.mul_add_e_f64s(a[n], b[n], sums[n]);
        }
    }
    let (a, b) = (
        simd.partial_load_f64s(a_tail),
        simd.partial_load_f64s(b_tail),
    );
    sums[2] = simd.mul_add_e_f64s(a, b, sums[2]);
    let halves = [
        simd.add_f64s(sums[0], sums[1]),
        simd.add_f64s(sums[2], sums[3]),
    ];
    simd.reduce_sum_f64s(simd.add_f64s(halves[0], halves[1]))
}

/// `y += a x` for slices of one length.
#[inline(always)]
pub(crate) fn axpy_with<S: Simd>(simd: S, a: f64, x: &[f64], y: &mut [f64]) {
    let ((x, x_tail), (y, y_tail)) = (S::as_simd_f64s(x), S::as_mut_simd_f64s(y));
    let a = simd.splat_f64s(a);
    for (x, y) in x.iter().zip(y) {
        *y = simd.mul_add_e_f64s(a, *x, *y);
    }
    // With the same instructions, so that an entry does not depend on how many follow it.
    let (x, y) = (
        simd.partial_load_f64s(x_tail),
        simd.partial_load_f64s(y_tail),
    );
    simd.partial_store_f64s(y_tail, simd.mul_add_e_f64s(a, x, y));
}
