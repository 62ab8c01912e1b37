//! Merging of learners that have learned parts of a stream.

use std::fmt::Debug;

use serde_json::{Map, Value};

use super::Learner;
use super::pending::Pending;
use crate::algorithms::{Algorithm, AnyParams, RidgeAldParams};
use crate::data::FeatureNames;
use crate::error::{Error, Place};

impl Learner {
    /// Merges learners that have learned parts of a stream into one, which can go on learning. They must be
    /// [`RidgeAld`] with the same parameters and rows of the same width.
    ///
    /// A learner that has seen nothing adds nothing; a single learner is copied exactly.
    ///
    /// ```
    /// use nystream::{Learner, RidgeAldParams};
    ///
    /// let learner = |rows: &[f64]| {
    ///     let mut learner = Learner::new(RidgeAldParams::default())?;
    ///     for x in rows {
    ///         learner.learn_row(&[*x], x.sin())?;
    ///     }
    ///     Ok::<_, nystream::Error>(learner)
    /// };
    /// let parts = [learner(&[0.0, 0.5, 1.0])?, learner(&[1.5, 2.0])?];
    /// let whole = learner(&[0.0, 0.5, 1.0, 1.5, 2.0])?;
    /// let merged = Learner::merge(&parts)?;
    /// assert_eq!(merged.n_seen(), 5);
    /// assert!((merged.predict_row(&[1.2])? - whole.predict_row(&[1.2])?).abs() < 1e-3);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn merge<'a>(learners: impl IntoIterator<Item = &'a Self>) -> Result<Self, Error> {
        let all: Vec<&Self> = learners.into_iter().collect();
        let params = common_params(&all)?;
        if let Some(i) = all.iter().position(|learner| learner.encoding.is_some()) {
            let place = Place::new("models", [i]);
            return Err(Error::MergedColumns { place });
        }
        let n_features = common("n_features", all.iter().map(|learner| learner.n_features))?;
        let names = all.iter().map(|learner| learner.names.get());
        let names = common("feature_names", names)?.map(<[String]>::to_vec);
        let seen: Vec<&Self> = all.iter().copied().filter(|own| own.n_seen > 0).collect();
        if seen.len() < 2 {
            return Ok(seen.first().unwrap_or(&all[0]).copy());
        }
        let models: Vec<&dyn Algorithm> = seen.iter().map(|own| &*own.algorithm).collect();
        let place = Place::new("models", [0]);
        let algorithm = all[0].params.name();
        let merged = all[0].params.merge(&models)?;
        let n_seen = seen
            .iter()
            .map(|own| own.n_seen)
            .fold(0, u64::saturating_add);
        Ok(Self {
            params: params.clone().into(),
            algorithm: merged.ok_or(Error::NotMergeable { place, algorithm })?,
            encoding: None,
            n_targets: params.n_targets,
            n_features,
            n_seen,
            n_asked: n_seen,
            pending: Pending::default(),
            names: FeatureNames::new(names),
        })
    }
}

/// The parameters that all learners share; there must be at least one learner.
fn common_params<'a>(all: &[&'a Learner]) -> Result<&'a RidgeAldParams, Error> {
    let params: Vec<&RidgeAldParams> = all
        .iter()
        .enumerate()
        .map(|(i, learner)| match &learner.params {
            AnyParams::RidgeAld(params) => Ok(params),
            other => Err(Error::NotMergeable {
                place: Place::new("models", [i]),
                algorithm: other.name(),
            }),
        })
        .collect::<Result<_, _>>()?;
    let first = params.first().ok_or(Error::Empty {
        argument: "models",
        wanted: "model",
    })?;
    let mut others = params.iter().enumerate();
    match others.find_map(|(i, other)| different_param(first, other, i)) {
        None => Ok(first),
        Some(error) => Err(error),
    }
}

/// The error for the first parameter in which model `i` differs from the first model, if there is one.
fn different_param(first: &RidgeAldParams, other: &RidgeAldParams, i: usize) -> Option<Error> {
    let (first, other) = (fields(first), fields(other));
    let mut pairs = first.iter().zip(other.values());
    let ((name, value), other) = pairs.find(|((_, value), other)| value != other)?;
    Some(differ(name, (0, shown(value)), (i, shown(other))))
}

fn fields(params: &RidgeAldParams) -> Map<String, Value> {
    match serde_json::to_value(params) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// The value of a parameter as the constructor's argument is written.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Object(tagged) => {
            let calls = tagged.iter().map(|(name, arguments)| {
                let arguments = arguments.as_object().into_iter().flatten();
                let arguments = arguments.map(|(key, value)| format!("{key}={}", shown(value)));
                format!("{name}({})", arguments.collect::<Vec<_>>().join(", "))
            });
            calls.collect()
        }
        other => other.to_string(),
    }
}

