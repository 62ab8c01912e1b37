//! Everything that is updated step by step equals what is computed anew.
//!
//! Tolerances follow the analysis of rounding: products of factors are as close as float64 can hold them, solutions
//! are off by the norm of the inverse factor, and anything derived twice by its square.

use nalgebra::{Cholesky, DMatrix, DVector};
use nystream::features::FeatureMap;
use nystream::kernels::{
    AnyKernel, Gaussian, Laplacian, Matern32, Matern52, Polynomial, RationalQuadratic,
};
use nystream::linalg::{InverseRoot, Triangle};
use nystream::{Dictionary, NystromMap};
use proptest::prelude::*;

/// Tolerance for numbers of about 1 from sums of some dozen terms.
const ROUNDING: f64 = 1e-14;

/// Addition to the kernel values of rows with themselves, relative to them, in a dictionary with a small threshold.
fn nugget(alpha: f64) -> f64 {
    if alpha < 1e-5 { 1e-13 } else { 0.0 }
}

fn kernels() -> impl Strategy<Value = AnyKernel> {
    let normalize = true;
    let polynomial = Polynomial {
        normalize,
        ..Polynomial::default()
    };
    prop_oneof![
        (0.3..3.0).prop_map(|sigma| Gaussian { sigma }.into()),
        (0.3..3.0).prop_map(|sigma| Laplacian { sigma }.into()),
        (0.3..3.0).prop_map(|sigma| Matern32 { sigma }.into()),
        (0.3..3.0).prop_map(|sigma| Matern52 { sigma }.into()),
        (0.3..3.0, 0.5..5.0).prop_map(|(sigma, alpha)| RationalQuadratic { sigma, alpha }.into()),
        Just(polynomial.into()),
    ]
}

fn rows(n_features: usize) -> impl Strategy<Value = Vec<Vec<f64>>> {
    prop::collection::vec(prop::collection::vec(-1.0..1.0, n_features), 2..60)
}

/// Thresholds over all their range but its last digits, where rounding decides.
fn alphas() -> impl Strategy<Value = f64> {
    (-8.0..-1.0).prop_map(|exponent| 10.0_f64.powf(exponent))
}

/// A dictionary that has been offered these rows.
fn dictionary(kernel: AnyKernel, alpha: f64, rows: &[Vec<f64>]) -> Dictionary {
    let mut dictionary = Dictionary::new(kernel, alpha, None).unwrap();
    for x in rows {
        dictionary.project(x);
        dictionary.grow_if_novel(x);
    }
    dictionary
}

fn dense(triangle: &Triangle) -> DMatrix<f64> {
    let n = triangle.size();
    DMatrix::from_fn(n, n, |i, j| if j <= i { triangle.row(i)[j] } else { 0.0 })
}

/// `L` and `L^{-1}`.
fn factors(dictionary: &Dictionary) -> (DMatrix<f64>, DMatrix<f64>) {
    let factor = dictionary.map().factor();
    (dense(factor.lower()), dense(factor.inverse()))
}

/// `P = S S^T`.
fn inverse(root: &InverseRoot) -> DMatrix<f64> {
    let columns = dense(root.columns());
    columns.transpose() * columns
}

fn gram(map: &NystromMap) -> DMatrix<f64> {
    let basis: Vec<Vec<f64>> = (0..map.rows().n_rows())
        .map(|i| map.rows().row(i).collect())
        .collect();
    let mut gram = DMatrix::zeros(basis.len(), basis.len());
    let mut row = vec![0.0; basis.len()];
    for (i, x) in basis.iter().enumerate() {
        map.kernel().row_into(x, map.rows(), &mut row);
        gram.row_mut(i).copy_from_slice(&row);
    }
    gram
}

