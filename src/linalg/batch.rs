//! Some rows of a stream, side by side.

use super::LANES;

/// Some rows of a stream, feature by feature: what many rows have in one feature lies side by side.
///
/// The places for rows up to a multiple of eight are filled with zeros.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    data: Vec<f64>,
    width: usize,
    n_rows: usize,
}

impl Batch {
    /// Takes these rows in place of those before.
    pub fn fill<'a>(&mut self, rows: impl ExactSizeIterator<Item = &'a [f64]>) {
        self.n_rows = rows.len();
        self.width = self.n_rows.next_multiple_of(LANES);
        self.data.clear();
        for (i, x) in rows.enumerate() {
            self.data.resize(x.len() * self.width, 0.0);
            for (lanes, &value) in self.data.chunks_exact_mut(self.width).zip(x) {
                lanes[i] = value;
            }
        }
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of rows and of places filled with zeros.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The values of all features.
    pub fn data(&self) -> &[f64] {
        &self.data
    }

    /// `||x||^2` of each row.
    pub fn norms_squared(&self) -> Vec<f64> {
        let mut norms = vec![0.0; self.width];
        for feature in self.features() {
            for (norm, x) in norms.iter_mut().zip(feature) {
                *norm += x * x;
            }
        }
        norms
    }

    /// The values of each feature.
    pub fn features(&self) -> impl ExactSizeIterator<Item = &[f64]> {
        self.data.chunks_exact(self.width.max(1))
    }
}
