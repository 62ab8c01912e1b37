//! Evidence: how likely labels are, given a factor for each feature and a ridge.
//!
//! Labels are taken for draws of a Gaussian process with a Gaussian kernel of rows times their factors, plus noise whose
//! variance is the ridge, in parts of the process's own. The factors that make the labels most likely are small for
//! features that tell nothing (automatic relevance determination; Neal 1996).

use nalgebra::{DMatrix, DVector};

use super::window::Recent;
use crate::kernels::{Gaussian, Kernel};
use crate::linalg::{Panels, symmetric_inverse};
use crate::predictor::median_distance;

/// The most rows that are asked.
const MOST: usize = 256;

/// The first width of the kernel in median distances of two rows, and the first ridge.
const WIDTH: f64 = 2.0;
const RIDGE: f64 = 1e-2;

/// Number of steps towards more likely labels. Few are enough, and many fit the factors to the noise of few rows.
const STEPS: usize = 12;

/// The first step of each logarithm; the factor of a step in the direction of the one before, or back; the largest.
const FIRST: f64 = 0.5;
const ONWARDS: f64 = 1.3;
const BACK: f64 = 0.5;
const LARGEST: f64 = 2.0;

/// The limits of the logarithms: of the squares of factors, and of the ridge.
const SQUARES: (f64, f64) = (-16.0, 4.0);
const RIDGES: (f64, f64) = (-14.0, 2.0);

/// A factor for each feature, and a ridge, with which labels are likely.
#[derive(Debug)]
pub(super) struct Evident {
    pub(super) factors: Vec<f64>,
    pub(super) ridge: f64,
}

/// Finds factors and a ridge with which the labels of the last rows are likely: each logarithm takes steps in the
/// direction of its derivative, larger ones while that stays the same (resilient propagation; Riedmiller and Braun 1993).
pub(super) fn evident(recent: &Recent, width: usize, n_targets: usize) -> Evident {
    let recent = recent.last(MOST);
    let (rows, y) = (centred(&recent.rows, width), labels(&recent, n_targets));
    let square = -2.0 * (WIDTH * median_distance(&recent.rows, width)).ln();
    let mut logs = vec![square.clamp(SQUARES.0, SQUARES.1); width];
    logs.push(RIDGE.ln());
    let (mut steps, mut last) = (vec![FIRST; width + 1], vec![0.0; width + 1]);
    for _ in 0..STEPS {
        let Some(slopes) = slopes(&logs, &rows, &y) else {
            break;
        };
        for (i, slope) in slopes.into_iter().enumerate() {
            let sign = if slope == 0.0 { 0.0 } else { slope.signum() };
            let factor = match sign * last[i] {
                1.0 => ONWARDS,
                -1.0 => BACK,
                _ => 1.0,
            };
            let (low, high) = if i < width { SQUARES } else { RIDGES };
            steps[i] = (factor * steps[i]).min(LARGEST);
            logs[i] = (logs[i] + sign * steps[i]).clamp(low, high);
            last[i] = sign;
        }
    }
    Evident {
        ridge: logs[width].exp(),
        factors: logs[..width].iter().map(|log| (log / 2.0).exp()).collect(),
    }
}

/// Rows less the first of them, a column for each: a feature that never varies is exactly 0.
fn centred(rows: &[f64], width: usize) -> DMatrix<f64> {
    let mut rows = DMatrix::from_column_slice(width, rows.len() / width, rows);
    let first = rows.column(0).into_owned();
    rows.column_iter_mut().for_each(|mut row| row -= &first);
    rows
}

/// The labels of each target.
fn labels(recent: &Recent, n_targets: usize) -> Vec<DVector<f64>> {
    let labels = (0..n_targets).map(|target| recent.labels(target, n_targets));
    labels.map(DVector::from_vec).collect()
}

