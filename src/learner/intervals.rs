//! Prediction intervals.

use super::Learner;
use crate::data::{Number, Rows, score_rows};
use crate::error::{Error, Place};

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
        let algorithm = self.params.name();
        let intervals = self.algorithm.intervals();
        let intervals = intervals.ok_or(Error::Intervals { algorithm })?;
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::parameter(
                "level",
                "more than 0 and less than 1",
                level,
            ));
        }
        self.check_width("X", rows.n_features())?;
        let margins = intervals.scores.margins(level);
        score_rows(rows, 2 * margins.len(), |rows, out| {
            self.check_kernel(rows.iter(), |i| Place::new("X", [rows.first() + i]))?;
            let mut yhat = vec![0.0; rows.len() * margins.len()];
            self.algorithm.predict_rows_into(rows, &mut yhat);
            let yhat = yhat.chunks_exact(margins.len());
            let out = out.chunks_exact_mut(2 * margins.len());
            for ((x, yhat), out) in rows.iter().zip(yhat).zip(out) {
                let unit = (1.0 + (intervals.uncertainty)(x)).sqrt();
                let ends = out.as_chunks_mut::<2>().0;
                for ((yhat, margin), ends) in yhat.iter().zip(&margins).zip(ends) {
                    *ends = [yhat - margin * unit, yhat + margin * unit];
                }
            }
            Ok(())
        })
    }
}
