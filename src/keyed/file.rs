//! Models by key as bytes and files.

use std::path::Path;

use serde_json::{Value, json};

use super::own::{Bench, Own};
use super::trust::Trust;
use super::{Key, KeyBuf, Keyed, KeyedParams, Slot};
use crate::columns::{put_texts, texts};
use crate::error::Error;
use crate::persist::{State, index, model_file, whole};
use crate::runtime::memory::zeros;

/// The factor between the two halves of an integer, each of which float64 holds exactly.
const HALF: i64 = 1 << 32;

impl Keyed {
    /// Everything as bytes, the models on the disk, too. [`from_bytes`](Self::from_bytes) makes of them what goes on bit
    /// for bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut state = State::default();
        let content = self.content(&mut state)?;
        model_file::to_bytes(content, &state)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) has written.
    ///
    /// ```
    /// use nystream::LinearRlsParams;
    /// use nystream::keyed::{Key, Keyed, KeyedParams};
    ///
    /// let mut keyed = Keyed::new(KeyedParams::new(LinearRlsParams::default()))?;
    /// keyed.learn_row(Key::from("a"), &[0.5], 1.0)?;
    /// let again = Keyed::from_bytes(&keyed.to_bytes()?)?;
    /// let key = Key::from("a");
    /// assert_eq!(again.predict_row(key, &[0.4])?, keyed.predict_row(key, &[0.4])?);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let (content, state) = model_file::from_bytes(bytes)?;
        Self::from_content(content, &state)
    }

    /// Writes everything to a file, whole or not at all: a checkpoint that needs no other file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        model_file::save(path.as_ref(), &self.to_bytes()?)
    }

    /// Reads what [`save`](Self::save) has written.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        model_file::load(path.as_ref(), Self::from_bytes)
    }

    /// The JSON content of the model file; the arrays go into `state`.
    fn content(&self, state: &mut State) -> Result<Value, Error> {
        let mut params = serde_json::to_value(&self.params).map_err(Error::model_file)?;
        state.take_arrays(&mut params["model"]);
        if let Some(shared) = &self.shared {
            state.nest("shared", |state| {
                state.take_arrays(&mut params["shared"]);
                shared.save(state);
            });
        }
        self.trust.save(state);
        state.nest("errors", |state| self.scores.save(state));
        put_keys(state, self.keys());
        self.put_slots(state)?;
        Ok(json!({
            "keyed": params,
            "n_features": self.n_features,
            "n_seen": self.n_seen,
            "feature_names": self.names,
        }))
    }

    fn put_slots(&self, state: &mut State) -> Result<(), Error> {
        let of = |number: fn(&Slot) -> f64| self.slots.values().map(number).collect::<Vec<f64>>();
        state.put("ages", of(|slot| slot.age as f64));
        state.put("means", of(|slot| slot.mean));
        state.put("squares", of(|slot| slot.errors));
        state.put("used", of(|slot| slot.used as f64));
        let (mut bytes, mut lengths) = (Vec::new(), Vec::with_capacity(self.slots.len()));
        for slot in self.slots.values() {
            let start = bytes.len();
            slot.own.encode_onto(&mut bytes, &self.overflow)?;
            lengths.push(bytes.len() - start);
        }
        state.put_bytes("models", &bytes);
        state.put_indices("lengths", &lengths);
        Ok(())
    }

    pub(crate) fn from_content(mut content: Value, state: &State) -> Result<Self, Error> {
        let Some(params) = content.get_mut("keyed") else {
            let problem = "it holds a learner or a scorer, not models by key";
            return Err(Error::model_file(problem));
        };
        let shared = state.inner("shared");
        for (name, state) in [("model", state), ("shared", &shared)] {
            state.give_arrays(&mut params[name]);
        }
        let params: KeyedParams = model_file::field(&mut content, "keyed")?;
        let mut keyed = Self::new(params)?;
        if let Some(own) = &mut keyed.shared {
            own.load(&shared)?;
        }
        keyed.trust = Trust::load(state)?;
        keyed.scores.load(&state.inner("errors"))?;
        keyed.n_features = model_file::field(&mut content, "n_features")?;
        keyed.n_seen = model_file::field(&mut content, "n_seen")?;
        keyed.names = model_file::field(&mut content, "feature_names")?;
        keyed.names.check_count(keyed.n_features)?;
        keyed.load_slots(state)?;
        keyed.find_in_memory();
        keyed.check_file()?;
        Ok(keyed)
    }

    fn load_slots(&mut self, state: &State) -> Result<(), Error> {
        let keys = load_keys(state)?;
        let vector = |name: &str| state.vector(name, keys.len());
        let (ages, used) = (vector("ages")?, vector("used")?);
        let (means, errors) = (vector("means")?, vector("squares")?);
        let (models, lengths) = (state.bytes("models")?, vector("lengths")?);
        let (mut bench, mut rest) = (Bench::new(&*self.template), &*models);
        for (i, key) in keys.into_iter().enumerate() {
            let len = index(lengths[i], 0..rest.len() + 1).ok_or_else(|| wrong("lengths"))?;
            let (bytes, after) = rest.split_at(len);
            let slot = Slot {
                own: if len == 0 {
                    Own::Fresh
                } else {
                    bench.decode(bytes)?
                },
                age: whole(ages[i]).ok_or_else(|| wrong("ages"))?,
                mean: means[i],
                errors: Some(errors[i])
                    .filter(|e| *e >= 0.0)
                    .ok_or_else(|| wrong("squares"))?,
                used: whole(used[i]).ok_or_else(|| wrong("used"))?,
            };
            rest = after;
            if self.slots.insert(key, slot).is_some() {
                return Err(Error::model_file("its keys should differ"));
            }
        }
        self.slots.shrink_to_fit();
        Ok(())
    }

    /// Refuses models of other rows, which would be read out of step, and numbers so large that predictions are not
    /// finite.
    fn check_file(&self) -> Result<(), Error> {
        let Some(width) = self.n_features.filter(|_| !self.slots.is_empty()) else {
            return Ok(());
        };
        let mut bench = Bench::new(&*self.template);
        let zeros = zeros(width, || format!("rows of {width} features"))?;
        for (key, slot) in &self.slots {
            let mut place = Own::Fresh;
            let model = bench.read(&slot.own, &self.overflow, &mut place)?;
            let fits = model.facts().n_features.is_none_or(|n| n == width);
            let mut yhat = [f64::NAN];
            if fits {
                model.predict_into(&zeros, &mut yhat);
            }
            if !yhat[0].is_finite() {
                let problem = format!("the model of the key {} is out of range", key.as_key());
                return Err(Error::model_file(problem));
            }
        }
        Ok(())
    }
}

