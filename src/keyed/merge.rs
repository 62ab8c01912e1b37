//! Keys that come, go and are put together with their models.

use indexmap::IndexSet;

use super::own::Own;
use super::record::Record;
use super::{Key, KeyBuf, Keyed, Slot};
use crate::algorithms::{Algorithm, AnyParams};
use crate::data::{FeatureNames, check_width};
use crate::error::{Error, Place};
use crate::learner::{Learner, common, differ, shown};
use crate::predictor::Scores;

impl Keyed {
    /// Gives a new key a model of its own: a learner with the parameters of the keys' own models. Its rows count as those
    /// of the key; the mean of the key's residuals is 0.
    ///
    /// ```
    /// use nystream::keyed::{Key, Keyed, KeyedParams};
    /// use nystream::{Learner, RunningMeanParams};
    ///
    /// let mut learner = Learner::new(RunningMeanParams {})?;
    /// learner.learn_row(&[0.0], 7.0)?;
    /// let params = KeyedParams { shared: None, ..KeyedParams::new(RunningMeanParams {}) };
    /// let mut keyed = Keyed::new(params)?;
    /// keyed.insert(Key::from("a"), &learner)?;
    /// assert_eq!(keyed.predict_row(Key::from("a"), &[0.0])?, 7.0);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn insert(&mut self, key: Key<'_>, learner: &Learner) -> Result<(), Error> {
        self.check_insert(key, learner)?;
        let slot = self.bring_in(&[key])?[0];
        let mut algorithm = learner.algorithm().copy();
        if let Some(scores) = algorithm.scores_mut() {
            scores.turn_off();
        }
        if self.n_features.is_none() {
            self.n_features = learner.n_features();
            self.names = learner.names();
        }
        let age = learner.n_seen();
        let errors = age as f64 * self.trust.expected(age);
        let used = self.n_seen;
        self.slots[slot as usize] = Slot {
            own: if age > 0 {
                Own::of(algorithm)
            } else {
                Own::Fresh
            },
            age,
            mean: 0.0,
            errors,
            used,
        };
        Ok(())
    }

    fn check_insert(&self, key: Key<'_>, learner: &Learner) -> Result<(), Error> {
        let refused = |problem: String| Err(Error::Inserted { problem });
        if self.contains(key) {
            return refused(format!(
                "cannot be that of the key {key}, which has one: drop it first"
            ));
        }
        if self.takes_tables() || !learner.takes_numbers_as_they_are() {
            let why = "its features would not be those that keys share";
            return refused(format!(
                "cannot be that of a key where there are columns: {why}"
            ));
        }
        if *learner.params() != self.params.model {
            let (expected, found) = (named(&self.params.model)?, named(learner.params())?);
            return refused(format!("should be a {expected}, but is a {found}"));
        }
        if learner.n_pending() > 0 {
            return refused("should have no labels that wait: learn_pending() learns them".into());
        }
        if let Some(found) = learner.n_features() {
            check_width("model", self.n_features, found)?;
        }
        if self.n_features.is_some() && self.names.get().is_some() {
            self.names.check("model", &learner.names())?;
        }
        Ok(())
    }

    /// A copy with these keys alone. What is pooled over keys is copied whole: the shared model, the weights, the errors of
    /// the last rows, and the number of rows.
    ///
    /// ```
    /// use nystream::LinearRlsParams;
    /// use nystream::keyed::{Key, Keyed, KeyedParams};
    ///
    /// let mut keyed = Keyed::new(KeyedParams::new(LinearRlsParams::default()))?;
    /// for key in 0..4 {
    ///     keyed.learn_row(Key::from(key), &[0.5], 1.0)?;
    /// }
    /// let some = keyed.subset(&[Key::from(3), Key::from(1)])?;
    /// assert_eq!((some.len(), some.n_seen()), (2, 4));
    /// assert_eq!(some.predict_row(Key::from(3), &[0.2]), keyed.predict_row(Key::from(3), &[0.2]));
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn subset(&self, keys: &[Key<'_>]) -> Result<Self, Error> {
        let keys: IndexSet<Key<'_>> = keys.iter().copied().collect();
        if let Some(key) = keys.iter().find(|key| !self.contains(**key)) {
            return Err(Error::unknown_key(key));
        }
        let mut some = self.without_keys()?;
        let slots = keys.iter().filter_map(|key| self.slots.get_key_value(key));
        some.add_slots(slots.map(|(key, slot)| self.record(key, slot)))?;
        some.pending
            .retain(|waiting| keys.contains(&waiting.ticket.key.as_key()));
        let is_kept = |first: &Option<KeyBuf>| {
            first
                .as_ref()
                .is_some_and(|key| keys.contains(&key.as_key()))
        };
        let gone = some.first_keys.iter_mut().filter(|first| !is_kept(first));
        gone.for_each(|first| *first = None);
        Ok(some)
    }

    /// All keys with what belongs to them.
    fn records(&self) -> impl Iterator<Item = Result<Record, Error>> + '_ {
        let slots = self.slots.iter();
        slots.map(|(key, slot)| self.record(key, slot))
    }

    /// A key with what belongs to it.
    fn record(&self, key: &KeyBuf, slot: &Slot) -> Result<Record, Error> {
        Ok(Record {
            key: key.clone(),
            model: slot.own.encode(&self.overflow)?,
            slot: Slot {
                own: Own::Fresh,
                ..*slot
            },
        })
    }

    /// Merges models by key that have learned different keys, with the same parameters. Models of keys stay as they are;
    /// numbers of rows and what weights are made of add up; the errors of the last rows are those of all, as if rows had
    /// come in turns.
    ///
    /// Shared models are merged as [`Learner::merge`] does, where they are [`RidgeAld`](crate::algorithms::RidgeAld), and
    /// exactly where they are [`LinearRls`](crate::algorithms::LinearRls); others only if all but one have learned nothing.
    ///
    /// ```
    /// use nystream::LinearRlsParams;
    /// use nystream::keyed::{Key, Keyed, KeyedParams};
    ///
    /// let keyed = |key: i64| {
    ///     let mut keyed = Keyed::new(KeyedParams::new(LinearRlsParams::default()))?;
    ///     keyed.learn_row(Key::from(key), &[0.5], 1.0)?;
    ///     Ok::<_, nystream::Error>(keyed)
    /// };
    /// let merged = Keyed::merge(&[&keyed(1)?, &keyed(2)?])?;
    /// assert_eq!((merged.len(), merged.n_seen()), (2, 2));
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn merge(all: &[&Self]) -> Result<Self, Error> {
        let (n_features, names) = check_merge(all)?;
        let first = all.first().ok_or(Error::Empty {
            argument: "models",
            wanted: "model",
        })?;
        let mut merged = Self::new(first.params.clone())?;
        merged.shared = merged_shared(all)?;
        for keyed in all {
            merged.trust.add(&keyed.trust);
            merged.n_seen = merged.n_seen.saturating_add(keyed.n_seen);
        }
        let scores: Vec<&Scores> = all.iter().map(|keyed| &keyed.scores).collect();
        merged.scores = Scores::merged(&scores);
        (merged.n_asked, merged.n_features) = (merged.n_seen, n_features);
        merged.names = FeatureNames::new(names);
        merged.add_slots(all.iter().copied().flat_map(Self::records))?;
        Ok(merged)
    }
}

