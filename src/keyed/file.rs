//! Models by key as bytes and files.
//!
//! A file begins with [`MAGIC`]. Then comes a part that is a model file like any other, with what all keys have in common;
//! then the number of keys, a record for each, and the SHA-256 of all that. Keys are written and read one after the
//! other, so that a file takes no memory beside the models themselves.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::own::{Bench, Own};
use super::record::{self, Record};
use super::trust::Trust;
use super::widen::width_of;
use super::{Key, KeyBuf, Keyed, KeyedParams, Overflow};
use crate::algorithms::Algorithm;
use crate::columns::{put_texts, texts};
use crate::error::Error;
use crate::learner::Encoding;
use crate::persist::{State, model_file};
use crate::runtime::memory::zeros;

/// The first bytes of a file, which end with the version of its format.
const MAGIC: &[u8; 16] = b"nystream keys 1\n";

/// The first bytes of a file of models with columns, or of rows that wait for their labels.
const MAGIC_2: &[u8; 16] = b"nystream keys 2\n";

/// Number of first bytes that every version has.
const KIND: usize = MAGIC.len() - 2;

/// Number of models that go to the disk together.
const TOGETHER: usize = 1024;

impl Keyed {
    /// Everything as bytes, the models on the disk, too. [`from_bytes`](Self::from_bytes) makes of them what goes on bit
    /// for bit.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        let written = self.write(&mut bytes);
        written.map_err(|error| model_file::own(error, |error| Error::model_file(error)))?;
        Ok(bytes)
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
        Self::read(bytes)
    }

    /// Writes everything to a file, whole or not at all: a checkpoint that needs no other file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        model_file::save_with(path.as_ref(), |file| {
            let mut out = BufWriter::new(file);
            self.write(&mut out)?;
            out.flush()
        })
    }

    /// Reads what [`save`](Self::save) has written.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|error| Error::io(path, &error))?;
        Self::read(BufReader::new(file)).map_err(|error| model_file::in_file(path, error))
    }

    /// Returns true if a file begins like one with models by key. A pipe, which can be read only once, never does.
    #[cfg(feature = "python")]
    pub(crate) fn is_in(path: &Path) -> bool {
        let mut start = [0; MAGIC.len()];
        let is_file = path.metadata().is_ok_and(|found| found.is_file());
        let mut read = || File::open(path).and_then(|mut file| file.read_exact(&mut start));
        is_file && read().is_ok() && start[..KIND] == MAGIC[..KIND]
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut out = Digesting::new(out);
        let head = self.head().map_err(io::Error::other)?;
        out.write_all(if self.is_of_format_2() {
            MAGIC_2
        } else {
            MAGIC
        })?;
        out.write_all(&(head.len() as u64).to_le_bytes())?;
        out.write_all(&head)?;
        out.write_all(&(self.slots.len() as u64).to_le_bytes())?;
        for (key, slot) in &self.slots {
            record::write(&mut out, key.as_key(), slot, &self.overflow)?;
        }
        let digest = out.digest();
        out.write_all(&digest)
    }

    fn read(file: impl Read) -> Result<Self, Error> {
        let mut file = Digesting::new(file);
        check_start(record::number(&mut file)?)?;
        let mut keyed = Self::from_head(&record::part(&mut file)?)?;
        let n_keys = u64::from_le_bytes(record::number(&mut file)?);
        keyed.add_slots((0..n_keys).map(|_| record::read(&mut file)))?;
        let expected = file.digest();
        if record::number(&mut file)? != expected || !matches!(file.read(&mut [0]), Ok(0)) {
            let problem = "its checksum is wrong: the file was damaged or changed by hand";
            return Err(Error::model_file(problem));
        }
        Ok(keyed)
    }

    /// What all keys have in common, as a model file.
    fn head(&self) -> Result<Vec<u8>, Error> {
        let mut state = State::default();
        let mut params = serde_json::to_value(&self.params).map_err(Error::model_file)?;
        state.take_arrays(&mut params["model"]);
        if let Some(shared) = &self.shared {
            state.nest("shared", |state| {
                state.take_arrays(&mut params["shared"]);
                shared.save(state);
            });
        }
        self.trust.save(&mut state);
        state.nest("errors", |state| self.scores.save(state));
        let mut content = json!({
            "keyed": params,
            "n_features": self.n_features,
            "n_seen": self.n_seen,
            "feature_names": self.names,
        });
        if let Some(encoding) = &self.encoding {
            content["columns"] = encoding.save(&mut state)?;
            let text = |key: &Option<KeyBuf>| key.as_ref().map(KeyBuf::to_text);
            let first = self
                .first_keys
                .iter()
                .map(|key| text(key).unwrap_or_default());
            put_texts(&mut state, "first_keys", first.map(Cow::Owned));
        }
        self.save_pending(&mut state);
        model_file::to_bytes(content, &state)
    }

    /// A copy without the keys.
    pub(super) fn without_keys(&self) -> Result<Self, Error> {
        Self::from_head(&self.head()?)
    }

    fn from_head(bytes: &[u8]) -> Result<Self, Error> {
        let (mut content, state) = model_file::from_bytes(bytes)?;
        let shared = state.inner("shared");
        if let Some(params) = content.get_mut("keyed").filter(|params| params.is_object()) {
            state.give_arrays(&mut params["model"]);
            shared.give_arrays(&mut params["shared"]);
        }
        let params: KeyedParams = model_file::field(&mut content, "keyed")?;
        let mut keyed = Self::new(params)?;
        if let Some(own) = &mut keyed.shared {
            own.load(&shared)?;
        }
        keyed.trust = Trust::load(&state)?;
        keyed.scores.load(&state.inner("errors"))?;
        keyed.n_features = model_file::field::<Option<usize>>(&mut content, "n_features")?;
        keyed.n_seen = model_file::field::<u64>(&mut content, "n_seen")?;
        keyed.names = model_file::field(&mut content, "feature_names")?;
        keyed.names.check_count(keyed.n_features)?;
        if keyed.takes_tables() {
            keyed.load_columns(model_file::field(&mut content, "columns")?, &state)?;
        }
        keyed.load_pending(&state)?;
        keyed.check_shared()?;
        Ok(keyed)
    }

    /// Returns true if versions that read the first format alone cannot go on from a file.
    fn is_of_format_2(&self) -> bool {
        self.takes_tables() || !self.pending.is_empty()
    }

    /// Reads the columns, and the keys of the rows that may be learned again.
    fn load_columns(&mut self, content: Value, state: &State) -> Result<(), Error> {
        let wrong = || Error::model_file("its columns and its keys disagree");
        let encoding = Encoding::load(content, 1, state)?;
        let expected = self.encoding().map_err(|_| wrong())?.columns.settings();
        let width = self.n_features.filter(|_| self.n_seen > 0);
        if encoding.columns.settings() != expected || width != width.map(|_| encoding.width()) {
            return Err(wrong());
        }
        for text in texts(state, "first_keys")? {
            let key = KeyBuf::of_text(&text);
            if key.is_none() && !text.is_empty() {
                return Err(wrong());
            }
            self.first_keys.push(key);
        }
        let n_first = encoding.columns.n_learned();
        if !encoding.columns.is_settled() && self.first_keys.len() as u64 != n_first {
            return Err(wrong());
        }
        self.encoding = Some(Box::new(encoding));
        self.widened_at = self.n_seen;
        Ok(())
    }

    /// Adds keys with what belongs to them. Models beyond the limit of those in memory go to the disk at once.
    pub(super) fn add_slots(
        &mut self,
        records: impl Iterator<Item = Result<Record, Error>>,
    ) -> Result<(), Error> {
        let max_keys = self.params.max_keys.unwrap_or(usize::MAX);
        let zeros = zeros(self.n_features.unwrap_or(0), || "a row".to_owned())?;
        let (mut bench, mut beyond) = (Bench::new(&*self.template), Vec::new());
        for record in records {
            let Record {
                key,
                mut slot,
                model,
            } = record?;
            if !model.is_empty() {
                slot.own = bench.decode(&model)?;
                bench.check(&slot.own, (&zeros, self.takes_tables()), key.as_key())?;
            }
            if slot.own.is_in_memory() && self.slots.len() >= max_keys {
                slot.own = Own::Fresh;
                beyond.push((self.slots.len(), model));
            }
            if self.slots.insert(key, slot).is_some() {
                return Err(Error::model_file("its keys should differ"));
            }
            if beyond.len() == TOGETHER {
                self.store(std::mem::take(&mut beyond))?;
            }
        }
        self.store(beyond)?;
        self.find_in_memory();
        Ok(())
    }

    /// Writes the models of slots to the disk.
    fn store(&mut self, models: Vec<(usize, Vec<u8>)>) -> Result<(), Error> {
        let (slots, models): (Vec<usize>, Vec<Vec<u8>>) = models.into_iter().unzip();
        for (slot, place) in slots.into_iter().zip(self.overflow.append(&models)?) {
            self.slots[slot].own = Own::Stored(place);
        }
        Ok(())
    }

    /// Refuses a shared model of other rows than the keys', or one whose predictions are not finite.
    fn check_shared(&self) -> Result<(), Error> {
        let (Some(shared), Some(width)) = (&self.shared, self.n_features) else {
            return Ok(());
        };
        let zeros = zeros(width, || format!("a row of {width} features"))?;
        if predicts(&**shared, &zeros, false) {
            return Ok(());
        }
        Err(Error::model_file("its shared model is out of range"))
    }
}

