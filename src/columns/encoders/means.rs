//! Means of labels.

use crate::error::Error;
use crate::limits::LARGEST;
use crate::persist::State;
use crate::runtime::heap;

/// The mean of the labels of each target over some rows, of which each counts less than the next.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::columns) struct Means {
    /// The number of rows, each counted by its weight and how long ago it came.
    pub(super) count: f64,
    /// The mean for each target; 0 before any row.
    pub(super) values: Vec<f64>,
}

impl Means {
    pub(in crate::columns) fn new(n_targets: usize) -> Self {
        Self {
            count: 0.0,
            values: vec![0.0; n_targets],
        }
    }

    /// Adds the labels of a row, after which each row before counts `forgetting` times what it did.
    pub(in crate::columns) fn update(&mut self, y: &[f64], weight: f64, forgetting: f64) {
        self.count = forgetting * self.count + weight;
        let part = weight / self.count;
        for (mean, y) in self.values.iter_mut().zip(y) {
            *mean += (y - *mean) * part;
        }
    }

    pub(in crate::columns) fn save(&self, state: &mut State) {
        state.put("means", &*self.values);
        state.put("mean_count", [self.count]);
    }

    pub(in crate::columns) fn load(state: &State, n_targets: usize) -> Result<Self, Error> {
        let count = state.not_negative("mean_count")?;
        let values = state.vector("means", n_targets)?;
        let means = Self { count, values };
        let wrong = || Error::model_file("means should be those of labels");
        means.is_possible().then_some(means).ok_or_else(wrong)
    }

    /// Returns true if labels can have these means, up to rounding.
    pub(super) fn is_possible(&self) -> bool {
        self.values.iter().all(|mean| mean.abs() <= 2.0 * LARGEST)
    }
}

heap!(Means: values);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_by_weight_and_age() {
        let mut means = Means::new(2);
        means.update(&[4.0, 1.0], 1.0, 0.5);
        means.update(&[1.0, 4.0], 1.5, 0.5);
        assert_eq!((means.count, &*means.values), (2.0, &[1.75, 3.25][..]));
    }
}
