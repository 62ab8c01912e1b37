//! Rows learned many at a time are learned as one by one.

use nystream::kernels::{AnyKernel, Gaussian, Linear, Matern52, Polynomial};
use nystream::linalg::Panels;
use nystream::{
    AnyParams, AogdAldParams, ConKonsParams, FogdParams, KrlsAldParams, Learner, LinearRlsParams,
    NogdParams, NonsAldParams, ProsNKonsParams, RidgeAldParams, Rows,
};
use proptest::prelude::*;

/// For predictions of about 1.
const TOLERANCE: f64 = 1e-9;

fn kernels() -> impl Strategy<Value = AnyKernel> {
    let polynomial = Polynomial {
        degree: 3,
        ..Polynomial::default()
    };
    prop_oneof![
        (0.2..3.0).prop_map(|sigma| Gaussian { sigma }.into()),
        (0.2..3.0).prop_map(|sigma| Matern52 { sigma }.into()),
        Just(polynomial.into()),
        Just(Linear {}.into()),
    ]
}

/// Learners that work in blocks, with thresholds and regularisations with which rounding is not amplified too much.
fn learners() -> impl Strategy<Value = AnyParams> {
    let numbers = (-4.0..-1.0, -3.0..2.0, 0.05..2.0, any::<[bool; 2]>());
    (kernels(), numbers, 0_usize..8, 1_usize..40).prop_map(
        |(kernel, (alpha, mu, bound, [forward, clip]), which, size)| {
            let (alpha, mu) = (10.0_f64.powf(alpha), 10.0_f64.powf(mu));
            match which {
                0 => NonsAldParams {
                    kernel,
                    alpha,
                    mu,
                    bound,
                    max_basis: clip.then_some(size),
                    ..NonsAldParams::default()
                }
                .into(),
                1 => AogdAldParams {
                    kernel,
                    alpha,
                    bound,
                    switch_at: clip.then_some(size),
                    ..AogdAldParams::default()
                }
                .into(),
                2 => RidgeAldParams {
                    kernel,
                    alpha,
                    ridge: mu,
                    forward,
                    clip,
                    ..RidgeAldParams::default()
                }
                .into(),
                3 => KrlsAldParams {
                    kernel,
                    // Where the kernel matrix is worse than this, the two ways round apart.
                    alpha: alpha.max(1e-3),
                    ..KrlsAldParams::default()
                }
                .into(),
                4 => ConKonsParams(ProsNKonsParams {
                    kernel,
                    gamma: bound,
                    ..ProsNKonsParams::default()
                })
                .into(),
                5 => FogdParams {
                    n_frequencies: size,
                    ..FogdParams::default()
                }
                .into(),
                6 => NogdParams {
                    budget: size,
                    ..NogdParams::default()
                }
                .into(),
                _ => LinearRlsParams {
                    ridge: mu,
                    forward,
                    clip,
                    intercept: size % 2 == 0,
                }
                .into(),
            }
        },
    )
}

/// A row of numbers between -1 and 1.
fn number(i: usize, seed: f64) -> f64 {
    (seed + i as f64 * 12.989_8).sin() * 43_758.545_3 % 1.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn blocks_equal_rows(params in learners(), n_rows in 8_usize..300, d in 1_usize..6, seed in 0.0..100.0_f64) {
        let x: Vec<f64> = (0..n_rows * d).map(|i| number(i, seed)).collect();
        let y: Vec<f64> = x.chunks_exact(d).map(|x| x.iter().sum::<f64>().sin() + 0.1 * number(1, x[0])).collect();
        let mut one_by_one = Learner::new(params.clone()).unwrap();
        let mut at_once = Learner::new(params).unwrap();
        let expected: Vec<f64> = x
            .chunks_exact(d)
            .zip(&y)
            .map(|(x, &y)| one_by_one.learn_row(x, y).unwrap())
            .collect();
        let found = at_once.learn_rows(&Rows::new(&x, d).unwrap(), &y).unwrap();
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            prop_assert!((found - expected).abs() < TOLERANCE * (1.0 + expected.abs()), "row {i}: {found} {expected}");
        }
        let bases = [&one_by_one, &at_once].map(|learner| learner.basis().map(Panels::to_vec));
        prop_assert_eq!(&bases[0], &bases[1]);
        // And they go on alike; the coefficients of the expansion that scores amplify rounding once more.
        let rows = Rows::new(&x, d).unwrap();
        let [a, b] = [&one_by_one, &at_once].map(|learner| learner.predict_rows(&rows).unwrap());
        for (a, b) in a.iter().zip(b) {
            prop_assert!((a - b).abs() < 10.0 * TOLERANCE * (1.0 + a.abs()), "{a} {b}");
        }
    }
}
