//! The front of every algorithm: it checks the data, then passes it on.

mod any_model;
mod file;
mod intervals;
mod late;
mod merge;
mod scorer;
mod weights;
mod widen;

use crate::algorithms::{Algorithm, AnyParams, Event, Expert, learn_rows};
use crate::data::{
    FeatureNames, Number, Rows, check_labels, check_predictions, check_row, check_width, score_rows,
};
use crate::error::{Error, Place};
use crate::linalg::Panels;
use crate::runtime::Heap;
use crate::runtime::memory::reserved;

#[cfg(feature = "python")]
pub(crate) use any_model::AnyModel;
use late::Pending;
pub use late::Ticket;
pub use scorer::Scorer;

/// The largest number of features, more than any row has.
const LARGEST_WIDTH: usize = 1 << 40;

/// Any of the algorithms behind one interface.
///
/// All data is checked before any of it is learned, so a refused call leaves the learner as it was.
///
/// ```
/// use nystream::{Learner, NonsAldParams, Rows};
///
/// let mut learner = Learner::new(NonsAldParams::default())?;
/// let rows = Rows::new(&[0.0, 0.1, 0.2, 0.3], 1)?;
/// let predictions = learner.learn_rows(&rows, &[0.5, 0.5, 0.5, 0.5])?;
/// assert_eq!(predictions[0], 0.0);
/// assert_eq!(learner.n_seen(), 4);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug)]
pub struct Learner {
    params: AnyParams,
    algorithm: Box<dyn Algorithm>,
    n_targets: usize,
    n_features: Option<usize>,
    n_seen: u64,
    /// Number of rows predicted, by asking or before they were learned.
    n_asked: u64,
    pending: Pending,
    names: FeatureNames,
}

impl Learner {
    /// A learner that has seen nothing.
    pub fn new(params: impl Into<AnyParams>) -> Result<Self, Error> {
        let params = params.into();
        let algorithm = params.build()?;
        Ok(Self {
            n_targets: algorithm.facts().n_targets,
            algorithm,
            params,
            n_features: None,
            n_seen: 0,
            n_asked: 0,
            pending: Pending::default(),
            names: FeatureNames::default(),
        })
    }

    /// The parameters.
    pub fn params(&self) -> &AnyParams {
        &self.params
    }

    /// Width of the rows learned; `None` before the first.
    pub fn n_features(&self) -> Option<usize> {
        self.n_features
    }

    /// Number of rows learned.
    pub fn n_seen(&self) -> u64 {
        self.n_seen
    }

    /// Names of the features, if the rows learned first had them.
    pub fn names(&self) -> &FeatureNames {
        &self.names
    }

    /// Refuses features of other names than those learned, if any have been.
    pub fn check_names(&self, argument: &'static str, names: &FeatureNames) -> Result<(), Error> {
        if self.n_seen == 0 {
            return Ok(());
        }
        self.names.check(argument, names)
    }

    /// Sets the names of the features.
    pub fn name_features(&mut self, names: FeatureNames) {
        self.names = names;
    }

    /// A scorer with the predictions of this moment.
    pub fn scorer(&self) -> Scorer {
        match self.algorithm.predictor() {
            Some(predictor) => {
                let names = self.names.clone();
                Scorer::of_predictor(predictor, self.n_features, names)
            }
            None => Scorer::of_whole(self.copy()),
        }
    }

    /// The rows kept, if the algorithm keeps any.
    pub fn basis(&self) -> Option<&Panels> {
        self.algorithm.basis().map(|basis| basis.rows)
    }

    /// The experts of [`Auto`](crate::algorithms::Auto); none for other learners.
    pub fn experts(&self) -> Vec<Expert> {
        self.algorithm.experts()
    }

    /// How much each feature matters to [`Auto`](crate::algorithms::Auto): numbers that add up to 1; none for other
    /// learners.
    pub fn relevance(&self) -> Vec<f64> {
        self.algorithm.relevance()
    }

    /// What [`Auto`](crate::algorithms::Auto) has noticed of a stream that changes, the oldest first; nothing for other
    /// learners.
    pub fn events(&self) -> Vec<Event> {
        self.algorithm.events()
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
        score_rows(rows, 1, |rows, out| {
            for (x, out) in rows.iter().zip(out) {
                *out = self.algorithm.novelty(x).unwrap_or(1.0);
            }
            Ok(())
        })
    }

    /// Number of rows kept.
    pub fn n_basis(&self) -> usize {
        self.algorithm.facts().n_basis
    }

    /// Number of labels that a row has.
    pub fn n_targets(&self) -> usize {
        self.n_targets
    }

