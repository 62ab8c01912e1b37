//! Rows whose labels come late.

use std::ops::Range;

use super::learn::residual;
use super::own::{Bench, Own};
use super::pending::Waiting;
use super::predict::around;
use super::{Key, KeyBuf, Keyed, Slot};
use crate::AskedRow;
use crate::algorithms::Algorithm;
use crate::columns::{Matched, Table};
use crate::data::{Rows, check_label, check_length, check_predictions, check_row, checks};
use crate::error::{Error, Place};
use crate::predictor::Asked;

/// A row of a key that was asked for, with all that was said of it: it waits for its label.
#[derive(Debug, Clone, PartialEq)]
pub struct Ticket {
    /// The key.
    pub key: KeyBuf,
    /// The features of the row.
    pub x: Vec<f64>,
    /// The prediction and its parts.
    pub said: Said,
    /// What the shared model had to say; nothing without one.
    pub shared: Asked,
    /// What the key's own model had to say.
    pub own: Asked,
    /// Number of rows that had been predicted before, of all keys.
    pub at: u64,
    /// The row of a table that it is, if it is one.
    pub row: Option<AskedRow>,
}

/// A prediction for a row of a key, and what it is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Said {
    /// The prediction.
    pub yhat: f64,
    /// The prediction of the shared model; 0 without one.
    pub shared: f64,
    /// The prediction of the key's own model.
    pub own: f64,
    /// The mean of the key's residuals.
    pub mean: f64,
    /// Number of rows of the key learned.
    pub age: u64,
    /// The expected size of the error.
    pub unit: f64,
}

impl Keyed {
    /// Predicts a row of a key whose label comes later. All that was said is kept in the ticket, and models and weights are
    /// judged and taught by it when [`answer`](Self::answer) brings the label, whatever they have learned in between.
    ///
    /// ```
    /// use nystream::LinearRlsParams;
    /// use nystream::keyed::{Key, Keyed, KeyedParams};
    ///
    /// let mut keyed = Keyed::new(KeyedParams::new(LinearRlsParams::default()))?;
    /// let tickets = [keyed.ask(Key::from("a"), &[0.5])?, keyed.ask(Key::from("b"), &[0.6])?];
    /// for ticket in &tickets {
    ///     keyed.answer(ticket, 1.0)?;
    /// }
    /// assert_eq!((tickets[1].said.yhat, keyed.n_seen()), (0.0, 2));
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn ask(&mut self, key: Key<'_>, x: &[f64]) -> Result<Ticket, Error> {
        self.check_row(x)?;
        let rows = Rows::trusted(x, x.len(), 0);
        if let Some(table) = self.table_of(&rows)? {
            self.begin_numbers(x.len());
            return self.ask_table(key, &table);
        }
        self.check_kernels_of("x", &rows)?;
        self.ticket(key, x.to_vec(), None)
    }

    /// Predicts the first row of a table, whose label comes later, as [`ask`](Self::ask) does.
    pub fn ask_table(&mut self, key: Key<'_>, table: &Table) -> Result<Ticket, Error> {
        let encoding = self.encoding()?;
        let table = encoding.named(table);
        let mut matched = encoding.columns.check(&table)?;
        self.ticket_of(key, &mut matched, 0)
    }

    /// Predicts a row of a table.
    fn ticket_of(
        &mut self,
        key: Key<'_>,
        matched: &mut Matched<'_>,
        row: usize,
    ) -> Result<Ticket, Error> {
        let (encoding, mut x) = (self.encoding()?, Vec::new());
        encoding.encode_onto(matched, row, &mut Vec::new(), &mut x);
        let asked = AskedRow {
            table: matched.table().row(row),
            generation: encoding.generation,
        };
        self.check_kernels(&Rows::trusted(&x, x.len(), 0), |_| Place::new("x", []))?;
        self.ticket(key, x, Some(asked))
    }

