//! Forecasters as bytes and files.

use std::path::Path;

use serde_json::{Value, json};

use super::combination::Combined;
use super::horizon::{Horizon, Waiting};
use super::lags::Plain;
use super::{Forecaster, ForecasterParams};
use crate::columns::{put_texts, texts};
use crate::data::check_label;
use crate::error::Error;
use crate::learner::{AskedRow, Learner, Ticket};
use crate::persist::{State, model_file};
use crate::predictor::Asked;

impl Forecaster {
    /// The whole forecaster as bytes. [`from_bytes`](Self::from_bytes) makes one of them that goes on bit for bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut state = State::default();
        let horizons = self
            .horizons
            .iter()
            .map(|horizon| horizon.content(&mut state));
        let horizons = horizons.collect::<Result<Vec<Value>, Error>>()?;
        self.history.save(&mut state);
        let content = json!({
            "forecaster": {
                "params": &self.params,
                "origin": self.origin,
                "now": self.now,
                "is_stale": self.is_stale,
                "n_too_late": self.n_too_late,
                "rows": self.known.save(),
                "horizons": horizons,
            },
            "n_seen": self.n_seen,
        });
        model_file::to_bytes(content, &state)
    }

    /// Reads the forecaster that [`to_bytes`](Self::to_bytes) has written.
    ///
    /// ```
    /// use nystream::forecast::{Forecaster, ForecasterParams};
    ///
    /// let forecaster = Forecaster::new(ForecasterParams { horizons: vec![1], ..Default::default() })?;
    /// let again = Forecaster::from_bytes(&forecaster.to_bytes()?)?;
    /// assert_eq!(again.params(), forecaster.params());
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (content, state) = model_file::from_bytes(bytes)?;
        if content.get("forecaster").is_none() {
            return Err(Error::model_file("it holds no forecaster"));
        }
        Self::from_content(content, &state)
    }

    /// Writes the forecaster to a file, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        model_file::save(path.as_ref(), &self.to_bytes()?)
    }

    pub(crate) fn from_content(mut content: Value, state: &State) -> Result<Self, Error> {
        let n_seen = model_file::field(&mut content, "n_seen")?;
        let mut content = content["forecaster"].take();
        let params: ForecasterParams = model_file::field(&mut content, "params")?;
        let mut forecaster = Self::new(params)?;
        forecaster.n_seen = n_seen;
        forecaster.origin = model_file::field(&mut content, "origin")?;
        forecaster.now = model_file::field(&mut content, "now")?;
        forecaster.is_stale = model_file::field(&mut content, "is_stale")?;
        forecaster.n_too_late = model_file::field(&mut content, "n_too_late")?;
        forecaster.known.load(&content["rows"])?;
        forecaster.history.load(state)?;
        if forecaster.now.is_some() != (forecaster.history.len() > 0) {
            return Err(Error::model_file("values and now disagree"));
        }
        let parts: Vec<Value> = model_file::field(&mut content, "horizons")?;
        if parts.len() != forecaster.horizons.len() {
            return Err(Error::model_file(
                "horizons should be as many as the parameters say",
            ));
        }
        for (horizon, content) in forecaster.horizons.iter_mut().zip(parts) {
            horizon.load(content, state)?;
        }
        Ok(forecaster)
    }
}

impl Horizon {
    /// The name of the horizon's arrays.
    fn name(&self) -> String {
        format!("horizon_{}", self.distance)
    }

    /// The JSON content of the horizon; its arrays go into `state`.
    fn content(&self, state: &mut State) -> Result<Value, Error> {
        let mut learner = Ok(Value::Null);
        state.nest(&self.name(), |state| {
            state.nest("learner", |state| learner = self.learner.content(state));
            state.nest("combination", |state| self.combination.save(state));
            state.nest("scores", |state| self.scores.save(state));
            state.nest("rhythm", |state| self.rhythm.save(state));
            self.tally.save(state);
            self.save_waiting(state);
        });
        learner
    }

    /// Writes the forecasts that wait for their values.
    fn save_waiting(&self, state: &mut State) {
        let all = self.waiting.iter();
        let lists: Vec<Vec<f64>> = all.clone().flat_map(Waiting::lists).collect();
        state.put_lists("waiting", lists.iter().map(Vec::as_slice));
        put_texts(
            state,
            "waiting_rows",
            all.map(|waiting| waiting.ticket.row_to_text().into()),
        );
    }

