//! Scorers: the predictions of a learner at some moment.

use std::path::Path;

use serde_json::{Value, json};

use super::Learner;
use super::encoding::{Encoding, Features};
use crate::columns::{Columns, Table};
use crate::data::checks::targets;
use crate::data::{
    FeatureNames, Number, Rows, check_predictions, check_row, check_row_or_gaps, check_width,
    score_rows,
};
use crate::error::{Error, Place};
use crate::limits::LARGEST;
use crate::persist::{State, model_file};
use crate::predictor::{Kind, Predictor};
use crate::runtime::Heap;

/// The kind, in a file, of a scorer that holds a whole learner.
const WHOLE: &str = "Whole";

/// The predictions of a [`Learner`] at the moment when the scorer was made. It never changes, so any number of threads
/// may share it.
///
/// It holds the predictor alone, coefficients and rows; the few learners that need all they know to predict, such as
/// [`Kaar`](crate::algorithms::Kaar), are copied whole.
///
/// ```
/// use nystream::{Learner, NonsAldParams};
///
/// let mut learner = Learner::new(NonsAldParams::default())?;
/// learner.learn_row(&[0.5], 1.0)?;
/// let scorer = learner.scorer();
/// let before = learner.predict_row(&[0.4])?;
/// learner.learn_row(&[0.4], -1.0)?;
/// assert_eq!(scorer.predict_row(&[0.4])?, before);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug)]
pub struct Scorer {
    pub(super) form: Form,
    /// Turns rows of tables into features, if the learner took tables.
    pub(super) encoding: Option<Box<Encoding>>,
    /// Width of the rows that the predictor gets.
    pub(super) n_features: Option<usize>,
    /// Names of the features, if the learner took no tables.
    pub(super) names: FeatureNames,
}

#[derive(Debug)]
pub(super) enum Form {
    Predictor(Predictor),
    Whole(Box<Learner>),
}

impl Scorer {
    pub(super) fn of_whole(learner: Learner) -> Self {
        Self {
            n_features: learner.n_features(),
            names: learner.names(),
            encoding: None,
            form: Form::Whole(Box::new(learner)),
        }
    }

    /// The predictor, unless the scorer holds a whole learner.
    pub fn predictor(&self) -> Option<&Predictor> {
        match &self.form {
            Form::Predictor(predictor) => Some(predictor),
            Form::Whole(_) => None,
        }
    }

    /// Number of columns of the rows; `None` if the learner had seen none.
    pub fn n_features(&self) -> Option<usize> {
        self.columns().map_or(self.n_features, Columns::n_columns)
    }

    /// Names of the columns, if the rows learned had them.
    pub fn names(&self) -> FeatureNames {
        let encoding = self.encoding.as_ref();
        encoding.map_or_else(|| self.names.clone(), |encoding| encoding.names())
    }

    /// The columns, if the learner took tables.
    pub fn columns(&self) -> Option<&Columns> {
        match &self.form {
            Form::Predictor(_) => self.encoding.as_ref().map(|encoding| &encoding.columns),
            Form::Whole(learner) => learner.columns(),
        }
    }

    /// Returns true if rows of numbers are rows of features: no column is encoded before it is predicted from.
    pub fn takes_numbers_as_they_are(&self) -> bool {
        match &self.form {
            Form::Predictor(_) => {
                let encoding = self.encoding.as_ref();
                encoding.is_none_or(|encoding| encoding.is_identity())
            }
            Form::Whole(learner) => learner.takes_numbers_as_they_are(),
        }
    }

    /// Bytes of memory that the scorer holds.
    pub fn nbytes(&self) -> usize {
        size_of::<Self>()
            + self.encoding.heap_bytes()
            + match &self.form {
                Form::Predictor(predictor) => predictor.heap_bytes(),
                Form::Whole(learner) => learner.nbytes(),
            }
    }

    /// Number of predictions for a row.
    pub fn n_targets(&self) -> usize {
        match &self.form {
            Form::Predictor(predictor) => predictor.n_targets(),
            Form::Whole(learner) => learner.n_targets(),
        }
    }

