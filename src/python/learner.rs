//! The base class of all learners.

use std::cell::RefCell;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyType};

use super::chunks::ScoreRows;
use super::late::{self, Ticket};
use super::schema::{self, Column};
use super::scorer::Scorer;
use super::training_batch::TrainingBatch;
use super::{arrays, chunks, front, intervals, novelty, one_row, params, tables};
use crate::columns::{Columns, Table};
use crate::data::{Number, Rows};
use crate::error::Error;
use crate::learner::Features;
use crate::linalg::Panels;
use crate::persist::model_file;

type Core = crate::Learner;

/// An online learner: sees each row once and predicts it before it learns its label.
///
/// Rows are one-dimensional arrays or lists of numbers, many rows a two-dimensional array with a row for each, or a data
/// frame of pandas, polars or pyarrow, whose columns are remembered by name. Arrays of any layout and of any real dtype
/// give the same answer; float64 and float32 are not copied as a whole. Values that are not finite, or of another width
/// than before, raise ``ValueError`` and change nothing.
///
/// A learner may be used from several threads: calls are carried out one after the other, whole arrays without
/// holding the interpreter's lock. An array must not be written to while a call reads it.
///
/// Learners can be copied and pickled at any time; the copy goes on exactly as the original would.
///
/// Examples
/// --------
/// >>> import nystream
/// >>> model = nystream.NonsAld()
/// >>> isinstance(model, nystream.Learner)
/// True
#[pyclass(module = "nystream._core", frozen, subclass, weakref)]
pub(super) struct Learner {
    /// Locked by one thread at a time, which may lock it again in a signal handler.
    core: ReentrantMutex<RefCell<Core>>,
}

impl Learner {
    fn lock(&self, py: Python<'_>) -> ReentrantMutexGuard<'_, RefCell<Core>> {
        self.core.lock_py_attached(py)
    }

    /// Many rows of a table, if they are that and the learner takes them.
    fn table(&self, py: Python<'_>, X: &Bound<'_, PyAny>) -> PyResult<Option<Arc<Table>>> {
        if !self.lock(py).borrow().takes_tables() {
            return Ok(None);
        }
        tables::table("X", X)
    }

    /// What decides how a batch is read: the number of targets, and whether tables are taken.
    fn shape(&self, py: Python<'_>) -> (usize, bool) {
        let guard = self.lock(py);
        let learner = guard.borrow();
        (learner.n_targets(), learner.takes_tables())
    }

    /// A copy of the learner.
    pub(super) fn copy(&self, py: Python<'_>) -> Core {
        self.lock(py).borrow().copy()
    }

    /// Wraps a learner in its public class, or in this subclass of it.
    pub(super) fn wrap<'py>(
        py: Python<'py>,
        learner: Core,
        class: Option<&Bound<'py, PyType>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (name, kwargs) = front::to_py(py, &learner)?;
        let base = py.get_type::<Self>();
        let facade = params::facade(py, &name)?;
        let class = match class.filter(|class| !class.is(&base)) {
            None => facade,
            Some(class) if class.is_subclass(&facade)? => class.clone().into_any(),
            Some(class) => {
                let asked = class.name()?;
                return Err(PyValueError::new_err(format!(
                    "data should hold a {asked}, but holds a {name}"
                )));
            }
        };
        let object = base.call_method("__new__", (class, name), Some(&kwargs))?;
        object.cast::<Self>()?.get().lock(py).replace(learner);
        Ok(object)
    }
}

impl ScoreRows for ReentrantMutexGuard<'_, RefCell<Core>> {
    fn score_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        self.borrow().predict_rows(rows)
    }

    fn features(&self, table: &Table) -> Result<Features, Error> {
        self.borrow().features(table)
    }

    fn score_features(&self, rows: &Rows<'_>) -> Result<Vec<f64>, Error> {
        self.borrow().predict_features(rows)
    }

    fn values_per_row(&self) -> usize {
        self.borrow().n_targets()
    }
}

#[pymethods]
impl Learner {
    #[new]
    #[pyo3(signature = (algorithm, /, **params))]
    fn new(algorithm: &str, params: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let learner = front::from_py(algorithm, params)?;
        Ok(Self {
            core: ReentrantMutex::new(RefCell::new(learner)),
        })
    }

