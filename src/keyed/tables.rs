//! Rows of tables: columns belong to all keys together.

#[cfg(feature = "python")]
use std::borrow::Cow;
use std::ops::Range;

use super::{Key, KeyBuf, Keyed};
use crate::columns::{Change, Columns, Matched, Replay, Table};
use crate::data::{Rows, check_labels, check_predictions};
use crate::error::{Error, Place};
use crate::learner::{Encoded, Encoding, Features};

impl Keyed {
    /// Returns true if rows may be those of tables, and numbers may be missing.
    pub fn takes_tables(&self) -> bool {
        self.encoding.is_some()
    }

    /// The columns, which all keys share; `None` if rows are numbers alone.
    pub fn columns(&self) -> Option<&Columns> {
        self.encoding.as_ref().map(|encoding| &encoding.columns)
    }

    pub(super) fn encoding(&self) -> Result<&Encoding, Error> {
        let algorithm = self.params.model.name();
        self.encoding
            .as_deref()
            .ok_or(Error::NoColumns { algorithm })
    }

    /// Predicts each row of a table, then learns its label, in order; returns the predictions. Categories and scales that
    /// are known from one key serve all.
    ///
    /// ```
    /// use nystream::columns::{Column, Settings, Table};
    /// use nystream::keyed::{Key, Keyed, KeyedParams};
    /// use nystream::RidgeAldParams;
    ///
    /// let params = KeyedParams { columns: Some(Settings::default()), ..KeyedParams::new(RidgeAldParams::default()) };
    /// let mut keyed = Keyed::new(params)?;
    /// let colors = Column::Texts { codes: vec![0, 1, 0], values: vec!["red".into(), "blue".into()] };
    /// let table = Table::new(3, vec!["color".into()], vec![colors])?;
    /// keyed.learn_table(&[Key::from(1), Key::from(1), Key::from(2)], &table, &[1.0, 5.0, 1.0])?;
    /// assert_eq!((keyed.len(), keyed.n_seen()), (2, 3));
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn learn_table(
        &mut self,
        keys: &[Key<'_>],
        table: &Table,
        y: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let table = self.encoding()?.named(table);
        let mut matched = self.check_table(keys, &table, y)?;
        self.learn_matched(&mut matched, keys, 0..table.n_rows(), y)
    }

    /// A table under the names that are known: columns of arrays have none, and are found by their order.
    #[cfg(feature = "python")]
    pub(crate) fn named<'t>(&self, table: &'t Table) -> Result<Cow<'t, Table>, Error> {
        Ok(self.encoding()?.named(table))
    }

    /// Refuses a table whose rows cannot be learned with these keys and labels.
    pub(crate) fn check_table<'t>(
        &self,
        keys: &[Key<'_>],
        table: &'t Table,
        y: &[f64],
    ) -> Result<Matched<'t>, Error> {
        let encoding = self.encoding()?;
        encoding.check_size(table)?;
        Self::check_keys(keys, table.n_rows())?;
        check_labels(y, table.n_rows(), 1)?;
        self.check_memory(table.names().len())?;
        let matched = encoding.columns.check(table)?;
        if self.has_large_rows() {
            let copy = encoding.clone();
            copy.rehearse(matched.clone(), y, None, |rows, first, _| {
                self.check_kernels(rows, |i| Place::new("X", [first + i]))
            })?;
        }
        Ok(matched)
    }

    /// Learns some rows of a table that has been checked, with keys and labels of the whole table.
    pub(crate) fn learn_matched(
        &mut self,
        matched: &mut Matched<'_>,
        keys: &[Key<'_>],
        rows: Range<usize>,
        y: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let mut yhat = Vec::with_capacity(rows.len());
        for start in rows.clone().step_by(Self::BLOCK) {
            let block = start..rows.end.min(start + Self::BLOCK);
            self.learn_matched_block(matched, keys, block, y, &mut yhat)?;
        }
        check_predictions(&yhat)?;
        Ok(yhat)
    }

    /// Makes the rounds of a block of rows, in pieces that end where features change; appends the predictions.
    fn learn_matched_block(
        &mut self,
        matched: &mut Matched<'_>,
        keys: &[Key<'_>],
        block: Range<usize>,
        y: &[f64],
        yhat: &mut Vec<f64>,
    ) -> Result<(), Error> {
        let mut slots = self.bring_in(&keys[block.clone()])?;
        let mut next = block.start;
        while let Some(encoding) = self.encoding.as_mut().filter(|_| next < block.end) {
            let keeps_first = !encoding.columns.is_settled();
            let Encoded { features, change } =
                encoding.learn_rows(matched, next..block.end, y, None);
            let learned = next..next + features.rows().len();
            if keeps_first {
                self.remember(&keys[learned.clone()]);
            }
            let some = &slots[next - block.start..learned.end - block.start];
            yhat.extend(self.learn_slots(some, &features.rows(), &y[learned.clone()])?);
            self.n_asked += learned.len() as u64;
            if self.follow(change)? {
                slots = self.slots_for(&keys[block.clone()]);
            }
            next = learned.end;
        }
        Ok(())
    }

    /// Remembers the keys of rows that may be learned again.
    pub(super) fn remember(&mut self, keys: &[Key<'_>]) {
        let keys = keys.iter().map(|key| Some(KeyBuf::from(*key)));
        self.first_keys.extend(keys);
    }

    /// Forgets a key that has been dropped: of its first rows, the shared model alone is taught again.
    pub(super) fn forget_first(&mut self, key: Key<'_>) {
        let is_gone = |first: &Option<KeyBuf>| first.as_ref().is_some_and(|f| f.as_key() == key);
        let gone = self.first_keys.iter_mut().filter(|first| is_gone(first));
        gone.for_each(|first| *first = None);
    }

    /// Lets models follow a change of the features; returns true if all keys have begun anew.
    pub(super) fn follow(&mut self, change: Change) -> Result<bool, Error> {
        let Some(encoding) = &mut self.encoding else {
            return Ok(false);
        };
        let is_anew = matches!(change, Change::Anew(_));
        match change {
            Change::None => {}
            Change::Wider => {
                encoding.widen();
                let width = encoding.width();
                self.widen(width)?;
            }
            Change::Anew(replay) => {
                let features = encoding.begin_anew(&replay);
                self.begin_anew()?;
                self.learn_again(&features, &replay)?;
            }
        }
        if self.columns().is_some_and(Columns::is_settled) {
            self.first_keys = Vec::new();
        }
        Ok(is_anew)
    }

    /// Learns the first rows of all keys again.
    fn learn_again(&mut self, features: &Features, replay: &Replay) -> Result<(), Error> {
        let keys = std::mem::take(&mut self.first_keys);
        let rows = features.rows();
        for (i, (key, row)) in keys.iter().zip(replay.rows()).enumerate() {
            if let Some(key) = key {
                let slots = self.slots_for(&[key.as_key()]);
                self.learn_slots(&slots, &rows.slice(i..i + 1), &row.y)?;
                continue;
            }
            if let Some(shared) = &mut self.shared {
                shared.learn_row(rows.row(i), &row.y, 1.0, &mut [0.0]);
            }
            self.n_seen += 1;
        }
        self.n_features = Some(rows.n_features());
        self.first_keys = keys;
        Ok(())
    }

    /// Learns the rows of an array as a table. If they are refused, everything stays as it was.
    pub(super) fn learn_array(
        &mut self,
        keys: &[Key<'_>],
        table: &Table,
        y: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let before = self
            .encoding
            .clone()
            .filter(|_| self.n_features().is_none());
        self.begin_numbers(table.names().len());
        let learned = self.learn_table(keys, table, y);
        if learned.is_err() && before.is_some() {
            self.encoding = before;
        }
        learned
    }

    /// Lets the columns be those of an array, if there are none yet.
    pub(super) fn begin_numbers(&mut self, width: usize) {
        if let Some(encoding) = &mut self.encoding {
            encoding.begin_numbers(width);
        }
    }

    /// The rows of an array as a table, if they are to be learned like one.
    pub(super) fn table_of(&self, rows: &Rows<'_>) -> Result<Option<Table>, Error> {
        let encoding = self.encoding.as_ref();
        encoding.map_or(Ok(None), |encoding| encoding.table_of(rows))
    }

    /// The features of the rows of a table.
    pub(crate) fn features(&self, table: &Table) -> Result<Features, Error> {
        self.encoding()?.features(table)
    }

    /// The features of rows of an array; `None` if they are the numbers of the rows.
    pub(super) fn features_of(&self, rows: &Rows<'_>) -> Result<Option<Features>, Error> {
        let encoding = self.encoding.as_ref();
        encoding.map_or(Ok(None), |encoding| encoding.features_of(rows))
    }

    /// The predictions for the rows of a table.
    pub fn predict_table(&self, keys: &[Key<'_>], table: &Table) -> Result<Vec<f64>, Error> {
        Self::check_keys(keys, table.n_rows())?;
        self.predict_features(keys, &self.features(table)?.rows())
    }

    /// The ends of an interval for each row of a table, as those of rows of an array.
    pub fn predict_table_intervals(
        &self,
        keys: &[Key<'_>],
        table: &Table,
        level: f64,
    ) -> Result<Vec<f64>, Error> {
        Self::check_keys(keys, table.n_rows())?;
        self.intervals_of_features(keys, &self.features(table)?.rows(), level)
    }
}
