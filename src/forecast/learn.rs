//! Learning the values of a series as they come.

use std::ops::Range;

use super::{Forecaster, Horizon, slot_of};
use crate::columns::Table;
use crate::data::check_labels;
use crate::error::Error;
use crate::runtime::for_each;

/// Number of slots for which a value may come late, beyond the longest horizon.
pub(super) const LATE: usize = 24;

impl Forecaster {
    /// Learns the values of slots, in the order in which they came, after forecasting them. NaN says that there is no
    /// value: the row announces what is known ahead of its slot.
    ///
    /// Returns for each value the forecasts that were made for it before, one for each horizon; NaN where there was none.
    /// In a call of many rows, rows are announced by those before them, as far as horizons reach.
    pub fn learn(
        &mut self,
        slots: &[i64],
        y: &[f64],
        features: Option<&Table>,
    ) -> Result<Vec<f64>, Error> {
        self.check(slots.len(), y, features)?;
        self.learn_some(slots, y, features, 0..slots.len())
    }

    /// Refuses rows that cannot be learned.
    pub(crate) fn check(
        &self,
        n_rows: usize,
        y: &[f64],
        features: Option<&Table>,
    ) -> Result<(), Error> {
        if y.len() != n_rows {
            let (argument, things) = ("y", "values");
            let (expected, found) = (n_rows, y.len());
            return Err(Error::Length {
                argument,
                things,
                expected,
                found,
            });
        }
        let values: Vec<f64> = y
            .iter()
            .map(|y| if y.is_nan() { 0.0 } else { *y })
            .collect();
        check_labels(&values, n_rows, 1)?;
        match features {
            _ if n_rows == 0 => Ok(()),
            Some(table) => self.check_table("X", table, n_rows),
            None => self.check_columns(None, n_rows),
        }
    }

    /// Learns some of these rows, which have been checked.
    pub(crate) fn learn_some(
        &mut self,
        slots: &[i64],
        y: &[f64],
        features: Option<&Table>,
        rows: Range<usize>,
    ) -> Result<Vec<f64>, Error> {
        let mut forecasts = Vec::with_capacity(rows.len() * self.horizons.len());
        for row in rows {
            let slot = slots[row];
            if let Some(table) = features {
                self.announce(slots, table, row);
            }
            let made = self
                .horizons
                .iter()
                .map(|horizon| horizon.forecast_of(slot));
            forecasts.extend(made.map(|made| made.unwrap_or(f64::NAN)));
            if y[row].is_nan() {
                self.is_stale = true;
            } else {
                self.learn_value(slot, y[row])?;
            }
        }
        Ok(forecasts)
    }

    /// Remembers the features of a row, and those of the rows after it as far as horizons reach, if they are known ahead
    /// and nothing was said of them before.
    fn announce(&mut self, slots: &[i64], table: &Table, row: usize) {
        self.known.announce(slots[row], table, row);
        if !self.known.looks_ahead() {
            return;
        }
        let reach = slots[row] + 1..=slots[row].saturating_add(slot_of(self.longest()));
        for later in row + 1..(row + 1 + self.longest()).min(slots.len()) {
            let slot = slots[later];
            if reach.contains(&slot) && !self.known.has(slot) {
                self.known.announce(slot, table, later);
            }
        }
    }

    fn longest(&self) -> usize {
        self.horizons.last().map_or(1, |horizon| horizon.distance)
    }

    fn learn_value(&mut self, slot: i64, y: f64) -> Result<(), Error> {
        match self.now {
            Some(now) if slot <= now => self.learn_late(now, slot, y),
            _ => self.learn_next(slot, y),
        }
    }

    /// Learns a value of a slot that is past: it was late, or is corrected.
    fn learn_late(&mut self, now: i64, slot: i64, y: f64) -> Result<(), Error> {
        let ago = usize::try_from(now - slot).unwrap_or(usize::MAX);
        self.is_stale = true;
        match self.history.correct(ago, y) {
            None => self.n_too_late += 1,
            Some(was_gap) => self.n_seen += u64::from(was_gap),
        }
        self.answer(slot, y)
    }

    /// Learns the value of a slot after all those before, and forecasts the ones after it.
    fn learn_next(&mut self, slot: i64, y: f64) -> Result<(), Error> {
        self.fill_up_to(slot);
        self.elapse_up_to(slot);
        self.history.push(y, false);
        self.answer(slot, y)?;
        self.now = Some(slot);
        self.n_seen += 1;
        let first = slot.saturating_sub(slot_of(self.longest() + LATE));
        self.horizons
            .iter_mut()
            .for_each(|horizon| horizon.forget_before(first));
        self.known.forget_before(first);
        self.ask()
    }

    /// Fills the slots between the last value and this one with what was forecast for them, or with values of a season
    /// before. After a gap longer than the history, that begins anew.
    fn fill_up_to(&mut self, slot: i64) {
        let Some(now) = self.now else { return };
        let season = self.params.seasons().first().copied().unwrap_or(1);
        if slot - now > slot_of(self.history.depth()) {
            self.history.clear();
            return;
        }
        for gap in now + 1..slot {
            let forecast = self
                .horizons
                .iter()
                .find_map(|horizon| horizon.forecast_of(gap));
            let before = self.history.at(season - 1);
            let last = if before.is_nan() {
                self.history.at(0)
            } else {
                before
            };
            self.history.push(forecast.unwrap_or(last), true);
        }
    }

    /// Lets the models forget by the clock: slots without a value count like others.
    fn elapse_up_to(&mut self, slot: i64) {
        let missing = self.now.map_or(0, |now| slot.saturating_sub(now) - 1);
        if self.params.half_life.is_some() && missing > 0 {
            let learners = self.horizons.iter_mut().map(|horizon| &mut horizon.learner);
            learners.for_each(|learner| learner.elapse(missing.unsigned_abs()));
        }
    }

    fn answer(&mut self, slot: i64, y: f64) -> Result<(), Error> {
        let known = &self.known;
        each(&mut self.horizons, |horizon| {
            horizon.answer(slot, y, |row| known.amended(slot, row))
        })
    }

    fn ask(&mut self) -> Result<(), Error> {
        let mut horizons = std::mem::take(&mut self.horizons);
        let asked = each(&mut horizons, |horizon| {
            horizon.ask(self.question(horizon.distance, &self.known))
        });
        self.horizons = horizons;
        self.is_stale = false;
        asked
    }
}

/// Does work for each horizon, on several threads; returns the first error.
fn each(
    horizons: &mut [Horizon],
    work: impl Fn(&mut Horizon) -> Result<(), Error> + Sync + Send,
) -> Result<(), Error> {
    let mut all: Vec<_> = horizons
        .iter_mut()
        .map(|horizon| (horizon, Ok(())))
        .collect();
    for_each(&mut all, |(horizon, done)| *done = work(horizon));
    all.into_iter().try_for_each(|(_, done)| done)
}
