//! Predictions for rows of arrays and of tables.

use super::Learner;
use super::encoding::Features;
use crate::columns::Table;
use crate::data::{Number, Rows, check_predictions, score_rows};
use crate::error::{Error, Place};

impl Learner {
    /// The prediction for one row, of the first target if there are several; 0 before anything is learned.
    pub fn predict_row(&self, x: &[f64]) -> Result<f64, Error> {
        if self.n_targets() > 1 {
            return self.predict_targets(x).map(|yhat| yhat[0]);
        }
        let mut yhat = [0.0];
        self.predict_into(x, &mut yhat)?;
        Ok(yhat[0])
    }

    /// The predictions for one row, of each target.
    pub fn predict_targets(&self, x: &[f64]) -> Result<Vec<f64>, Error> {
        let mut yhat = vec![0.0; self.n_targets()];
        self.predict_into(x, &mut yhat)?;
        Ok(yhat)
    }

    fn predict_into(&self, x: &[f64], yhat: &mut [f64]) -> Result<(), Error> {
        self.check_row(x)?;
        let features = self.features_of(&Rows::trusted(x, x.len(), 0))?;
        let x = features.as_ref().map_or(x, Features::numbers);
        self.check_kernel([x].into_iter(), |_| Place::new("x", []))?;
        self.algorithm.predict_into(x, yhat);
        check_predictions(yhat)
    }

    /// The predictions for many rows: those of all targets for the first row, then those for the next. Several threads
    /// share the work if there are very many; see [`set_num_threads`](crate::set_num_threads).
    pub fn predict_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        self.check_width("X", rows.n_features())?;
        match self.features_of(rows)? {
            None => self.predict_features(rows),
            Some(features) => self.predict_features(&features.rows()),
        }
    }

    /// The predictions for the rows of a table, in the order of [`predict_rows`](Self::predict_rows).
    ///
    /// ```
    /// use nystream::columns::{Column, Table};
    /// use nystream::{AutoParams, Learner};
    ///
    /// let colors = Column::Texts { codes: vec![0, 1], values: vec!["red".into(), "blue".into()] };
    /// let table = Table::new(2, vec!["color".into()], vec![colors])?;
    /// let mut learner = Learner::new(AutoParams::default())?;
    /// assert_eq!(learner.predict_table(&table)?, [0.0, 0.0]);
    /// learner.learn_table(&table, &[1.0, 3.0], None)?;
    /// assert_eq!(learner.predict_table(&table)?, [2.0, 2.0]);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn predict_table(&self, table: &Table) -> Result<Vec<f64>, Error> {
        self.predict_features(&self.features(table)?.rows())
    }

    /// The predictions for rows of features.
    pub(crate) fn predict_features<T: Number>(
        &self,
        rows: &Rows<'_, T>,
    ) -> Result<Vec<f64>, Error> {
        score_rows(rows, self.n_targets(), |rows, out| {
            self.check_kernel(rows.iter(), |i| Place::new("X", [rows.first() + i]))?;
            self.algorithm.predict_rows_into(rows, out);
            check_predictions(out)
        })
    }

    /// How far each row is from all that [`Auto`](crate::algorithms::Auto) knows, 0 to 1; 1 for other learners.
    ///
    /// ```
    /// use nystream::{AutoParams, Learner, Rows};
    ///
    /// let mut learner = Learner::new(AutoParams::default())?;
    /// for i in 0..50 {
    ///     learner.learn_row(&[f64::from(i % 10)], 1.0)?;
    /// }
    /// let novelty = learner.novelty(&Rows::new(&[3.0, 1000.0], 1)?)?;
    /// assert!(novelty[0] < 0.01 && novelty[1] > 0.5);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn novelty<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        self.check_width("X", rows.n_features())?;
        match self.features_of(rows)? {
            None => self.novelty_of_features(rows),
            Some(features) => self.novelty_of_features(&features.rows()),
        }
    }

    /// The novelty of each row of a table, as that of rows of an array.
    pub fn novelty_of_table(&self, table: &Table) -> Result<Vec<f64>, Error> {
        self.novelty_of_features(&self.features(table)?.rows())
    }

    /// The novelty of rows of features.
    pub(crate) fn novelty_of_features<T: Number>(
        &self,
        rows: &Rows<'_, T>,
    ) -> Result<Vec<f64>, Error> {
        score_rows(rows, 1, |rows, out| {
            for (x, out) in rows.iter().zip(out) {
                *out = self.algorithm.novelty(x).unwrap_or(1.0);
            }
            Ok(())
        })
    }

    /// The features of the rows of a table.
    pub(crate) fn features(&self, table: &Table) -> Result<Features, Error> {
        self.encoding()?.features(table)
    }

    /// The features of rows of an array; `None` if they are the numbers of the rows.
    pub(super) fn features_of<T: Number>(
        &self,
        rows: &Rows<'_, T>,
    ) -> Result<Option<Features>, Error> {
        let encoding = self.encoding.as_ref();
        encoding.map_or(Ok(None), |encoding| encoding.features_of(rows))
    }
}
