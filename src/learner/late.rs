//! Rows whose labels come late.

use std::ops::Range;

use super::Learner;
use super::pending::Waiting;
use crate::columns::{Matched, Table};
use crate::data::{Rows, check_label, check_predictions, check_row};
use crate::error::{Error, Place};
use crate::predictor::Asked;

/// A row that was asked for, with what was predicted: it waits for its label.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticket {
    /// The features of the row.
    pub x: Vec<f64>,
    /// What was predicted.
    pub asked: Asked,
    /// Number of rows that the learner had predicted before, as [`Learner::n_asked`] counts.
    pub at: u64,
    /// The row of a table that it is, if it is one.
    pub row: Option<AskedRow>,
}

/// A row of a table that was asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct AskedRow {
    /// The row as a table.
    pub table: Table,
    /// Number of times that the learner had begun anew.
    pub generation: u64,
}

impl Learner {
    /// Predicts a row whose label comes later. The prediction is kept in the ticket, and the learner is judged by it when
    /// [`answer`](Self::answer) brings the label, whatever it has learned in between.
    ///
    /// ```
    /// use nystream::{AutoParams, Learner};
    ///
    /// let mut learner = Learner::new(AutoParams::default())?;
    /// let tickets = [learner.ask(&[0.5])?, learner.ask(&[0.6])?];
    /// for ticket in &tickets {
    ///     learner.answer(ticket, &[1.0], None)?;
    /// }
    /// assert_eq!((tickets[1].asked.yhat[0], learner.n_seen()), (0.0, 2));
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn ask(&mut self, x: &[f64]) -> Result<Ticket, Error> {
        self.check_row(x)?;
        let ticket = match self.table_of(&Rows::trusted(x, x.len(), 0))? {
            None => {
                self.check_kernel([x].into_iter(), |_| Place::new("x", []))?;
                self.ticket(x.to_vec(), None)
            }
            Some(table) => {
                self.begin_numbers(x.len());
                self.ask_table(&table)?
            }
        };
        check_predictions(&ticket.asked.yhat)?;
        Ok(ticket)
    }

    /// Predicts the first row of a table, whose label comes later, as [`ask`](Self::ask) does.
    pub fn ask_table(&mut self, table: &Table) -> Result<Ticket, Error> {
        let encoding = self.encoding()?;
        let table = encoding.named(table);
        let mut matched = encoding.columns.check(&table)?;
        let ticket = self.ticket_of(&mut matched, 0)?;
        check_predictions(&ticket.asked.yhat)?;
        Ok(ticket)
    }

    /// Predicts a row of a table.
    fn ticket_of(&mut self, matched: &mut Matched<'_>, row: usize) -> Result<Ticket, Error> {
        let (encoding, mut x) = (self.encoding()?, Vec::new());
        encoding.encode_onto(matched, row, &mut Vec::new(), &mut x);
        let asked = AskedRow {
            table: matched.table().row(row),
            generation: encoding.generation,
        };
        Ok(self.ticket(x, Some(asked)))
    }

    fn ticket(&mut self, x: Vec<f64>, row: Option<AskedRow>) -> Ticket {
        self.n_asked += 1;
        Ticket {
            asked: self.algorithm.ask(&x),
            x,
            at: self.n_asked,
            row,
        }
    }

    /// Puts another row of a table in place of the one that was asked for: it is known better by now. What was predicted
    /// stays what it was.
    pub fn amend(&self, ticket: &mut Ticket, row: Table) -> Result<(), Error> {
        ticket.x = self.features(&row)?.numbers().to_vec();
        if let Some(asked) = &mut ticket.row {
            asked.table = row;
        }
        Ok(())
    }

    /// The two ends of an interval for each target of a row that was asked for just now, at this level.
    pub fn interval_of(&self, ticket: &Ticket, level: f64) -> Result<Vec<f64>, Error> {
        self.ends(&ticket.asked, level)
    }

    /// Learns the labels of a row that was asked for. The loss counts `weight` times, or once.
    pub fn answer(&mut self, ticket: &Ticket, y: &[f64], weight: Option<f64>) -> Result<(), Error> {
        self.check_ticket(ticket)?;
        check_label(y, self.n_targets())?;
        weight.map_or(Ok(()), |weight| self.check_weight(&ticket.x, weight))?;
        self.check_capacity((1, ticket.x.len()))?;
        self.learn_ticket(ticket, y, weight.unwrap_or(1.0))
    }

    /// Refuses a ticket that no learner like this one has given.
    pub(crate) fn check_ticket(&self, ticket: &Ticket) -> Result<(), Error> {
        if ticket.row.is_some() {
            check_row(&ticket.x)?;
        } else {
            self.check_row(&ticket.x)?;
        }
        check_label(&ticket.asked.yhat, self.n_targets())?;
        let facts = (self.n_targets(), self.has_intervals());
        if ticket.asked.is_plausible(facts) {
            return Ok(());
        }
        Err(Error::Ticket {
            algorithm: self.params.name(),
        })
    }

    /// Learns the labels of a ticket; with the weight 0 nothing is learned.
    fn learn_ticket(&mut self, ticket: &Ticket, y: &[f64], weight: f64) -> Result<(), Error> {
        if weight == 0.0 {
            return Ok(());
        }
        let delay = self.n_asked.saturating_sub(ticket.at);
        let delay = usize::try_from(delay).unwrap_or(usize::MAX);
        let Ticket { x, asked, row, .. } = ticket;
        let array = match row {
            None => self.table_of(&Rows::trusted(x, x.len(), 0))?,
            Some(_) => None,
        };
        let Some(table) = row.as_ref().map(|row| &row.table).or(array.as_ref()) else {
            self.count_rows(x.len(), 1);
            self.algorithm.learn_asked(x, y, weight, asked, delay);
            self.note_row(x, weight);
            return Ok(());
        };
        let generation = row.as_ref().map(|row| row.generation);
        self.learn_asked_table(table, (y, weight), ticket, (generation, delay))
    }

