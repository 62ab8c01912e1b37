//! The forecasts of one horizon.

use std::collections::VecDeque;

use super::combination::{Combination, Combined};
use super::lags::Plain;
use super::params::ForecasterParams;
use super::rhythm::Rhythm;
use super::tally::{LEVEL, Tally};
use crate::columns::{Settings, Table};
use crate::error::Error;
use crate::learner::{Learner, Ticket};
use crate::predictor::{Asked, Scores};
use crate::runtime::{Heap, heap};

/// The model of one horizon, what combines it with plain forecasts, and the errors of past forecasts.
#[derive(Debug)]
pub(super) struct Horizon {
    /// Distance of the slots that are forecast from the last one known.
    pub(super) distance: usize,
    pub(super) learner: Learner,
    pub(super) combination: Combination,
    pub(super) scores: Scores,
    pub(super) rhythm: Rhythm,
    pub(super) tally: Tally,
    /// The forecasts whose values have not come, the oldest first.
    pub(super) waiting: VecDeque<Waiting>,
}

/// A forecast whose value has not come.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    /// The slot that was forecast.
    pub(super) slot: i64,
    pub(super) ticket: Ticket,
    pub(super) plain: Vec<Plain>,
    pub(super) combined: Combined,
    /// The forecast, as scores remember it.
    pub(super) asked: Asked,
    /// Half the width of the interval that is counted.
    pub(super) margin: f64,
}

/// A slot to forecast, with all that is known of it.
pub(super) struct Question {
    pub(super) slot: i64,
    pub(super) row: Table,
    pub(super) plain: Vec<Plain>,
}

impl Horizon {
    /// A horizon that has seen nothing, with so many plain forecasts.
    pub(super) fn new(
        params: &ForecasterParams,
        settings: Settings,
        distance: usize,
        n_plain: usize,
    ) -> Result<Self, Error> {
        let season = params.seasons().first().copied();
        Ok(Self {
            distance,
            learner: Learner::with_columns(params.model()?, settings)?,
            combination: Combination::new(n_plain)?,
            scores: Scores::new(1),
            rhythm: Rhythm::new(season.unwrap_or(1)),
            tally: Tally::new(1 + params.seasons().len()),
            waiting: VecDeque::new(),
        })
    }

    pub(super) fn copy(&self) -> Self {
        Self {
            distance: self.distance,
            learner: self.learner.copy(),
            combination: self.combination.clone(),
            scores: self.scores.clone(),
            rhythm: self.rhythm.clone(),
            tally: self.tally.clone(),
            waiting: self.waiting.clone(),
        }
    }

    /// Forecasts a slot whose value comes later, and keeps the forecast until then.
    pub(super) fn ask(&mut self, question: Question) -> Result<(), Error> {
        let ticket = self.learner.ask_table(&question.row)?;
        let combined = self.combine(ticket.asked.yhat[0], &question.plain);
        let asked = Asked {
            yhat: vec![combined.forecast],
            q: self.rhythm.q(question.slot),
            scales: self.scores.scales(),
            details: Vec::new(),
        };
        let margin = self.margin(&asked, LEVEL);
        let Question { slot, plain, .. } = question;
        self.waiting.push_back(Waiting {
            slot,
            ticket,
            plain,
            combined,
            asked,
            margin,
        });
        Ok(())
    }

    /// The forecast of a slot, and half the width of its interval at some level.
    pub(super) fn predict(&self, question: &Question, level: f64) -> Result<(f64, f64), Error> {
        let model = self.learner.predict_table(&question.row)?[0];
        let forecast = self.combine(model, &question.plain).forecast;
        let asked = Asked {
            q: self.rhythm.q(question.slot),
            ..Asked::default()
        };
        Ok((forecast, self.margin(&asked, level)))
    }

    /// The forecast of a slot that was asked for, and half the width of its interval at some level.
    pub(super) fn asked(&self, slot: i64, level: f64) -> Option<(f64, f64)> {
        let waiting = self.waiting.iter().find(|waiting| waiting.slot == slot)?;
        Some((
            waiting.combined.forecast,
            self.margin(&waiting.asked, level),
        ))
    }

    /// The forecast that was made for a slot.
    pub(super) fn forecast_of(&self, slot: i64) -> Option<f64> {
        let waiting = self.waiting.iter().find(|waiting| waiting.slot == slot);
        waiting.map(|waiting| waiting.combined.forecast)
    }

    /// Learns the value of a slot, if it was forecast; `amend` puts what is known by now into the row that was asked for.
    pub(super) fn answer(
        &mut self,
        slot: i64,
        y: f64,
        amend: impl Fn(&Table) -> Option<Table>,
    ) -> Result<(), Error> {
        let Some(place) = self.waiting.iter().position(|waiting| waiting.slot == slot) else {
            return Ok(());
        };
        let Some(mut waiting) = self.waiting.remove(place) else {
            return Ok(());
        };
        let row = waiting
            .ticket
            .row
            .as_ref()
            .and_then(|row| amend(&row.table));
        if let Some(row) = row {
            self.learner.amend(&mut waiting.ticket, row)?;
        }
        self.learner.answer(&waiting.ticket, &[y], None)?;
        let Waiting {
            plain,
            combined,
            asked,
            margin,
            ..
        } = waiting;
        self.tally.add(y, combined.forecast, &plain, margin);
        if self.learner.n_seen() > self.first_rows() {
            self.scores.answer(&asked);
            self.scores.push(&[y], &asked.yhat, asked.q);
        }
        self.rhythm.learn(slot, (y - combined.forecast).abs());
        self.combination.learn(&combined, y);
        Ok(())
    }

    /// Forgets forecasts of slots before this one.
    pub(super) fn forget_before(&mut self, slot: i64) {
        self.waiting.retain(|waiting| waiting.slot >= slot);
    }

    /// Combines the forecast of the model with plain ones. The model is trusted after it has seen a season or two.
    fn combine(&self, model: f64, plain: &[Plain]) -> Combined {
        let (seen, first) = (self.learner.n_seen() as f64, self.first_rows() as f64);
        let maturity = seen / (seen + 0.5 * first);
        self.combination.combine(model, plain, maturity)
    }

    /// Number of rows whose errors tell nothing of later ones: two seasons, or 24 rows.
    fn first_rows(&self) -> u64 {
        2 * self.rhythm.season().max(12) as u64
    }

    fn margin(&self, asked: &Asked, level: f64) -> f64 {
        self.scores.margins(level)[0] * (1.0 + asked.q).sqrt()
    }
}

heap!(Plain:);
heap!(Waiting: ticket, plain, combined, asked);

impl Heap for Horizon {
    fn heap_bytes(&self) -> usize {
        self.learner.nbytes() - size_of::<Learner>()
            + self.combination.heap_bytes()
            + self.scores.heap_bytes()
            + self.rhythm.heap_bytes()
            + self.tally.heap_bytes()
            + self.waiting.heap_bytes()
    }
}
