//! Functions of many numbers at once, without branches, so that loops over them become vector instructions.

use super::{Simd, WithSimd, run};

/// Computes `a b + c`, rounded once where the processor can do so.
pub(crate) trait Arithmetic {
    fn mul_add(a: f64, b: f64, c: f64) -> f64;
}

struct Fused;
struct Plain;

impl Arithmetic for Fused {
    #[inline(always)]
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        a.mul_add(b, c)
    }
}

impl Arithmetic for Plain {
    #[inline(always)]
    fn mul_add(a: f64, b: f64, c: f64) -> f64 {
        a * b + c
    }
}

/// A function of one number.
pub(crate) trait Elementwise {
    fn at<A: Arithmetic>(&self, x: f64) -> f64;
}

struct Map<'a, F> {
    function: &'a F,
    values: &'a mut [f64],
}

impl<F: Elementwise> WithSimd for Map<'_, F> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Without a fused instruction `f64::mul_add` is a call.
        if S::F64_LANES > 1 {
            for value in self.values {
                *value = self.function.at::<Fused>(*value);
            }
        } else {
            for value in self.values {
                *value = self.function.at::<Plain>(*value);
            }
        }
    }
}

/// Applies a function to every value in place.
pub(crate) fn map_in_place(function: &impl Elementwise, values: &mut [f64]) {
    run(Map { function, values });
}

/// The number whose addition rounds another to a whole number, which the low bits of the sum then hold.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// `ln 2` in two parts; products of the first with exponents are exact.
const LN_2: [f64; 2] = [0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10];

/// The smallest exponent for which `e^x` is a normal number.
const SMALLEST_EXPONENT: f64 = -708.0;

/// `(e^r - 1 - r) / r^2` up to `|r| = ln(2) / 2`, by Chebyshev interpolation: off by 1.3e-17 in `e^r`.
const EXP: [f64; 10] = [
    2.510_038_549_551_032e-8,
    2.762_008_844_540_974_6e-7,
    2.755_726_845_999_706_4e-6,
    2.480_152_129_595_437_6e-5,
    1.984_126_986_305_361_8e-4,
    1.388_888_891_721_371_7e-3,
    8.333_333_333_330_062e-3,
    4.166_666_666_662_413e-2,
    0.166_666_666_666_666_69,
    0.500_000_000_000_000_1,
];

/// `e^x` for `x <= 0`, to 2 ulp; 0 below -708.
#[inline(always)]
pub(crate) fn exp<A: Arithmetic>(x: f64) -> f64 {
    let shifted = A::mul_add(x, std::f64::consts::LOG2_E, ROUND);
    let n = shifted - ROUND;
    let r = A::mul_add(n, -LN_2[1], A::mul_add(n, -LN_2[0], x));
    let y = 1.0 + A::mul_add(r * r, polynomial::<A, 10>(EXP, r), r);
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1.0_f64.to_bits()));
    if x < SMALLEST_EXPONENT {
        0.0
    } else {
        y * power
    }
}

/// The polynomial with these coefficients, the highest first.
#[inline(always)]
fn polynomial<A: Arithmetic, const N: usize>(coefficients: [f64; N], x: f64) -> f64 {
    let [highest, rest @ ..] = &coefficients[..] else {
        return 0.0;
    };
    rest.iter().fold(*highest, |sum, c| A::mul_add(sum, x, *c))
}

/// `pi / 2` in three parts; products of the first two with small whole numbers are exact.
const HALF_PI: [f64; 3] = [
    1.570_796_325_802_803,
    9.920_935_774_287_987e-10,
    2.251_741_774_156_217_6e-18,
];

/// The largest angle that can be reduced without losing digits.
const LARGEST_ANGLE: f64 = 1e6;

/// `(sin(r) / r - 1) / r^2` and `(cos(r) - 1 + r^2 / 2) / r^4` as polynomials in `r^2`, up to `|r| = pi / 4`.
const SIN: [f64; 6] = [
    1.591_810_123_027_412e-10,
    -2.505_113_145_542_794_6e-8,
    2.755_731_610_068_303e-6,
    -1.984_126_983_675_497e-4,
    8.333_333_333_330_946e-3,
    -0.166_666_666_666_666_66,
];
const COS: [f64; 6] = [
    -1.138_261_486_855_632_5e-11,
    2.087_614_602_468_974_7e-9,
    -2.755_731_727_056_032_6e-7,
    2.480_158_729_876_343_3e-5,
    -1.388_888_888_888_739_5e-3,
    4.166_666_666_666_666_4e-2,
];

