//! Rows learned in blocks lead to the same predictions as rows learned one by one.

use nystream::kernels::{AnyKernel, Gaussian, Linear, Matern52, Polynomial};
use nystream::linalg::Panels;
use nystream::losses::{Absolute, AnyLoss, EpsilonInsensitive, Huber, Quantile};
use nystream::{
    AnyParams, AogdAldParams, AutoParams, ConKonsParams, FogdParams, KrlsAldParams, Learner,
    LinearRlsParams, NogdParams, NonsAldParams, Policy, ProsNKonsParams, RidgeAldParams, Rows,
};
use proptest::prelude::*;

/// Tolerance for predictions of about 1.
const TOLERANCE: f64 = 1e-9;

/// Largest ratio of the rounding of a round to the effect of a change in the last digit of the data.
const AMPLIFIED: f64 = 100.0;

fn kernels() -> impl Strategy<Value = AnyKernel> {
    let polynomial = Polynomial {
        degree: 2,
        ..Polynomial::default()
    };
    prop_oneof![
        (0.2..3.0).prop_map(|sigma| Gaussian { sigma }.into()),
        (0.2..3.0).prop_map(|sigma| Matern52 { sigma }.into()),
        Just(polynomial.into()),
        Just(Linear {}.into()),
    ]
}

/// Losses of one target, for labels of any size.
fn loss(which: usize, n_targets: usize, forward: bool) -> AnyLoss {
    match which % 5 {
        _ if n_targets > 1 || forward => AnyLoss::default(),
        0 => Absolute {}.into(),
        1 => Quantile { q: 0.9 }.into(),
        2 => Huber { delta: 0.3 }.into(),
        3 => EpsilonInsensitive { epsilon: 0.1 }.into(),
        _ => AnyLoss::default(),
    }
}

/// Learners that work in blocks.
fn learners() -> impl Strategy<Value = AnyParams> {
    let numbers = (-4.0..-1.0, -4.0..2.0, 0.05..2.0, any::<[bool; 4]>());
    (kernels(), numbers, 0_usize..10, 1_usize..40).prop_map(
        |(kernel, (alpha, mu, bound, [forward, clip, forgets, replaces]), which, size)| {
            let forgetting = if forgets { 1.0 - 0.1 * bound } else { 1.0 };
            let n_targets = 1 + size % 3;
            let policy = if replaces {
                Policy::Replace
            } else {
                Policy::Freeze
            };
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
                    forgetting,
                    n_targets,
                    loss: loss(size, n_targets, forward),
                    ..RidgeAldParams::default()
                }
                .into(),
                9 => AutoParams {
                    use_past: clip,
                    warm_up: 8 + size,
                    max_basis: size,
                    forgetting: 1.0 - 0.01 * bound,
                    policy,
                    n_targets,
                }
                .into(),
                8 => RidgeAldParams {
                    kernel,
                    alpha,
                    ridge: mu,
                    forward,
                    clip,
                    max_basis: Some(size),
                    policy,
                    forgetting,
                    n_targets,
                    loss: loss(size, n_targets, forward),
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
                    forgetting,
                    n_targets,
                    loss: loss(size, n_targets, forward),
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

/// The predictions of rows learned one by one.
fn by_rows(learner: &mut Learner, x: &[f64], y: &[f64], d: usize) -> Vec<f64> {
    let (n_targets, mut yhat) = (learner.n_targets(), vec![0.0; y.len()]);
    let labels = y
        .chunks_exact(n_targets)
        .zip(yhat.chunks_exact_mut(n_targets));
    for (x, (y, yhat)) in x.chunks_exact(d).zip(labels) {
        learner.learn_targets(x, y, None, yhat).unwrap();
    }
    yhat
}

proptest! {
    #[test]
    fn blocks_equal_rows(
        params in learners(),
        n_rows in 8_usize..300,
        d in prop_oneof![1_usize..6, 70_usize..90],
        seed in 0.0..100.0_f64,
        powers in any::<[bool; 2]>(),
    ) {
        // Rows and labels of one size, or of sizes that differ from row to row.
        let [x_scale, y_scale] = powers.map(|differ| move |i| if differ { 10.0_f64.powf(2.0 * number(i, seed)) } else { 1.0 });
        let x: Vec<f64> = (0..n_rows * d).map(|i| number(i, seed) * x_scale(i / d)).collect();
        let label = |x: &[f64]| x.iter().sum::<f64>().sin() + 0.1 * number(1, x[0]);
        let [mut one_by_one, mut at_once, mut nudged] = [0; 3].map(|_| Learner::new(params.clone()).unwrap());
        let targets = 0..one_by_one.n_targets();
        let labels = |(i, x)| targets.clone().map(move |target| label(x) * y_scale(i) + target as f64 * x[0]);
        let y: Vec<f64> = x.chunks_exact(d).enumerate().flat_map(labels).collect();
        let rows = Rows::new(&x, d).unwrap();
        // Kernels that are not normalised refuse rows that are too large.
        prop_assume!(one_by_one.check_rows(&rows, None).is_ok());
        let expected = by_rows(&mut one_by_one, &x, &y, d);
        // Some streams amplify the last digit of anything by orders of magnitude: this is by how much.
        let [x_nudged, y_nudged] = [&x, &y].map(|values| values.iter().map(|value| value * (1.0 + 1e-15)).collect::<Vec<_>>());
        let nudged = by_rows(&mut nudged, &x_nudged, &y_nudged, d);
        let mut tolerance = TOLERANCE;
        for (i, found) in at_once.learn_rows(&rows, &y).unwrap().iter().enumerate() {
            let expected = expected[i];
            tolerance += AMPLIFIED * (nudged[i] - expected).abs();
            let difference = (found - expected).abs();
            prop_assert!(difference < tolerance * (1.0 + expected.abs()), "row {i}: {found} {expected}");
        }
        let bases = [&one_by_one, &at_once].map(|learner| learner.basis().map(Panels::to_vec));
        prop_assert_eq!(&bases[0], &bases[1]);
        // And they go on alike; the coefficients of the expansion that scores amplify rounding once more.
        let [a, b] = [&one_by_one, &at_once].map(|learner| learner.predict_rows(&rows).unwrap());
        for (a, b) in a.iter().zip(b) {
            prop_assert!((a - b).abs() < 10.0 * tolerance * (1.0 + a.abs()), "{a} {b}");
        }
    }
}