/// The value that all models which have one share.
pub(crate) fn common<T: Debug + PartialEq + Copy>(
    name: &str,
    values: impl Iterator<Item = Option<T>>,
) -> Result<Option<T>, Error> {
    let known = values.enumerate();
    let mut known = known.filter_map(|(i, value)| Some((i, value?)));
    let Some((first, value)) = known.next() else {
        return Ok(None);
    };
    let shown = |value: T| format!("{value:?}");
    match known.find(|(_, other)| *other != value) {
        None => Ok(Some(value)),
        Some((i, other)) => Err(differ(name, (first, shown(value)), (i, shown(other)))),
    }
}

/// The error for learners that differ in something.
pub(crate) fn differ(
    name: &str,
    (first, expected): (usize, String),
    (other, found): (usize, String),
) -> Error {
    Error::Different {
        name: name.to_owned(),
        first,
        other,
        values: Box::new([expected, found]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::Gaussian;
    use crate::{KrlsAldParams, NonsAldParams, RunningMeanParams};

    fn learner(params: impl Into<AnyParams>, rows: &[f64]) -> Learner {
        let mut learner = Learner::new(params).unwrap();
        for x in rows {
            learner.learn_row(&[*x], x.sin()).unwrap();
        }
        learner
    }

    #[test]
    fn one_that_has_seen_anything_is_copied_to_the_last_bit() {
        let one = learner(RidgeAldParams::default(), &[0.3, 1.2, 0.7]);
        let empty = learner(RidgeAldParams::default(), &[]);
        for all in [&[&one][..], &[&empty, &one], &[&one, &empty, &empty]] {
            let merged = Learner::merge(all.iter().copied()).unwrap();
            assert_eq!(merged.to_bytes(), one.to_bytes());
        }
        let nothing = Learner::merge([&empty, &empty]).unwrap();
        assert_eq!(nothing.to_bytes(), empty.to_bytes());
    }

    #[test]
    fn names_are_those_that_any_has() {
        let names = FeatureNames::new(Some(vec!["a".into()]));
        let mut parts = [0.1, 2.0, 4.0].map(|x| learner(RidgeAldParams::default(), &[x]));
        parts[1].name_features(names.clone());
        let merged = Learner::merge(&parts).unwrap();
        assert_eq!((merged.names(), merged.n_seen()), (names.clone(), 3));
        parts[2].name_features(FeatureNames::new(Some(vec!["b".into()])));
        assert_eq!(
            Learner::merge(&parts).unwrap_err().to_string(),
            r#"models[2] should have the same feature_names as models[1], ["a"], but has ["b"]"#
        );
    }

    #[test]
    fn what_cannot_be_merged_is_refused_and_stays_as_it_was() {
        let good = || learner(RidgeAldParams::default(), &[0.3, 1.2]);
        let mut wide = Learner::new(RidgeAldParams::default()).unwrap();
        wide.learn_row(&[1.0, 2.0], 0.0).unwrap();
        let (mut capped, mut other_kernel) = <(RidgeAldParams, RidgeAldParams)>::default();
        capped.max_basis = Some(7);
        other_kernel.kernel = Gaussian { sigma: 2.5 }.into();
        let cases = [
            (
                learner(NonsAldParams::default(), &[]),
                "should be a RidgeAld, but is a NonsAld",
            ),
            (
                learner(KrlsAldParams::default(), &[1.0]),
                "should be a RidgeAld, but is a KrlsAld",
            ),
            (
                wide,
                "should have the same n_features as models[0], 1, but has 2",
            ),
            (
                learner(capped, &[]),
                "should have the same max_basis as models[0], None, but has 7",
            ),
            (
                learner(other_kernel, &[1.0]),
                "should have the same kernel as models[0], Gaussian(sigma=1.0), but has Gaussian(sigma=2.5)",
            ),
        ];
        for (bad, message) in cases {
            let all = [good(), bad];
            let before = all.each_ref().map(|learner| learner.to_bytes().unwrap());
            let error = Learner::merge(&all).unwrap_err();
            assert_eq!(error.to_string(), format!("models[1] {message}"));
            assert_eq!(before, all.map(|learner| learner.to_bytes().unwrap()));
        }
        assert!(Learner::merge([&learner(RunningMeanParams {}, &[])]).is_err());
        assert!(Learner::merge([]).is_err());
    }
}
