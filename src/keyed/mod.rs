//! A model for each key, and what all keys have in common.
//!
//! A [`Keyed`] has a shared model, which learns every row of every key, and for each key a model of its own, which learns
//! what the shared one leaves: the residuals. The prediction of a row is `shared(x) + a mean + b own(x)`, where `mean` is
//! that of the key's residuals so far. The weights `a` and `b` follow the number of rows that the key has had; they are
//! those with the least squared error over all keys. So a new key begins with what all keys have in common, and goes
//! its own way as fast as keys have been seen to.

mod blocks;
mod file;
mod key;
mod late;
mod learn;
mod memory;
mod merge;
mod overflow;
mod own;
mod pending;
mod predict;
mod record;
mod tables;
#[cfg(test)]
mod tests;
mod trust;
mod widen;
mod writing;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

use crate::algorithms::{Algorithm, AnyParams};
use crate::columns::{Columns, Settings};
use crate::data::FeatureNames;
use crate::data::checks::at_least_one;
use crate::error::Error;
use crate::learner::{Encoding, Learner};
use crate::predictor::Scores;
use crate::runtime::Heap;
pub use key::{Key, KeyBuf};
pub use late::{Said, Ticket};
use overflow::Overflow;
use own::{Bench, Own};
use pending::Pending;
use trust::Trust;
#[cfg(feature = "python")]
pub(crate) use writing::Writing;

/// Parameters of [`Keyed`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyedParams {
    /// Parameters of the model that each key has.
    pub model: AnyParams,
    /// Parameters of the shared model; `None` for keys that have nothing in common.
    pub shared: Option<AnyParams>,
    /// The most models of keys in memory, at least 1; those used least recently are on the disk. `None`: no limit.
    pub max_keys: Option<usize>,
    /// The folder of the file on the disk, which is no longer than the process; `None` for the system's own.
    pub store: Option<PathBuf>,
    /// Settings of the columns of tables; `None` for rows of numbers alone. All keys have the same columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Settings>,
}

impl KeyedParams {
    /// A model for each key, and a shared one with the same parameters.
    pub fn new(model: impl Into<AnyParams>) -> Self {
        let model = model.into();
        Self {
            shared: Some(model.clone()),
            model,
            max_keys: None,
            store: None,
            columns: None,
        }
    }
}

/// A model for each key: see the [module](self).
///
/// ```
/// use nystream::keyed::{Key, Keyed, KeyedParams};
/// use nystream::{LinearRlsParams, Rows};
///
/// let mut keyed = Keyed::new(KeyedParams::new(LinearRlsParams::default()))?;
/// let (x, y) = ([0.0, 1.0, 2.0, 0.0], [5.0, 1.0, 5.0, 1.0]);
/// let keys = [Key::from("up"), Key::from("down"), Key::from("up"), Key::from("down")];
/// for _ in 0..20 {
///     keyed.learn_rows(&keys, &Rows::new(&x, 1)?, &y)?;
/// }
/// assert!((keyed.predict_row(Key::from("up"), &[1.0])? - 5.0).abs() < 0.1);
/// assert_eq!(keyed.len(), 2);
/// # Ok::<(), nystream::Error>(())
/// ```
#[derive(Debug)]
pub struct Keyed {
    params: KeyedParams,
    /// The model of a key that has had no row.
    template: Box<dyn Algorithm>,
    shared: Option<Box<dyn Algorithm>>,
    slots: IndexMap<KeyBuf, Slot>,
    /// The slots whose models are in memory, if their number is limited.
    in_memory: Vec<u32>,
    overflow: Overflow,
    trust: Trust,
    /// The errors of predictions, each relative to its expected size.
    scores: Scores,
    /// Turns rows of tables into features, if rows may be those.
    encoding: Option<Box<Encoding>>,
    /// The keys of the rows learned so far, as long as these may be learned again; `None` for one that was dropped.
    first_keys: Vec<Option<KeyBuf>>,
    /// Width of the rows that models get.
    n_features: Option<usize>,
    n_seen: u64,
    /// Number of rows predicted, by asking or before they were learned.
    n_asked: u64,
    pending: Pending,
    /// Number of rows learned when features were added last; 0 if they never were.
    widened_at: u64,
    /// Names of the features, if rows are numbers alone.
    names: FeatureNames,
}

