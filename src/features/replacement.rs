//! The schedule by which a full dictionary replaces rows.

use crate::error::Error;
use crate::persist::State;

/// Number of rows between two replacements: as a rule, and while the stream brings rows far from the dictionary.
const USUAL_WAIT: f64 = 128.0;
const FAST_WAIT: f64 = 4.0;

/// Number of rows in the averages of the distance from the span: the recent one, and the one in the long run.
const RECENT: f64 = 64.0;
const LONG_RUN: f64 = 2048.0;

/// The stream has moved if the recent distance is above `NOTHING` and above this many times the one in the long run, or
/// if the part that the span explains, `1 - distance^2`, is this many times smaller than in the long run.
const FACTOR: f64 = 2.0;
const NOTHING: f64 = 0.03;

/// Number of rows learned together. As a rule only the first may replace another row, so that features stay the same.
pub(crate) const TOGETHER: usize = 32;

/// Decides when a row may replace another: rarely as a rule, often when the stream has moved away from the dictionary.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplacementSchedule {
    /// Number of rows so far.
    rows: f64,
    /// Number of rows since the last replacement.
    waited: f64,
    recent: f64,
    long_run: f64,
    /// Number of rows in these averages.
    count: f64,
    /// Number of replacements still to be made at the fast rate, and of those to be made sooner than usual.
    fast_left: f64,
    soon_left: f64,
}

impl ReplacementSchedule {
    /// Counts a row that comes before the dictionary is full.
    pub(crate) fn pass(&mut self) {
        self.rows += 1.0;
    }

    /// Records the distance of a row from the span of a full dictionary, relative to the largest possible one.
    pub(crate) fn record(&mut self, distance: f64, size: usize) {
        self.rows += 1.0;
        self.waited += 1.0;
        self.count = LONG_RUN.min(self.count + 1.0);
        self.recent += (distance - self.recent) / self.count.min(RECENT);
        self.long_run += (distance - self.long_run) / self.count;
        if self.has_moved() {
            self.fast_left = size as f64;
        }
    }

    fn has_moved(&self) -> bool {
        let (now, usual) = (self.recent, self.long_run);
        let explained = |distance: f64| 1.0 - distance * distance;
        now > NOTHING.max(FACTOR * usual) || explained(now) < explained(usual) / FACTOR
    }

    /// Returns true while replacements are to be frequent.
    pub(crate) fn is_fast(&self) -> bool {
        self.fast_left > 0.0
    }

    /// Returns true if a row may replace another now.
    pub(crate) fn is_due(&self) -> bool {
        if self.is_fast() {
            return self.waited >= FAST_WAIT;
        }
        let together = TOGETHER as f64;
        let patience = if self.soon_left > 0.0 {
            together
        } else {
            USUAL_WAIT
        };
        self.waited >= patience && (self.rows - 1.0) % together == 0.0
    }

    /// Records a replacement.
    pub(crate) fn record_replacement(&mut self) {
        self.waited = 0.0;
        self.fast_left = (self.fast_left - 1.0).max(0.0);
        self.soon_left = (self.soon_left - 1.0).max(0.0);
    }

    /// Makes the next replacements, as many as there are rows, sooner than usual, because the stream has drifted.
    pub(crate) fn adapt_to_drift(&mut self, size: usize) {
        self.soon_left = size as f64;
    }

    pub(crate) fn save(&self, state: &mut State) {
        let averages = [self.recent, self.long_run, self.count];
        let rows = [self.rows, self.waited, self.fast_left, self.soon_left];
        state.put("pace_averages", averages);
        state.put("pace_rows", rows);
    }

    pub(crate) fn load(&mut self, state: &State) -> Result<(), Error> {
        let averages = state.numbers("pace_averages")?;
        [self.recent, self.long_run, self.count] = averages;
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
            schedule.record(distance, 10);
            if schedule.is_due() {
                schedule.record_replacement();
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
