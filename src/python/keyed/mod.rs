//! The class of models by key.

mod keys;
mod rows;

use std::cell::RefCell;

use numpy::{PyArray1, PyArrayMethods};
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBool, PyBytes, PyDict, PyList};

use super::learner::Learner;
use super::{arrays, front, intervals, params};
use crate::algorithms::AnyParams;
use crate::data::Rows;
use crate::keyed::{Key, KeyedParams, Writing};
use keys::PyKey;

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

    /// Predicts and learns many rows.
    fn learn(
        &self,
        keys: &Bound<'_, PyAny>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
    ) -> PyResult<Vec<f64>> {
        let (py, owned) = (X.py(), keys::many(keys)?);
        let (y, (X, names)) = (arrays::vector("y", y)?, arrays::rows("X", X)?);
        let (y, keys) = (y.try_readonly()?, borrowed(&owned));
        rows::learn(py, &self.core, &keys, (&X, &names), y.as_slice()?)
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
        let model = front::params_of_numbers("model", model)?;
        let params = KeyedParams {
            shared: shared_params(&model, shared)?,
            model,
            max_keys: max_keys.map(|n| arrays::count("max_keys", n)).transpose()?,
            store: store.map(|path| arrays::path("store", path)).transpose()?,
        };
        Ok(Core::new(params)?.into())
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
        let (key, (x, names)) = (keys::one("key", key)?, arrays::row("x", x)?);
        let (guard, x) = (self.lock(py), x.try_readonly()?);
        let keyed = guard.borrow();
        keyed.check_names("x", &names)?;
        Ok(keyed.predict_row(key.as_key(), x.as_slice()?)?)
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
        let (x, names) = arrays::row("x", x)?;
        let (guard, x) = (self.lock(py), x.try_readonly()?);
        let mut keyed = guard.borrow_mut();
        keyed.check_names("x", &names)?;
        let is_first = keyed.n_seen() == 0;
        keyed.learn_row(key.as_key(), x.as_slice()?, y)?;
        if is_first {
            keyed.name_features(names);
        }
        Ok(())
    }

    #[doc = include_str!("../docs/keyed_predict_many.txt")]
    fn predict_many<'py>(
        &self,
        keys: &Bound<'py, PyAny>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let (py, owned) = (X.py(), keys::many(keys)?);
        let (X, names) = arrays::rows("X", X)?;
        let keys = borrowed(&owned);
        let yhat = rows::score(py, &self.core, &keys, (&X, &names), (1, Core::predict_rows))?;
        Ok(PyArray1::from_vec(py, yhat))
    }

    #[doc = include_str!("../docs/keyed_learn_many.txt")]
    fn learn_many(
        &self,
        keys: &Bound<'_, PyAny>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.learn(keys, X, y).map(drop)
    }

    #[doc = include_str!("../docs/keyed_progressive.txt")]
    fn progressive<'py>(
        &self,
        keys: &Bound<'py, PyAny>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_vec(X.py(), self.learn(keys, X, y)?))
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
        if arrays::is_row(X) {
            let (key, (x, names)) = (keys::one("keys", keys)?, arrays::row("X", X)?);
            let (guard, x) = (self.lock(py), x.try_readonly()?);
            let keyed = guard.borrow();
            keyed.check_names("X", &names)?;
            let rows = Rows::named("X", x.as_slice()?, x.as_slice()?.len())?;
            let ends = keyed.predict_intervals(&[key.as_key()], &rows, level)?;
            return intervals::of_row(py, ends, 1);
        }
        let (owned, (X, names)) = (keys::many(keys)?, arrays::rows("X", X)?);
        let keys = borrowed(&owned);
        let score = |keyed: &Core, keys: &[Key<'_>], rows: &Rows<'_>| {
            keyed.predict_intervals(keys, rows, level)
        };
        let ends = rows::score(py, &self.core, &keys, (&X, &names), (2, score))?;
        intervals::of_rows(py, ends, Some(keys.len()), 1)
    }

    #[doc = include_str!("../docs/keyed_keys.txt")]
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let guard = self.lock(py);
        let keyed = guard.borrow();
        let keys = keyed.keys().map(|key| match key {
            Key::Int(key) => Ok(key.into_pyobject(py)?.into_any()),
            Key::Text(key) => Ok(key.into_pyobject(py)?.into_any()),
        });
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

    #[doc = include_str!("../docs/keyed_nbytes.txt")]
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> usize {
        py.detach(|| self.core.lock().borrow().nbytes())
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
        let guard = self.lock(py);
        let keyed = guard.borrow();
        let (own, params) = (keyed.params(), PyDict::new(py));
        params.set_item("model", params::object(py, &own.model)?)?;
        let shared = own.shared.as_ref().map(|shared| params::object(py, shared));
        params.set_item("shared", shared.transpose()?)?;
        params.set_item("max_keys", own.max_keys)?;
        params.set_item("store", own.store.clone())?;
        Ok(params)
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

    /// Writes what ``save`` does to a file that is open, piece by piece: others may ask for predictions in between.
    fn _write_to(&self, file: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, mut writing, mut bytes) = (file.py(), Writing::default(), Vec::new());
        while py.detach(|| writing.next(&self.core.lock().borrow(), &mut bytes))? {
            file.call_method1(intern!(py, "write"), (PyBytes::new(py, &bytes),))?;
        }
        Ok(())
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = slf.get_type().getattr("from_bytes")?;
        Ok((restore, (slf.get().to_bytes(slf.py())?,)))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(params::no_state(slf))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let params = self.params(py)?;
        let shown =
            |name: &str| Ok::<_, PyErr>(params.as_any().get_item(name)?.repr()?.to_string());
        let (model, n_keys) = (shown("model")?, self.lock(py).borrow().len());
        let keys = if n_keys == 1 { "key" } else { "keys" };
        Ok(format!("<nystream.Keyed: {model}, {n_keys} {keys}>"))
    }
}

/// The parameters of the shared model: those of the keys' own unless they are given; none for False.
fn shared_params(
    model: &AnyParams,
    shared: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<AnyParams>> {
    match shared.map(|shared| (shared, shared.cast::<PyBool>())) {
        None => Ok(Some(model.clone())),
        Some((_, Ok(flag))) => Ok(flag.is_true().then(|| model.clone())),
        Some((given, Err(_))) => front::params_of_numbers("shared", given).map(Some),
    }
}
