//! Rounds: each row is predicted, then learned.

use super::blocks::ByKey;
use super::late::Said;
use super::trust::Corrections;
use super::{Key, Keyed, Slot};
use crate::algorithms::learn_rows;
use crate::data::{Rows, check_label, check_labels, check_length, check_predictions};
use crate::error::Error;
use crate::limits::LARGEST;

impl Keyed {
    /// Number of rows that are learned together: models may be on the disk between two blocks. Calls with multiples of it
    /// give the same result bit for bit.
    pub const BLOCK: usize = 1024;

    /// Predicts one row of a key, then learns its label; returns the prediction.
    pub fn learn_row(&mut self, key: Key<'_>, x: &[f64], y: f64) -> Result<f64, Error> {
        check_label(&[y], 1)?;
        self.check_row(x)?;
        self.check_memory(x.len())?;
        let row = Rows::trusted(x, x.len(), 0);
        self.check_kernels_of("x", &row)?;
        Ok(self.learn_numbers(&[key], &row, &[y])?[0])
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
        self.learn_numbers(keys, rows, y)
    }

    /// Makes the rounds of rows of an array that have been checked.
    fn learn_numbers(
        &mut self,
        keys: &[Key<'_>],
        rows: &Rows<'_>,
        y: &[f64],
    ) -> Result<Vec<f64>, Error> {
        if let Some(table) = self.table_of(rows)? {
            return self.learn_array(keys, &table, y);
        }
        let mut yhat = Vec::with_capacity(rows.len());
        for start in (0..rows.len()).step_by(Self::BLOCK) {
            let range = start..rows.len().min(start + Self::BLOCK);
            let some = rows.slice(range.clone());
            let slots = self.bring_in(&keys[range.clone()])?;
            yhat.extend(self.learn_slots(&slots, &some, &y[range])?);
            self.n_asked += some.len() as u64;
            if let Some(encoding) = &mut self.encoding {
                some.iter().for_each(|x| encoding.note_row(x));
            }
        }
        check_predictions(&yhat)?;
        Ok(yhat)
    }

    /// Makes the rounds of some rows that have been checked, whose models are in memory.
    ///
    /// The shared model comes first, since it needs nothing of the keys; then the models of keys, which do not need each
    /// other; then what is pooled, in the order of the rows.
    pub(super) fn learn_slots(
        &mut self,
        slots: &[u32],
        rows: &Rows<'_>,
        y: &[f64],
    ) -> Result<Vec<f64>, Error> {
        self.widen_owns(slots)?;
        let shared = match &mut self.shared {
            Some(shared) => learn_rows(&mut **shared, rows, y),
            None => vec![0.0; y.len()],
        };
        let residuals: Vec<f64> = y
            .iter()
            .zip(&shared)
            .map(|(y, s)| residual(*y, *s))
            .collect();
        let said = self.learn_owns(slots, rows, &residuals)?;
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
        let said = self.said(&self.slots[slot as usize], (shared, own));
        self.judge(slot, &said, y);
        said.yhat
    }

    /// The prediction for a row of a key, of what the shared model and its own have said of it.
    pub(super) fn said(&self, slot: &Slot, (shared, own): (f64, f64)) -> Said {
        Said {
            yhat: self.corrected(slot, shared, own),
            shared,
            own,
            mean: slot.mean,
            age: slot.age,
            unit: self.trust.variance(slot.age, slot.errors).sqrt(),
        }
    }

    /// Adds what was said of a row to what is pooled over keys and to what is known of its own.
    pub(super) fn judge(&mut self, slot: u32, said: &Said, y: f64) {
        let Said { own, mean, age, .. } = *said;
        let (residual, error) = (residual(y, said.shared), residual(y, said.yhat));
        if said.unit > 0.0 {
            self.scores.push(&[error / said.unit], &[0.0], 0.0);
        }
        self.trust
            .learn(age, Corrections { mean, own }, residual, error);
        self.n_seen += 1;
        self.slots[slot as usize].learn(residual, error, self.n_seen);
    }

    /// Refuses keys and rows that cannot be predicted.
    pub(crate) fn check(&self, keys: &[Key<'_>], rows: &Rows<'_>) -> Result<(), Error> {
        self.check_shape(keys, (rows.len(), rows.n_features()))?;
        if self.takes_gaps() {
            rows.check_numbers_or_gaps("X")?;
        } else {
            rows.check_numbers("X")?;
        }
        self.check_kernels_of("X", rows)
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
        Self::check_keys(keys, n_rows)
    }

    /// Refuses keys unless there is one for each row.
    pub(crate) fn check_keys(keys: &[Key<'_>], n_rows: usize) -> Result<(), Error> {
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
pub(super) fn residual(y: f64, yhat: f64) -> f64 {
    (y - yhat).clamp(-LARGEST, LARGEST)
}
