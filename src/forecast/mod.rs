//! Forecasts of a series some steps ahead.
//!
//! A [`Forecaster`] takes the values of a series as they come, with their times and with features, and forecasts the next
//! ones: features of the past are made of them on line, and each horizon has a learner of its own, which is judged by
//! what it said when the value was not known.

mod combination;
mod file;
mod history;
mod horizon;
mod known;
mod lags;
mod learn;
mod params;
mod rhythm;
mod step;
mod tally;

use crate::columns::{Column, Kind, Table};
use crate::data::checks;
use crate::error::Error;
use crate::learner::Learner;
use crate::runtime::Heap;
use history::History;
use horizon::{Horizon, Question};
use known::Known;
use lags::Lags;

pub use params::ForecasterParams;
pub use step::Step;
pub use tally::{LEVEL, Tally};

/// Name of the column with the time that is forecast.
const TIME: &str = "time";

/// Forecasts a series some steps ahead, and learns its values as they come.
///
/// A slot is a whole number of steps after the first time. Values may be missing, late or corrected.
///
/// ```
/// use nystream::LinearRlsParams;
/// use nystream::forecast::{Forecaster, ForecasterParams};
///
/// let mut forecaster = Forecaster::new(ForecasterParams {
///     model: LinearRlsParams::default().into(),
///     horizons: vec![1, 2, 3],
///     seasons: Some(vec![4]),
///     ..Default::default()
/// })?;
/// let values: Vec<f64> = (0..200).map(|t| f64::from(t % 4)).collect();
/// let slots: Vec<i64> = (0..200).collect();
/// forecaster.learn(&slots, &values, None)?;
/// let next = forecaster.predict(None, 0.9)?;
/// assert!((next[2].forecast - 2.0).abs() < 0.1);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug)]
pub struct Forecaster {
    params: ForecasterParams,
    lags: Lags,
    history: History,
    known: Known,
    horizons: Vec<Horizon>,
    /// The time of slot 0, in microseconds since 1970.
    origin: Option<i64>,
    /// The last slot with a value.
    now: Option<i64>,
    /// True if something has come since the next slots were forecast: a value of a past slot, or what is known ahead.
    is_stale: bool,
    n_seen: u64,
    n_too_late: u64,
}

/// A forecast of a slot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Forecast {
    /// The slot.
    pub slot: i64,
    /// The value that is expected.
    pub forecast: f64,
    /// Half the width of the interval around it; infinite while too little is known.
    pub margin: f64,
}

impl Forecaster {
    /// A forecaster that has seen nothing.
    pub fn new(params: ForecasterParams) -> Result<Self, Error> {
        params.check()?;
        let lags = Lags::new(&params.seasons());
        let mut settings = params.columns.clone();
        let own = lags.names().iter();
        let own = own.map(|name| (name.clone(), Kind::Number));
        let time = params.every.map(|_| (TIME.to_owned(), Kind::Time));
        settings.schema.extend(own.chain(time));
        let horizon =
            |distance: &usize| Horizon::new(&params, settings.clone(), *distance, lags.n_plain());
        let horizons = params
            .horizons
            .iter()
            .map(horizon)
            .collect::<Result<_, _>>()?;
        let longest = params.horizons.iter().copied().max().unwrap_or(1);
        Ok(Self {
            history: History::new(lags.depth(longest).max(longest + learn::LATE + 1)),
            known: Known::new(params.ahead.clone(), 2 * (longest + learn::LATE)),
            lags,
            horizons,
            params,
            origin: None,
            now: None,
            is_stale: false,
            n_seen: 0,
            n_too_late: 0,
        })
    }