/// The derivatives of the evidence by the logarithms of the squares of factors, and of the ridge: twice those of the log
/// likelihood at the scale of each target's labels that makes it largest. `None` if it has no such scale.
fn slopes(logs: &[f64], rows: &DMatrix<f64>, y: &[DVector<f64>]) -> Option<Vec<f64>> {
    let (width, n_rows) = rows.shape();
    let squares: Vec<f64> = logs[..width].iter().map(|log| log.exp()).collect();
    let (kernel, ridge) = (kernel_of(rows, &squares), logs[width].exp());
    let mut matrix = kernel.clone();
    (0..n_rows).for_each(|i| matrix[(i, i)] += ridge);
    let inverse = symmetric_inverse(matrix)?;
    let mut g = -(y.len() as f64) * &inverse;
    for y in y {
        let a = &inverse * y;
        let scale = y.dot(&a) / n_rows as f64;
        if !(scale > 0.0 && scale.is_finite()) {
            return None;
        }
        g.ger(1.0 / scale, &a, &a, 1.0);
    }
    let of_ridge = ridge * g.trace();
    g.component_mul_assign(&kernel);
    let (sums, products) = (g.row_sum(), rows * &g);
    let of_feature = |(feature, square): (usize, &f64)| {
        let (x, product) = (rows.row(feature), products.row(feature));
        let each = x.iter().zip(sums.iter()).zip(product.iter());
        let slope: f64 = each
            .map(|((x, sum), product)| x * (x * sum - product))
            .sum();
        -square * slope
    };
    let of_features = squares.iter().enumerate().map(of_feature);
    Some(of_features.chain([of_ridge]).collect())
}

/// The Gaussian kernel of rows times their factors, of which these are the squares.
fn kernel_of(rows: &DMatrix<f64>, squares: &[f64]) -> DMatrix<f64> {
    let (mut mapped, n_rows) = (rows.clone(), rows.ncols());
    for (mut feature, square) in mapped.row_iter_mut().zip(squares) {
        feature *= square.sqrt();
    }
    let mut stored = Panels::default();
    mapped
        .column_iter()
        .for_each(|row| stored.push(row.into_owned().as_slice()));
    let (gaussian, mut kernel) = (Gaussian { sigma: 1.0 }, DMatrix::zeros(n_rows, n_rows));
    for (mut column, row) in kernel.column_iter_mut().zip(mapped.column_iter()) {
        gaussian.row_into(row.into_owned().as_slice(), &stored, column.as_mut_slice());
    }
    kernel
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of six features, of which two tell the label, and one does not vary.
    fn recent(n_rows: usize) -> Recent {
        let number = |i: usize, j: usize| (0.7 * (i * (j + 3) * (j + 5)) as f64).sin();
        let row = |i: usize| (0..6).map(move |j| if j == 3 { 0.5 } else { number(i, j) });
        let rows: Vec<f64> = (0..n_rows).flat_map(row).collect();
        let y = rows.chunks_exact(6).map(|x| x[0] + (2.0 * x[4]).sin());
        Recent {
            y: y.collect(),
            weights: vec![1.0; n_rows],
            rows,
        }
    }

    #[test]
    fn features_that_tell_nothing_have_small_factors() {
        let Evident { factors, ridge } = evident(&recent(80), 6, 1);
        for useful in [0, 4] {
            for useless in [1, 2, 5] {
                assert!(factors[useful] > 5.0 * factors[useless], "{factors:?}");
            }
        }
        assert!(ridge < 1e-3, "{ridge}");
    }

    #[test]
    fn the_slopes_are_those_of_the_likelihood() {
        let recent = recent(40);
        let (rows, y) = (centred(&recent.rows, 6), labels(&recent, 1));
        let twice_likelihood = |logs: &[f64]| {
            let squares: Vec<f64> = logs[..6].iter().map(|log| log.exp()).collect();
            let matrix = kernel_of(&rows, &squares) + logs[6].exp() * DMatrix::identity(40, 40);
            let factor = matrix.cholesky().unwrap();
            let fit = y[0].dot(&factor.solve(&y[0]));
            -40.0 * fit.ln() - 2.0 * factor.l().diagonal().map(f64::ln).sum()
        };
        let logs = [-2.0, -1.0, -3.0, -1.0, -2.5, -4.0, -2.0];
        let found = slopes(&logs, &rows, &y).unwrap();
        for (i, slope) in found.into_iter().enumerate() {
            let beside = |step: f64| {
                let mut logs = logs;
                logs[i] += step;
                twice_likelihood(&logs)
            };
            let expected = (beside(1e-5) - beside(-1e-5)) / 2e-5;
            assert!(
                (slope - expected).abs() < 1e-5 * (1.0 + slope.abs()),
                "{i}: {slope} {expected}"
            );
        }
    }

    #[test]
    fn labels_that_are_all_the_same_change_nothing() {
        let recent = Recent {
            y: vec![0.0; 20],
            ..recent(20)
        };
        let Evident { factors, ridge } = evident(&recent, 6, 1);
        assert!(factors.iter().all(|factor| *factor == factors[0]));
        assert!((ridge - RIDGE).abs() < 1e-15);
    }
}