    fn ticket(
        &mut self,
        key: Key<'_>,
        x: Vec<f64>,
        row: Option<AskedRow>,
    ) -> Result<Ticket, Error> {
        let (slot, fresh, mut place) = (self.slots.get(&key), Own::Fresh, Own::Fresh);
        let mut bench = Bench::new(&*self.template);
        let model = slot.map_or(&fresh, |slot| &slot.own);
        let model = bench.read(model, &self.overflow, &mut place)?;
        let wider = self.wider(model)?;
        let own = wider.as_deref().unwrap_or(model).ask(&x);
        let shared = self.shared.as_ref().map(|shared| shared.ask(&x));
        let shared = shared.unwrap_or_default();
        let none = Slot::default();
        let said = (shared.yhat.first().copied().unwrap_or(0.0), own.yhat[0]);
        let said = self.said(slot.unwrap_or(&none), said);
        check_predictions(&[said.yhat])?;
        self.n_asked += 1;
        Ok(Ticket {
            key: KeyBuf::from(key),
            x,
            said,
            shared,
            own,
            at: self.n_asked,
            row,
        })
    }

    /// The two ends of an interval for a row that was asked for just now, at this level.
    pub fn interval_of(&self, ticket: &Ticket, level: f64) -> Result<[f64; 2], Error> {
        checks::level(level)?;
        let Said { yhat, unit, .. } = ticket.said;
        Ok(around(yhat, unit, self.scores.margins(level)[0]))
    }

    /// Learns the label of a row that was asked for.
    pub fn answer(&mut self, ticket: &Ticket, y: f64) -> Result<(), Error> {
        self.check_ticket(ticket)?;
        check_label(&[y], 1)?;
        self.check_memory(ticket.x.len())?;
        self.learn_ticket(ticket, y)
    }

    /// Refuses a ticket that no models like these have given.
    pub(super) fn check_ticket(&self, ticket: &Ticket) -> Result<(), Error> {
        let Ticket { x, said, row, .. } = ticket;
        if row.is_some() {
            check_row(x)?;
        } else {
            self.check_row(x)?;
        }
        let has_intervals = |model: &dyn Algorithm| model.intervals().is_some();
        let own = ticket.own.is_plausible((1, has_intervals(&*self.template)));
        let shared = match &self.shared {
            Some(model) => ticket.shared.is_plausible((1, has_intervals(&**model))),
            None => ticket.shared == Asked::default(),
        };
        let numbers = [said.yhat, said.shared, said.own, said.mean, said.unit];
        if own && shared && numbers.iter().all(|n| n.is_finite()) && said.unit >= 0.0 {
            return Ok(());
        }
        let algorithm = "Keyed";
        Err(Error::Ticket { algorithm })
    }

    fn learn_ticket(&mut self, ticket: &Ticket, y: f64) -> Result<(), Error> {
        let (key, x) = (ticket.key.as_key(), &ticket.x);
        let array = match &ticket.row {
            None => self.table_of(&Rows::trusted(x, x.len(), 0))?,
            Some(_) => None,
        };
        let row = ticket.row.as_ref();
        let Some(table) = row.map(|row| &row.table).or(array.as_ref()) else {
            let slot = self.bring_in(&[key])?[0];
            self.learn_asked(slot, x, y, ticket)?;
            if let Some(encoding) = &mut self.encoding {
                encoding.note_row(x);
            }
            return Ok(());
        };
        self.encoding()?.check_asked(table)?;
        let slot = self.bring_in(&[key])?[0];
        let generation = row.map(|row| row.generation);
        let algorithm = "Keyed";
        let encoding = self
            .encoding
            .as_mut()
            .ok_or(Error::NoColumns { algorithm })?;
        let is_of_others = encoding.is_of_others(generation);
        let keeps_first = !encoding.columns.is_settled();
        let (x, change) = encoding.learn_asked(table, (x, generation), (&[y], 1.0))?;
        if keeps_first {
            self.remember(&[key]);
        }
        let mut ticket = ticket.clone();
        if is_of_others {
            ticket.shared.details.clear();
            ticket.own.details.clear();
        }
        self.learn_asked(slot, &x, y, &ticket)?;
        self.follow(change).map(drop)
    }

