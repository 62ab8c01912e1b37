//! Learners as bytes and files.

use std::path::Path;

use serde_json::{Value, json};

use super::encoding::Encoding;
use super::{LARGEST_WIDTH, Learner};
use crate::algorithms::{Algorithm, AnyParams};
use crate::data::check_predictions;
use crate::error::Error;
use crate::linalg::Panels;
use crate::persist::{State, model_file};

/// Number of kept rows that a learner from a file is tried with.
const TRIED: usize = 8;

impl Learner {
    /// The whole learner as bytes. [`from_bytes`](Self::from_bytes) makes a learner of them that goes on bit for bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut state = State::default();
        let content = self.content(&mut state)?;
        model_file::to_bytes(content, &state)
    }

    /// Reads the learner that [`to_bytes`](Self::to_bytes) has written.
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
        let (content, state) = model_file::from_bytes(bytes)?;
        for other in ["scorer", "forecaster"] {
            if content.get(other).is_some() {
                return Err(Error::model_file(format!(
                    "it holds a {other}, not a learner"
                )));
            }
        }
        Self::from_content(content, &state)
    }

    /// Writes the learner to a file, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        model_file::save(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads the learner that [`save`](Self::save) has written.
    ///
    /// ```
    /// use nystream::{Learner, NonsAldParams};
    ///
    /// let path = std::env::temp_dir().join("nystream-example.model");
    /// Learner::new(NonsAldParams::default())?.save(&path)?;
    /// assert_eq!(Learner::load(&path)?.n_seen(), 0);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        model_file::load(path.as_ref(), Self::from_bytes)
    }

    /// A copy that goes on bit for bit.
    #[must_use]
    pub fn copy(&self) -> Self {
        Self {
            params: self.params.clone(),
            algorithm: self.algorithm.copy(),
            encoding: self.encoding.clone(),
            n_targets: self.n_targets,
            n_features: self.n_features,
            n_seen: self.n_seen,
            n_asked: self.n_asked,
            pending: self.pending.clone(),
            names: self.names.clone(),
        }
    }

    /// A learner with this algorithm, which has learned so many rows, of tables if there is an encoding.
    pub(crate) fn of_algorithm(
        params: AnyParams,
        algorithm: Box<dyn Algorithm>,
        encoding: Option<Box<Encoding>>,
        (n_features, n_seen): (Option<usize>, u64),
    ) -> Result<Self, Error> {
        let mut learner = Self::new(params)?;
        learner.algorithm = algorithm;
        (learner.n_features, learner.n_seen, learner.n_asked) = (n_features, n_seen, n_seen);
        match encoding {
            Some(_) => learner.encoding = encoding,
            None => learner.load_encoding(None, &State::default())?,
        }
        Ok(learner)
    }

    /// The JSON content of the model file; the arrays go into `state`.
    pub(crate) fn content(&self, state: &mut State) -> Result<Value, Error> {
        self.algorithm.save(state);
        self.save_pending(state);
        let mut learner = serde_json::to_value(&self.params).map_err(Error::model_file)?;
        state.take_arrays(&mut learner);
        let mut content = json!({
            "learner": learner,
            "n_features": self.n_features,
            "n_seen": self.n_seen,
            "feature_names": self.names,
        });
        if let Some(encoding) = &self.encoding {
            content["columns"] = encoding.save(state)?;
        }
        Ok(content)
    }

    pub(crate) fn from_content(mut content: Value, state: &State) -> Result<Self, Error> {
        if let Some(params) = content.get_mut("learner") {
            state.give_arrays(params);
        }
        let params: AnyParams = model_file::field(&mut content, "learner")?;
        let mut learner = Self::new(params)?;
        learner.algorithm.load(state)?;
        learner.n_features = model_file::field(&mut content, "n_features")?;
        learner.n_seen = model_file::field(&mut content, "n_seen")?;
        learner.names = model_file::field(&mut content, "feature_names")?;
        learner.load_encoding(content.get_mut("columns").map(Value::take), state)?;
        learner.load_pending(state)?;
        learner.names.check_count(learner.n_features)?;
        learner.check_widths()?;
        learner.check_numbers()?;
        Ok(learner)
    }

    /// Reads the columns. A learner from before it had columns goes on with those of its rows of numbers.
    fn load_encoding(&mut self, content: Option<Value>, state: &State) -> Result<(), Error> {
        if let Some(content) = content {
            let encoding = Encoding::load(content, self.n_targets, state)?;
            self.encoding = Some(Box::new(encoding));
        } else if let (Some(encoding), Some(width)) = (&mut self.encoding, self.n_features) {
            self.names.check_count(self.n_features)?;
            let names = std::mem::take(&mut self.names);
            encoding.columns.go_on(width, self.n_seen, names.get());
        }
        let width = self.encoding.as_ref().filter(|_| self.n_seen > 0);
        let width = width.map(|encoding| encoding.width());
        if width.is_some_and(|width| self.n_features != Some(width)) {
            return Err(Error::model_file("its columns and n_features disagree"));
        }
        Ok(())
    }

    /// Refuses numbers so large that predictions are not finite: tried with zeros and with some of the rows kept.
    fn check_numbers(&self) -> Result<(), Error> {
        let basis = self.basis().filter(|basis| basis.n_rows() > 0);
        let width = self.algorithm.facts().n_features;
        let Some(width) = width.or(basis.map(Panels::n_features)) else {
            return Ok(());
        };
        let kept = basis.map_or(0, Panels::n_rows).min(TRIED);
        let kept = (0..kept).filter_map(|i| basis.map(|basis| basis.row(i).collect()));
        let mut yhat = vec![0.0; self.n_targets()];
        for x in kept.chain([vec![0.0; width]]) {
            self.algorithm.predict_into(&x, &mut yhat);
            check_predictions(&yhat).map_err(Error::model_file)?;
        }
        Ok(())
    }

    /// Refuses arrays of another width than the rows, which would be read out of step.
    fn check_widths(&self) -> Result<(), Error> {
        let basis = self.basis().filter(|basis| basis.n_rows() > 0);
        let basis_agrees = basis.is_none_or(|basis| self.n_features == Some(basis.n_features()));
        let asked = self.algorithm.facts().n_features;
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