    /// The prediction for one row, of the first target if there are several; 0 before anything is learned.
    pub fn predict_row(&self, x: &[f64]) -> Result<f64, Error> {
        if self.n_targets() > 1 {
            return self.predict_targets(x).map(|yhat| yhat[0]);
        }
        self.check_row(x)?;
        let mut yhat = [0.0];
        self.algorithm.predict_into(x, &mut yhat);
        check_predictions(&yhat)?;
        Ok(yhat[0])
    }

    /// The predictions for one row, of each target.
    pub fn predict_targets(&self, x: &[f64]) -> Result<Vec<f64>, Error> {
        self.check_row(x)?;
        let mut yhat = vec![0.0; self.n_targets()];
        self.algorithm.predict_into(x, &mut yhat);
        check_predictions(&yhat)?;
        Ok(yhat)
    }

    /// Predicts one row, then learns its one label; returns the prediction.
    pub fn learn_row(&mut self, x: &[f64], y: f64) -> Result<f64, Error> {
        let mut yhat = [0.0];
        self.learn_targets(x, &[y], None, &mut yhat)?;
        Ok(yhat[0])
    }

    /// Refuses rows, labels or weights that cannot be learned.
    fn check(&self, rows: &Rows<'_>, y: &[f64], weights: Option<&[f64]>) -> Result<(), Error> {
        self.check_labels((rows.len(), rows.n_features()), y, weights)?;
        self.check_rows(rows, weights)
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
        if let Some(weights) = weights {
            self.check_weights(weights, n_rows)?;
        }
        self.check_capacity(shape)
    }

    /// Refuses `n_rows` rows of this width if memory or capacity is short.
    fn check_capacity(&self, (n_rows, n_features): (usize, usize)) -> Result<(), Error> {
        if self.n_features.is_none() {
            self.check_memory(n_features)?;
        }
        self.algorithm.check_capacity(n_rows)
    }

    fn check_memory(&self, n_features: usize) -> Result<(), Error> {
        let floats = self.algorithm.min_floats(n_features);
        reserved(floats, || format!("rows of {n_features} features")).map(drop)
    }

    /// Refuses rows whose kernel values are too large to be learned.
    pub fn check_rows(&self, rows: &Rows<'_>, weights: Option<&[f64]>) -> Result<(), Error> {
        let place = |i| Place::new("X", [rows.first() + i]);
        self.check_kernel(rows.iter(), place)?;
        weights.map_or(Ok(()), |weights| {
            self.check_weighted_kernel(rows.iter(), weights, place)
        })
    }

    /// Returns true if [`check_rows`](Self::check_rows) may refuse rows without weights.
    #[cfg(feature = "python")]
    pub(crate) fn has_large_rows(&self) -> bool {
        let basis = self.algorithm.basis();
        !basis.is_none_or(|basis| basis.kernel.is_bounded())
    }

    /// The length of the blocks in which rows are learned: calls with multiples of it give the same result bit for bit.
    pub fn block_len(&self) -> usize {
        let blocks = self.algorithm.facts().blocks;
        blocks.map_or(1, |blocks| blocks.longest)
    }

