//! Boosting: trees that are fitted one after the other, each to the residuals of those before.
//!
//! A fit costs O(nd) for each tree, with n rows and d features, whatever the depth of the trees.

mod bins;
mod draws;
mod histograms;
mod screening;
mod split;
mod tree;

use crate::data::Rows;
use crate::predictor::Trees;
use bins::Bins;
use draws::Draws;
use histograms::Histograms;
pub(super) use screening::screen;
use tree::Growth;

/// Settings of the fit of trees.
#[derive(Debug, Clone)]
struct Settings {
    /// Number of trees.
    trees: usize,
    /// The most leaves of a tree.
    leaves: usize,
    /// The fewest rows of a leaf, of those that its tree is fitted to.
    min_rows: usize,
    /// Number that is added to the rows of a leaf, so that leaves of few rows have small values.
    ridge: f64,
    /// The part of a leaf's value that is used, so that later trees can correct it.
    shrinkage: f64,
    /// The part of the rows that each tree is fitted to.
    part: f64,
    /// The most features that each tree may ask for.
    features: usize,
}

const SETTINGS: Settings = Settings {
    trees: 100,
    leaves: 31,
    min_rows: 5,
    ridge: 1.0,
    shrinkage: 0.1,
    part: 0.8,
    features: 64,
};

/// Fits trees to rows and their labels by squared loss.
///
/// Each tree is fitted to a random part of the rows and, if rows are wide, of the features. The draws depend on nothing
/// but the seed.
pub(super) fn boost(rows: &Rows<'_>, y: &[f64], seed: u64) -> Trees {
    boost_with(&SETTINGS, rows, y, seed).0
}

