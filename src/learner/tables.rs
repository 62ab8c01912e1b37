//! Learning from tables.

#[cfg(feature = "python")]
use std::borrow::Cow;
use std::ops::Range;

use super::Learner;
use super::encoding::{Encoded, Encoding};
use crate::algorithms::learn_rows;
use crate::columns::{Change, Columns, Field, Matched, Settings, Table};
use crate::data::{Rows, check_labels, check_predictions};
use crate::error::{Error, Place};

impl Learner {
    /// A learner of tables and arrays that has seen nothing: columns belong to it, and are learned with it.
    ///
    /// ```
    /// use nystream::columns::{Column, Settings, Table};
    /// use nystream::{Learner, RidgeAldParams};
    ///
    /// let mut learner = Learner::with_columns(RidgeAldParams::default(), Settings::default())?;
    /// let colors = Column::Texts { codes: vec![0, 1, 0], values: vec!["red".into(), "blue".into()] };
    /// let table = Table::new(3, vec!["color".into()], vec![colors])?;
    /// learner.learn_table(&table, &[1.0, 5.0, 1.0], None)?;
    /// assert_eq!(learner.n_seen(), 3);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn with_columns(
        params: impl Into<crate::AnyParams>,
        mut settings: Settings,
    ) -> Result<Self, Error> {
        let mut learner = Self::new(params)?;
        let facts = learner.algorithm.facts();
        if facts.n_features.is_some() {
            return Err(Error::FixedWidth);
        }
        settings.scale = !facts.takes_any_scale;
        learner.encoding = Some(Box::new(Encoding::new(settings, learner.n_targets)?));
        Ok(learner)
    }

    /// The columns, if the learner takes tables.
    pub fn columns(&self) -> Option<&Columns> {
        self.encoding.as_ref().map(|encoding| &encoding.columns)
    }

    /// The columns of the tables learned, in the order in which they came; nothing if the learner takes no tables.
    pub fn schema(&self) -> impl Iterator<Item = Field<'_>> {
        let columns = self.columns().filter(|columns| columns.is_named());
        columns.into_iter().flat_map(Columns::schema)
    }

    /// A table under the names that are known: columns of arrays have none, and are found by their order.
    #[cfg(feature = "python")]
    pub(crate) fn named<'t>(&self, table: &'t Table) -> Result<Cow<'t, Table>, Error> {
        Ok(self.encoding()?.named(table))
    }

    /// The columns, or the error for a learner without any.
    pub(super) fn encoding(&self) -> Result<&Encoding, Error> {
        let algorithm = self.params.name();
        self.encoding
            .as_deref()
            .ok_or(Error::NoColumns { algorithm })
    }

    /// Predicts each row of a table, then learns its label, in order; returns the predictions. The loss of a row counts
    /// as often as its weight says, if there are weights; a row with the weight 0 is only predicted.
    pub fn learn_table(
        &mut self,
        table: &Table,
        y: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<Vec<f64>, Error> {
        let table = self.encoding()?.named(table);
        let mut matched = self.check_table(&table, y, weights)?;
        self.learn_matched(&mut matched, 0..table.n_rows(), y, weights)
    }

    /// Refuses a table whose rows cannot be learned with these labels and weights.
    pub(crate) fn check_table<'t>(
        &self,
        table: &'t Table,
        y: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<Matched<'t>, Error> {
        let (encoding, n_rows, n_columns) = (self.encoding()?, table.n_rows(), table.names().len());
        encoding.check_size(table)?;
        check_labels(y, n_rows, self.n_targets())?;
        if let Some(weights) = weights {
            self.check_weights(weights, n_rows)?;
        }
        self.check_capacity((n_rows, n_columns))?;
        let matched = encoding.columns.check(table)?;
        if self.has_large_rows() || (weights.is_some() && self.basis().is_some()) {
            self.rehearse(encoding.clone(), matched.clone(), y, weights)?;
        }
        Ok(matched)
    }

    /// Encodes and learns all rows of a table with a copy of the columns, and refuses features that are too large.
    fn rehearse(
        &self,
        encoding: Encoding,
        matched: Matched<'_>,
        y: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<(), Error> {
        encoding.rehearse(matched, y, weights, |rows, first, weights| {
            let place = |i| Place::new("X", [first + i]);
            self.check_kernel(rows.iter(), place)?;
            weights.map_or(Ok(()), |weights| {
                self.check_weighted_kernel(rows.iter(), weights, place)
            })
        })
    }

    /// Learns some rows of a table that has been checked, with labels and weights of the whole table.
    pub(crate) fn learn_matched(
        &mut self,
        matched: &mut Matched<'_>,
        rows: Range<usize>,
        y: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<Vec<f64>, Error> {
        let (n_targets, block_len) = (self.n_targets(), self.block_len());
        let mut yhat = Vec::with_capacity(rows.len() * n_targets);
        let (mut next, start) = (rows.start, rows.start);
        while next < rows.end {
            // Blocks end where they would if no features changed on the way.
            let end = (start + ((next - start) / block_len + 1) * block_len).min(rows.end);
            let Some(encoding) = &mut self.encoding else {
                break;
            };
            let Encoded { features, change } = encoding.learn_rows(matched, next..end, y, weights);
            let learned = next..next + features.rows().len();
            let weights = weights.map(|weights| &weights[learned.clone()]);
            let y = &y[learned.start * n_targets..learned.end * n_targets];
            self.learn_features(&features.rows(), y, weights, &mut yhat);
            self.follow(change)?;
            next = learned.end;
        }
        check_predictions(&yhat)?;
        Ok(yhat)
    }

    /// Makes the rounds of rows of features that have been checked; appends the predictions.
    fn learn_features(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        weights: Option<&[f64]>,
        yhat: &mut Vec<f64>,
    ) {
        let Some(weights) = weights else {
            yhat.extend(learn_rows(&mut *self.algorithm, rows, y));
            self.count_asked(rows.len());
            return self.count_rows(rows.n_features(), rows.len());
        };
        let n_targets = self.n_targets();
        let labels = y.chunks_exact(n_targets);
        for ((x, weight), y) in rows.iter().zip(weights).zip(labels) {
            let start = yhat.len();
            yhat.resize(start + n_targets, 0.0);
            self.learn_checked(x, y, *weight, &mut yhat[start..]);
        }
    }

    /// Lets the algorithm follow a change of the features.
    pub(super) fn follow(&mut self, change: Change) -> Result<(), Error> {
        let Some(encoding) = &mut self.encoding else {
            return Ok(());
        };
        match change {
            Change::None => Ok(()),
            Change::Wider => {
                encoding.widen();
                let width = encoding.width();
                self.widen_algorithm(width)
            }
            Change::Anew(replay) => {
                let features = encoding.begin_anew(&replay);
                self.algorithm = self.params.build()?;
                self.n_features = Some(features.rows().n_features());
                let mut yhat = vec![0.0; self.n_targets];
                for (x, row) in features.rows().iter().zip(replay.rows()) {
                    self.algorithm.learn_row(x, &row.y, row.weight, &mut yhat);
                }
                Ok(())
            }
        }
    }

    /// The rows of an array as a table, if they are to be learned like one.
    pub(super) fn table_of(&self, rows: &Rows<'_>) -> Result<Option<Table>, Error> {
        let encoding = self.encoding.as_ref();
        encoding.map_or(Ok(None), |encoding| encoding.table_of(rows))
    }

    /// Learns the rows of an array as a table. If they are refused, the learner stays as it was.
    pub(super) fn learn_array(
        &mut self,
        table: &Table,
        y: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<Vec<f64>, Error> {
        let before = self
            .encoding
            .clone()
            .filter(|_| self.n_features().is_none());
        self.begin_numbers(table.names().len());
        let learned = self.learn_table(table, y, weights);
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

    /// Tells the columns of a row of an array that has been learned, unless its weight is 0.
    pub(super) fn note_row(&mut self, x: &[f64], weight: f64) {
        if let Some(encoding) = self.encoding.as_mut().filter(|_| weight > 0.0) {
            encoding.note_row(x);
        }
    }
}
