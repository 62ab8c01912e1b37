//! The first rows, encoded anew.

use super::first_rows::FirstRow;

/// Rows learned so far, each as it would have been encoded before it was learned, had the kinds of columns been known.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replay {
    rows: Vec<ReplayedRow>,
}

/// A row learned before.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayedRow {
    /// Its features; those that came later are 0.
    pub features: Vec<f64>,
    /// Its label for each target.
    pub y: Vec<f64>,
    /// Its weight.
    pub weight: f64,
}

impl Replay {
    pub(super) fn push(&mut self, features: &[f64], row: &FirstRow) {
        self.rows.push(ReplayedRow {
            features: features.to_vec(),
            y: row.y.clone(),
            weight: row.weight,
        });
    }

    /// Gives all rows as many features.
    pub(super) fn widen(&mut self, width: usize) {
        for row in &mut self.rows {
            row.features.resize(width, 0.0);
        }
    }

    /// The rows, the first learned first. All have the same number of features.
    pub fn rows(&self) -> &[ReplayedRow] {
        &self.rows
    }
}
