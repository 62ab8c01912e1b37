//! Clipping of predictions to the range of the labels.

use crate::error::Error;
use crate::limits::{Range, UNBOUNDED};
use crate::persist::State;
use crate::runtime::heap;

/// Clips predictions, if asked to, to the range between the smallest and the largest label of their target so far.
#[derive(Debug, Clone)]
pub(super) struct Clip {
    asked: bool,
    /// Unbounded until there is a label.
    ranges: Vec<Range>,
}

impl Clip {
    /// A clip for `n_targets` targets; without `asked` it does nothing.
    pub(super) fn new(asked: bool, n_targets: usize) -> Self {
        let ranges = vec![UNBOUNDED; n_targets];
        Self { asked, ranges }
    }

    /// Clips predictions, one for each target.
    pub(super) fn apply(&self, yhat: &mut [f64]) {
        for (yhat, (low, high)) in yhat.iter_mut().zip(&self.ranges) {
            *yhat = yhat.clamp(*low, *high);
        }
    }

    /// The range of the predictions of each target.
    pub(super) fn ranges(&self) -> &[Range] {
        &self.ranges
    }

    /// Widens the ranges to hold the labels of a row.
    pub(super) fn include(&mut self, y: &[f64]) {
        if !self.asked {
            return;
        }
        for (range, &y) in self.ranges.iter_mut().zip(y) {
            *range = hull(*range, (y, y));
        }
    }

    /// A clip to the labels of several clips, at least one.
    pub(super) fn merged(all: &[&Self]) -> Self {
        let mut merged = Self::clone(all[0]);
        for own in all {
            for (range, own) in merged.ranges.iter_mut().zip(&own.ranges) {
                *range = hull(*range, *own);
            }
        }
        merged
    }

    /// Appends the ends of the ranges, if there are any.
    pub(super) fn pack(&self, numbers: &mut Vec<f64>) {
        let ranges = self.ranges.iter().filter(|range| **range != UNBOUNDED);
        numbers.extend(ranges.flat_map(|&(low, high)| [low, high]));
    }

    /// Reads what [`pack`](Self::pack) has written; returns false if the numbers are not that.
    pub(super) fn unpack(&mut self, numbers: &[f64]) -> bool {
        let ranges = numbers.as_chunks::<2>().0;
        if numbers.is_empty() {
            self.ranges.fill(UNBOUNDED);
            return true;
        }
        let whole = numbers.len() == 2 * self.ranges.len();
        for (own, [low, high]) in self.ranges.iter_mut().zip(ranges) {
            *own = (*low, *high);
        }
        whole && ranges.iter().all(|[low, high]| low <= high)
    }

    pub(super) fn save(&self, state: &mut State) {
        state.put_ranges("label_range", &self.ranges);
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        self.ranges = state.ranges("label_range", self.ranges.len())?;
        Ok(())
    }
}

/// The smallest range that holds both; an unbounded one holds no label yet.
fn hull(a: Range, b: Range) -> Range {
    match (a == UNBOUNDED, b == UNBOUNDED) {
        (true, _) => b,
        (_, true) => a,
        _ => (a.0.min(b.0), a.1.max(b.1)),
    }
}

heap!(Clip: ranges);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_to_the_labels_seen_if_asked_to() {
        for (asked, expected) in [(true, [1.0, -2.0, 0.5]), (false, [7.0, -7.0, 0.5])] {
            let mut clip = Clip::new(asked, 1);
            let mut first = [7.0];
            clip.apply(&mut first);
            assert_eq!(first, [7.0]);
            clip.include(&[1.0]);
            clip.include(&[-2.0]);
            let mut yhat = [7.0, -7.0, 0.5];
            yhat.chunks_mut(1).for_each(|yhat| clip.apply(yhat));
            assert_eq!(yhat, expected);
        }
    }

    #[test]
    fn merged_clips_know_the_labels_of_all() {
        let clips = [&[1.0, 2.0][..], &[], &[-3.0]].map(|labels| {
            let mut clip = Clip::new(true, 1);
            for y in labels {
                clip.include(&[*y]);
            }
            clip
        });
        assert_eq!(Clip::merged(&clips.each_ref()).ranges(), [(-3.0, 2.0)]);
    }
}