/// Refuses a file that begins like others.
fn check_start(start: [u8; MAGIC.len()]) -> Result<(), Error> {
    if start[..KIND] != MAGIC[..KIND] {
        return Err(Error::model_file("it holds no models by key"));
    }
    if start != *MAGIC && start != *MAGIC_2 {
        let format = String::from_utf8_lossy(&start[KIND..]);
        let reason = format!(
            "its format by key is {}, and this version reads 1 and 2",
            format.trim()
        );
        return Err(Error::model_file(reason));
    }
    Ok(())
}

impl Bench {
    /// Refuses the model of a key that is of other rows than this one, unless it may be of narrower ones, or whose
    /// prediction is not finite.
    fn check(
        &mut self,
        own: &Own,
        (zeros, may_be_narrower): (&[f64], bool),
        key: Key<'_>,
    ) -> Result<(), Error> {
        let (none, mut place) = (Overflow::default(), Own::Fresh);
        if predicts(self.read(own, &none, &mut place)?, zeros, may_be_narrower) {
            return Ok(());
        }
        let problem = format!("the model of the key {key} is out of range");
        Err(Error::model_file(problem))
    }
}

/// Returns true if a model takes this row, or only the first of its features if that may be, and predicts a number.
fn predicts(model: &dyn Algorithm, x: &[f64], may_be_narrower: bool) -> bool {
    let width = width_of(model).unwrap_or(x.len());
    let Some(x) = x
        .get(..width)
        .filter(|some| may_be_narrower || some.len() == x.len())
    else {
        return false;
    };
    let mut yhat = [f64::NAN];
    model.predict_into(x, &mut yhat);
    yhat[0].is_finite()
}

/// A file that is written or read, and the checksum of what has been.
struct Digesting<F> {
    file: F,
    sha256: Sha256,
}

impl<F> Digesting<F> {
    fn new(file: F) -> Self {
        let sha256 = Sha256::new();
        Self { file, sha256 }
    }

    fn digest(&self) -> [u8; 32] {
        self.sha256.clone().finalize().into()
    }
}

impl<F: Write> Write for Digesting<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.sha256.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl<F: Read> Read for Digesting<F> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(bytes)?;
        self.sha256.update(&bytes[..n]);
        Ok(n)
    }
}
