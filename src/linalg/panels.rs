//! Stored rows, eight side by side.

use crate::linalg::simd::{LANES, Lanes};
use crate::runtime::memory::{grow_to, heap};

/// Stored rows, kept in panels of eight: feature by feature, the eight values side by side.
///
/// A kernel row is a loop over features that adds to eight sums at once, which the compiler turns into
/// vector instructions, and a new row never moves an old one. The unused rows of the last panel are zero.
///
/// ```
/// use nystream::linalg::Panels;
///
/// let mut rows = Panels::default();
/// rows.push(&[1.0, 2.0]);
/// rows.push(&[3.0, 4.0]);
/// assert_eq!(rows.to_vec(), [1.0, 2.0, 3.0, 4.0]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Panels {
    data: Vec<Lanes>,
    n_rows: usize,
    n_features: usize,
}

impl Panels {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Width of the rows; 0 while there are none.
    pub fn n_features(&self) -> usize {
        self.n_features
    }

    /// Appends a row; the first one sets the width.
    pub fn push(&mut self, row: &[f64]) {
        let (panel, lane) = (self.n_rows / LANES, self.n_rows % LANES);
        if self.n_rows == 0 {
            self.n_features = row.len();
        }
        debug_assert_eq!(row.len(), self.n_features);
        grow_to(&mut self.data, (panel + 1) * self.n_features, [0.0; LANES]);
        for (lanes, &value) in self.data[panel * self.n_features..].iter_mut().zip(row) {
            lanes[lane] = value;
        }
        self.n_rows += 1;
    }

    /// Sets a feature of row `i`.
    pub(crate) fn set(&mut self, i: usize, feature: usize, value: f64) {
        self.data[i / LANES * self.n_features + feature][i % LANES] = value;
    }

    /// A copy of the rows with zeros as further features.
    #[must_use]
    pub(crate) fn widened(&self, n_features: usize) -> Self {
        let mut wide = vec![0.0; n_features];
        let mut panels = Self::default();
        for i in 0..self.n_rows {
            wide.iter_mut()
                .zip(self.row(i))
                .for_each(|(wide, x)| *wide = x);
            panels.push(&wide);
        }
        panels
    }

    /// A copy of the rows without row `j`.
    #[must_use]
    pub(crate) fn without(&self, j: usize) -> Self {
        let (mut panels, mut row) = (Self::default(), Vec::new());
        for i in (0..self.n_rows).filter(|&i| i != j) {
            row.clear();
            row.extend(self.row(i));
            panels.push(&row);
        }
        panels
    }

    /// The panels: for each feature, its value in eight rows.
    pub fn panels(&self) -> impl Iterator<Item = &[Lanes]> {
        // A width of 0 means that nothing is stored yet.
        self.data.chunks_exact(self.n_features.max(1))
    }

    /// The panel of this index.
    pub(crate) fn panel(&self, index: usize) -> &[Lanes] {
        &self.data[index * self.n_features..][..self.n_features]
    }

    /// `||z||^2` of row `i`.
    pub(crate) fn norm_squared(&self, i: usize) -> f64 {
        self.row(i).map(|z| z * z).sum()
    }

    /// Row `i`.
    pub fn row(&self, i: usize) -> impl Iterator<Item = f64> {
        let (panel, lane) = (i / LANES, i % LANES);
        let lanes = &self.data[panel * self.n_features..][..self.n_features];
        lanes.iter().map(move |lanes| lanes[lane])
    }

    /// All rows, one after the other.
    pub fn to_vec(&self) -> Vec<f64> {
        (0..self.n_rows).flat_map(|i| self.row(i)).collect()
    }

    /// Appends all rows, one after the other.
    pub(crate) fn pack_onto(&self, numbers: &mut Vec<f64>) {
        (0..self.n_rows).for_each(|i| numbers.extend(self.row(i)));
    }

    /// Becomes the rows of this width that are given one after the other, in the same memory.
    pub(crate) fn unpack(&mut self, n_features: usize, rows: &[f64]) {
        self.data.clear();
        (self.n_rows, self.n_features) = (0, n_features);
        rows.chunks_exact(n_features.max(1))
            .for_each(|row| self.push(row));
    }
}

impl<'a> FromIterator<&'a [f64]> for Panels {
    fn from_iter<I: IntoIterator<Item = &'a [f64]>>(rows: I) -> Self {
        let mut panels = Self::default();
        rows.into_iter().for_each(|row| panels.push(row));
        panels
    }
}

heap!(Panels: data);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_in_order_across_panels() {
        let data: Vec<f64> = (0..57).map(f64::from).collect();
        let panels: Panels = data.chunks_exact(3).collect();
        assert_eq!(panels.n_rows(), 19);
        assert_eq!(panels.panels().count(), 3);
        assert_eq!(panels.to_vec(), data);
        let mut packed = Vec::new();
        panels.pack_onto(&mut packed);
        let mut unpacked: Panels = [&[1.0; 5][..]; 9].into_iter().collect();
        unpacked.unpack(3, &packed);
        assert_eq!(packed, data);
        assert!(unpacked.panels().eq(panels.panels()));
        let rest = panels.without(1).to_vec();
        assert_eq!((&rest[..3], &rest[3..]), (&data[..3], &data[6..]));
    }

    #[test]
    fn nothing_stored_has_no_panels() {
        assert_eq!(Panels::default().panels().count(), 0);
        assert_eq!(Panels::default().to_vec(), [] as [f64; 0]);
    }
}
