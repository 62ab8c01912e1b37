//! Prediction intervals.

use super::Learner;
use crate::algorithms::Intervals;
use crate::columns::Table;
use crate::data::{Number, Rows, checks, score_rows};
use crate::error::{Error, Place};
use crate::predictor::Asked;

impl Learner {
    /// Returns true if the learner has [`predict_intervals`](Self::predict_intervals).
    pub fn has_intervals(&self) -> bool {
        self.algorithm.intervals().is_some()
    }

    /// For each row and target, the two ends of an interval that holds the label in the part `level` of all cases.
    ///
    /// Its length follows the uncertainty of the prediction and the errors of the last thousand; it is infinite while
    /// there are too few of them.
    ///
    /// ```
    /// use nystream::{Learner, RidgeAldParams, Rows};
    ///
    /// let mut learner = Learner::new(RidgeAldParams::default())?;
    /// for i in 0..100 {
    ///     learner.learn_row(&[0.5], f64::from(i % 10))?;
    /// }
    /// let ends = learner.predict_intervals(&Rows::new(&[0.5], 1)?, 0.9)?;
    /// assert!(ends[0] < 1.0 && 8.0 < ends[1]);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn predict_intervals<T: Number>(
        &self,
        rows: &Rows<'_, T>,
        level: f64,
    ) -> Result<Vec<f64>, Error> {
        self.check_width("X", rows.n_features())?;
        match self.features_of(rows)? {
            None => self.intervals_of_features(rows, level),
            Some(features) => self.intervals_of_features(&features.rows(), level),
        }
    }

    /// The two ends for each row of a table and target, as those of rows of an array.
    pub fn predict_table_intervals(&self, table: &Table, level: f64) -> Result<Vec<f64>, Error> {
        self.intervals_of_features(&self.features(table)?.rows(), level)
    }

    /// The two ends for each row of features and target.
    pub(crate) fn intervals_of_features<T: Number>(
        &self,
        rows: &Rows<'_, T>,
        level: f64,
    ) -> Result<Vec<f64>, Error> {
        let intervals = self.intervals_of(level)?;
        let margins = intervals.scores.margins(level);
        score_rows(rows, 2 * margins.len(), |rows, out| {
            self.check_kernel(rows.iter(), |i| Place::new("X", [rows.first() + i]))?;
            let mut yhat = vec![0.0; rows.len() * margins.len()];
            self.algorithm.predict_rows_into(rows, &mut yhat);
            let yhat = yhat.chunks_exact(margins.len());
            let out = out.chunks_exact_mut(2 * margins.len());
            for ((x, yhat), out) in rows.iter().zip(yhat).zip(out) {
                ends_into(yhat, &margins, (intervals.uncertainty)(x), out);
            }
            Ok(())
        })
    }

    /// Refuses a level that is not one, or any if the learner has no intervals.
    #[cfg(feature = "python")]
    pub(crate) fn check_level(&self, level: f64) -> Result<(), Error> {
        self.intervals_of(level).map(drop)
    }

    /// The parts of intervals of this level.
    fn intervals_of(&self, level: f64) -> Result<Intervals<'_>, Error> {
        let algorithm = self.params.name();
        let intervals = self.algorithm.intervals();
        let intervals = intervals.ok_or(Error::Intervals { algorithm })?;
        checks::level(level)?;
        Ok(intervals)
    }

    /// The ends of the interval of this level for each target of a row that was asked for just now.
    pub(super) fn ends(&self, asked: &Asked, level: f64) -> Result<Vec<f64>, Error> {
        let margins = self.intervals_of(level)?.scores.margins(level);
        let mut ends = vec![0.0; 2 * margins.len()];
        ends_into(&asked.yhat, &margins, asked.q, &mut ends);
        Ok(ends)
    }
}

/// Writes the ends of the interval for each target of a row whose uncertainty is `q`.
fn ends_into(yhat: &[f64], margins: &[f64], q: f64, out: &mut [f64]) {
    let unit = (1.0 + q).sqrt();
    let ends = out.as_chunks_mut::<2>().0;
    for ((yhat, margin), ends) in yhat.iter().zip(margins).zip(ends) {
        *ends = [yhat - margin * unit, yhat + margin * unit];
    }
}