    /// The predictions for many rows: those of all targets for the first row, then those for the next. Several threads
    /// share the work if there are very many; see [`set_num_threads`](crate::set_num_threads).
    pub fn predict_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        self.check_width("X", rows.n_features())?;
        score_rows(rows, self.n_targets(), |rows, out| {
            self.check_kernel(rows.iter(), |i| Place::new("X", [rows.first() + i]))?;
            self.algorithm.predict_rows_into(rows, out);
            check_predictions(out)
        })
    }

    /// The bytes of memory that the learner holds.
    pub fn nbytes(&self) -> usize {
        let waiting = self.pending.iter().map(Heap::heap_bytes).sum::<usize>();
        size_of::<Self>() + self.algorithm.heap_bytes() + waiting
    }

    /// Predicts each row, then learns its label, in order; returns the predictions.
    pub fn learn_rows(&mut self, rows: &Rows<'_>, y: &[f64]) -> Result<Vec<f64>, Error> {
        self.check(rows, y, None)?;
        let yhat = learn_rows(&mut *self.algorithm, rows, y);
        self.count_asked(rows.len());
        self.count_rows(rows.n_features(), rows.len());
        check_predictions(&yhat)?;
        Ok(yhat)
    }

    fn count_asked(&mut self, n_rows: usize) {
        self.n_asked = self.n_asked.saturating_add(n_rows as u64);
    }

    fn count_rows(&mut self, n_features: usize, n_rows: usize) {
        self.n_features = Some(n_features);
        self.n_seen = self.n_seen.saturating_add(n_rows as u64);
    }

    fn check_row(&self, x: &[f64]) -> Result<(), Error> {
        check_row(x)?;
        self.check_width("x", x.len())?;
        self.check_kernel([x].into_iter(), |_| Place::new("x", []))
    }

    fn check_width(&self, argument: &'static str, found: usize) -> Result<(), Error> {
        let expected = self
            .n_features
            .or_else(|| self.algorithm.facts().n_features);
        check_width(argument, expected, found)
    }

    fn check_kernel<'a>(
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{Linear, Polynomial};
    use crate::{AogdAldParams, NogdParams, NonsAldParams};

    fn all() -> Vec<Learner> {
        let switched = AogdAldParams {
            switch_at: Some(3),
            ..AogdAldParams::default()
        };
        let full = NogdParams {
            budget: 10,
            ..NogdParams::default()
        };
        let defaults = AnyParams::NAMES
            .iter()
            .filter_map(|name| AnyParams::default_of(name));
        defaults
            .chain([switched.into(), full.into()])
            .map(|params| Learner::new(params).unwrap())
            .collect()
    }

    fn learn(learner: &mut Learner, from: u32, to: u32) -> Vec<f64> {
        (from..to)
            .map(|t| {
                // New rows come now and then, all along.
                let x = [f64::from(t % 7), f64::from(t % 5 + t / 10) / 5.0];
                learner.learn_row(&x, x[0].sin() + x[1]).unwrap()
            })
            .collect()
    }

    #[test]
    fn a_learner_goes_on_from_its_bytes_bit_for_bit() {
        for mut learner in all() {
            learn(&mut learner, 0, 50);
            let mut again = Learner::from_bytes(&learner.to_bytes().unwrap()).unwrap();
            assert_eq!(learn(&mut again, 50, 100), learn(&mut learner, 50, 100));
            assert_eq!(again.to_bytes(), learner.to_bytes());
        }
    }

    #[test]
    fn rows_at_once_and_one_by_one_are_the_same() {
        let data: Vec<f64> = (0..60).map(|i| f64::from(i % 11) / 11.0).collect();
        let y: Vec<f64> = (0..30).map(|i| f64::from(i % 4) / 4.0).collect();
        for (mut one, mut many) in all().into_iter().zip(all()) {
            let rows = Rows::new(&data, 2).unwrap();
            let expected: Vec<f64> = rows
                .iter()
                .zip(&y)
                .map(|(x, &y)| one.learn_row(x, y).unwrap())
                .collect();
            for (found, expected) in many.learn_rows(&rows, &y).unwrap().iter().zip(expected) {
                assert!((found - expected).abs() < 1e-11, "{:?}", one.params());
            }
            assert_eq!(many.n_seen(), one.n_seen());
        }
    }

    #[test]
    fn a_refused_call_changes_nothing() {
        for mut learner in all() {
            learn(&mut learner, 0, 20);
            let before = learner.to_bytes().unwrap();
            let rows = Rows::new(&[0.0, 1.0, 2.0, 3.0], 2).unwrap();
            assert!(learner.learn_row(&[0.0], 0.0).is_err());
            assert!(learner.learn_row(&[0.0, f64::NAN], 0.0).is_err());
            assert!(learner.learn_row(&[0.0, 0.0], f64::NAN).is_err());
            assert!(learner.learn_rows(&rows, &[0.0]).is_err());
            assert!(learner.learn_rows(&rows, &[0.0, f64::NAN]).is_err());
            assert!(learner.predict_row(&[]).is_err());
            assert_eq!(learner.to_bytes().unwrap(), before);
        }
    }

    #[test]
    fn a_kernel_that_overflows_is_refused() {
        for kernel in [Polynomial::default().into(), Linear {}.into()] {
            let params = NonsAldParams {
                kernel,
                ..NonsAldParams::default()
            };
            let mut learner = Learner::new(params).unwrap();
            let error = learner.learn_row(&[1e60], 0.0).unwrap_err();
            assert!(matches!(error, Error::KernelValue { .. }));
            assert_eq!(learner.n_seen(), 0);
        }
    }

    #[test]
    fn every_truncation_of_the_bytes_is_refused() {
        for mut learner in all() {
            learn(&mut learner, 0, 10);
            let bytes = learner.to_bytes().unwrap();
            for n in 0..bytes.len() {
                assert!(Learner::from_bytes(&bytes[..n]).is_err());
            }
        }
    }

    #[test]
    fn learners_can_be_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Learner>();
    }
}