    /// Learns the labels of a row of a table. If all features have changed since it was asked for, they are encoded anew,
    /// and the experts are not judged by what they said of others.
    fn learn_asked_table(
        &mut self,
        table: &Table,
        (y, weight): (&[f64], f64),
        ticket: &Ticket,
        (generation, delay): (Option<u64>, usize),
    ) -> Result<(), Error> {
        let algorithm = self.params.name();
        let encoding = self
            .encoding
            .as_mut()
            .ok_or(Error::NoColumns { algorithm })?;
        let is_of_others = encoding.is_of_others(generation);
        let (x, change) = encoding.learn_asked(table, (&ticket.x, generation), (y, weight))?;
        let mut asked = ticket.asked.clone();
        if is_of_others {
            asked.details.clear();
        }
        self.count_rows(x.len(), 1);
        self.algorithm.learn_asked(&x, y, weight, &asked, delay);
        self.follow(change)
    }

    /// Predicts each row in order, and learns the label of each after `delay` more rows have been predicted; returns the
    /// predictions. The labels of the last rows wait for further calls, or for [`learn_pending`](Self::learn_pending).
    ///
    /// ```
    /// use nystream::{Learner, Rows, RunningMeanParams};
    ///
    /// let mut learner = Learner::new(RunningMeanParams {})?;
    /// let rows = Rows::new(&[0.0; 4], 1)?;
    /// let predictions = learner.learn_late_rows(&rows, &[2.0, 4.0, 6.0, 8.0], None, 1)?;
    /// assert_eq!(predictions, [0.0, 0.0, 2.0, 3.0]);
    /// assert_eq!((learner.n_seen(), learner.n_pending()), (3, 1));
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn learn_late_rows(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        weights: Option<&[f64]>,
        delay: usize,
    ) -> Result<Vec<f64>, Error> {
        self.check(rows, y, weights)?;
        let (mut predictions, n_targets) = (Vec::with_capacity(y.len()), self.n_targets());
        for (i, (x, y)) in rows.iter().zip(y.chunks_exact(n_targets)).enumerate() {
            let ticket = self.ask(x)?;
            if self.encoding.is_none() {
                self.n_features = Some(x.len());
            }
            let weight = weights.map_or(1.0, |weights| weights[i]);
            predictions.extend_from_slice(&ticket.asked.yhat);
            self.wait(ticket, y, weight, delay);
        }
        Ok(predictions)
    }

    /// Predicts each row of a table in order, and learns the label of each after `delay` more rows, as
    /// [`learn_late_rows`](Self::learn_late_rows) does with an array.
    pub fn learn_late_table(
        &mut self,
        table: &Table,
        y: &[f64],
        weights: Option<&[f64]>,
        delay: usize,
    ) -> Result<Vec<f64>, Error> {
        let table = self.encoding()?.named(table).into_owned();
        let mut matched = self.check_table(&table, y, weights)?;
        self.learn_late_matched(&mut matched, 0..table.n_rows(), (y, weights), delay)
    }

    /// Goes on with some rows of a table that has been checked, with labels and weights of the whole table.
    pub(crate) fn learn_late_matched(
        &mut self,
        matched: &mut Matched<'_>,
        rows: Range<usize>,
        (y, weights): (&[f64], Option<&[f64]>),
        delay: usize,
    ) -> Result<Vec<f64>, Error> {
        let n_targets = self.n_targets();
        let mut predictions = Vec::with_capacity(rows.len() * n_targets);
        for row in rows {
            let ticket = self.ticket_of(matched, row)?;
            let weight = weights.map_or(1.0, |weights| weights[row]);
            predictions.extend_from_slice(&ticket.asked.yhat);
            self.wait(
                ticket,
                &y[row * n_targets..(row + 1) * n_targets],
                weight,
                delay,
            );
        }
        check_predictions(&predictions)?;
        Ok(predictions)
    }

    /// Keeps a ticket with its labels until `delay` more rows have been predicted.
    fn wait(&mut self, ticket: Ticket, y: &[f64], weight: f64, delay: usize) {
        let y = y.to_vec();
        self.pending.push_back(Waiting { ticket, y, weight });
        self.learn_all_but(delay);
    }

    /// Learns the labels that wait.
    pub fn learn_pending(&mut self) {
        self.learn_all_but(0);
    }

    /// Learns the oldest labels that wait, until `n` are left. A row is left out if the kinds of its columns have been
    /// settled since it was asked for, and its values are of others.
    pub fn learn_all_but(&mut self, n: usize) {
        while self.pending.len() > n {
            if let Some(Waiting { ticket, y, weight }) = self.pending.pop_front() {
                self.learn_ticket(&ticket, &y, weight).unwrap_or_default();
            }
        }
    }

    /// Number of rows whose labels wait to be learned.
    pub fn n_pending(&self) -> usize {
        self.pending.len()
    }

    /// Number of rows predicted by [`ask`](Self::ask) or before they were learned.
    pub fn n_asked(&self) -> u64 {
        self.n_asked
    }
}