    /// The prediction for one row, of the first target if there are several.
    pub fn predict_row(&self, x: &[f64]) -> Result<f64, Error> {
        self.predict_targets(x).map(|yhat| yhat[0])
    }

    /// The predictions for one row, of each target.
    pub fn predict_targets(&self, x: &[f64]) -> Result<Vec<f64>, Error> {
        let predictor = match &self.form {
            Form::Predictor(predictor) => predictor,
            Form::Whole(learner) => return learner.predict_targets(x),
        };
        let (row, encoding) = (Rows::trusted(x, x.len(), 0), self.encoding.as_ref());
        if encoding.is_some_and(|encoding| encoding.takes_gaps()) {
            check_row_or_gaps(x)?;
        } else {
            check_row(x)?;
        }
        check_width("x", self.n_features(), x.len())?;
        let features = self.features_of(&row)?;
        let x = features.as_ref().map_or(x, Features::numbers);
        check_kernel(predictor, [x].into_iter(), |_| Place::new("x", []))?;
        let mut yhat = vec![0.0; predictor.n_targets()];
        predictor.predict_into(x, &mut yhat);
        check_predictions(&yhat)?;
        Ok(yhat)
    }

    /// The predictions for many rows: those of all targets for the first row, then those for the next.
    pub fn predict_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        if let Form::Whole(learner) = &self.form {
            return learner.predict_rows(rows);
        }
        check_width("X", self.n_features(), rows.n_features())?;
        match self.features_of(rows)? {
            None => self.predict_features(rows),
            Some(features) => self.predict_features(&features.rows()),
        }
    }

    /// The predictions for the rows of a table, in the order of [`predict_rows`](Self::predict_rows).
    pub fn predict_table(&self, table: &Table) -> Result<Vec<f64>, Error> {
        self.predict_features(&self.features(table)?.rows())
    }

    /// The features of the rows of a table.
    pub(crate) fn features(&self, table: &Table) -> Result<Features, Error> {
        let algorithm = "Scorer";
        match (&self.form, &self.encoding) {
            (Form::Whole(learner), _) => learner.features(table),
            (_, Some(encoding)) => encoding.features(table),
            (_, None) => Err(Error::NoColumns { algorithm }),
        }
    }

    /// The predictions for rows of features.
    pub(crate) fn predict_features<T: Number>(
        &self,
        rows: &Rows<'_, T>,
    ) -> Result<Vec<f64>, Error> {
        match &self.form {
            Form::Whole(learner) => learner.predict_features(rows),
            Form::Predictor(predictor) => predict_features(predictor, rows),
        }
    }

    /// The features of rows of an array; `None` if they are the numbers of the rows.
    fn features_of<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Option<Features>, Error> {
        let encoding = self.encoding.as_ref();
        encoding.map_or(Ok(None), |encoding| encoding.features_of(rows))
    }

    /// The whole scorer as bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut state = State::default();
        let content = match &self.form {
            Form::Whole(learner) => learner.content(&mut state)?,
            Form::Predictor(predictor) => {
                predictor.save(&mut state);
                let mut content =
                    json!({"n_features": self.n_features, "feature_names": self.names});
                if predictor.n_targets() > 1 {
                    content["n_targets"] = json!(predictor.n_targets());
                }
                if let Some(encoding) = &self.encoding {
                    content["columns"] = encoding.save(&mut state)?;
                }
                content
            }
        };
        model_file::to_bytes(self.tagged(content)?, &state)
    }

    fn tagged(&self, mut content: Value) -> Result<Value, Error> {
        let kind = self.predictor().map(Predictor::kind);
        content["scorer"] = match kind {
            Some(kind) => serde_json::to_value(kind).map_err(Error::model_file)?,
            None => json!(WHOLE),
        };
        Ok(content)
    }

    /// Reads the scorer that [`to_bytes`](Self::to_bytes) has written.
    ///
    /// ```
    /// use nystream::{Learner, NonsAldParams, Scorer};
    ///
    /// let scorer = Learner::new(NonsAldParams::default())?.scorer();
    /// let again = Scorer::from_bytes(&scorer.to_bytes()?)?;
    /// assert_eq!(again.predict_row(&[0.4])?, 0.0);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (content, state) = model_file::from_bytes(bytes)?;
        Self::from_content(content, &state)
    }

    pub(crate) fn from_content(mut content: Value, state: &State) -> Result<Self, Error> {
        match content.get("scorer") {
            None => return Err(Error::model_file("it holds a learner, not a scorer")),
            Some(Value::String(kind)) if kind == WHOLE => {
                return Ok(Self::of_whole(Learner::from_content(content, state)?));
            }
            Some(_) => {}
        }
        let kind: Kind = model_file::field(&mut content, "scorer")?;
        let n_targets = match content.get("n_targets") {
            None => 1,
            Some(_) => model_file::field(&mut content, "n_targets")?,
        };
        targets(n_targets)?;
        let predictor = Predictor::load(kind, n_targets, state)?;
        let n_features = model_file::field(&mut content, "n_features")?;
        let names: FeatureNames = model_file::field(&mut content, "feature_names")?;
        if predictor
            .n_features()
            .is_some_and(|n| n_features != Some(n))
        {
            return Err(Error::model_file("its arrays and n_features disagree"));
        }
        names.check_count(n_features)?;
        if let Some(width) = predictor.n_features() {
            let zeros = vec![0.0; width];
            let tried = predict_features(&predictor, &Rows::trusted(&zeros, width, 0));
            tried.map_err(Error::model_file)?;
        }
        let columns = content.get_mut("columns").map(Value::take);
        let encoding = columns.map(|columns| Encoding::load(columns, n_targets, state));
        let encoding = encoding.transpose()?.map(Box::new);
        let width = encoding.as_ref().map(|encoding| encoding.width());
        if width.is_some() && n_features.is_some() && width != n_features {
            return Err(Error::model_file("its columns and n_features disagree"));
        }
        Ok(Self {
            form: Form::Predictor(predictor),
            encoding,
            n_features,
            names,
        })
    }

    /// Writes the scorer to a file, whole or not at all.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        model_file::save(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads the scorer that [`save`](Self::save) has written.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        model_file::load(path.as_ref(), Self::from_bytes)
    }
}