/// `sin x` and `cos x` for `|x| <= 1e6`, to 3e-16.
#[inline(always)]
fn sin_cos<A: Arithmetic>(x: f64) -> (f64, f64) {
    let shifted = A::mul_add(x, std::f64::consts::FRAC_2_PI, ROUND);
    let (n, quarter) = (shifted - ROUND, shifted.to_bits());
    let r = A::mul_add(n, -HALF_PI[1], A::mul_add(n, -HALF_PI[0], x));
    let r = A::mul_add(n, -HALF_PI[2], r);
    let z = r * r;
    let sin = A::mul_add(r * z, polynomial::<A, 6>(SIN, z), r);
    let cos = A::mul_add(z * z, polynomial::<A, 6>(COS, z), 1.0 - 0.5 * z);
    let (s, c) = if quarter & 1 == 0 {
        (sin, cos)
    } else {
        (cos, sin)
    };
    let negative = |bits: u64| (bits & 2) << 62;
    (
        f64::from_bits(s.to_bits() ^ negative(quarter)),
        f64::from_bits(c.to_bits() ^ negative(quarter.wrapping_add(1))),
    )
}

struct SinCos<'a> {
    cosines: &'a mut [f64],
    sines: &'a mut [f64],
    scale: f64,
}

impl WithSimd for SinCos<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        for (cosine, sine) in self.cosines.iter_mut().zip(self.sines) {
            let (s, c) = if S::F64_LANES > 1 {
                sin_cos::<Fused>(*cosine)
            } else {
                sin_cos::<Plain>(*cosine)
            };
            (*cosine, *sine) = (self.scale * c, self.scale * s);
        }
    }
}

/// Replaces angles by their cosines and fills in the sines, both times `scale`.
pub(crate) fn sin_cos_in_place(angles: &mut [f64], sines: &mut [f64], scale: f64) {
    if angles
        .iter()
        .fold(true, |ok, x| ok & (x.abs() <= LARGEST_ANGLE))
    {
        let cosines = angles;
        return run(SinCos {
            cosines,
            sines,
            scale,
        });
    }
    for (cosine, sine) in angles.iter_mut().zip(sines) {
        let (s, c) = cosine.sin_cos();
        (*cosine, *sine) = (scale * c, scale * s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Exp;

    impl Elementwise for Exp {
        fn at<A: Arithmetic>(&self, x: f64) -> f64 {
            exp::<A>(x)
        }
    }

    /// The distance in units of the last place.
    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    /// Numbers from 0 to `end`, dense and without a pattern.
    fn numbers(end: f64) -> impl Iterator<Item = f64> {
        (0..200_000).map(move |i| end * (f64::from(i) * 0.618_033_988_749_895).fract())
    }

    #[test]
    fn exponentials_are_within_two_ulps() {
        for end in [-1e-3, -1.0, -40.0, -708.0] {
            let arguments: Vec<f64> = numbers(end).collect();
            let mut values = arguments.clone();
            map_in_place(&Exp, &mut values);
            for (x, value) in arguments.iter().zip(values) {
                assert!(ulps(value, x.exp()) <= 2, "{x}");
                assert!(ulps(Exp.at::<Plain>(*x), x.exp()) <= 2, "{x}");
            }
        }
    }

    #[test]
    fn exponentials_at_the_ends() {
        let mut values = [0.0, -708.0, -709.0, -1e308, f64::NEG_INFINITY];
        map_in_place(&Exp, &mut values);
        assert_eq!(values[0], 1.0);
        assert!(ulps(values[1], (-708.0_f64).exp()) <= 2);
        assert_eq!(values[2..], [0.0; 3]);
    }

    #[test]
    fn sines_and_cosines_are_those_of_the_library() {
        for end in [1.0, -7.0, 1e3, -1e6, 1e9] {
            let angles: Vec<f64> = numbers(end).collect();
            let (mut cosines, mut sines) = (angles.clone(), vec![0.0; angles.len()]);
            sin_cos_in_place(&mut cosines, &mut sines, 2.0);
            for ((x, cos), sin) in angles.iter().zip(cosines).zip(sines) {
                assert!((0.5 * cos - x.cos()).abs() < 3e-16, "{x}");
                assert!((0.5 * sin - x.sin()).abs() < 3e-16, "{x}");
                let (s, c) = sin_cos::<Plain>(x.clamp(-1e6, 1e6));
                assert!((s * s + c * c - 1.0).abs() < 1e-15, "{x}");
            }
        }
    }
}
