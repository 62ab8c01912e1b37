//! A batch of rows, side by side.

use super::LANES;
use crate::data::Rows;

/// Rows of a stream, stored feature by feature: the values of all rows in one feature are side by side.
///
/// The rows are padded with zeros to a multiple of eight.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    data: Vec<f64>,
    width: usize,
}

impl Batch {
    /// Replaces the rows of the batch.
    pub(crate) fn fill(&mut self, rows: &Rows<'_>) {
        self.width = rows.len().next_multiple_of(LANES);
        self.data.resize(rows.n_features() * self.width, 0.0);
        let data = rows.data().chunks(LANES * rows.n_features());
        for (i, eight) in data.enumerate() {
            self.fill_lanes(LANES * i, eight, rows.n_features());
        }
    }

    /// Stores up to eight rows, padded with zeros, side by side from `start` on.
    fn fill_lanes(&mut self, start: usize, rows: &[f64], n_features: usize) {
        let mut chunks = rows.chunks_exact(n_features);
        let rows: [&[f64]; LANES] = std::array::from_fn(|_| chunks.next().unwrap_or_default());
        for (f, lanes) in self.data.chunks_exact_mut(self.width).enumerate() {
            let lanes = &mut lanes[start..][..LANES];
            for (lane, row) in lanes.iter_mut().zip(rows) {
                *lane = row.get(f).copied().unwrap_or(0.0);
            }
        }
    }

    /// Number of rows, padded to a multiple of eight.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// The values, feature by feature.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// `||x||^2` of each row.
    pub(crate) fn norms_squared(&self) -> Vec<f64> {
        let mut norms = vec![0.0; self.width];
        for feature in self.features() {
            for (norm, x) in norms.iter_mut().zip(feature) {
                *norm += x * x;
            }
        }
        norms
    }

    /// The values of all rows in each feature.
    pub fn features(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.data.chunks_exact(self.width.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_lie_side_by_side_and_places_to_spare_are_zero() {
        let data: Vec<f64> = (0..26).map(f64::from).collect();
        let mut batch = Batch::default();
        // A shorter batch after a longer one: nothing of that may be left.
        for n_rows in [13, 3] {
            batch.fill(&Rows::new(&data[..2 * n_rows], 2).unwrap());
            assert_eq!(batch.width(), n_rows.next_multiple_of(LANES));
            for (f, feature) in batch.features().enumerate() {
                for (i, &value) in feature.iter().enumerate() {
                    let expected = if i < n_rows { (2 * i + f) as f64 } else { 0.0 };
                    assert_eq!(value, expected);
                }
            }
        }
    }
}
