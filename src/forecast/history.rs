//! The last values of a series.

use std::collections::VecDeque;

use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;

/// The values of the last slots of a series, without gaps: a slot that had no value holds what stands for it.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    depth: usize,
    values: VecDeque<f64>,
    /// Slots without a value of their own: 1, others 0.
    gaps: VecDeque<f64>,
}

impl History {
    /// An empty history of so many slots.
    pub(super) fn new(depth: usize) -> Self {
        let (values, gaps) = (VecDeque::new(), VecDeque::new());
        Self {
            depth,
            values,
            gaps,
        }
    }

    /// Number of slots that are remembered.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The value `ago` slots before the last one; NaN before the first.
    pub(super) fn at(&self, ago: usize) -> f64 {
        let place = self.values.len().checked_sub(ago + 1);
        place.map_or(f64::NAN, |i| self.values[i])
    }

    /// The mean of the last `n` values, or of all if there are fewer.
    pub(super) fn mean(&self, n: usize) -> f64 {
        let n = n.min(self.len());
        self.values.iter().rev().take(n).sum::<f64>() / n as f64
    }

    /// Appends the next slot, with its value or what stands for it.
    pub(super) fn push(&mut self, value: f64, is_gap: bool) {
        if self.len() == self.depth {
            self.values.pop_front();
            self.gaps.pop_front();
        }
        self.values.push_back(value);
        self.gaps.push_back(f64::from(is_gap));
    }

    /// Forgets all values.
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.gaps.clear();
    }

    /// Sets the value `ago` slots before the last one. Returns true if it had none of its own, and `None` if the slot is
    /// not remembered.
    pub(super) fn correct(&mut self, ago: usize, value: f64) -> Option<bool> {
        let place = self.len().checked_sub(ago.saturating_add(1))?;
        self.values[place] = value;
        Some(std::mem::take(&mut self.gaps[place]) > 0.0)
    }

    /// The most slots that are remembered.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put("values", Vec::from(self.values.clone()));
        state.put("gaps", Vec::from(self.gaps.clone()));
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        let values = state.any_vector("values")?;
        if values.len() > self.depth {
            return Err(Error::model_file("values should be those of a history"));
        }
        self.gaps = state.vector("gaps", values.len())?.into();
        self.values = values.into();
        Ok(())
    }
}

heap!(History: values, gaps);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_values_are_remembered_and_can_be_corrected() {
        let mut history = History::new(3);
        assert!(history.at(0).is_nan() && history.correct(0, 1.0).is_none());
        for value in [1.0, 2.0, 3.0, 4.0] {
            history.push(value, value == 3.0);
        }
        assert_eq!((history.len(), history.at(0), history.at(2)), (3, 4.0, 2.0));
        assert!(history.at(3).is_nan());
        assert_eq!((history.mean(2), history.mean(9)), (3.5, 3.0));
        assert_eq!(history.correct(1, 9.0), Some(true));
        assert_eq!(history.correct(1, 10.0), Some(false));
        assert_eq!(history.correct(3, 10.0), None);
        assert_eq!(history.at(1), 10.0);
        let mut state = State::default();
        history.save(&mut state);
        let mut again = History::new(3);
        again.load(&state).unwrap();
        assert_eq!(again.values, history.values);
        assert!(History::new(2).load(&state).is_err());
    }
}
