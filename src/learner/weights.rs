//! Learning of rows with a weight, and with several labels.

use std::ops::RangeInclusive;
use std::slice::from_ref;

use super::Learner;
use crate::data::{Rows, check_label, check_length, check_predictions};
use crate::error::{Error, Place};

/// The weights that a row may have beside 0: those that float64 can follow.
const WEIGHTS: RangeInclusive<f64> = 1e-10..=1e10;

impl Learner {
    /// Returns true if rows may count more or less than once.
    pub fn takes_weights(&self) -> bool {
        self.algorithm.facts().takes_weights
    }

    /// Predicts one row for each target, then learns its labels; the predictions go into `yhat`. The loss counts `weight`
    /// times, or once; with the weight 0 the row is not learned.
    ///
    /// ```
    /// use nystream::{Learner, RidgeAldParams};
    ///
    /// let mut learner = Learner::new(RidgeAldParams { n_targets: 2, ..Default::default() })?;
    /// let mut yhat = [0.0; 2];
    /// learner.learn_targets(&[0.5], &[1.0, -1.0], None, &mut yhat)?;
    /// let after = learner.predict_targets(&[0.5])?;
    /// assert_eq!(after[0], -after[1]);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn learn_targets(
        &mut self,
        x: &[f64],
        y: &[f64],
        weight: Option<f64>,
        yhat: &mut [f64],
    ) -> Result<(), Error> {
        self.check_row(x)?;
        check_label(y, self.n_targets())?;
        self.check_loss(y, |_| Place::new("y", []))?;
        weight.map_or(Ok(()), |weight| self.check_weight(x, weight))?;
        self.check_capacity((1, x.len()))?;
        let row = Rows::trusted(x, x.len(), 0);
        if let Some(table) = self.table_of(&row)? {
            yhat.copy_from_slice(&self.learn_array(&table, y, weight.as_ref().map(from_ref))?);
            return Ok(());
        }
        self.check_kernel([x].into_iter(), |_| Place::new("x", []))?;
        self.learn_checked(x, y, weight.unwrap_or(1.0), yhat);
        self.note_row(x, weight.unwrap_or(1.0));
        check_predictions(yhat)
    }

    /// Predicts each row, then learns its label with its weight, in order; returns the predictions.
    ///
    /// ```
    /// use nystream::{Learner, Rows, RunningMeanParams};
    ///
    /// let mut learner = Learner::new(RunningMeanParams {})?;
    /// learner.learn_weighted_rows(&Rows::new(&[0.0, 0.0], 1)?, &[1.0, 5.0], &[3.0, 1.0])?;
    /// assert_eq!(learner.predict_row(&[0.0])?, 2.0);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn learn_weighted_rows(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        weights: &[f64],
    ) -> Result<Vec<f64>, Error> {
        self.check(rows, y, Some(weights))?;
        if let Some(table) = self.table_of(rows)? {
            return self.learn_array(&table, y, Some(weights));
        }
        let (n_targets, mut predictions) = (self.n_targets(), vec![0.0; y.len()]);
        let labels = y
            .chunks_exact(n_targets)
            .zip(predictions.chunks_exact_mut(n_targets));
        for ((x, weight), (y, yhat)) in rows.iter().zip(weights).zip(labels) {
            self.learn_checked(x, y, *weight, yhat);
            self.note_row(x, *weight);
        }
        check_predictions(&predictions)?;
        Ok(predictions)
    }

    /// Makes the round of a row that has been checked; a row with the weight 0 is only predicted.
    pub(super) fn learn_checked(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) {
        if weight == 0.0 {
            return self.algorithm.predict_into(x, yhat);
        }
        self.count_asked(1);
        self.count_rows(x.len(), 1);
        self.algorithm.learn_row(x, y, weight, yhat);
    }

    pub(super) fn check_weight(&self, x: &[f64], weight: f64) -> Result<(), Error> {
        self.check_weights(&[weight], 1)?;
        if self.encoding.is_some() {
            return Ok(()); // what is compared is features, not these numbers
        }
        self.check_weighted_kernel([x].into_iter(), &[weight], |_| Place::new("x", []))
    }

    pub(super) fn check_weights(&self, weights: &[f64], n_rows: usize) -> Result<(), Error> {
        if !self.takes_weights() {
            let algorithm = self.params.name();
            return Err(Error::Weights { algorithm });
        }
        check_length(("sample_weight", "weights"), weights, n_rows)?;
        let allowed = |weight: &f64| *weight == 0.0 || WEIGHTS.contains(weight);
        match weights.iter().position(|weight| !allowed(weight)) {
            None => Ok(()),
            Some(i) => Err(Error::Element {
                place: Place::new("sample_weight", [i]),
                expected: "0 or between 1e-10 and 1e10",
                value: weights[i],
            }),
        }
    }

    /// Refuses rows whose kernel value times weight is too large.
    pub(super) fn check_weighted_kernel<'a>(
        &self,
        rows: impl Iterator<Item = &'a [f64]>,
        weights: &[f64],
        place: impl Fn(usize) -> Place,
    ) -> Result<(), Error> {
        let Some(basis) = self.algorithm.basis() else {
            return Ok(());
        };
        let (kernel, largest) = (basis.kernel, basis.largest_kappa);
        for (i, (x, weight)) in rows.zip(weights).enumerate() {
            let value = kernel.diagonal(x) * weight;
            if value > largest {
                let place = place(i);
                return Err(Error::WeightedKernelValue {
                    place,
                    largest,
                    value,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::AnyParams;

    fn takes_weights() -> impl Iterator<Item = AnyParams> {
        let all = AnyParams::NAMES
            .iter()
            .filter_map(|name| AnyParams::default_of(name));
        all.filter(|params| params.build().is_ok_and(|a| a.facts().takes_weights))
    }

    #[test]
    fn a_weight_is_a_number_of_copies() {
        // So few that Auto has no experts, for which copies would be rounds of their own.
        let rows = [[0.0, 0.3], [1.0, 0.1], [0.4, 0.9]];
        for params in takes_weights() {
            let (mut weighted, mut copied) = (
                Learner::new(params.clone()).unwrap(),
                Learner::new(params).unwrap(),
            );
            for (x, (y, weight)) in rows.iter().zip([(1.0, 1), (0.0, 0), (2.0, 2)]) {
                weighted
                    .learn_targets(x, &[y], Some(f64::from(weight)), &mut [0.0])
                    .unwrap();
                (0..weight).for_each(|_| {
                    copied.learn_row(x, y).unwrap();
                });
            }
            for x in [[0.2, 0.2], [0.9, 0.4]] {
                let (a, b) = (
                    weighted.predict_row(&x).unwrap(),
                    copied.predict_row(&x).unwrap(),
                );
                // The forward prediction of a row that is being learned is the same in either case, up to rounding.
                assert!((a - b).abs() < 1e-9, "{:?}: {a} {b}", weighted.params());
            }
        }
        assert_eq!(takes_weights().count(), 7);
    }

    #[test]
    fn bad_weights_change_nothing() {
        for params in takes_weights() {
            let mut learner = Learner::new(params).unwrap();
            for weight in [-1.0, f64::NAN, f64::INFINITY, 1e-300, 1e11] {
                let learned = learner.learn_targets(&[0.0], &[1.0], Some(weight), &mut [0.0]);
                assert!(learned.is_err());
            }
            assert_eq!(learner.n_seen(), 0);
        }
    }
}
