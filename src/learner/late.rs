//! Rows whose labels come late.

use std::collections::VecDeque;

use super::Learner;
use crate::data::{Rows, check_label, check_predictions};
use crate::error::Error;
use crate::persist::{State, index};
use crate::predictor::Asked;
use crate::runtime::heap;

/// A row that was asked for, with what was predicted: it waits for its label.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticket {
    /// The row.
    pub x: Vec<f64>,
    /// What was predicted.
    pub asked: Asked,
    /// Number of rows that the learner had predicted before, as [`Learner::n_asked`] counts.
    pub at: u64,
}

/// A ticket whose labels the caller has given, to be learned when later rows have been predicted.
#[derive(Debug, Clone)]
pub(super) struct Waiting {
    ticket: Ticket,
    y: Vec<f64>,
    weight: f64,
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
        let ticket = self.ticket(x);
        check_predictions(&ticket.asked.yhat)?;
        Ok(ticket)
    }

    fn ticket(&mut self, x: &[f64]) -> Ticket {
        self.n_asked += 1;
        Ticket {
            x: x.to_vec(),
            asked: self.algorithm.ask(x),
            at: self.n_asked,
        }
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
        self.learn_ticket(ticket, y, weight.unwrap_or(1.0));
        Ok(())
    }

    /// Refuses a ticket that no learner like this one has given.
    fn check_ticket(&self, ticket: &Ticket) -> Result<(), Error> {
        let Asked {
            yhat,
            q,
            scales,
            details,
        } = &ticket.asked;
        self.check_row(&ticket.x)?;
        check_label(yhat, self.n_targets())?;
        let n_scales = if self.has_intervals() {
            self.n_targets()
        } else {
            0
        };
        let numbers = scales.iter().chain(details).chain([q]);
        let finite = numbers.clone().all(|number| number.is_finite());
        if finite && *q >= 0.0 && scales.len() == n_scales && scales.iter().all(|s| *s >= 0.0) {
            return Ok(());
        }
        Err(Error::Ticket {
            algorithm: self.params.name(),
        })
    }

    /// Learns the labels of a ticket; with the weight 0 nothing is learned.
    fn learn_ticket(&mut self, ticket: &Ticket, y: &[f64], weight: f64) {
        if weight == 0.0 {
            return;
        }
        let delay = self.n_asked.saturating_sub(ticket.at);
        let delay = usize::try_from(delay).unwrap_or(usize::MAX);
        self.count_rows(ticket.x.len(), 1);
        let Ticket { x, asked, .. } = ticket;
        self.algorithm.learn_asked(x, y, weight, asked, delay);
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
            let ticket = self.ticket(x);
            predictions.extend_from_slice(&ticket.asked.yhat);
            self.pending.push_back(Waiting {
                ticket,
                y: y.to_vec(),
                weight: weights.map_or(1.0, |weights| weights[i]),
            });
            self.n_features = Some(x.len());
            self.learn_all_but(delay);
        }
        check_predictions(&predictions)?;
        Ok(predictions)
    }

    /// Learns the labels that wait.
    pub fn learn_pending(&mut self) {
        self.learn_all_but(0);
    }

    /// Learns the oldest labels that wait, until `n` are left.
    pub fn learn_all_but(&mut self, n: usize) {
        while self.pending.len() > n {
            if let Some(Waiting { ticket, y, weight }) = self.pending.pop_front() {
                self.learn_ticket(&ticket, &y, weight);
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

    /// Writes the rows that wait.
    pub(super) fn save_pending(&self, state: &mut State) {
        if self.n_asked != self.n_seen {
            state.put("n_asked", [self.n_asked as f64]);
        }
        if self.pending.is_empty() {
            return;
        }
        let (mut numbers, mut ends) = (Vec::new(), Vec::new());
        for waiting in &self.pending {
            waiting.append_to(&mut numbers, &mut ends);
        }
        state.put("pending", numbers);
        state.put_indices("pending_ends", &ends);
    }

    /// Reads the rows that wait.
    pub(super) fn load_pending(&mut self, state: &State) -> Result<(), Error> {
        self.n_asked = self.n_seen;
        if state.has("n_asked") {
            self.n_asked = state.count("n_asked")? as u64;
        }
        if !state.has("pending") {
            return Ok(());
        }
        let (numbers, ends) = (
            state.any_vector("pending")?,
            state.any_vector("pending_ends")?,
        );
        let wrong = || Error::model_file("pending should be rows that wait for their labels");
        let mut parts = Vec::with_capacity(ends.len());
        let mut start = 0;
        for end in ends {
            let end = index(end, start..numbers.len() + 1).ok_or_else(wrong)?;
            parts.push(&numbers[start..end]);
            start = end;
        }
        for parts in parts.chunks(Waiting::PARTS) {
            let waiting = Waiting::read(parts).ok_or_else(wrong)?;
            self.check_ticket(&waiting.ticket).map_err(|_| wrong())?;
            check_label(&waiting.y, self.n_targets()).map_err(|_| wrong())?;
            let weight = Some(waiting.weight).filter(|weight| *weight != 1.0);
            weight
                .map_or(Ok(()), |w| self.check_weight(&waiting.ticket.x, w))
                .map_err(|_| wrong())?;
            self.pending.push_back(waiting);
        }
        Ok(())
    }
}

impl Waiting {
    /// Number of parts that a row has in a file.
    const PARTS: usize = 6;

    /// Appends the numbers of the row, and where each part of them ends.
    fn append_to(&self, numbers: &mut Vec<f64>, ends: &mut Vec<usize>) {
        let Asked {
            yhat,
            q,
            scales,
            details,
        } = &self.ticket.asked;
        let single = [self.ticket.at as f64, *q, self.weight];
        for part in [
            &self.ticket.x,
            &self.y,
            yhat,
            scales,
            details,
            &single.to_vec(),
        ] {
            numbers.extend_from_slice(part);
            ends.push(numbers.len());
        }
    }

    /// Gives the row more features, which are 0.
    pub(super) fn widen(&mut self, n_features: usize) {
        self.ticket.x.resize(n_features, 0.0);
    }

    fn read(parts: &[&[f64]]) -> Option<Self> {
        let &[x, y, yhat, scales, details, &[at, q, weight]] = parts else {
            return None;
        };
        let asked = Asked {
            yhat: yhat.to_vec(),
            q,
            scales: scales.to_vec(),
            details: details.to_vec(),
        };
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count"
        )]
        let (at, x) = (at as u64, x.to_vec());
        Some(Self {
            ticket: Ticket { x, asked, at },
            y: y.to_vec(),
            weight,
        })
    }
}

/// Rows that wait for their labels, the oldest first.
pub(super) type Pending = VecDeque<Waiting>;

heap!(Asked: yhat, scales, details);
heap!(Ticket: x, asked);
heap!(Waiting: ticket, y);
