//! The features of a block of rows, side by side.

use crate::linalg::LANES;

/// The features of a block of rows, stored coordinate by coordinate: the values of all rows in one coordinate are side
/// by side.
///
/// A row may bring a coordinate, which later rows have and earlier rows do not.
#[derive(Debug, Clone, Default)]
pub struct FeatureMatrix {
    data: Vec<f64>,
    width: usize,
    n_rows: usize,
    /// Number of coordinates before the first row.
    known: usize,
    /// The rows that brought a coordinate, in order.
    joined: Vec<usize>,
}

impl FeatureMatrix {
    /// Sets the size to `n_rows` rows with `known` coordinates, and all values to 0.
    pub(crate) fn reset(&mut self, n_rows: usize, known: usize) {
        self.n_rows = n_rows;
        self.width = n_rows.next_multiple_of(LANES);
        self.known = known;
        self.joined.clear();
        self.data.clear();
        self.data.resize(known * self.width, 0.0);
    }

    /// Removes the rows from `n_rows` on, none of which has brought a coordinate.
    pub(crate) fn truncate(&mut self, n_rows: usize) {
        self.n_rows = n_rows;
    }

    /// Adds a coordinate that row `i` brings; returns the values in earlier coordinates, and zeros for its own.
    pub(crate) fn join(&mut self, i: usize) -> (&[f64], &mut [f64]) {
        let start = self.data.len();
        self.data.resize(start + self.width, 0.0);
        self.joined.push(i);
        let (before, own) = self.data.split_at_mut(start);
        (before, own)
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of rows, padded to a multiple of eight.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Number of coordinates before the first row.
    pub(crate) fn known(&self) -> usize {
        self.known
    }

    /// Number of coordinates after the last row.
    pub(crate) fn size(&self) -> usize {
        self.known + self.joined.len()
    }

    /// Number of coordinates that rows brought before row `i`.
    pub(crate) fn n_joined_before(&self, i: usize) -> usize {
        self.joined.partition_point(|&joined| joined < i)
    }

    /// The value of row `i` in the coordinate that it has brought, if it has brought one.
    pub(crate) fn gain(&self, i: usize) -> Option<f64> {
        let n = self.joined.binary_search(&i).ok()?;
        Some(self.data[(self.known + n) * self.width + i])
    }

    /// Writes the features of row `i` without the coordinate that it has brought.
    pub(crate) fn row_into(&self, i: usize, phi: &mut Vec<f64>) {
        let size = self.known + self.n_joined_before(i);
        phi.clear();
        phi.extend((0..size).map(|m| self.data[m * self.width + i]));
    }

    /// Sets a feature of row `i`.
    pub(crate) fn set(&mut self, i: usize, feature: usize, value: f64) {
        self.data[feature * self.width + i] = value;
    }

    /// Sets the first features of row `i`.
    pub(crate) fn set_row(&mut self, i: usize, phi: &[f64]) {
        for (m, &phi) in phi.iter().enumerate() {
            self.data[m * self.width + i] = phi;
        }
    }

    /// The values coordinate by coordinate.
    pub(crate) fn data(&self) -> &[f64] {
        &self.data
    }

    /// The values coordinate by coordinate, mutable.
    pub(crate) fn data_mut(&mut self) -> &mut [f64] {
        &mut self.data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_what_rows_before_it_brought() {
        let mut features = FeatureMatrix::default();
        features.reset(3, 1);
        features.data_mut()[..3].copy_from_slice(&[1.0, 2.0, 3.0]);
        let (_, values) = features.join(1);
        values[1..3].copy_from_slice(&[5.0, 6.0]);
        let mut phi = vec![];
        let rows = [0, 1, 2].map(|i| {
            features.row_into(i, &mut phi);
            (phi.clone(), features.gain(i))
        });
        let expected = [
            (vec![1.0], None),
            (vec![2.0], Some(5.0)),
            (vec![3.0, 6.0], None),
        ];
        assert_eq!(rows, expected);
        assert_eq!(features.size(), 2);
    }
}