/// Fits trees, and returns them with the gain of each feature: by how much its splits made the squared residuals smaller.
fn boost_with(settings: &Settings, rows: &Rows<'_>, y: &[f64], seed: u64) -> (Trees, Vec<f64>) {
    let mean = y.iter().sum::<f64>() / y.len().max(1) as f64;
    let (mut trees, mut gains) = (Trees::constant(mean), vec![0.0; rows.n_features()]);
    let bins = Bins::of(rows);
    if bins.width() == 0 {
        return (trees, gains);
    }
    let mut residuals: Vec<f64> = y.iter().map(|y| y - mean).collect();
    let width = bins.width().min(settings.features);
    let mut histograms = Histograms::new(width, settings.leaves);
    for tree in 0..settings.trees {
        let draws = Draws::new(seed, tree);
        let (drawn, others) = draws.rows(y.len(), settings.part);
        let features = draws.features(bins.width(), settings.features);
        let some = features.map(|features| bins.select(&features));
        let growth = Growth {
            settings,
            bins: some.as_ref().unwrap_or(&bins),
            residuals: &mut residuals,
            histograms: &mut histograms,
            drawn,
            others,
            gains: &mut gains,
        };
        growth.grow(&mut trees);
    }
    trees.shrink();
    (trees, gains)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One tree with all rows, whose values are used as they are.
    const PLAIN: Settings = Settings {
        trees: 1,
        leaves: 3,
        min_rows: 1,
        ridge: 0.0,
        shrinkage: 1.0,
        part: 1.0,
        features: 64,
    };

    fn fitted(settings: &Settings, data: &[f64], width: usize, y: &[f64]) -> Trees {
        boost_with(settings, &Rows::new(data, width).unwrap(), y, 7).0
    }

    fn predictions(trees: &Trees, data: &[f64], width: usize) -> Vec<f64> {
        data.chunks(width).map(|x| trees.predict(x)).collect()
    }

    #[test]
    fn the_leaf_that_gains_most_is_split_first() {
        let data = [1.0, 2.0, 3.0, 4.0];
        let y = [0.0, 1.0, 5.0, 9.0];
        let trees = fitted(&PLAIN, &data, 1, &y);
        // After {0, 1} | {5, 9}, the right half gains 8 and the left one 0.5.
        assert_eq!(predictions(&trees, &data, 1), [0.5, 0.5, 5.0, 9.0]);
        assert_eq!(trees.predict(&[3.5]), 5.0);
    }

    #[test]
    fn a_ridge_and_shrinkage_make_values_smaller() {
        let settings = Settings {
            leaves: 2,
            ridge: 1.0,
            shrinkage: 0.5,
            ..PLAIN
        };
        // The mean is 2, the residuals are -2, -2, 2 and 2.
        let trees = fitted(&settings, &[1.0, 2.0, 3.0, 4.0], 1, &[0.0, 0.0, 4.0, 4.0]);
        let expected = 0.5 * 4.0 / 3.0;
        assert_eq!(trees.predict(&[0.0]), 2.0 - expected);
        assert_eq!(trees.predict(&[9.0]), 2.0 + expected);
    }

    #[test]
    fn the_first_of_equal_features_is_asked_for() {
        let data: Vec<f64> = (0..40).flat_map(|i| [f64::from(i), f64::from(i)]).collect();
        let y: Vec<f64> = (0..40).map(|i| 0.1 + f64::from(i % 7)).collect();
        let settings = Settings {
            leaves: 31,
            ..PLAIN
        };
        let trees = fitted(&settings, &data, 2, &y);
        assert_eq!(trees.predict(&[3.0, 0.0]), trees.predict(&[3.0, 39.0]));
    }

    #[test]
    fn it_learns_a_function_of_two_features() {
        let (data, y) = wave(2000);
        let (first, last) = data.split_at(3000);
        let trees = boost(&Rows::new(first, 2).unwrap(), &y[..1500], 0);
        let errors = predictions(&trees, last, 2);
        let errors = errors.iter().zip(&y[1500..]).map(|(yhat, y)| yhat - y);
        let mean: f64 = errors.map(|e| e * e).sum::<f64>() / 500.0;
        assert!(mean < 0.01, "{mean}");
        assert_eq!(trees.n_trees(), SETTINGS.trees);
    }

    /// Rows of two features in [0, 1), and a wave over them.
    fn wave(n_rows: u32) -> (Vec<f64>, Vec<f64>) {
        let row = |i: u32| [0.618, 0.414].map(|step| (step * f64::from(i)).fract());
        let rows: Vec<[f64; 2]> = (0..n_rows).map(row).collect();
        let y = rows.iter().map(|[a, b]| (6.0 * a).sin() + b).collect();
        (rows.concat(), y)
    }

    #[test]
    fn the_seed_decides() {
        let (data, y) = wave(200);
        let trees = |seed| boost(&Rows::new(&data, 2).unwrap(), &y, seed);
        assert_eq!(trees(3), trees(3));
        assert_ne!(trees(3), trees(4));
    }

    #[test]
    fn there_is_no_tree_where_there_is_nothing_to_split() {
        let (data, y) = wave(100);
        let cases: [(&[f64], &[f64]); 4] = [
            (&data[..2], &y[..1]),
            (&data[..8], &y[..4]),
            (&[1.0; 200], &y),
            (&data, &[0.1; 100]),
        ];
        for (data, y) in cases {
            let trees = boost(&Rows::new(data, 2).unwrap(), y, 0);
            let mean = y.iter().sum::<f64>() / y.len() as f64;
            assert_eq!(trees, Trees::constant(mean));
        }
    }

    #[test]
    fn huge_numbers_are_fitted_like_others() {
        let (data, y) = wave(300);
        let huge: Vec<f64> = data.iter().map(|x| 1e100 * (x - 0.5)).collect();
        let labels: Vec<f64> = y.iter().map(|y| 1e50 * y).collect();
        let trees = boost(&Rows::new(&huge, 2).unwrap(), &labels, 0);
        let usual = boost(&Rows::new(&data, 2).unwrap(), &y, 0);
        for (x, huge) in data.chunks(2).zip(huge.chunks(2)) {
            assert!((1e-50 * trees.predict(huge) - usual.predict(x)).abs() < 1e-9);
        }
    }

    #[test]
    fn a_tree_asks_for_no_more_features_than_it_may() {
        let wide: Vec<f64> = (0..100).flat_map(|i| [f64::from(i); 10]).collect();
        let y: Vec<f64> = (0..100).map(f64::from).collect();
        let settings = Settings {
            features: 3,
            trees: 20,
            ..PLAIN
        };
        let trees = fitted(&settings, &wide, 10, &y);
        let last = |feature| {
            let mut x = [0.0; 10];
            x[feature] = 99.0;
            trees.predict(&x) - trees.predict(&[0.0; 10])
        };
        assert!((0..10).filter(|&feature| last(feature) > 0.0).count() > 1);
    }
}