proptest! {
    #[test]
    fn growing_factor_equals_factoring_anew((kernel, alpha, rows) in (kernels(), alphas(), rows(3))) {
        let dictionary = dictionary(kernel, alpha, &rows);
        let mut gram = gram(dictionary.map());
        for i in 0..gram.nrows() {
            gram[(i, i)] *= 1.0 + nugget(alpha);
        }
        let anew = Cholesky::new(gram.clone()).unwrap().l();
        let (grown, inverse) = factors(&dictionary);
        prop_assert!((&grown * grown.transpose() - gram).amax() < ROUNDING);
        prop_assert!((&grown - anew).amax() < ROUNDING * inverse.norm_squared());
    }

    #[test]
    fn growing_inverse_equals_inverting_anew((kernel, alpha, rows) in (kernels(), alphas(), rows(3))) {
        let dictionary = dictionary(kernel, alpha, &rows);
        let (lower, inverse) = factors(&dictionary);
        let identity = DMatrix::identity(lower.nrows(), lower.nrows());
        prop_assert!((&inverse * &lower - &identity).amax() < ROUNDING * inverse.norm());
        prop_assert!((&lower * &inverse - identity).amax() < ROUNDING * inverse.norm_squared());
    }

    #[test]
    fn features_are_nested((kernel, alpha, rows, x) in (kernels(), alphas(), rows(2), prop::collection::vec(-1.0..1.0, 2))) {
        let half = dictionary(kernel.clone(), alpha, &rows[..rows.len() / 2]);
        let whole = dictionary(kernel, alpha, &rows);
        let features = |mut d: Dictionary| { d.project(&x); d.phi().to_vec() };
        let (early, late) = (features(half), features(whole));
        for (early, late) in early.iter().zip(&late) {
            prop_assert_eq!(early, late);
        }
    }

    #[test]
    fn features_reproduce_the_kernel_within_the_span((kernel, alpha, rows) in (kernels(), alphas(), rows(2))) {
        let mut dictionary = dictionary(kernel, alpha, &rows);
        let gram = gram(dictionary.map());
        let tolerance = (ROUNDING + nugget(alpha) * gram.amax()) * factors(&dictionary).1.norm();
        let basis: Vec<Vec<f64>> = (0..gram.nrows()).map(|i| dictionary.rows().row(i).collect()).collect();
        let features: Vec<DVector<f64>> = basis.iter().map(|x| {
            dictionary.project(x);
            DVector::from_column_slice(dictionary.phi())
        }).collect();
        for (i, phi) in features.iter().enumerate() {
            for (j, psi) in features.iter().enumerate() {
                prop_assert!((phi.dot(psi) - gram[(i, j)]).abs() < tolerance);
            }
        }
    }

    #[test]
    fn coefficients_give_the_same_function(
        (kernel, alpha, rows, x, seed) in (kernels(), alphas(), rows(2), prop::collection::vec(-1.0..1.0, 2), -1.0..1.0_f64)
    ) {
        let mut dictionary = dictionary(kernel, alpha, &rows);
        dictionary.project(&x);
        let w: Vec<f64> = (0..dictionary.size()).map(|i| (seed + i as f64).sin()).collect();
        let map = dictionary.map();
        let by_features: f64 = w.iter().zip(dictionary.phi()).map(|(w, phi)| w * phi).sum();
        let by_kernel = map.kernel().expand(&x, map.rows(), &map.coefficients(&w));
        let tolerance = ROUNDING * factors(&dictionary).1.norm_squared();
        prop_assert!((by_features - by_kernel).abs() < tolerance);
    }

    #[test]
    fn rows_outside_the_dictionary_are_within_alpha_of_its_span((kernel, alpha, rows) in (kernels(), alphas(), rows(2))) {
        let mut dictionary = dictionary(kernel, alpha, &rows);
        let tolerance = ROUNDING * factors(&dictionary).1.norm_squared();
        for x in &rows {
            dictionary.project(x);
            let kappa = dictionary.map().kernel().diagonal(x);
            let residual = kappa - dictionary.phi().iter().map(|v| v * v).sum::<f64>();
            prop_assert!(residual > -tolerance);
            prop_assert!(residual <= alpha * kappa + tolerance);
        }
    }

    #[test]
    fn inverse_root_equals_inverting_anew(
        (n, diagonal, rounds, seed) in (1_usize..30, 0.01..10.0, 0_usize..60, 0.0..10.0_f64)
    ) {
        let vector = |n: usize, k: usize| DVector::from_fn(n, |i, _| (seed + (i * 7 + k * 13) as f64).sin());
        let mut root = InverseRoot::default();
        let mut matrix = DMatrix::<f64>::zeros(0, 0);
        for k in 0..rounds.max(n) {
            if k < n {
                root.push_diagonal(diagonal);
                matrix = matrix.resize(k + 1, k + 1, 0.0);
                matrix[(k, k)] = diagonal;
            }
            let (phi, curvature) = (vector(matrix.nrows(), k), 0.1 + (k % 3) as f64);
            let mut v = vec![0.0; phi.len()];
            root.tr_mul_into(phi.as_slice(), &mut v);
            let before = inverse(&root) * &phi;
            let g = DVector::from_column_slice(root.add(curvature, &v));
            prop_assert!((g - before).amax() < 1e-12 / diagonal);
            matrix += curvature * &phi * phi.transpose();
        }
        let identity = DMatrix::identity(n, n);
        // Digits go with the root of the condition number, and once more with the product.
        prop_assert!((inverse(&root) * matrix - identity).amax() < 1e-11 / diagonal);
    }

    #[test]
    fn a_bordered_inverse_root_equals_inverting_anew((n, seed) in (1_usize..20, 0.0..10.0_f64)) {
        let rows = DMatrix::from_fn(3 * n, n, |i, j| (seed + (i * 17 + j * 5) as f64).sin());
        let matrix = DMatrix::identity(n, n) + rows.transpose() * &rows;
        let mut root = InverseRoot::default();
        for k in 0..n {
            let a: DVector<f64> = matrix.view((0, k), (k, 1)).column(0).into_owned();
            let p_a = inverse(&root) * &a;
            let schur = matrix[(k, k)] - a.dot(&p_a);
            let column = (-p_a).insert_row(k, 1.0) / schur.sqrt();
            root.push(column.as_slice());
        }
        prop_assert!((inverse(&root) * matrix - DMatrix::identity(n, n)).amax() < 1e-11);
    }
}