/// What belongs to a key.
#[derive(Debug)]
struct Slot {
    own: Own,
    /// Number of rows learned.
    age: u64,
    /// Mean of the residuals.
    mean: f64,
    /// Sum of the squared errors.
    errors: f64,
    /// Number of rows of all keys when a row of this one was learned last.
    used: u64,
}

impl Default for Slot {
    fn default() -> Self {
        Self {
            own: Own::Fresh,
            age: 0,
            mean: 0.0,
            errors: 0.0,
            used: 0,
        }
    }
}

impl Keyed {
    /// No keys yet.
    pub fn new(params: KeyedParams) -> Result<Self, Error> {
        params
            .max_keys
            .map_or(Ok(()), |n| at_least_one("max_keys", n))?;
        let shared = params.shared.as_ref().map(checked).transpose()?;
        let template = checked(&params.model)?;
        let models = [Some(&template), shared.as_ref()];
        let encoding = encoding_of(&params, models.into_iter().flatten())?;
        Ok(Self {
            template,
            shared,
            slots: IndexMap::new(),
            in_memory: Vec::new(),
            overflow: Overflow::new(params.store.clone()),
            trust: Trust::default(),
            scores: Scores::new(1),
            encoding: encoding.map(Box::new),
            first_keys: Vec::new(),
            n_features: None,
            n_seen: 0,
            n_asked: 0,
            pending: Pending::default(),
            widened_at: 0,
            names: FeatureNames::default(),
            params,
        })
    }

    /// Forgets all that models have learned, but not the columns.
    fn begin_anew(&mut self) -> Result<(), Error> {
        self.shared = self.params.shared.as_ref().map(checked).transpose()?;
        self.slots.clear();
        self.in_memory.clear();
        self.overflow = self.overflow.empty();
        (self.trust, self.scores) = (Trust::default(), Scores::new(1));
        (self.n_features, self.n_seen, self.widened_at) = (None, 0, 0);
        Ok(())
    }

    /// The parameters.
    pub fn params(&self) -> &KeyedParams {
        &self.params
    }

