//! The front of every algorithm: it checks the data, then passes it on.

mod checks;
mod encoding;
mod file;
mod intervals;
mod late;
mod merge;
mod pending;
mod predict;
mod scorer;
mod tables;
mod weights;
mod widen;

use crate::algorithms::{Algorithm, AnyParams, Event, Expert, learn_rows};
use crate::columns::{Columns, Settings};
use crate::data::{FeatureNames, Rows, check_predictions};
use crate::error::Error;
use crate::linalg::Panels;
use crate::runtime::Heap;

pub(crate) use encoding::{Encoded, Encoding, Features};
pub use late::{AskedRow, Ticket};
pub(crate) use merge::{common, differ, shown};
use pending::Pending;
use scorer::Form;
pub use scorer::Scorer;
pub(crate) use widen::widened;

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
    /// Turns rows of tables into features, if the learner takes tables.
    encoding: Option<Box<Encoding>>,
    n_targets: usize,
    /// Width of the rows that the algorithm gets.
    n_features: Option<usize>,
    n_seen: u64,
    /// Number of rows predicted, by asking or before they were learned.
    n_asked: u64,
    pending: Pending,
    /// Names of the features, if the learner takes no tables.
    names: FeatureNames,
}

impl Learner {
    /// A learner that has seen nothing. If it brings features to one scale by itself, it takes tables, too; others do
    /// [`with_columns`](Self::with_columns).
    pub fn new(params: impl Into<AnyParams>) -> Result<Self, Error> {
        let params = params.into();
        let algorithm = params.build()?;
        let facts = algorithm.facts();
        let columns = || Encoding::new(Settings::default(), facts.n_targets).map(Box::new);
        Ok(Self {
            n_targets: facts.n_targets,
            encoding: facts.takes_any_scale.then(columns).transpose()?,
            algorithm,
            params,
            n_features: None,
            n_seen: 0,
            n_asked: 0,
            pending: Pending::default(),
            names: FeatureNames::default(),
        })
    }

    /// The algorithm.
    pub(crate) fn algorithm(&self) -> &dyn Algorithm {
        &*self.algorithm
    }

    /// Returns true if rows of numbers are rows of features: no column is encoded.
    pub(crate) fn takes_numbers_as_they_are(&self) -> bool {
        let encoding = self.encoding.as_ref();
        encoding.is_none_or(|encoding| encoding.is_identity())
    }

    /// The parameters.
    pub fn params(&self) -> &AnyParams {
        &self.params
    }

    /// Number of columns of the rows learned; `None` before the first.
    pub fn n_features(&self) -> Option<usize> {
        self.columns().map_or(self.n_features, Columns::n_columns)
    }

    /// Number of rows learned.
    pub fn n_seen(&self) -> u64 {
        self.n_seen
    }

    /// Names of the columns, if the rows learned first had them.
    pub fn names(&self) -> FeatureNames {
        let encoding = self.encoding.as_ref();
        encoding.map_or_else(|| self.names.clone(), |encoding| encoding.names())
    }

    /// Refuses features of other names than those learned, if any have been.
    pub fn check_names(&self, argument: &'static str, names: &FeatureNames) -> Result<(), Error> {
        if self.n_seen == 0 || names.get().is_none() {
            return Ok(());
        }
        self.names().check(argument, names)
    }

    /// Sets the names of the features, unless columns have them.
    pub fn name_features(&mut self, names: FeatureNames) {
        if self.encoding.is_none() {
            self.names = names;
        }
    }