    #[doc = include_str!("docs/predict_one.txt")]
    fn predict_one<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        one_row::predict(py, &self.core, x)
    }

    #[doc = include_str!("docs/learn_one.txt")]
    #[pyo3(signature = (x, y, sample_weight=None))]
    fn learn_one(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let y = arrays::label("y", y, self.n_targets(py))?;
        let weight = sample_weight.map(|w| arrays::number("sample_weight", w));
        one_row::learn(py, &self.core, (x, &y), weight.transpose()?)
    }

    #[doc = include_str!("docs/predict_many.txt")]
    fn predict_many<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let yhat = if let Some(table) = self.table(py, X)? {
            chunks::score_table(py, &table, || self.core.lock())?
        } else {
            let (X, names) = arrays::rows("X", X)?;
            self.lock(py).borrow().check_names("X", &names)?;
            chunks::score(py, &X, || self.core.lock())?
        };
        chunks::predictions(py, yhat, self.n_targets(py))
    }

    #[doc = include_str!("docs/predict_interval.txt")]
    #[pyo3(signature = (X, level=None), text_signature = "($self, X, level=0.9)")]
    fn predict_interval<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        level: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let level = level.map_or(Ok(0.9), |level| arrays::number("level", level))?;
        intervals::predict(py, &self.core, X, level)
    }

    #[doc = include_str!("docs/n_targets.txt")]
    #[getter]
    fn n_targets(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().n_targets()
    }

    #[doc = include_str!("docs/has_intervals.txt")]
    #[getter]
    fn has_intervals(&self, py: Python<'_>) -> bool {
        self.lock(py).borrow().has_intervals()
    }

    #[doc = include_str!("docs/learn_many.txt")]
    #[pyo3(signature = (X, y, sample_weight=None, *, delay=None), text_signature = "($self, X, y, sample_weight=None, *, delay=0)")]
    fn learn_many(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
        delay: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let delay = late::delay(delay)?;
        let batch = TrainingBatch::new(X, y, sample_weight, self.shape(py))?;
        batch.progressive(py, &self.core, delay)?;
        Ok(())
    }

    #[doc = include_str!("docs/progressive.txt")]
    #[pyo3(signature = (X, y, sample_weight=None, *, delay=None), text_signature = "($self, X, y, sample_weight=None, *, delay=0)")]
    fn progressive<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
        delay: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (shape, delay) = (self.shape(py), late::delay(delay)?);
        let batch = TrainingBatch::new(X, y, sample_weight, shape)?;
        chunks::predictions(py, batch.progressive(py, &self.core, delay)?, shape.0)
    }

    #[doc = include_str!("docs/ask.txt")]
    #[pyo3(signature = (x, level=None))]
    fn ask(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        level: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Ticket> {
        let level = level.map(|level| arrays::number("level", level));
        one_row::ask(py, &self.core, x, level.transpose()?)
    }

    #[doc = include_str!("docs/answer.txt")]
    #[pyo3(signature = (ticket, y, sample_weight=None))]
    fn answer(
        &self,
        py: Python<'_>,
        ticket: &Bound<'_, Ticket>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let y = arrays::label("y", y, self.n_targets(py))?;
        let weight = sample_weight.map(|w| arrays::number("sample_weight", w));
        let (guard, weight) = (self.lock(py), weight.transpose()?);
        let answer = || late::answer(&mut guard.borrow_mut(), ticket.get(), &y, weight);
        schema::warn_after(py, &self.core, answer)
    }

    #[doc = include_str!("docs/learn_pending.txt")]
    fn learn_pending(&self, py: Python<'_>) {
        self.lock(py).borrow_mut().learn_pending();
    }

    #[doc = include_str!("docs/n_pending.txt")]
    #[getter]
    fn n_pending(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().n_pending()
    }

    #[doc = include_str!("docs/widen.txt")]
    fn widen(&self, py: Python<'_>, n_features: &Bound<'_, PyAny>) -> PyResult<()> {
        let n_features = arrays::count("n_features", n_features)?;
        Ok(self.lock(py).borrow_mut().widen(n_features)?)
    }

    #[doc = include_str!("docs/scorer.txt")]
    fn scorer(&self, py: Python<'_>) -> Scorer {
        self.lock(py).borrow().scorer().into()
    }

    #[doc = include_str!("docs/takes_weights.txt")]
    #[getter]
    fn takes_weights(&self, py: Python<'_>) -> bool {
        self.lock(py).borrow().takes_weights()
    }

    #[doc = include_str!("docs/feature_names.txt")]
    #[getter]
    fn feature_names(&self, py: Python<'_>) -> Option<Vec<String>> {
        let guard = self.lock(py);
        let learner = guard.borrow();
        learner.names().get().map(<[String]>::to_vec)
    }

    #[doc = include_str!("docs/schema.txt")]
    #[getter]
    fn schema(&self, py: Python<'_>) -> Option<Vec<Column>> {
        let guard = self.lock(py);
        let learner = guard.borrow();
        learner.columns().map(schema::of)
    }

    /// Leaves out the rows of a table that its columns do not take: the rest, if any are left out, and these rows.
    fn _fit(
        &self,
        py: Python<'_>,
        table: &Bound<'_, tables::Table>,
    ) -> PyResult<(Option<tables::Table>, Vec<schema::Refused>)> {
        schema::fit(self.lock(py).borrow().columns(), table.get())
    }

    /// True if the kinds of all columns are settled, or there are none.
    #[getter]
    fn _is_settled(&self, py: Python<'_>) -> bool {
        let guard = self.lock(py);
        let learner = guard.borrow();
        learner.columns().is_none_or(Columns::is_settled)
    }

    #[doc = include_str!("docs/n_basis.txt")]
    #[getter]
    fn n_basis(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().n_basis()
    }

    /// The experts: kind, width, ridge, forgetting, weights and losses of each.
    fn _experts(&self, py: Python<'_>) -> Vec<Expert> {
        let experts = self.lock(py).borrow().experts();
        let all = experts.into_iter();
        all.map(|e| (e.kind, e.width, e.ridge, e.forgetting, e.weights, e.losses))
            .collect()
    }

    /// The events: row, kind, size and feature of each.
    fn _events(&self, py: Python<'_>) -> Vec<(u64, &'static str, f64, Option<usize>)> {
        let events = self.lock(py).borrow().events().into_iter();
        events.map(|e| (e.row, e.kind, e.size, e.feature)).collect()
    }

    /// How far rows are from all that an ensemble knows.
    fn _novelty<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        novelty::of_rows(py, &self.core, X)
    }

    /// How much each feature matters to an ensemble.
    fn _relevance(&self, py: Python<'_>) -> Vec<f64> {
        self.lock(py).borrow().relevance()
    }

    #[doc = include_str!("docs/nbytes.txt")]
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().nbytes()
    }

    #[doc = include_str!("docs/n_seen.txt")]
    #[getter]
    fn n_seen(&self, py: Python<'_>) -> u64 {
        self.lock(py).borrow().n_seen()
    }

    #[doc = include_str!("docs/n_features.txt")]
    #[getter]
    fn n_features(&self, py: Python<'_>) -> Option<usize> {
        self.lock(py).borrow().n_features()
    }

    #[doc = include_str!("docs/basis.txt")]
    #[getter]
    fn basis<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (rows, shape) = {
            let guard = self.lock(py);
            let learner = guard.borrow();
            let rows = learner.basis().map(Panels::to_vec).unwrap_or_default();
            let n_rows = learner.basis().map_or(0, Panels::n_rows);
            let width = learner.basis().filter(|basis| basis.n_rows() > 0);
            let width = width.map(Panels::n_features).or(learner.n_features());
            (rows, (n_rows, width.unwrap_or(0)))
        };
        PyArray1::from_vec(py, rows).reshape(shape)
    }

    #[doc = include_str!("docs/params.txt")]
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Ok(front::to_py(py, &self.lock(py).borrow())?.1)
    }

    #[doc = include_str!("docs/to_bytes.txt")]
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.lock(py).borrow().to_bytes()?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[doc = include_str!("docs/from_bytes.txt")]
    #[classmethod]
    fn from_bytes<'py>(
        cls: &Bound<'py, PyType>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let learner = Core::from_bytes(&arrays::bytes("data", data)?)?;
        Self::wrap(cls.py(), learner, Some(cls))
    }

    #[doc = include_str!("docs/save.txt")]
    fn save(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let path = arrays::path("path", path)?;
        let bytes = self.lock(py).borrow().to_bytes()?;
        Ok(py.detach(|| model_file::save(&path, &bytes))?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<params::Reduced<'py>> {
        params::reduced(slf, slf.get().to_bytes(slf.py())?)
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(params::no_state(slf))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let shown = front::shown(slf.py(), &slf.get().lock(slf.py()).borrow())?;
        params::repr(slf, &shown)
    }
}

type Expert = (
    &'static str,
    Option<f64>,
    Option<f64>,
    f64,
    Vec<f64>,
    Vec<f64>,
);
