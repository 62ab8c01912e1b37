//! Means of the labels.

use crate::error::Error;
use crate::persist::State;

/// The mean of the labels of each target, of which old ones count less and less.
#[derive(Debug, Clone)]
pub(super) struct Means {
    pub(super) forgetting: f64,
    pub(super) values: Vec<f64>,
    count: f64,
}

impl Means {
    pub(super) fn new(forgetting: f64, n_targets: usize) -> Self {
        let (values, count) = (vec![0.0; n_targets], 0.0);
        Self {
            forgetting,
            values,
            count,
        }
    }

    pub(super) fn learn(&mut self, y: &[f64], weight: f64) {
        self.count = self.forgetting * self.count + weight;
        for (mean, y) in self.values.iter_mut().zip(y) {
            *mean += (y - *mean) * weight / self.count;
        }
    }

    pub(super) fn uncertainty(&self) -> f64 {
        self.count.max(1.0).recip()
    }

    pub(super) fn save(&self, i: usize, state: &mut State) {
        state.put(&format!("means{i}"), &*self.values);
        state.put(&format!("count{i}"), [self.count]);
    }

    pub(super) fn load(&mut self, i: usize, state: &State) -> Result<(), Error> {
        self.values = state.vector(&format!("means{i}"), self.values.len())?;
        self.count = state.not_negative(&format!("count{i}"))?;
        Ok(())
    }
}