/// Refuses models by key that cannot be merged; returns the width of their rows and the names of their features.
fn check_merge(all: &[&Keyed]) -> Result<(Option<usize>, Option<Vec<String>>), Error> {
    let place = |i: usize| Place::new("models", [i]);
    for (i, keyed) in all.iter().enumerate() {
        if keyed.takes_tables() {
            return Err(Error::MergedColumns { place: place(i) });
        }
        if keyed.n_pending() > 0 {
            return Err(Error::Waiting { place: place(i) });
        }
        check_params(all[0], keyed, i)?;
        for (first, earlier) in all[..i].iter().enumerate() {
            let (few, many) = if earlier.len() < keyed.len() {
                (earlier, keyed)
            } else {
                (keyed, earlier)
            };
            if let Some(key) = few.keys().find(|key| many.contains(*key)) {
                let (key, other) = (key.to_string(), i);
                return Err(Error::KeyTwice { first, other, key });
            }
        }
    }
    let n_features = common("n_features", all.iter().map(|keyed| keyed.n_features))?;
    let names = common("feature_names", all.iter().map(|keyed| keyed.names.get()))?;
    Ok((n_features, names.map(<[String]>::to_vec)))
}

fn check_params(first: &Keyed, other: &Keyed, i: usize) -> Result<(), Error> {
    let (first, other) = (first.params(), other.params());
    if first.model != other.model {
        let values = (named(&first.model)?, named(&other.model)?);
        return Err(differ("model", (0, values.0), (i, values.1)));
    }
    if first.shared != other.shared {
        let named = |shared: &Option<AnyParams>| {
            let text = shared.as_ref().map(named).transpose();
            Ok::<_, Error>(text?.unwrap_or_else(|| "False".to_owned()))
        };
        let values = (named(&first.shared)?, named(&other.shared)?);
        return Err(differ("shared", (0, values.0), (i, values.1)));
    }
    Ok(())
}

/// The call that makes a learner with these parameters.
fn named(params: &AnyParams) -> Result<String, Error> {
    let value = serde_json::to_value(params).map_err(Error::model_file)?;
    Ok(shown(&value))
}

/// The shared model of all: merged if more than one has learned anything.
fn merged_shared(all: &[&Keyed]) -> Result<Option<Box<dyn Algorithm>>, Error> {
    let learned: Vec<&&Keyed> = all.iter().filter(|keyed| keyed.n_seen > 0).collect();
    let keyed = learned.first().copied().or(all.first());
    let Some((params, shared)) =
        keyed.and_then(|k| k.params.shared.as_ref().zip(k.shared.as_ref()))
    else {
        return Ok(None);
    };
    if learned.len() < 2 {
        return Ok(Some(shared.copy()));
    }
    let models: Vec<&dyn Algorithm> = learned.iter().filter_map(|k| k.shared.as_deref()).collect();
    let algorithm = params.name();
    let merged = params.merge(&models)?;
    let mut merged = merged.ok_or(Error::SharedModels { algorithm })?;
    if let Some(scores) = merged.scores_mut() {
        scores.turn_off();
    }
    Ok(Some(merged))
}
