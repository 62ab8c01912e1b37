//! Models by key as bytes and files.
//!
//! A file begins with [`MAGIC`]. Then comes a part that is a model file like any other, with what all keys have in common;
//! then the number of keys, a record for each, and the SHA-256 of all that. Keys are written and read one after the
//! other, so that a file takes no memory beside the models themselves.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;

use serde_json::json;
use sha2::{Digest, Sha256};

use super::own::{Bench, Own};
use super::record::{self, Record};
use super::trust::Trust;
use super::writing::Writing;
use super::{Key, Keyed, KeyedParams, Overflow};
use crate::algorithms::Algorithm;
use crate::error::Error;
use crate::linalg::Panels;
use crate::persist::{State, model_file};
use crate::runtime::memory::zeros;

/// The first bytes of a file, which end with the version of its format.
const MAGIC: &[u8; 16] = b"nystream keys 1\n";

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
        let (mut writing, mut piece) = (Writing::default(), Vec::new());
        while writing.next(self, &mut piece)? {
            out.write_all(&piece)?;
        }
        Ok(())
    }

    /// Writes what comes before the keys.
    pub(super) fn write_start(&self, out: &mut impl Write) -> io::Result<()> {
        let head = self.head().map_err(io::Error::other)?;
        out.write_all(MAGIC)?;
        out.write_all(&(head.len() as u64).to_le_bytes())?;
        out.write_all(&head)?;
        out.write_all(&(self.slots.len() as u64).to_le_bytes())
    }

    fn read(file: impl Read) -> Result<Self, Error> {
        let mut file = Digesting::new(file);
        check_start(record::number(&mut file)?)?;
        let mut keyed = Self::from_head(&record::part(&mut file)?)?;
        let n_keys = u64::from_le_bytes(record::number(&mut file)?);
        keyed.read_slots(n_keys, &mut file)?;
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
        let content = json!({
            "keyed": params,
            "n_features": self.n_features,
            "n_seen": self.n_seen,
            "feature_names": self.names,
        });
        model_file::to_bytes(content, &state)
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
        keyed.check_shared()?;
        Ok(keyed)
    }

    /// Reads the records of keys. Models beyond the limit of those in memory go to the disk at once.
    fn read_slots(&mut self, n_keys: u64, file: &mut impl Read) -> Result<(), Error> {
        let max_keys = self.params.max_keys.unwrap_or(usize::MAX);
        let zeros = zeros(self.n_features.unwrap_or(0), || "a row".to_owned())?;
        let (mut bench, mut beyond) = (Bench::new(&*self.template), Vec::new());
        for i in 0..n_keys {
            let Record {
                key,
                mut slot,
                model,
            } = record::read(file)?;
            if !model.is_empty() {
                slot.own = bench.decode(&model)?;
                bench.check(&slot.own, &zeros, key.as_key())?;
            }
            if slot.own.is_in_memory() && i >= max_keys as u64 {
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
        if predicts(&**shared, &zeros) {
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
    if start != *MAGIC {
        let format = String::from_utf8_lossy(&start[KIND..]);
        let reason = format!(
            "its format by key is {}, and this version reads 1",
            format.trim()
        );
        return Err(Error::model_file(reason));
    }
    Ok(())
}

impl Bench {
    /// Refuses the model of a key that is of other rows than this one, or whose prediction is not finite.
    fn check(&mut self, own: &Own, zeros: &[f64], key: Key<'_>) -> Result<(), Error> {
        let (none, mut place) = (Overflow::default(), Own::Fresh);
        if predicts(self.read(own, &none, &mut place)?, zeros) {
            return Ok(());
        }
        let problem = format!("the model of the key {key} is out of range");
        Err(Error::model_file(problem))
    }
}

/// Returns true if a model takes this row and predicts a number.
fn predicts(model: &dyn Algorithm, x: &[f64]) -> bool {
    let width = model.facts().n_features;
    let rows = model
        .basis()
        .map(|basis| basis.rows)
        .filter(|rows| rows.n_rows() > 0);
    let width = width.or(rows.map(Panels::n_features));
    if width.is_some_and(|width| width != x.len()) {
        return false;
    }
    let mut yhat = [f64::NAN];
    model.predict_into(x, &mut yhat);
    yhat[0].is_finite()
}

/// A file that is read, and the checksum of what has been.
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

impl<F: Read> Read for Digesting<F> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(bytes)?;
        self.sha256.update(&bytes[..n]);
        Ok(n)
    }
}