    /// A scorer with the predictions of this moment.
    pub fn scorer(&self) -> Scorer {
        match self.algorithm.predictor() {
            Some(predictor) => Scorer {
                form: Form::Predictor(predictor),
                encoding: self.encoding.clone(),
                n_features: self.n_features,
                names: self.names.clone(),
            },
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

    /// How much each column matters to [`Auto`](crate::algorithms::Auto): numbers that add up to 1; none for other
    /// learners.
    pub fn relevance(&self) -> Vec<f64> {
        let relevance = self.algorithm.relevance();
        match self.columns() {
            Some(columns) if !relevance.is_empty() => columns.sums(&relevance),
            _ => relevance,
        }
    }

    /// What [`Auto`](crate::algorithms::Auto) has noticed of a stream that changes, the oldest first; nothing for other
    /// learners.
    pub fn events(&self) -> Vec<Event> {
        let mut events = self.algorithm.events();
        let columns = self.columns().into_iter();
        for (event, columns) in events.iter_mut().zip(columns.cycle()) {
            event.feature = event.feature.and_then(|feature| columns.column_of(feature));
        }
        events
    }

    /// Number of rows kept.
    pub fn n_basis(&self) -> usize {
        self.algorithm.facts().n_basis
    }

    /// Number of labels that a row has.
    pub fn n_targets(&self) -> usize {
        self.n_targets
    }

    /// Predicts one row, then learns its one label; returns the prediction.
    pub fn learn_row(&mut self, x: &[f64], y: f64) -> Result<f64, Error> {
        let mut yhat = [0.0];
        self.learn_targets(x, &[y], None, &mut yhat)?;
        Ok(yhat[0])
    }

    /// Returns true if the learner takes tables, too.
    pub fn takes_tables(&self) -> bool {
        self.encoding.is_some()
    }

    fn takes_gaps(&self) -> bool {
        let encoding = self.encoding.as_ref();
        encoding.is_some_and(|encoding| encoding.takes_gaps())
    }

    /// Returns true if [`check_rows`](Self::check_rows) may refuse rows without weights.
    pub(crate) fn has_large_rows(&self) -> bool {
        let basis = self.algorithm.basis();
        !basis.is_none_or(|basis| basis.kernel.is_bounded())
    }

    /// The length of the blocks in which rows are learned: calls with multiples of it give the same result bit for bit.
    pub fn block_len(&self) -> usize {
        let blocks = self.algorithm.facts().blocks;
        blocks.map_or(1, |blocks| blocks.longest)
    }

    /// The bytes of memory that the learner holds.
    pub fn nbytes(&self) -> usize {
        let waiting = self.pending.iter().map(Heap::heap_bytes).sum::<usize>();
        size_of::<Self>() + self.algorithm.heap_bytes() + self.encoding.heap_bytes() + waiting
    }

    /// Predicts each row, then learns its label, in order; returns the predictions.
    pub fn learn_rows(&mut self, rows: &Rows<'_>, y: &[f64]) -> Result<Vec<f64>, Error> {
        self.check(rows, y, None)?;
        if let Some(table) = self.table_of(rows)? {
            return self.learn_array(&table, y, None);
        }
        let yhat = learn_rows(&mut *self.algorithm, rows, y);
        self.count_asked(rows.len());
        self.count_rows(rows.n_features(), rows.len());
        if let Some(encoding) = &mut self.encoding {
            rows.iter().for_each(|x| encoding.note_row(x));
        }
        check_predictions(&yhat)?;
        Ok(yhat)
    }

    /// Lets time pass in which so many rows could have come: what was learned counts less, as if they had come and
    /// counted nothing. `LinearRls` and `RidgeAld` forget like this, if they have a forgetting factor.
    pub fn elapse(&mut self, rounds: u64) {
        self.algorithm.elapse(rounds);
    }

    fn count_asked(&mut self, n_rows: usize) {
        self.n_asked = self.n_asked.saturating_add(n_rows as u64);
    }

    fn count_rows(&mut self, n_features: usize, n_rows: usize) {
        self.n_features = Some(n_features);
        self.n_seen = self.n_seen.saturating_add(n_rows as u64);
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
            assert!(learner.learn_row(&[0.0, f64::INFINITY], 0.0).is_err());
            let takes_gaps = learner.columns().is_some();
            assert!(takes_gaps || learner.learn_row(&[0.0, f64::NAN], 0.0).is_err());
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
