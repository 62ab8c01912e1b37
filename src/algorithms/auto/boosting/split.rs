//! The search for the best split of a leaf.

use super::histograms::{Histogram, Sums, minus};

/// Part of its gain by which a split has to be better than one before it.
const CLEARLY: f64 = 1e-9;

/// Part of the sum of squares of all residuals that a gain may have from rounding.
const ROUNDING: f64 = 1e-12;

/// A way to divide the rows of a leaf: those up to a bin of a feature go to the left.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Split {
    /// By how much the sum of squares gets smaller; 0 if there is no split.
    pub(super) gain: f64,
    pub(super) feature: usize,
    pub(super) bin: usize,
    /// The sums of the rows that go to the left.
    pub(super) left: Sums,
}

/// The search for splits: it decides which are allowed, and which of two is better.
#[derive(Debug)]
pub(super) struct Search {
    pub(super) min_rows: f64,
    pub(super) ridge: f64,
    /// A gain that may be due to rounding.
    rounding: f64,
}

impl Search {
    /// A search in a tree whose residuals have this sum of squares.
    pub(super) fn new(min_rows: usize, ridge: f64, squares: f64) -> Self {
        Self {
            min_rows: min_rows as f64,
            ridge,
            rounding: ROUNDING * squares,
        }
    }

    /// The gain that a later split needs to be better: of several that gain the same, the first is the best, however
    /// sums are rounded.
    pub(super) fn needed(&self, best: f64) -> f64 {
        best + CLEARLY * best + self.rounding
    }

    /// The best split of the rows with these sums and histograms, of features with these thresholds.
    pub(super) fn best(
        &self,
        all: Sums,
        histograms: &[Histogram],
        thresholds: &[Vec<f64>],
    ) -> Split {
        let mut best = Split::default();
        if all[1] < 2.0 * self.min_rows {
            return best;
        }
        for (feature, (histogram, thresholds)) in histograms.iter().zip(thresholds).enumerate() {
            self.improve(&mut best, all, feature, &histogram[..thresholds.len()]);
        }
        best
    }

    /// Replaces a split by a better one of this feature, if there is one.
    fn improve(&self, best: &mut Split, all: Sums, feature: usize, histogram: &[Sums]) {
        let before = all[0] * all[0] / (all[1] + self.ridge);
        let (mut left, mut needed) = ([0.0; 2], self.needed(best.gain));
        for (bin, sums) in histogram.iter().enumerate() {
            left = [left[0] + sums[0], left[1] + sums[1]];
            let right = minus(all, left);
            // After a bin without rows a split is the one before it.
            if left[1] < self.min_rows || sums[1] == 0.0 {
                continue;
            }
            if right[1] < self.min_rows {
                return;
            }
            let gain = self.fit(left, right) - before;
            if gain > needed {
                *best = Split {
                    gain,
                    feature,
                    bin,
                    left,
                };
                needed = self.needed(gain);
            }
        }
    }

    /// By how much two leaves with values of their own make the sum of squares smaller: `sum_i g_i^2 / (n_i + ridge)`,
    /// with one division.
    fn fit(&self, [g, n]: Sums, [h, m]: Sums) -> f64 {
        let (n, m) = (n + self.ridge, m + self.ridge);
        (g * g * m + h * h * n) / (n * m)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::auto::boosting::bins::BINS;

    fn histogram(sums: &[Sums]) -> Histogram {
        let mut histogram = [[0.0; 2]; BINS];
        histogram[..sums.len()].copy_from_slice(sums);
        histogram
    }

    #[test]
    fn the_best_split_is_the_first_that_gains_most() {
        let search = Search::new(1, 0.0, 18.0);
        let poor = histogram(&[[1.0, 2.0], [-1.0, 2.0]]);
        let good = histogram(&[[3.0, 1.0], [0.0, 0.0], [0.0, 1.0], [-3.0, 2.0]]);
        let best = search.best(
            [0.0, 4.0],
            &[poor, good, good],
            &[1, 3, 3].map(|n| vec![0.0; n]),
        );
        // 3^2 / 1 + 3^2 / 3
        let expected = Split {
            gain: 12.0,
            feature: 1,
            bin: 0,
            left: [3.0, 1.0],
        };
        assert_eq!(best, expected);
    }

    #[test]
    fn leaves_have_enough_rows_and_a_ridge() {
        let search = Search::new(2, 1.0, 18.0);
        let histogram = histogram(&[[3.0, 1.0], [0.0, 1.0], [-3.0, 2.0]]);
        let best = search.best([0.0, 4.0], &[histogram], &[vec![0.0; 2]]);
        assert_eq!((best.bin, best.gain), (1, 6.0));
        let search = Search::new(3, 1.0, 18.0);
        assert_eq!(
            search.best([0.0, 4.0], &[histogram], &[vec![0.0; 2]]),
            Split::default()
        );
    }

    #[test]
    fn a_gain_from_rounding_is_none() {
        let histogram = histogram(&[[1e-7, 1.0], [-1e-7, 1.0]]);
        let best =
            |squares| Search::new(1, 0.0, squares).best([0.0, 2.0], &[histogram], &[vec![0.0]]);
        assert_eq!(best(1.0), Split::default());
        assert!(best(2e-14).gain > 0.0);
    }
}