    /// Number of keys.
    #[allow(clippy::len_without_is_empty, reason = "is_empty is below")]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns true if there are no keys.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The keys, in the order in which they came, unless some have been [dropped](Self::drop_key).
    pub fn keys(&self) -> impl ExactSizeIterator<Item = Key<'_>> {
        self.slots.keys().map(KeyBuf::as_key)
    }

    /// Returns true if rows of this key have been learned.
    pub fn contains(&self, key: Key<'_>) -> bool {
        self.slots.contains_key(&key)
    }

    /// Number of rows of this key that have been learned.
    pub fn n_seen_of(&self, key: Key<'_>) -> u64 {
        self.slots.get(&key).map_or(0, |slot| slot.age)
    }

    /// Number of rows learned.
    pub fn n_seen(&self) -> u64 {
        self.n_seen
    }

    /// Number of columns of the rows learned; `None` before the first.
    pub fn n_features(&self) -> Option<usize> {
        self.columns().map_or(self.n_features, Columns::n_columns)
    }

    /// Names of the columns, if the rows learned first had them.
    pub fn names(&self) -> FeatureNames {
        let encoding = self.encoding.as_ref();
        encoding.map_or_else(|| self.names.clone(), |encoding| encoding.names())
    }

    /// Sets the names of the features, unless columns have them.
    pub fn name_features(&mut self, names: FeatureNames) {
        if self.encoding.is_none() {
            self.names = names;
        }
    }

    /// Refuses features of other names than those learned, if any have been.
    pub fn check_names(&self, argument: &'static str, names: &FeatureNames) -> Result<(), Error> {
        if self.n_seen == 0 || names.get().is_none() {
            return Ok(());
        }
        self.names().check(argument, names)
    }

    /// A copy of the model that a key has of its own: it predicts what the shared model leaves, or labels without one. It
    /// takes the same rows, with a copy of the columns.
    pub fn model(&self, key: Key<'_>) -> Result<Learner, Error> {
        let slot = self
            .slots
            .get(&key)
            .ok_or_else(|| Error::unknown_key(key))?;
        let (mut bench, mut place) = (Bench::new(&*self.template), Own::Fresh);
        let own = bench.read(&slot.own, &self.overflow, &mut place)?;
        let algorithm = self.wider(own)?.unwrap_or_else(|| own.copy());
        let width = self.n_features.filter(|_| slot.age > 0);
        self.learner(&self.params.model, algorithm, (width, slot.age))
    }

    /// A copy of the shared model, if there is one; it takes the same rows.
    pub fn shared_model(&self) -> Result<Option<Learner>, Error> {
        let (Some(params), Some(shared)) = (&self.params.shared, &self.shared) else {
            return Ok(None);
        };
        let learned = (self.n_features, self.n_seen);
        self.learner(params, shared.copy(), learned).map(Some)
    }

    /// A learner that takes the same rows and has learned so many, of this width.
    fn learner(
        &self,
        params: &AnyParams,
        algorithm: Box<dyn Algorithm>,
        learned: (Option<usize>, u64),
    ) -> Result<Learner, Error> {
        let encoding = self.encoding.clone();
        let mut learner = Learner::of_algorithm(params.clone(), algorithm, encoding, learned)?;
        if learned.1 > 0 {
            learner.name_features(self.names.clone());
        }
        Ok(learner)
    }

    /// Forgets a key; what the shared model has learned of it remains.
    pub fn drop_key(&mut self, key: Key<'_>) -> Result<(), Error> {
        let gone = self.slots.swap_remove_full(&key);
        let (_, _, slot) = gone.ok_or_else(|| Error::unknown_key(key))?;
        if let Own::Stored(place) = slot.own {
            self.overflow.forget(place);
        }
        self.find_in_memory();
        self.forget_first(key);
        Ok(())
    }

    /// The bytes of memory that everything holds, without the file on the disk.
    pub fn nbytes(&self) -> usize {
        let slots = self.slots.iter();
        let inside: usize = slots
            .map(|(key, slot)| key.heap_bytes() + slot.own.heap_bytes())
            .sum();
        let entry = size_of::<(usize, KeyBuf, Slot)>() + 2 * size_of::<usize>();
        let shared = self.shared.as_ref().map_or(0, |shared| shared.heap_bytes());
        size_of::<Self>()
            + self.slots.capacity() * entry
            + inside
            + shared
            + self.encoding.heap_bytes()
    }

    /// A copy that goes on bit for bit.
    pub fn copy(&self) -> Result<Self, Error> {
        Self::from_bytes(&self.to_bytes()?)
    }
}

/// Columns that have learned nothing, whose features these models take; `None` if rows are numbers alone.
fn encoding_of<'a>(
    params: &KeyedParams,
    mut models: impl Iterator<Item = &'a Box<dyn Algorithm>>,
) -> Result<Option<Encoding>, Error> {
    let Some(settings) = &params.columns else {
        return Ok(None);
    };
    let (mut settings, mut scale) = (settings.clone(), false);
    for facts in models.by_ref().map(|model| model.facts()) {
        if facts.n_features.is_some() {
            return Err(Error::FixedWidth);
        }
        scale |= !facts.takes_any_scale;
    }
    settings.scale = scale;
    Encoding::new(settings, 1).map(Some)
}

/// The algorithm with these parameters, if keys can have it.
fn checked(params: &AnyParams) -> Result<Box<dyn Algorithm>, Error> {
    params.loss().unwrap_or_default().of_any_label()?;
    let mut algorithm = params.build()?;
    let n_targets = algorithm.facts().n_targets;
    if n_targets != 1 {
        let (name, expected) = ("n_targets", "1 in a model of keys");
        return Err(Error::parameter(name, expected, n_targets as f64));
    }
    if algorithm.check_capacity(usize::MAX).is_err() {
        let algorithm = params.name();
        return Err(Error::LimitedRows { algorithm });
    }
    if let Some(scores) = algorithm.scores_mut() {
        scores.turn_off();
    }
    Ok(algorithm)
}