    /// Makes the round of a row that was asked for, whose features are these by now.
    fn learn_asked(&mut self, slot: u32, x: &[f64], y: f64, ticket: &Ticket) -> Result<(), Error> {
        self.widen_owns(&[slot])?;
        let Ticket { said, .. } = ticket;
        let left = [residual(y, said.shared)];
        if let Some(shared) = &mut self.shared {
            let delay = length(self.n_asked.saturating_sub(ticket.at));
            shared.learn_asked(x, &[y], 1.0, &ticket.shared, delay);
        }
        let known = &mut self.slots[slot as usize];
        let delay = length(known.age.saturating_sub(said.age));
        Bench::new(&*self.template).learn(&mut known.own, |model| {
            model.learn_asked(x, &left, 1.0, &ticket.own, delay);
        });
        self.n_features = Some(x.len());
        self.judge(slot, said, y);
        Ok(())
    }

    /// Predicts each row in order, and learns the label of each after `delay` more rows have been predicted, of any keys;
    /// returns the predictions. The labels of the last rows wait for further calls, or for
    /// [`learn_pending`](Self::learn_pending).
    pub fn learn_late_rows(
        &mut self,
        keys: &[Key<'_>],
        rows: &Rows<'_>,
        y: &[f64],
        delay: usize,
    ) -> Result<Vec<f64>, Error> {
        self.check_labels(keys, (rows.len(), rows.n_features()), y)?;
        self.check(keys, rows)?;
        let mut yhat = Vec::with_capacity(y.len());
        for ((x, key), y) in rows.iter().zip(keys).zip(y) {
            let ticket = self.ask(*key, x)?;
            if self.encoding.is_none() {
                self.n_features = Some(x.len());
            }
            yhat.push(ticket.said.yhat);
            self.wait(ticket, *y, delay)?;
        }
        Ok(yhat)
    }

    /// Predicts each row of a table in order, and learns the label of each after `delay` more rows, as
    /// [`learn_late_rows`](Self::learn_late_rows) does with an array.
    pub fn learn_late_table(
        &mut self,
        keys: &[Key<'_>],
        table: &Table,
        y: &[f64],
        delay: usize,
    ) -> Result<Vec<f64>, Error> {
        let table = self.encoding()?.named(table).into_owned();
        let mut matched = self.check_table(keys, &table, y)?;
        self.learn_late_matched(&mut matched, keys, 0..table.n_rows(), (y, delay))
    }

    /// Goes on with some rows of a table that has been checked, with keys and labels of the whole table.
    pub(crate) fn learn_late_matched(
        &mut self,
        matched: &mut Matched<'_>,
        keys: &[Key<'_>],
        rows: Range<usize>,
        (y, delay): (&[f64], usize),
    ) -> Result<Vec<f64>, Error> {
        check_length(("keys", "keys"), keys, matched.table().n_rows())?;
        let mut yhat = Vec::with_capacity(rows.len());
        for row in rows {
            let ticket = self.ticket_of(keys[row], matched, row)?;
            yhat.push(ticket.said.yhat);
            self.wait(ticket, y[row], delay)?;
        }
        Ok(yhat)
    }

    /// Keeps a ticket with its label until `delay` more rows have been predicted.
    fn wait(&mut self, ticket: Ticket, y: f64, delay: usize) -> Result<(), Error> {
        self.pending.push_back(Waiting { ticket, y });
        self.learn_all_but(delay)
    }

    /// Learns the labels that wait.
    pub fn learn_pending(&mut self) -> Result<(), Error> {
        self.learn_all_but(0)
    }

    /// Learns the oldest labels that wait, until `n` are left. A row is left out if the kinds of its columns have been
    /// settled since it was asked for, and its values are of others.
    pub fn learn_all_but(&mut self, n: usize) -> Result<(), Error> {
        while self.pending.len() > n {
            let Some(Waiting { ticket, y }) = self.pending.pop_front() else {
                break;
            };
            match self.learn_ticket(&ticket, y) {
                Ok(()) | Err(Error::Columns { .. }) => {}
                Err(error) => {
                    self.pending.push_front(Waiting { ticket, y });
                    return Err(error);
                }
            }
        }
        Ok(())
    }

    /// Number of rows whose labels wait to be learned.
    pub fn n_pending(&self) -> usize {
        self.pending.len()
    }
}

fn length(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
