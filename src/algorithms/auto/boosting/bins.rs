//! Features as bins.

use crate::data::Rows;

/// The most bins of a feature.
pub(super) const BINS: usize = 128;

/// Rows whose features are numbers of bins. Features that are the same in all rows are left out.
#[derive(Debug)]
pub(super) struct Bins {
    /// The index of each feature among all.
    pub(super) features: Vec<usize>,
    /// The thresholds of each feature: bin `b` holds the values above threshold `b - 1` and up to threshold `b`.
    pub(super) thresholds: Vec<Vec<f64>>,
    /// The bins of the first row, then those of the next.
    codes: Vec<u8>,
}

impl Bins {
    /// The bins of some rows.
    pub(super) fn of(rows: &Rows<'_>) -> Self {
        let (mut features, mut thresholds) = (Vec::new(), Vec::new());
        let mut column = Vec::with_capacity(rows.len());
        for feature in 0..rows.n_features() {
            column.clear();
            column.extend(rows.iter().map(|x| x[feature]));
            column.sort_unstable_by(f64::total_cmp);
            let found = thresholds_of(&column);
            if !found.is_empty() {
                features.push(feature);
                thresholds.push(found);
            }
        }
        let parts = || features.iter().zip(&thresholds);
        let codes = rows
            .iter()
            .flat_map(|x| parts().map(|(&i, t)| bin(x[i], t)));
        Self {
            codes: codes.collect(),
            features,
            thresholds,
        }
    }

    /// Number of features that are not the same in all rows.
    pub(super) fn width(&self) -> usize {
        self.features.len()
    }

    /// The bins of a row.
    pub(super) fn row(&self, i: u32) -> &[u8] {
        let width = self.width();
        &self.codes[i as usize * width..][..width]
    }

    /// A copy with the features at these places alone.
    pub(super) fn select(&self, places: &[usize]) -> Self {
        let rows = self.codes.chunks_exact(self.width());
        Self {
            features: places.iter().map(|&i| self.features[i]).collect(),
            thresholds: places.iter().map(|&i| self.thresholds[i].clone()).collect(),
            codes: rows
                .flat_map(|row| places.iter().map(|&i| row[i]))
                .collect(),
        }
    }
}

/// Number of the bin that a value falls into.
#[allow(
    clippy::cast_possible_truncation,
    reason = "there are at most 128 bins"
)]
fn bin(x: f64, thresholds: &[f64]) -> u8 {
    thresholds.partition_point(|threshold| *threshold < x) as u8
}

/// The thresholds between the bins of sorted values.
///
/// A bin takes values until it has its share of the rows that are left; a value with a whole share has a bin of its
/// own. If there are no more than [`BINS`] distinct values, each has a bin.
fn thresholds_of(sorted: &[f64]) -> Vec<f64> {
    let groups: Vec<&[f64]> = sorted.chunk_by(|a, b| a == b).collect();
    let (mut thresholds, mut bins_left) = (Vec::new(), BINS);
    let (mut rows_left, mut in_bin) = (sorted.len(), 0);
    for pair in groups.windows(2) {
        in_bin += pair[0].len();
        let is_share = |rows: usize| rows * bins_left >= rows_left;
        let is_full = is_share(in_bin) || is_share(pair[1].len());
        if groups.len() <= BINS || (bins_left > 1 && is_full) {
            thresholds.push(between(pair[0][0], pair[1][0]));
            (rows_left, bins_left, in_bin) = (rows_left - in_bin, bins_left - 1, 0);
        }
    }
    thresholds
}

/// The number halfway between two others, or the smaller one if there is none between them.
fn between(low: f64, high: f64) -> f64 {
    let middle = low + (high - low) / 2.0;
    if middle < high { middle } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_values_have_a_bin_each_and_constants_none() {
        let data = [3.0, 5.0, -1.0, 1.0, 5.0, 7.0, 2.0, 5.0, -1.0];
        let bins = Bins::of(&Rows::new(&data, 3).unwrap());
        assert_eq!(bins.features, [0, 2]);
        assert_eq!(bins.thresholds, [vec![1.5, 2.5], vec![3.0]]);
        let rows = [0, 1, 2].map(|i| bins.row(i).to_vec());
        assert_eq!(rows, [[2, 0], [0, 1], [1, 0]]);
        let some = bins.select(&[1]);
        assert_eq!((some.features, some.thresholds), (vec![2], vec![vec![3.0]]));
        assert_eq!(some.codes, [0, 1, 0]);
    }

    #[test]
    fn bins_of_many_values_have_about_the_same_rows() {
        let values: Vec<f64> = (0..1280).map(f64::from).collect();
        let thresholds = thresholds_of(&values);
        let expected: Vec<f64> = (1..128).map(|i| 10.0 * f64::from(i) - 0.5).collect();
        assert_eq!(thresholds, expected);
    }

    #[test]
    fn a_frequent_value_has_a_bin_of_its_own() {
        let mut values: Vec<f64> = (0..1000).map(f64::from).collect();
        values.extend(vec![500.25; 5000]);
        values.sort_by(f64::total_cmp);
        let thresholds = thresholds_of(&values);
        assert!(thresholds.contains(&500.125) && thresholds.contains(&500.625));
        assert!(thresholds.is_sorted() && thresholds.len() < BINS);
    }

    #[test]
    fn a_threshold_is_below_the_value_after_it() {
        let next = 1.0_f64.next_up();
        for (low, high) in [(1.0, next), (next, next.next_up()), (-1e100, 1e100)] {
            let threshold = between(low, high);
            assert!(low <= threshold && threshold < high);
        }
        assert!(thresholds_of(&[-0.0, 0.0]).is_empty());
    }
}
