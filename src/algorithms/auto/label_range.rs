//! The range of the labels.

use crate::error::Error;
use crate::limits::{Range, UNBOUNDED};
use crate::persist::State;
use crate::runtime::heap;

/// The smallest and the largest label so far, and how many labels were equal to each.
///
/// An end that several labels share is taken for a limit, as censored labels have. Beyond an end that a single label
/// has reached, predictions may go on by a part of the width of the range, which grows with the number of labels: what few
/// of them suggest is seldom far beyond them.
#[derive(Debug, Clone, Default)]
pub(super) struct LabelRange {
    low: f64,
    high: f64,
    at_low: f64,
    at_high: f64,
    /// Number of labels.
    count: f64,
}

/// The least part of the width by which predictions may go on, and the number of labels that allow the whole width.
const LEAST: f64 = 0.25;
const ENOUGH: f64 = 1000.0;

impl LabelRange {
    /// Widens the range to hold a label.
    pub(super) fn include(&mut self, y: f64) {
        self.count += 1.0;
        if self.at_low == 0.0 || y < self.low {
            (self.low, self.at_low) = (y, 1.0);
        } else if y == self.low {
            self.at_low += 1.0;
        }
        if self.at_high == 0.0 || y > self.high {
            (self.high, self.at_high) = (y, 1.0);
        } else if y == self.high {
            self.at_high += 1.0;
        }
    }

    /// The range of the predictions.
    pub(super) fn range(&self) -> Range {
        let beyond = (self.high - self.low) * (self.count / ENOUGH).clamp(LEAST, 1.0);
        let end = |count: f64| if count > 1.0 { 0.0 } else { beyond };
        match self.at_low {
            0.0 => UNBOUNDED,
            _ => (self.low - end(self.at_low), self.high + end(self.at_high)),
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put("bounds", [self.low, self.high, self.at_low, self.at_high]);
        state.put("n_labels", [self.count]);
    }

    pub(super) fn load(state: &State) -> Result<Self, Error> {
        let [low, high, at_low, at_high] = state.numbers("bounds")?;
        let count = if state.has("n_labels") {
            state.not_negative("n_labels")?
        } else {
            ENOUGH // older files allow the whole width
        };
        if low <= high && at_low >= 0.0 && at_high >= 0.0 {
            return Ok(Self {
                low,
                high,
                at_low,
                at_high,
                count,
            });
        }
        Err(Error::model_file("bounds should be a range"))
    }
}

heap!(LabelRange:);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_labels_share_is_hard() {
        let mut labels = LabelRange::default();
        assert_eq!(labels.range(), UNBOUNDED);
        for y in [1.0, 3.0, 1.0] {
            labels.include(y);
        }
        assert_eq!(labels.range(), (1.0, 3.5));
        labels.include(0.5);
        assert_eq!(labels.range(), (-0.125, 3.625));
        (0..996).for_each(|_| labels.include(2.0));
        assert_eq!(labels.range(), (-2.0, 5.5));
    }
}
