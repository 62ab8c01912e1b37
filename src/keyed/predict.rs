//! Predictions and their intervals.

use super::blocks::ByKey;
use super::own::{Bench, Own};
use super::{Key, Keyed, Slot};
use crate::algorithms::Algorithm;
use crate::data::{Rows, check_predictions, check_row, check_row_or_gaps, check_width, checks};
use crate::error::{Error, Place};
use crate::runtime::memory::reserved;

/// The slot that stands for keys without any.
const NONE: u32 = u32::MAX;

impl Keyed {
    /// The prediction for one row of a key; that of the shared model for a new key, or 0 without one.
    pub fn predict_row(&self, key: Key<'_>, x: &[f64]) -> Result<f64, Error> {
        self.check_row(x)?;
        let row = Rows::trusted(x, x.len(), 0);
        if let Some(features) = self.features_of(&row)? {
            return Ok(self.predict_features(&[key], &features.rows())?[0]);
        }
        self.check_kernels(&row, |_| Place::new("x", []))?;
        Ok(self.predict(&[self.slot(key)], &row)?[0])
    }

    /// The predictions for many rows. Several threads share the work; see
    /// [`set_num_threads`](crate::set_num_threads).
    pub fn predict_rows(&self, keys: &[Key<'_>], rows: &Rows<'_>) -> Result<Vec<f64>, Error> {
        self.check(keys, rows)?;
        match self.features_of(rows)? {
            Some(features) => self.predict_features(keys, &features.rows()),
            None => self.predict(&self.slots_of(keys), rows),
        }
    }

    /// The predictions for rows of features, which are not checked yet.
    pub(crate) fn predict_features(
        &self,
        keys: &[Key<'_>],
        rows: &Rows<'_>,
    ) -> Result<Vec<f64>, Error> {
        self.check_kernels(rows, |i| Place::new("X", [rows.first() + i]))?;
        self.predict(&self.slots_of(keys), rows)
    }

    /// For each row, the two ends of an interval that holds the label in the part `level` of all cases.
    ///
    /// Its length follows the errors of the last thousand rows of all keys, and those of the key by itself. It is infinite
    /// while there are too few.
    ///
    /// ```
    /// use nystream::keyed::{Key, Keyed, KeyedParams};
    /// use nystream::{RidgeAldParams, Rows};
    ///
    /// let mut keyed = Keyed::new(KeyedParams::new(RidgeAldParams::default()))?;
    /// for i in 0..200 {
    ///     keyed.learn_row(Key::from(i % 4), &[0.5], (i * 7 % 10) as f64)?;
    /// }
    /// let ends = keyed.predict_intervals(&[Key::from(9)], &Rows::new(&[0.5], 1)?, 0.9)?;
    /// assert!(ends[0] < 2.0 && 7.0 < ends[1]);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn predict_intervals(
        &self,
        keys: &[Key<'_>],
        rows: &Rows<'_>,
        level: f64,
    ) -> Result<Vec<f64>, Error> {
        checks::level(level)?;
        let yhat = self.predict_rows(keys, rows)?;
        Ok(self.ends(keys, &yhat, level))
    }

    /// The two ends for each row of features.
    pub(crate) fn intervals_of_features(
        &self,
        keys: &[Key<'_>],
        rows: &Rows<'_>,
        level: f64,
    ) -> Result<Vec<f64>, Error> {
        checks::level(level)?;
        let yhat = self.predict_features(keys, rows)?;
        Ok(self.ends(keys, &yhat, level))
    }

    /// The ends of the intervals around predictions for rows of these keys.
    fn ends(&self, keys: &[Key<'_>], yhat: &[f64], level: f64) -> Vec<f64> {
        let margin = self.scores.margins(level)[0];
        let ends = |(key, yhat): (&Key<'_>, &f64)| {
            let (age, errors) = self.slots.get(key).map_or((0, 0.0), |s| (s.age, s.errors));
            let unit = self.trust.variance(age, errors).sqrt();
            around(*yhat, unit, margin)
        };
        keys.iter().zip(yhat).flat_map(ends).collect()
    }

    /// The slot of a key.
    fn slot(&self, key: Key<'_>) -> u32 {
        let slot = self.slots.get_index_of(&key);
        slot.and_then(|slot| u32::try_from(slot).ok())
            .unwrap_or(NONE)
    }

    fn slots_of(&self, keys: &[Key<'_>]) -> Vec<u32> {
        keys.iter().map(|key| self.slot(*key)).collect()
    }

    /// The predictions for rows that have been checked.
    fn predict(&self, slots: &[u32], rows: &Rows<'_>) -> Result<Vec<f64>, Error> {
        let mut yhat = vec![0.0; rows.len()];
        if let Some(shared) = &self.shared {
            shared.predict_rows_into(rows, &mut yhat);
        }
        let by_key = ByKey::new(slots);
        let models = by_key
            .slots()
            .map(|slot| self.slots.get_index(slot as usize));
        let owns = models.map(|slot| slot.map_or(&Own::Fresh, |(_, slot)| &slot.own));
        let (said, _) = by_key.run(&*self.template, owns, |bench: &mut Bench, job| {
            let mut place = Own::Fresh;
            let model = bench.read(job.model, &self.overflow, &mut place)?;
            let wider = self.wider(model)?;
            let model = wider.as_deref().unwrap_or(model);
            job.rounds
                .each(|row, said| model.predict_into(rows.row(row), said));
            Ok(())
        })?;
        for ((slot, yhat), own) in slots.iter().zip(&mut yhat).zip(said) {
            if let Some((_, slot)) = self.slots.get_index(*slot as usize) {
                *yhat = self.corrected(slot, *yhat, own);
            }
        }
        check_predictions(&yhat)?;
        Ok(yhat)
    }

    /// The prediction of a row of a key: what is shared, and what the key's own past says to it.
    pub(super) fn corrected(&self, slot: &Slot, shared: f64, own: f64) -> f64 {
        if self.shared.is_none() {
            return own;
        }
        let [a, b] = self.trust.weights(slot.age);
        shared + a * slot.mean + b * own
    }

    /// The model of a key and the shared one.
    fn models(&self) -> impl Iterator<Item = &dyn Algorithm> {
        let shared = self.shared.as_deref();
        [&*self.template].into_iter().chain(shared)
    }

    pub(super) fn check_width(&self, argument: &'static str, found: usize) -> Result<(), Error> {
        let given = || self.models().find_map(|model| model.facts().n_features);
        let expected = match self.columns() {
            Some(columns) => columns.n_columns(),
            None => self.n_features.or_else(given),
        };
        check_width(argument, expected, found)
    }

    /// Returns true if numbers may be missing.
    pub(super) fn takes_gaps(&self) -> bool {
        let encoding = self.encoding.as_ref();
        encoding.is_some_and(|encoding| encoding.takes_gaps())
    }

    pub(super) fn check_row(&self, x: &[f64]) -> Result<(), Error> {
        if self.takes_gaps() {
            check_row_or_gaps(x)?;
        } else {
            check_row(x)?;
        }
        self.check_width("x", x.len())
    }

    /// Refuses rows of an array whose kernel values are too large; where columns turn them into features, these are
    /// checked instead.
    pub(super) fn check_kernels_of(
        &self,
        argument: &'static str,
        rows: &Rows<'_>,
    ) -> Result<(), Error> {
        if self.encoding.is_some() {
            return Ok(());
        }
        let place = |i| match argument {
            "x" => Place::new(argument, []),
            _ => Place::new(argument, [rows.first() + i]),
        };
        self.check_kernels(rows, place)
    }

    /// Returns true if the kernel values of rows may be too large.
    pub(super) fn has_large_rows(&self) -> bool {
        let mut bases = self.models().filter_map(Algorithm::basis);
        bases.any(|basis| !basis.kernel.is_bounded())
    }

    /// Refuses rows whose kernel values are too large.
    pub(super) fn check_kernels(
        &self,
        rows: &Rows<'_>,
        place: impl Fn(usize) -> Place,
    ) -> Result<(), Error> {
        for basis in self.models().filter_map(Algorithm::basis) {
            let largest = basis.largest_kappa;
            basis.kernel.check_rows(rows.iter(), largest, &place)?;
        }
        Ok(())
    }

    /// Refuses rows so wide that there is no memory for a model of them.
    pub(super) fn check_memory(&self, width: usize) -> Result<(), Error> {
        if self.n_features.is_some() {
            return Ok(());
        }
        let floats = self.models().map(|model| model.min_floats(width)).sum();
        reserved(floats, || format!("rows of {width} features")).map(drop)
    }
}

/// The ends of the interval around a prediction whose error has this expected size.
pub(super) fn around(yhat: f64, unit: f64, margin: f64) -> [f64; 2] {
    let half = if margin.is_finite() {
        margin * unit
    } else {
        margin
    };
    [yhat - half, yhat + half]
}