/// Stores keys: kinds, texts, and integers in two halves.
fn put_keys<'a>(state: &mut State, keys: impl Iterator<Item = Key<'a>>) {
    let (mut is_text, mut halves, mut all) = (Vec::new(), Vec::new(), Vec::new());
    for key in keys {
        is_text.push(usize::from(matches!(key, Key::Text(_))));
        match key {
            Key::Text(text) => all.push(text),
            Key::Int(int) => halves.extend([int.div_euclid(HALF), int.rem_euclid(HALF)]),
        }
    }
    state.put_indices("keys_are_texts", &is_text);
    let halves: Vec<f64> = halves.into_iter().map(|half| half as f64).collect();
    state.put("keys_ints", halves);
    put_texts(state, "keys", all.into_iter().map(Into::into));
}

/// Reads what [`put_keys`] has stored.
fn load_keys(state: &State) -> Result<Vec<KeyBuf>, Error> {
    let halves = state.any_vector("keys_ints")?;
    let (mut halves, mut texts) = (
        halves.as_chunks::<2>().0.iter(),
        texts(state, "keys")?.into_iter(),
    );
    let key = |is_text: f64| match is_text {
        1.0 => texts.next().map(|text| KeyBuf::Text(text.into())),
        _ => halves.next().and_then(int).map(KeyBuf::Int),
    };
    let kinds = state.any_vector("keys_are_texts")?;
    let keys: Option<Vec<KeyBuf>> = kinds.into_iter().map(key).collect();
    keys.ok_or_else(|| wrong("keys"))
}

/// The integer of two halves.
#[allow(clippy::cast_possible_truncation, reason = "whole numbers below 2^32")]
fn int([high, low]: &[f64; 2]) -> Option<i64> {
    let is_half = |half: f64| half.fract() == 0.0 && (0.0..HALF as f64).contains(&half);
    let fits = is_half(*low) && is_half(*high + (HALF / 2) as f64);
    fits.then(|| (*high as i64) * HALF + *low as i64)
}

fn wrong(name: &str) -> Error {
    Error::model_file(format!("{name} should be those of keys"))
}
