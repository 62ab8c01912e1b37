//! The class of models by key.

mod keys;
mod merge;
mod one_row;
mod params;
mod rows;

use std::cell::RefCell;

use numpy::{PyArray1, PyArrayMethods};
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyList};

use super::late::{self, Ticket};
use super::learner::Learner;
use super::schema::{self, Column};
use super::training_batch::Batch;
use super::{arrays, intervals};
use crate::keyed::Key;
use keys::PyKey;
pub(super) use keys::to_py;
use rows::Score;

type Core = crate::keyed::Keyed;

#[doc = include_str!("../docs/Keyed.txt")]
#[pyclass(module = "nystream._core", frozen, weakref)]
pub(super) struct Keyed {
    /// Locked by one thread at a time, which may lock it again in a signal handler.
    core: ReentrantMutex<RefCell<Core>>,
}

impl From<Core> for Keyed {
    fn from(core: Core) -> Self {
        let core = ReentrantMutex::new(RefCell::new(core));
        Self { core }
    }
}

impl Keyed {
    fn lock(&self, py: Python<'_>) -> ReentrantMutexGuard<'_, RefCell<Core>> {
        self.core.lock_py_attached(py)
    }

    fn takes_tables(&self, py: Python<'_>) -> bool {
        self.lock(py).borrow().takes_tables()
    }

    /// Predicts and learns many rows, whose labels are known after `delay` more.
    fn learn(
        &self,
        keys: &Bound<'_, PyAny>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        delay: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<f64>> {
        let (py, delay) = (X.py(), late::delay(delay)?);
        let (owned, y) = (keys::many(keys)?, arrays::vector("y", y)?);
        let X = Batch::new(X, self.takes_tables(py))?;
        let (y, keys) = (y.try_readonly()?, borrowed(&owned));
        rows::learn(py, (&self.core, delay), &keys, &X, y.as_slice()?)
    }
}

/// Keys that borrow the strings of others.
fn borrowed(keys: &[PyKey]) -> Vec<Key<'_>> {
    keys.iter().map(PyKey::as_key).collect()
}

