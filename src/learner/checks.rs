//! The checks of rows and labels before anything is learned.

use super::Learner;
use crate::data::{Number, Rows, check_labels, check_row, check_row_or_gaps, check_width};
use crate::error::{Error, Place};
use crate::losses::Loss;
use crate::runtime::memory::reserved;

impl Learner {
    /// Refuses rows, labels or weights that cannot be learned.
    pub(super) fn check(
        &self,
        rows: &Rows<'_>,
        y: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<(), Error> {
        self.check_labels((rows.len(), rows.n_features()), y, weights)?;
        self.check_numbers_of("X", rows)?;
        self.check_rows(rows, weights)
    }

    /// Refuses numbers that are not finite; they may be missing, if the learner takes gaps.
    pub(crate) fn check_numbers_of<T: Number>(
        &self,
        argument: &'static str,
        rows: &Rows<'_, T>,
    ) -> Result<(), Error> {
        if self.takes_gaps() {
            return rows.check_numbers_or_gaps(argument);
        }
        rows.check_numbers(argument)
    }

    /// Refuses labels or weights that do not match rows of this shape, and rows beyond the capacity.
    pub(crate) fn check_labels(
        &self,
        shape: (usize, usize),
        y: &[f64],
        weights: Option<&[f64]>,
    ) -> Result<(), Error> {
        let (n_rows, n_features) = shape;
        self.check_width("X", n_features)?;
        check_labels(y, n_rows, self.n_targets())?;
        self.check_loss(y, |i| Place::new("y", [i]))?;
        if let Some(weights) = weights {
            self.check_weights(weights, n_rows)?;
        }
        self.check_capacity(shape)
    }

    /// Refuses labels that the loss does not take.
    pub(super) fn check_loss(
        &self,
        y: &[f64],
        place: impl Fn(usize) -> Place,
    ) -> Result<(), Error> {
        let loss = self.params.loss().unwrap_or_default();
        let (range, name) = (loss.labels(), loss.name());
        let is_outside = |y: &f64| !(range.0..=range.1).contains(y);
        match y.iter().position(is_outside) {
            None => Ok(()),
            Some(i) => Err(Error::LabelOutside {
                place: place(i),
                range,
                loss: name,
                value: y[i],
            }),
        }
    }

    /// Refuses `n_rows` rows of this width if memory or capacity is short.
    pub(super) fn check_capacity(&self, (n_rows, n_features): (usize, usize)) -> Result<(), Error> {
        if self.n_features.is_none() {
            self.check_memory(n_features)?;
        }
        self.algorithm.check_capacity(n_rows)
    }

    pub(super) fn check_memory(&self, n_features: usize) -> Result<(), Error> {
        let floats = self.algorithm.min_floats(n_features);
        reserved(floats, || format!("rows of {n_features} features")).map(drop)
    }

    /// Refuses rows whose kernel values are too large to be learned.
    pub fn check_rows(&self, rows: &Rows<'_>, weights: Option<&[f64]>) -> Result<(), Error> {
        if self.encoding.is_some() {
            return Ok(()); // what is compared is features, not these numbers
        }
        let place = |i| Place::new("X", [rows.first() + i]);
        self.check_kernel(rows.iter(), place)?;
        weights.map_or(Ok(()), |weights| {
            self.check_weighted_kernel(rows.iter(), weights, place)
        })
    }

    pub(super) fn check_row(&self, x: &[f64]) -> Result<(), Error> {
        if self.takes_gaps() {
            check_row_or_gaps(x)?;
        } else {
            check_row(x)?;
        }
        self.check_width("x", x.len())
    }

    pub(super) fn check_width(&self, argument: &'static str, found: usize) -> Result<(), Error> {
        let expected = self
            .n_features()
            .or_else(|| self.algorithm.facts().n_features);
        check_width(argument, expected, found)
    }

    pub(super) fn check_kernel<'a>(
        &self,
        rows: impl Iterator<Item = &'a [f64]>,
        place: impl Fn(usize) -> Place,
    ) -> Result<(), Error> {
        match self.algorithm.basis() {
            Some(basis) => basis.kernel.check_rows(rows, basis.largest_kappa, place),
            None => Ok(()),
        }
    }
}
