//! The front of every algorithm: it checks the data, then hands it on.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::algorithms::{Algorithm, AnyParams, block_len, learn_rows};
use crate::error::{Error, Place};
use crate::kernels::AnyKernel;
use crate::linalg::Panels;
use crate::rows::{Number, Rows, check_label, check_labels, check_row};
use crate::state::State;
use crate::threads::fill_in_chunks;

/// Version of the bytes that [`Learner::to_bytes`] writes.
const FORMAT: u32 = 1;

/// Rows that one thread scores at a time.
const SCORED: usize = 1024;

/// More features than any row has.
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
    n_features: Option<usize>,
    n_seen: u64,
}

/// What a model file says of itself beside the arrays.
#[derive(Serialize, Deserialize)]
struct Header {
    format: u32,
    version: String,
    learner: AnyParams,
    n_features: Option<usize>,
    n_seen: u64,
}

/// What every format, past and to come, says first.
#[derive(Deserialize)]
struct Written {
    format: u32,
    version: String,
}

fn parse<T: DeserializeOwned>(header: &str) -> Result<T, Error> {
    serde_json::from_str(header).map_err(Error::model_file)
}

impl Learner {
    /// A learner that has seen nothing.
    pub fn new(params: impl Into<AnyParams>) -> Result<Self, Error> {
        let params = params.into();
        Ok(Self {
            algorithm: params.build()?,
            params,
            n_features: None,
            n_seen: 0,
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

    /// The rows kept, if the algorithm keeps any.
    pub fn basis(&self) -> Option<&Panels> {
        self.algorithm.basis()
    }

    /// Number of rows kept.
    pub fn n_basis(&self) -> usize {
        self.basis().map_or(0, Panels::n_rows)
    }

    /// The prediction for one row; 0 before anything is learned.
    pub fn predict_row(&self, x: &[f64]) -> Result<f64, Error> {
        self.check_row(x)?;
        Ok(self.algorithm.predict(x))
    }

    /// Predicts one row, then learns its label; returns the prediction.
    pub fn learn_row(&mut self, x: &[f64], y: f64) -> Result<f64, Error> {
        self.check_row(x)?;
        check_label(y)?;
        self.algorithm.check_room(1)?;
        let yhat = self.algorithm.learn(x, y);
        self.note(x.len(), 1);
        Ok(yhat)
    }

    /// Refuses what learning these rows and labels would refuse.
    pub fn check<T: Number>(&self, rows: &Rows<'_, T>, y: &[f64]) -> Result<(), Error> {
        self.check_width("X", rows.n_features())?;
        self.check_kernel_of_rows(rows)?;
        check_labels(y, rows.len())?;
        self.algorithm.check_room(rows.len())
    }

    fn check_kernel_of_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<(), Error> {
        if self.algorithm.kernel().is_none_or(AnyKernel::is_bounded) {
            return Ok(());
        }
        let mut room = Vec::new();
        for start in (0..rows.len()).step_by(SCORED) {
            let some = rows.slice(start..rows.len().min(start + SCORED));
            let place = |i| Place::new("X", [some.first() + i]);
            self.check_kernel(some.float64(&mut room).iter(), place)?;
        }
        Ok(())
    }

    /// Rows that come many at a time should come in multiples of it, for the same result to the last bit however many.
    pub fn block_len(&self) -> usize {
        block_len(&*self.algorithm)
    }

    /// The predictions for many rows, by several threads if there are very many; see
    /// [`set_num_threads`](crate::set_num_threads).
    pub fn predict_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        self.check_width("X", rows.n_features())?;
        let mut out = vec![0.0; rows.len()];
        fill_in_chunks(&mut out, SCORED, |start, out| {
            let (some, mut room) = (rows.slice(start..start + out.len()), Vec::new());
            // Here, and not before, while the chunk is in the nearest caches.
            some.check_numbers("X")?;
            let some = some.float64(&mut room);
            self.check_kernel(some.iter(), |i| Place::new("X", [some.first() + i]))?;
            self.algorithm.predict_rows_into(&some, out);
            Ok(())
        })?;
        Ok(out)
    }

    /// The bytes of memory that the learner holds.
    pub fn nbytes(&self) -> usize {
        size_of::<Self>() + self.algorithm.heap_bytes()
    }

    /// Predicts each row, then learns its label, in order; returns the predictions.
    pub fn learn_rows(&mut self, rows: &Rows<'_>, y: &[f64]) -> Result<Vec<f64>, Error> {
        self.check(rows, y)?;
        let yhat = learn_rows(&mut *self.algorithm, rows, y);
        self.note(rows.n_features(), y.len());
        Ok(yhat)
    }

    fn note(&mut self, n_features: usize, n_rows: usize) {
        self.n_features = Some(n_features);
        self.n_seen = self.n_seen.saturating_add(n_rows as u64);
    }

    fn check_row(&self, x: &[f64]) -> Result<(), Error> {
        check_row(x)?;
        self.check_width("x", x.len())?;
        self.check_kernel([x].into_iter(), |_| Place::new("x", []))
    }

    fn check_width(&self, argument: &'static str, found: usize) -> Result<(), Error> {
        match self.n_features.or_else(|| self.algorithm.n_features()) {
            Some(expected) if expected != found => Err(Error::Width {
                argument,
                expected,
                found,
            }),
            _ => Ok(()),
        }
    }

    fn check_kernel<'a>(
        &self,
        rows: impl Iterator<Item = &'a [f64]>,
        place: impl Fn(usize) -> Place,
    ) -> Result<(), Error> {
        match self.algorithm.kernel() {
            Some(kernel) => kernel.check_rows(rows, self.algorithm.largest_kappa(), place),
            None => Ok(()),
        }
    }

    /// The whole learner as bytes, from which [`from_bytes`](Self::from_bytes) goes on bit for bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let header = Header {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            learner: self.params.clone(),
            n_features: self.n_features,
            n_seen: self.n_seen,
        };
        let mut state = State::default();
        self.algorithm.save(&mut state);
        let mut header = serde_json::to_value(header).map_err(Error::model_file)?;
        state.take_arrays(&mut header["learner"]);
        header.sort_all_objects();
        state.to_bytes(header.to_string())
    }

    /// The learner that [`to_bytes`](Self::to_bytes) has written.
    ///
    /// ```
    /// use nystream::{Learner, NonsAldParams};
    ///
    /// let mut learner = Learner::new(NonsAldParams::default())?;
    /// learner.learn_row(&[0.5], 1.0)?;
    /// let again = Learner::from_bytes(&learner.to_bytes()?)?;
    /// assert_eq!(again.predict_row(&[0.4])?, learner.predict_row(&[0.4])?);
    /// assert!(Learner::from_bytes(b"something else").is_err());
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (state, text) = State::from_bytes(bytes)?;
        let Written { format, version } = parse(&text)?;
        if format != FORMAT {
            return Err(Error::model_file(format!(
                "its format is {format}, written by version {version}, and this version reads {FORMAT}"
            )));
        }
        let mut header: Value = parse(&text)?;
        if let Some(params) = header.get_mut("learner") {
            state.give_arrays(params);
        }
        let header: Header = serde_json::from_value(header).map_err(Error::model_file)?;
        let mut learner = Self::new(header.learner)?;
        learner.algorithm.load(&state)?;
        learner.n_features = header.n_features;
        learner.n_seen = header.n_seen;
        learner.check_widths()?;
        Ok(learner)
    }

    /// Arrays of another width than the rows would be read out of step.
    fn check_widths(&self) -> Result<(), Error> {
        let basis = self.basis().filter(|basis| basis.n_rows() > 0);
        let basis_agrees = basis.is_none_or(|basis| self.n_features == Some(basis.n_features()));
        let asked = self.algorithm.n_features();
        let plausible = self
            .n_features
            .is_none_or(|n| (1..=LARGEST_WIDTH).contains(&n));
        if plausible
            && basis_agrees
            && (asked.is_none() || self.n_features.is_none() || asked == self.n_features)
        {
            return Ok(());
        }
        Err(Error::model_file("its arrays and n_features disagree"))
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
    fn another_format_is_refused_by_number() {
        let bytes = State::default()
            .to_bytes(r#"{"format":2,"version":"9.9.9","something":"new"}"#.into())
            .unwrap();
        let error = Learner::from_bytes(&bytes).unwrap_err().to_string();
        assert!(
            error.contains("format is 2, written by version 9.9.9"),
            "{error}"
        );
    }

    #[test]
    fn learners_can_be_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Learner>();
    }
}