#[pymethods]
impl Keyed {
    #[new]
    #[pyo3(
        signature = (model, *, shared=None, max_keys=None, store=None),
        text_signature = "(model, *, shared=True, max_keys=None, store=None)"
    )]
    fn new(
        model: &Bound<'_, PyAny>,
        shared: Option<&Bound<'_, PyAny>>,
        max_keys: Option<&Bound<'_, PyAny>>,
        store: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Core::new(params::of(model, shared, max_keys, store)?)?.into())
    }

    /// The prediction for one row of a key: that of the shared model for a new key, or 0 without one. Changes nothing.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Keyed(nystream.LinearRls()).predict_one("a", [0.1, 0.2])
    /// 0.0
    fn predict_one(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
    ) -> PyResult<f64> {
        let key = keys::one("key", key)?;
        one_row::predict(py, &self.core, key.as_key(), x)
    }

    #[doc = include_str!("../docs/keyed_learn_one.txt")]
    fn learn_one(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (key, y) = (keys::one("key", key)?, arrays::number("y", y)?);
        one_row::learn(py, &self.core, (key.as_key(), x), y)
    }

    #[doc = include_str!("../docs/keyed_predict_many.txt")]
    fn predict_many<'py>(
        &self,
        keys: &Bound<'py, PyAny>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (py, owned) = (X.py(), keys::many(keys)?);
        let (X, keys) = (Batch::new(X, self.takes_tables(py))?, borrowed(&owned));
        let yhat = rows::score(py, &self.core, &keys, &X, Score::Prediction)?;
        Ok(PyArray1::from_vec(py, yhat))
    }

    #[doc = include_str!("../docs/keyed_learn_many.txt")]
    #[pyo3(
        signature = (keys, X, y, *, delay=None),
        text_signature = "($self, keys, X, y, *, delay=0)"
    )]
    fn learn_many(
        &self,
        keys: &Bound<'_, PyAny>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        delay: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.learn(keys, X, y, delay).map(drop)
    }

    #[doc = include_str!("../docs/keyed_progressive.txt")]
    #[pyo3(
        signature = (keys, X, y, *, delay=None),
        text_signature = "($self, keys, X, y, *, delay=0)"
    )]
    fn progressive<'py>(
        &self,
        keys: &Bound<'py, PyAny>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        delay: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(X.py(), self.learn(keys, X, y, delay)?))
    }

    #[doc = include_str!("../docs/keyed_ask.txt")]
    #[pyo3(signature = (key, x, level=None))]
    fn ask(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        x: &Bound<'_, PyAny>,
        level: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Ticket> {
        let key = keys::one("key", key)?;
        let level = level.map(|level| arrays::number("level", level));
        one_row::ask(py, &self.core, (key.as_key(), x), level.transpose()?)
    }

    #[doc = include_str!("../docs/keyed_answer.txt")]
    fn answer(
        &self,
        py: Python<'_>,
        ticket: &Bound<'_, Ticket>,
        y: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let y = arrays::number("y", y)?;
        one_row::answer(py, &self.core, ticket.get(), y)
    }

    #[doc = include_str!("../docs/keyed_learn_pending.txt")]
    fn learn_pending(&self, py: Python<'_>) -> PyResult<()> {
        Ok(self.lock(py).borrow_mut().learn_pending()?)
    }

    #[doc = include_str!("../docs/keyed_n_pending.txt")]
    #[getter]
    fn n_pending(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().n_pending()
    }

    #[doc = include_str!("../docs/keyed_predict_interval.txt")]
    #[pyo3(signature = (keys, X, level=None), text_signature = "($self, keys, X, level=0.9)")]
    fn predict_interval<'py>(
        &self,
        keys: &Bound<'py, PyAny>,
        X: &Bound<'py, PyAny>,
        level: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = X.py();
        let level = level.map_or(Ok(0.9), |level| arrays::number("level", level))?;
        let is_row = arrays::is_row(X) || one_row::of_table(py, &self.core, "X", X)?.is_some();
        if is_row {
            let key = keys::one("keys", keys)?;
            let ends = one_row::interval(py, &self.core, (key.as_key(), X), level)?;
            return intervals::of_row(py, ends, 1);
        }
        let owned = keys::many(keys)?;
        let (X, keys) = (Batch::new(X, self.takes_tables(py))?, borrowed(&owned));
        let ends = rows::score(py, &self.core, &keys, &X, Score::Interval(level))?;
        intervals::of_rows(py, ends, Some(keys.len()), 1)
    }

    #[doc = include_str!("../docs/keyed_keys.txt")]
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let guard = self.lock(py);
        let keyed = guard.borrow();
        let keys = keyed.keys().map(|key| to_py(py, key));
        PyList::new(py, keys.collect::<PyResult<Vec<_>>>()?)
    }

    #[doc = include_str!("../docs/keyed_model.txt")]
    fn model<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let key = keys::one("key", key)?;
        let model = self.lock(py).borrow().model(key.as_key())?;
        Learner::wrap(py, model, None)
    }

    #[doc = include_str!("../docs/keyed_shared.txt")]
    #[getter]
    fn shared<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let shared = self.lock(py).borrow().shared_model()?;
        shared
            .map(|model| Learner::wrap(py, model, None))
            .transpose()
    }

    #[doc = include_str!("../docs/keyed_insert.txt")]
    fn insert(
        &self,
        py: Python<'_>,
        key: &Bound<'_, PyAny>,
        model: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let key = keys::one("key", key)?;
        let wrong = || arrays::wrong_type("model", "a learner", model);
        let learner = model.cast::<Learner>().map_err(|_| wrong())?.get().copy(py);
        Ok(self.lock(py).borrow_mut().insert(key.as_key(), &learner)?)
    }

    #[doc = include_str!("../docs/keyed_subset.txt")]
    fn subset(&self, py: Python<'_>, keys: &Bound<'_, PyAny>) -> PyResult<Self> {
        let owned = keys::many(keys)?;
        let keys = borrowed(&owned);
        let some = py.detach(|| self.core.lock().borrow().subset(&keys))?;
        Ok(some.into())
    }

    #[doc = include_str!("../docs/keyed_merge.txt")]
    #[staticmethod]
    fn merge(py: Python<'_>, models: &Bound<'_, PyAny>) -> PyResult<Self> {
        merge::merge(py, models).map(Self::from)
    }

    #[doc = include_str!("../docs/keyed_drop.txt")]
    fn drop(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let key = keys::one("key", key)?;
        Ok(self.lock(py).borrow_mut().drop_key(key.as_key())?)
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        let key = keys::one("key", key)?;
        Ok(self.lock(py).borrow().contains(key.as_key()))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().len()
    }

    /// Number of rows learned, of all keys.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Keyed(nystream.LinearRls()).n_seen
    /// 0
    #[getter]
    fn n_seen(&self, py: Python<'_>) -> u64 {
        self.lock(py).borrow().n_seen()
    }

    #[doc = include_str!("../docs/keyed_n_features.txt")]
    #[getter]
    fn n_features(&self, py: Python<'_>) -> Option<usize> {
        self.lock(py).borrow().n_features()
    }

    /// Names of the features, if the rows learned first had them; otherwise None.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Keyed(nystream.LinearRls()).feature_names is None
    /// True
    #[getter]
    fn feature_names(&self, py: Python<'_>) -> Option<Vec<String>> {
        let guard = self.lock(py);
        let keyed = guard.borrow();
        keyed.names().get().map(<[String]>::to_vec)
    }

    #[doc = include_str!("../docs/keyed_schema.txt")]
    #[getter]
    fn schema(&self, py: Python<'_>) -> Option<Vec<Column>> {
        let guard = self.lock(py);
        let keyed = guard.borrow();
        keyed.columns().map(schema::of)
    }

    #[doc = include_str!("../docs/keyed_nbytes.txt")]
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().nbytes()
    }

    /// The parameters, as a new dict.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Keyed(nystream.LinearRls(), max_keys=1000).params["max_keys"]
    /// 1000
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        params::to_dict(py, self.lock(py).borrow().params())
    }

    #[doc = include_str!("../docs/keyed_to_bytes.txt")]
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.core.lock().borrow().to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[doc = include_str!("../docs/keyed_from_bytes.txt")]
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bytes = arrays::bytes("data", data)?;
        Ok(py.detach(|| Core::from_bytes(&bytes))?.into())
    }

    #[doc = include_str!("../docs/keyed_save.txt")]
    fn save(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let path = arrays::path("path", path)?;
        Ok(py.detach(|| self.core.lock().borrow().save(&path))?)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = slf.get_type().getattr("from_bytes")?;
        Ok((restore, (slf.get().to_bytes(slf.py())?,)))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(super::params::no_state(slf))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let model = self.params(py)?.as_any().get_item("model")?.repr()?;
        let guard = self.lock(py);
        let keyed = guard.borrow();
        let counted = |n: u64, what| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (keys, rows) = (
            counted(keyed.len() as u64, "key"),
            counted(keyed.n_seen(), "row"),
        );
        Ok(format!("<nystream.Keyed: {model}, {keys}, {rows}>"))
    }
}
