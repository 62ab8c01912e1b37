//! How often a full dictionary takes in a row.

use crate::error::Error;
use crate::persist::State;

/// Rows between two that take the place of others: few where rows come that the dictionary does not know.
const USUAL: f64 = 128.0;
const SURPRISED: f64 = 4.0;

/// How far rows are from the span of the dictionary, on the average of so many rows lately, and of so many in the long run.
const LATELY: f64 = 64.0;
const LONG_RUN: f64 = 2048.0;

/// What tells of a change: rows twice as far from the span as in the long run, or explained half as much; unless that is
/// next to nothing.
const FACTOR: f64 = 2.0;
const NOTHING: f64 = 0.03;

/// As a rule a row takes the place of another only if it is the first of so many: they are learned together, on features
/// that should stay the same.
pub(crate) const TOGETHER: usize = 32;

/// Lets rows take the place of others slowly as a rule, and fast when the stream has moved to where no rows are kept.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplacementSchedule {
    /// Rows so far.
    rows: f64,
    /// Rows since the last that took the place of another.
    waited: f64,
    lately: f64,
    in_the_long_run: f64,
    /// Rows that these averages are of.
    count: f64,
    /// Rows that are still to be replaced fast, and those that are to be replaced sooner than usual.
    fast_left: f64,
    soon_left: f64,
}

impl ReplacementSchedule {
    /// A row comes while there is room for it.
    pub(crate) fn pass(&mut self) {
        self.rows += 1.0;
    }

    /// Takes in how far a row is from the span of a full dictionary of this size, as a part of the most that it can be.
    pub(crate) fn note(&mut self, distance: f64, size: usize) {
        self.rows += 1.0;
        self.waited += 1.0;
        self.count = LONG_RUN.min(self.count + 1.0);
        self.lately += (distance - self.lately) / self.count.min(LATELY);
        self.in_the_long_run += (distance - self.in_the_long_run) / self.count;
        if self.is_surprised() {
            self.fast_left = size as f64;
        }
    }

    fn is_surprised(&self) -> bool {
        let (now, usual) = (self.lately, self.in_the_long_run);
        let explained = |distance: f64| 1.0 - distance * distance;
        now > NOTHING.max(FACTOR * usual) || explained(now) < explained(usual) / FACTOR
    }

    /// Whether rows are to be replaced fast.
    pub(crate) fn is_fast(&self) -> bool {
        self.fast_left > 0.0
    }

    /// Whether it is time for another row.
    pub(crate) fn is_due(&self) -> bool {
        if self.is_fast() {
            return self.waited >= SURPRISED;
        }
        let together = TOGETHER as f64;
        let patience = if self.soon_left > 0.0 {
            together
        } else {
            USUAL
        };
        self.waited >= patience && (self.rows - 1.0) % together == 0.0
    }

    /// A row has taken the place of another.
    pub(crate) fn restart(&mut self) {
        self.waited = 0.0;
        self.fast_left = (self.fast_left - 1.0).max(0.0);
        self.soon_left = (self.soon_left - 1.0).max(0.0);
    }

    /// What is to be predicted has changed: each of so many rows should be looked at soon.
    pub(crate) fn hurry(&mut self, size: usize) {
        self.soon_left = size as f64;
    }

    pub(crate) fn save(&self, state: &mut State) {
        let averages = [self.lately, self.in_the_long_run, self.count];
        let rows = [self.rows, self.waited, self.fast_left, self.soon_left];
        state.put("pace_averages", averages);
        state.put("pace_rows", rows);
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        let averages = state.numbers("pace_averages")?;
        [self.lately, self.in_the_long_run, self.count] = averages;
        let rows = state.numbers("pace_rows")?;
        [self.rows, self.waited, self.fast_left, self.soon_left] = rows;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaced(schedule: &mut ReplacementSchedule, distances: impl Iterator<Item = f64>) -> usize {
        let mut count = 0;
        for distance in distances {
            schedule.note(distance, 10);
            if schedule.is_due() {
                schedule.restart();
                count += 1;
            }
        }
        count
    }

    #[test]
    fn rows_are_replaced_slowly_until_the_stream_moves() {
        for usual in [1e-4, 0.3] {
            let mut schedule = ReplacementSchedule::default();
            let slowly = replaced(&mut schedule, (0..1280).map(|_| usual));
            assert!((8..=10).contains(&slowly), "{slowly}");
            let moved = replaced(&mut schedule, (0..128).map(|_| 0.99));
            assert!((15..=32).contains(&moved), "{moved}");
        }
    }
}
