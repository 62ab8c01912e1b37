//! The twin: an ensemble that knows the last rows only, and what it would have predicted.

use std::collections::VecDeque;

use super::super::adaptive::Adaptive;
use super::super::units::unscaled;
use super::super::window::Recent;
use super::Ensemble;
use crate::data::Rows;

/// Number of warm-ups since the stream began or last changed, before which there is no twin.
const FIRST: u64 = 3;

/// Divisor of the number of rows since the last change: so many rows at least pass between two comparisons.
const PATIENCE: u64 = 2;

/// Number of standard errors by which a twin has to be better.
const SIGNIFICANT: f64 = 1.0;

impl Ensemble {
    /// An ensemble that has learned the last rows, twice as many as a warm-up has, and the part of the error it has left
    /// on the later half of them, if that is clearly less than the error made.
    ///
    /// Where the past of the labels helps, rows are in the order of time, and what was learned long ago may do harm, as may
    /// scales that were right then. Trees cannot tell: they know no scales, and forget nothing by themselves.
    pub(super) fn better_twin(&mut self) -> Option<(Self, f64)> {
        let since = self.rounds - self.changed_at;
        let waited = self.rounds - self.compared_at.max(self.changed_at);
        let is_due = since >= FIRST * self.params.warm_up as u64 && waited >= since / PATIENCE;
        let is_in_time = self.adaptive.as_ref().is_some_and(Adaptive::uses_past);
        if !is_due || !is_in_time {
            return None;
        }
        self.compared_at = self.rounds;
        let mut twin = self.twin()?;
        let gain = self.part_left_by(&twin)?;
        twin.renew();
        Some((twin, gain))
    }

    /// An ensemble that has begun with the older half of the last rows and learned the others one by one.
    fn twin(&self) -> Option<Self> {
        let n_rows = self.params.warm_up;
        let Recent { rows, y, weights } = self.adaptive.as_ref()?.last_rows(2 * n_rows);
        if weights.len() < 2 * n_rows {
            return None;
        }
        let (rows, y) = (
            Rows::trusted(&rows, self.n_features(), 0),
            unscaled(&y, &self.units),
        );
        let older = (&y[..y.len() / 2], &weights[..n_rows]);
        let begun = Self::begin(&self.params, &rows.slice(0..n_rows), older, self.delay);
        let mut twin = begun.ok()?;
        (twin.checked_at, twin.renewed_next) = (twin.rounds, u64::MAX);
        let range = n_rows..2 * n_rows;
        twin.learn_range(
            &rows,
            (range, &y, &weights),
            self.delay,
            &mut VecDeque::new(),
        );
        Some(twin)
    }

    /// The part of the squared error on the last rows that a twin leaves, if it is less by a standard error.
    fn part_left_by(&self, twin: &Self) -> Option<f64> {
        let [mut own, mut others, mut squares] = [0.0; 3];
        let units = self.units.iter().zip(&twin.units);
        let each = self.corrections.iter().zip(&twin.corrections).zip(units);
        for ((correction, of_twin), (unit, unit_of_twin)) in each {
            let scale = unit_of_twin.1 / unit.1;
            for (error, of_twin) in correction.recent()?.zip(of_twin.recent()?) {
                let (error, of_twin) = (error * error, (scale * of_twin) * (scale * of_twin));
                own += error;
                others += of_twin;
                squares += (error - of_twin) * (error - of_twin);
            }
        }
        (own - others > SIGNIFICANT * squares.sqrt()).then(|| others / own)
    }
}