    fn load_waiting(&mut self, state: &State) -> Result<(), Error> {
        let lists = state.lists("waiting")?;
        let (all, rows) = (lists.chunks(Waiting::LISTS), texts(state, "waiting_rows")?);
        if all.len() != rows.len() {
            return Err(wrong());
        }
        for (lists, row) in all.zip(rows) {
            let waiting = Waiting::read(lists, &row).ok_or_else(wrong)?;
            self.learner
                .check_ticket(&waiting.ticket)
                .map_err(|_| wrong())?;
            let n_forecasts = self.combination.n_plain() + 1;
            if waiting.combined.differences.len() != n_forecasts
                || waiting.plain.len() + 1 != n_forecasts
            {
                return Err(wrong());
            }
            self.waiting.push_back(waiting);
        }
        Ok(())
    }

    fn load(&mut self, content: Value, state: &State) -> Result<(), Error> {
        let state = state.inner(&self.name());
        let learner = Learner::from_content(content, &state.inner("learner"))?;
        if learner.params() != self.learner.params() {
            return Err(Error::model_file(
                "a horizon has another learner than the parameters say",
            ));
        }
        self.learner = learner;
        self.combination.load(&state.inner("combination"))?;
        self.scores.load(&state.inner("scores"))?;
        self.rhythm.load(&state.inner("rhythm"))?;
        self.tally.load(&state)?;
        self.load_waiting(&state)
    }
}

impl Waiting {
    /// Number of lists that a forecast has in a file.
    const LISTS: usize = 8;

    /// The numbers of the forecast, in lists.
    fn lists(&self) -> [Vec<f64>; Self::LISTS] {
        let (asked, combined) = (&self.ticket.asked, &self.combined);
        let margin = if self.margin.is_finite() {
            self.margin
        } else {
            UNKNOWN
        };
        let single = [
            self.slot as f64,
            self.ticket.at as f64,
            asked.q,
            combined.mean,
            combined.forecast,
            margin,
            self.asked.q,
        ];
        [
            single
                .into_iter()
                .chain(self.asked.scales.iter().copied())
                .collect(),
            self.ticket.x.clone(),
            asked.yhat.clone(),
            asked.scales.clone(),
            asked.details.clone(),
            self.plain.iter().map(|plain| known(plain.value)).collect(),
            self.plain.iter().map(|plain| plain.share).collect(),
            combined.differences.clone(),
        ]
    }

    fn read(lists: &[Vec<f64>], row: &str) -> Option<Self> {
        let [
            single,
            x,
            yhat,
            scales,
            details,
            values,
            shares,
            differences,
        ] = lists
        else {
            return None;
        };
        let &[slot, at, q, mean, forecast, margin, own_q, scale] = single.as_slice() else {
            return None;
        };
        check_label(&[mean, forecast], 2).ok()?;
        let plain = values.iter().zip(shares);
        let plain = plain.map(|(value, share)| Plain {
            value: unknown(*value, f64::NAN),
            share: *share,
        });
        let asked = Asked {
            yhat: yhat.clone(),
            q,
            scales: scales.clone(),
            details: details.clone(),
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "counts"
        )]
        let (slot, at) = (slot as i64, at as u64);
        Some(Self {
            slot,
            plain: plain.collect(),
            ticket: Ticket {
                x: x.clone(),
                asked,
                at,
                row: AskedRow::from_text(row).ok()?,
            },
            combined: Combined {
                mean,
                differences: differences.clone(),
                forecast,
            },
            asked: Asked {
                yhat: vec![forecast],
                q: own_q,
                scales: vec![scale],
                details: Vec::new(),
            },
            margin: unknown(margin, f64::INFINITY),
        })
    }
}

/// The number that stands for NaN and infinity in files, which hold finite numbers alone: no value is as large.
const UNKNOWN: f64 = f64::MAX;

fn known(value: f64) -> f64 {
    if value.is_nan() { UNKNOWN } else { value }
}

fn unknown(value: f64, instead: f64) -> f64 {
    if value == UNKNOWN { instead } else { value }
}

fn wrong() -> Error {
    Error::model_file("waiting should be forecasts of slots")
}