fn predict_features<T: Number>(
    predictor: &Predictor,
    rows: &Rows<'_, T>,
) -> Result<Vec<f64>, Error> {
    score_rows(rows, predictor.n_targets(), |rows, out| {
        check_kernel(predictor, rows.iter(), |i| {
            Place::new("X", [rows.first() + i])
        })?;
        predictor.predict_rows_into(rows, out);
        check_predictions(out)
    })
}

fn check_kernel<'a>(
    predictor: &Predictor,
    rows: impl Iterator<Item = &'a [f64]>,
    place: impl Fn(usize) -> Place,
) -> Result<(), Error> {
    match predictor.kernel() {
        Some(kernel) => kernel.check_rows(rows, LARGEST, place),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::AnyParams;

    #[test]
    fn a_scorer_predicts_what_its_learner_did_bit_for_bit() {
        let data: Vec<f64> = (0..200).map(|i| f64::from(i % 13) / 13.0).collect();
        let y: Vec<f64> = (0..100).map(|i| f64::from(i % 4) / 4.0).collect();
        let rows = Rows::new(&data, 2).unwrap();
        for params in AnyParams::NAMES
            .iter()
            .filter_map(|n| AnyParams::default_of(n))
        {
            let mut learner = Learner::new(params).unwrap();
            let empty = learner.scorer();
            assert_eq!(empty.predict_row(&[0.5, 0.2]), Ok(0.0));
            learner.learn_rows(&rows, &y).unwrap();
            let scorer = learner.scorer();
            let again = Scorer::from_bytes(&scorer.to_bytes().unwrap()).unwrap();
            for scorer in [&scorer, &again] {
                assert_eq!(scorer.predict_rows(&rows), learner.predict_rows(&rows));
                assert_eq!(
                    scorer.predict_row(&[0.3, 0.1]),
                    learner.predict_row(&[0.3, 0.1])
                );
                assert!(scorer.predict_row(&[0.3]).is_err());
            }
        }
    }

    #[test]
    fn scorers_can_be_shared_between_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Scorer>();
    }
}
