//! Rounds: each row is predicted, then learned.

use super::blocks::ByKey;
use super::trust::Corrections;
use super::{Key, Keyed, Slot};
use crate::algorithms::learn_rows;
use crate::data::{Rows, check_label, check_labels, check_length, check_predictions, check_row};
use crate::error::{Error, Place};
use crate::limits::LARGEST;

impl Keyed {
    /// Number of rows that are learned together: models may be on the disk between two blocks. Calls with multiples of it
    /// give the same result bit for bit.
    pub const BLOCK: usize = 1024;

    /// Predicts one row of a key, then learns its label; returns the prediction.
    pub fn learn_row(&mut self, key: Key<'_>, x: &[f64], y: f64) -> Result<f64, Error> {
        check_row(x)?;
        check_label(&[y], 1)?;
        self.check_width("x", x.len())?;
        self.check_memory(x.len())?;
        let row = Rows::trusted(x, x.len(), 0);
        self.check_kernels(&row, |_| Place::new("x", []))?;
        let yhat = self.learn_block(&[key], &row, &[y])?;
        check_predictions(&yhat)?;
        Ok(yhat[0])
    }

    /// Predicts each row, then learns its label, in order; returns the predictions. Equal, up to rounding, to
    /// [`learn_row`](Self::learn_row) with one row after the other.
    pub fn learn_rows(
        &mut self,
        keys: &[Key<'_>],
        rows: &Rows<'_>,
        y: &[f64],
    ) -> Result<Vec<f64>, Error> {
        self.check_labels(keys, (rows.len(), rows.n_features()), y)?;
        self.check(keys, rows)?;
        let mut yhat = Vec::with_capacity(rows.len());
        for start in (0..rows.len()).step_by(Self::BLOCK) {
            let range = start..rows.len().min(start + Self::BLOCK);
            let some = rows.slice(range.clone());
            yhat.extend(self.learn_block(&keys[range.clone()], &some, &y[range])?);
        }
        check_predictions(&yhat)?;
        Ok(yhat)
    }

    /// Makes the rounds of some rows that have been checked. If models cannot be read from the disk, nothing is learned.
    ///
    /// The shared model comes first, since it needs nothing of the keys; then the models of keys, which do not need each
    /// other; then what is pooled, in the order of the rows.
    fn learn_block(
        &mut self,
        keys: &[Key<'_>],
        rows: &Rows<'_>,
        y: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let slots = self.bring_in(keys)?;
        let shared = match &mut self.shared {
            Some(shared) => learn_rows(&mut **shared, rows, y),
            None => vec![0.0; y.len()],
        };
        let residuals: Vec<f64> = y
            .iter()
            .zip(&shared)
            .map(|(y, s)| residual(*y, *s))
            .collect();
        let said = self.learn_owns(&slots, rows, &residuals)?;
        self.n_features = Some(rows.n_features());
        let rounds = slots.iter().zip(shared.iter().zip(&said).zip(y));
        Ok(rounds
            .map(|(slot, ((shared, own), y))| self.pool(*slot, *shared, *own, *y))
            .collect())
    }

    /// Lets the models of keys predict and learn rows with these residuals; returns the predictions.
    fn learn_owns(
        &mut self,
        slots: &[u32],
        rows: &Rows<'_>,
        residuals: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let by_key = ByKey::new(slots);
        let slots = &mut self.slots;
        let owns = by_key
            .slots()
            .map(|slot| std::mem::take(&mut slots[slot as usize].own));
        let (said, owns) = by_key.run(&*self.template, owns, |bench, job| {
            let rounds = &mut job.rounds;
            bench.learn(&mut job.model, |model| {
                rounds.each(|i, said| model.learn_row(rows.row(i), &residuals[i..=i], 1.0, said));
            });
            Ok(())
        })?;
        for (slot, own) in by_key.slots().zip(owns) {
            self.slots[slot as usize].own = own;
        }
        Ok(said)
    }

    /// Ends the round of a row: predicts it, and adds it to what is pooled over keys and to what is known of its own.
    fn pool(&mut self, slot: u32, shared: f64, own: f64, y: f64) -> f64 {
        let known = &self.slots[slot as usize];
        let (age, mean) = (known.age, known.mean);
        let yhat = self.corrected(known, shared, own);
        let (residual, error) = (residual(y, shared), residual(y, yhat));
        let unit = self.trust.variance(age, known.errors).sqrt();
        if unit > 0.0 {
            self.scores.push(&[error / unit], &[0.0], 0.0);
        }
        self.trust
            .learn(age, Corrections { mean, own }, residual, error);
        self.n_seen += 1;
        self.slots[slot as usize].learn(residual, error, self.n_seen);
        yhat
    }

    /// Refuses keys and rows that cannot be predicted.
    pub(crate) fn check(&self, keys: &[Key<'_>], rows: &Rows<'_>) -> Result<(), Error> {
        self.check_shape(keys, (rows.len(), rows.n_features()))?;
        rows.check_numbers("X")?;
        self.check_kernels(rows, |i| Place::new("X", [rows.first() + i]))
    }

    /// Refuses keys and labels that do not match rows of this shape.
    pub(crate) fn check_labels(
        &self,
        keys: &[Key<'_>],
        shape: (usize, usize),
        y: &[f64],
    ) -> Result<(), Error> {
        self.check_shape(keys, shape)?;
        check_labels(y, shape.0, 1)?;
        self.check_memory(shape.1)
    }

    /// Refuses keys that do not match rows of this shape.
    pub(crate) fn check_shape(
        &self,
        keys: &[Key<'_>],
        (n_rows, n_features): (usize, usize),
    ) -> Result<(), Error> {
        self.check_width("X", n_features)?;
        check_length(("keys", "keys"), keys, n_rows)
    }
}

impl Slot {
    /// Counts a row with this residual and this error.
    fn learn(&mut self, residual: f64, error: f64, now: u64) {
        self.age += 1;
        self.mean += (residual - self.mean) / self.age as f64;
        self.errors += error * error;
        self.used = now;
    }
}

/// A label less a prediction, as a label that models can learn.
fn residual(y: f64, yhat: f64) -> f64 {
    (y - yhat).clamp(-LARGEST, LARGEST)
}
