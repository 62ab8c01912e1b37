//! Histograms of residuals.

use super::bins::{BINS, Bins};

/// The sum of the residuals of some rows, and their number.
pub(super) type Sums = [f64; 2];

/// The sums of each bin of a feature.
pub(super) type Histogram = [Sums; BINS];

/// The histograms of all features, for each leaf of a tree.
#[derive(Debug)]
pub(super) struct Histograms {
    width: usize,
    all: Vec<Histogram>,
}

impl Histograms {
    /// Memory for the histograms of this many features and leaves.
    pub(super) fn new(width: usize, leaves: usize) -> Self {
        let all = vec![[[0.0; 2]; BINS]; width * leaves];
        Self { width, all }
    }

    /// The histogram of each feature of a leaf.
    pub(super) fn of(&self, leaf: usize) -> &[Histogram] {
        &self.all[leaf * self.width..][..self.width]
    }

    /// Computes the histograms of a leaf with these rows.
    pub(super) fn fill(&mut self, leaf: usize, bins: &Bins, residuals: &[f64], rows: &[u32]) {
        let histograms = &mut self.all[leaf * self.width..][..self.width];
        histograms.fill([[0.0; 2]; BINS]);
        for &i in rows {
            let residual = residuals[i as usize];
            for (histogram, &bin) in histograms.iter_mut().zip(bins.row(i)) {
                let sums = &mut histogram[usize::from(bin) % BINS];
                *sums = [sums[0] + residual, sums[1] + 1.0];
            }
        }
    }

    /// Subtracts the histograms of a leaf from those of another one before it.
    pub(super) fn subtract(&mut self, from: usize, leaf: usize) {
        let (before, after) = self.all.split_at_mut(leaf * self.width);
        let from = before[from * self.width..][..self.width].as_flattened_mut();
        for (from, sums) in from.iter_mut().zip(after.as_flattened()) {
            *from = minus(*from, *sums);
        }
    }
}

/// The sums of the rows that are in the first but not in the second.
pub(super) fn minus(all: Sums, some: Sums) -> Sums {
    [all[0] - some[0], all[1] - some[1]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Rows;

    #[test]
    fn what_a_part_leaves_is_the_histogram_of_the_rest() {
        let data = [1.0, 4.0, 2.0, 4.0, 1.0, 5.0, 3.0, 4.0];
        let bins = Bins::of(&Rows::new(&data, 2).unwrap());
        let residuals = [0.5, 1.0, 2.0, 4.0];
        let mut histograms = Histograms::new(2, 2);
        histograms.fill(0, &bins, &residuals, &[0, 1, 2, 3]);
        assert_eq!(
            histograms.of(0)[0][..3],
            [[2.5, 2.0], [1.0, 1.0], [4.0, 1.0]]
        );
        assert_eq!(histograms.of(0)[1][..2], [[5.5, 3.0], [2.0, 1.0]]);
        histograms.fill(1, &bins, &residuals, &[0, 3]);
        histograms.subtract(0, 1);
        assert_eq!(
            histograms.of(0)[0][..3],
            [[2.0, 1.0], [1.0, 1.0], [0.0, 0.0]]
        );
    }
}