    /// A copy that goes on bit for bit.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self {
            params: self.params.clone(),
            lags: self.lags.clone(),
            history: self.history.clone(),
            known: self.known.clone(),
            horizons: self.horizons.iter().map(Horizon::copy).collect(),
            origin: self.origin,
            now: self.now,
            is_stale: self.is_stale,
            n_seen: self.n_seen,
            n_too_late: self.n_too_late,
        }
    }

    /// The parameters.
    pub fn params(&self) -> &ForecasterParams {
        &self.params
    }

    /// The lengths of the seasons.
    pub fn seasons(&self) -> Vec<usize> {
        self.params.seasons()
    }

    /// Number of values learned, corrections left out.
    pub fn n_seen(&self) -> u64 {
        self.n_seen
    }

    /// Number of values that came so late that their slots were forgotten.
    pub fn n_too_late(&self) -> u64 {
        self.n_too_late
    }

    /// The last slot with a value; `None` before the first.
    pub fn now(&self) -> Option<i64> {
        self.now
    }

    /// The slots of these times, in microseconds since 1970. The first time of all is that of slot 0.
    pub fn slots(&self, times: &[i64]) -> Vec<i64> {
        let origin = self.origin.or(times.first().copied()).unwrap_or_default();
        let slot = |time: &i64| {
            self.params
                .every
                .map_or(*time, |every| every.slot(origin, *time))
        };
        times.iter().map(slot).collect()
    }

    /// The time of a slot; `None` without times.
    pub fn time(&self, slot: i64) -> Option<i64> {
        Some(self.params.every?.time(self.origin?, slot))
    }

    /// Says what the time of slot 0 is, if nothing has been learned.
    pub fn begin(&mut self, time: i64) {
        self.origin.get_or_insert(time);
    }

    /// For each horizon, the errors of its forecasts so far.
    pub fn tallies(&self) -> impl ExactSizeIterator<Item = (usize, &Tally)> {
        let all = self.horizons.iter();
        all.map(|horizon| (horizon.distance, &horizon.tally))
    }

    /// The learner of a horizon.
    pub fn learner(&self, distance: usize) -> Option<&Learner> {
        let mut all = self.horizons.iter();
        let horizon = all.find(|horizon| horizon.distance == distance)?;
        Some(&horizon.learner)
    }

    /// Forecasts the slots after the last value, with intervals that hold them in the part `level` of all cases.
    ///
    /// `ahead` has what is known of the next slots, from the first on, and stands in place of what was learned of them.
    /// Before the first value, all forecasts are 0.
    pub fn predict(&self, ahead: Option<&Table>, level: f64) -> Result<Vec<Forecast>, Error> {
        checks::level(level)?;
        let now = self.now.unwrap_or(-1);
        let known = match ahead {
            Some(table) => Some(self.known_with(table, now)?),
            None => None,
        };
        let mut forecasts = Vec::with_capacity(self.horizons.len());
        for horizon in &self.horizons {
            let slot = now + distance(horizon);
            let (forecast, margin) = self.predict_slot(horizon, slot, known.as_ref(), level)?;
            forecasts.push(Forecast {
                slot,
                forecast,
                margin,
            });
        }
        Ok(forecasts)
    }

    fn predict_slot(
        &self,
        horizon: &Horizon,
        slot: i64,
        known: Option<&Known>,
        level: f64,
    ) -> Result<(f64, f64), Error> {
        if self.now.is_none() {
            return Ok((0.0, f64::INFINITY));
        }
        let is_new = known.is_some() || self.is_stale;
        if let Some(asked) = horizon.asked(slot, level).filter(|_| !is_new) {
            return Ok(asked);
        }
        let question = self.question(horizon.distance, known.unwrap_or(&self.known));
        horizon.predict(&question, level)
    }

    /// What is known, with the rows of a table as those of the slots after `now`.
    fn known_with(&self, table: &Table, now: i64) -> Result<Known, Error> {
        self.check_table("X", table, table.n_rows())?;
        let mut known = self.known.clone();
        for row in 0..table.n_rows() {
            known.announce(now + 1 + slot_of(row), table, row);
        }
        Ok(known)
    }

    /// All that is known of the slot at some distance from the last one.
    fn question(&self, distance: usize, known: &Known) -> Question {
        let now = self.now.unwrap_or_default();
        let slot = now + slot_of(distance);
        let mut numbers = Vec::new();
        self.lags.write(&self.history, distance, &mut numbers);
        let mut names = self.lags.names().to_vec();
        let mut columns: Vec<Column> = numbers
            .into_iter()
            .map(|n| Column::Numbers(vec![n]))
            .collect();
        if let Some(time) = self.time(slot) {
            names.push(TIME.to_owned());
            columns.push(Column::Times(vec![Some(time)]));
        }
        known.append(now, slot, &mut names, &mut columns);
        Question {
            slot,
            row: Table::trusted(1, names, columns),
            plain: self.lags.plain(&self.history, distance),
        }
    }

    /// Refuses a table of features that the learners would not take.
    fn check_table(
        &self,
        argument: &'static str,
        table: &Table,
        n_rows: usize,
    ) -> Result<(), Error> {
        if table.n_rows() != n_rows {
            let things = "rows";
            let (expected, found) = (n_rows, table.n_rows());
            return Err(Error::Length {
                argument,
                things,
                expected,
                found,
            });
        }
        self.check_columns(Some(table), n_rows)
    }

    /// Refuses columns that the learners would not take, beside those of the past.
    fn check_columns(&self, table: Option<&Table>, n_rows: usize) -> Result<(), Error> {
        let own = self.lags.names().iter().cloned();
        let own = own.map(|name| (name, Column::Numbers(vec![0.0; n_rows])));
        let time = self
            .params
            .every
            .map(|_| (TIME.to_owned(), Column::Times(vec![Some(0); n_rows])));
        let given = table
            .into_iter()
            .flat_map(|t| t.names().iter().cloned().zip(t.columns().iter().cloned()));
        let (names, columns) = own.chain(time).chain(given).unzip();
        let all = Table::new(n_rows, names, columns)?;
        let labels = vec![0.0; n_rows];
        self.horizons[0]
            .learner
            .check_table(&all, &labels, None)
            .map(drop)
    }

    /// The bytes of memory that the forecaster holds.
    pub fn nbytes(&self) -> usize {
        let horizons = self.horizons.iter().map(Heap::heap_bytes).sum::<usize>();
        size_of::<Self>() + horizons + self.history.heap_bytes() + self.known.heap_bytes()
    }
}

/// The distance of a horizon as a number of slots.
fn distance(horizon: &Horizon) -> i64 {
    slot_of(horizon.distance)
}

/// A count as a number of slots.
fn slot_of(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
