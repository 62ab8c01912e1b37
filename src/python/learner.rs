//! The base class of all learners.

use std::cell::RefCell;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyType};

use super::chunks::Scores;
use super::scorer::Scorer;
use super::training_batch::TrainingBatch;
use super::{arrays, chunks, intervals, params};
use crate::data::{Number, Rows};
use crate::error::Error;
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
    /// One thread at a time, and that thread again when a signal handler of its own asks.
    core: ReentrantMutex<RefCell<Core>>,
}

impl Learner {
    fn lock(&self, py: Python<'_>) -> ReentrantMutexGuard<'_, RefCell<Core>> {
        self.core.lock_py_attached(py)
    }

    /// What it knows now.
    pub(super) fn copy(&self, py: Python<'_>) -> Core {
        self.lock(py).borrow().copy()
    }

    /// A learner of its public class, or of this subclass of it.
    pub(super) fn wrap<'py>(
        py: Python<'py>,
        learner: Core,
        class: Option<&Bound<'py, PyType>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (name, kwargs) = params::to_py(py, learner.params())?;
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

impl Scores for ReentrantMutexGuard<'_, RefCell<Core>> {
    fn score_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        self.borrow().predict_rows(rows)
    }

    fn numbers_per_row(&self) -> usize {
        self.borrow().n_targets()
    }
}

#[pymethods]
impl Learner {
    #[new]
    #[pyo3(signature = (algorithm, /, **params))]
    fn new(algorithm: &str, params: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let params: crate::AnyParams = params::from_py(algorithm, params)?;
        Ok(Self {
            core: ReentrantMutex::new(RefCell::new(Core::new(params)?)),
        })
    }

    /// The prediction for one row, or an array of them if there are several targets. Changes nothing; 0 before anything is
    /// learned.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().predict_one([0.1, 0.2])
    /// 0.0
    fn predict_one<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (x, names) = arrays::row("x", x)?;
        let (guard, x) = (self.lock(py), x.try_readonly()?);
        let learner = guard.borrow();
        learner.check_names("x", &names)?;
        if learner.n_targets() == 1 {
            let yhat = learner.predict_row(x.as_slice()?)?;
            return Ok(PyFloat::new(py, yhat).into_any());
        }
        let yhat = learner.predict_targets(x.as_slice()?)?;
        Ok(chunks::prediction(py, yhat))
    }

    /// Learns one row and its label.
    ///
    /// Parameters
    /// ----------
    /// x
    ///     The row.
    /// y
    ///     Its label, or an array of them if there are several targets.
    /// sample_weight
    ///     How many times the loss of the row counts; with 0 it is not learned. None: once. Learners for which
    ///     ``takes_weights`` is false refuse it.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.learn_one([0.1, 0.2], 0.5)
    /// >>> round(model.predict_one([0.1, 0.2]), 3)
    /// 0.889
    #[pyo3(signature = (x, y, sample_weight=None))]
    fn learn_one(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let n_targets = self.lock(py).borrow().n_targets();
        let y = arrays::label("y", y, n_targets)?;
        let weight = sample_weight.map(|w| arrays::number("sample_weight", w));
        let weight = weight.transpose()?;
        let (x, names) = arrays::row("x", x)?;
        let (guard, x) = (self.lock(py), x.try_readonly()?);
        let mut learner = guard.borrow_mut();
        learner.check_names("x", &names)?;
        let is_first = learner.n_seen() == 0;
        let mut yhat = vec![0.0; n_targets];
        match weight {
            None => learner.learn_targets(x.as_slice()?, &y, &mut yhat)?,
            Some(weight) => {
                learner.learn_weighted_targets(x.as_slice()?, &y, weight, &mut yhat)?;
            }
        }
        if is_first {
            learner.name_features(names);
        }
        Ok(())
    }

    /// The predictions for many rows, by several threads if there are thousands; see ``set_num_threads``. Changes
    /// nothing. If there are several targets, they are the columns.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().predict_many([[0.1, 0.2], [0.3, 0.4]])
    /// array([0., 0.])
    fn predict_many<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (X, names) = arrays::rows("X", X)?;
        self.lock(py).borrow().check_names("X", &names)?;
        let yhat = chunks::score(py, &X, || self.core.lock())?;
        chunks::predictions(py, yhat, self.n_targets(py))
    }

    /// Where the labels of many rows are likely to be: for each row the ends of an interval that holds the label in
    /// ``level`` of all cases. Changes nothing.
    ///
    /// Its middle is the prediction, unless that was clipped. Its length follows how little is known about the row, and how
    /// far the last thousand predictions were off, whatever the reason: so the level is kept on streams that are not as
    /// the model supposes, and, after a thousand rows at most, on those that change. Ends are infinite while there are too
    /// few errors to tell, fewer than 9 for a level of 0.9. For learners by least squares: see ``has_intervals``.
    ///
    /// Parameters
    /// ----------
    /// X
    ///     The rows; or one row, a one-dimensional array.
    /// level
    ///     The part of labels that the intervals should hold, more than 0 and less than 1.
    ///
    /// Returns
    /// -------
    /// intervals
    ///     The two ends, in the last axis: of shape (n, 2) for n rows, (2,) for one row; with several targets, (n, k, 2)
    ///     and (k, 2).
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> X, y = nystream.datasets.friedman(2000)
    /// >>> model = nystream.RidgeAld(nystream.Gaussian(sigma=4.0))
    /// >>> model.learn_many(X[:1000], y[:1000])
    /// >>> low, high = model.predict_interval(X[1000:], level=0.9).T
    /// >>> bool(0.85 < ((low < y[1000:]) & (y[1000:] < high)).mean() < 0.95)
    /// True
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

    /// Number of labels that a row has.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.RidgeAld(n_targets=3).n_targets
    /// 3
    #[getter]
    fn n_targets(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().n_targets()
    }

    /// Whether there is a ``predict_interval``: for learners by least squares.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.RidgeAld().has_intervals, nystream.NonsAld().has_intervals
    /// (True, False)
    #[getter]
    fn has_intervals(&self, py: Python<'_>) -> bool {
        self.lock(py).borrow().has_intervals()
    }

    /// Learns many rows and their labels, in order.
    ///
    /// Parameters
    /// ----------
    /// X
    ///     The rows.
    /// y
    ///     A label for each.
    /// sample_weight
    ///     How many times the loss of each row counts; with weights, rows are learned one by one and not in blocks.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.learn_many([[0.1, 0.2], [0.3, 0.4]], [0.5, 0.6])
    /// >>> model.n_seen
    /// 2
    #[pyo3(signature = (X, y, sample_weight=None))]
    fn learn_many(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let batch = TrainingBatch::new(X, y, sample_weight, self.n_targets(py))?;
        batch.learn(py, &self.core)?;
        Ok(())
    }

    /// Predicts each row, then learns its label, in order: the predictions made before each label was learned.
    ///
    /// To rounding the same as a loop of ``predict_one`` and ``learn_one``, in one call and much faster.
    ///
    /// Parameters
    /// ----------
    /// X
    ///     The rows.
    /// y
    ///     A label for each.
    /// sample_weight
    ///     How many times the loss of each row counts; with weights, rows are learned one by one and not in blocks.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.progressive([[0.1, 0.2], [0.1, 0.2]], [0.5, 0.5]).round(3)
    /// array([0.   , 0.889])
    #[pyo3(signature = (X, y, sample_weight=None))]
    fn progressive<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
        sample_weight: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let n_targets = self.n_targets(py);
        let batch = TrainingBatch::new(X, y, sample_weight, n_targets)?;
        chunks::predictions(py, batch.learn(py, &self.core)?, n_targets)
    }

    /// Lets rows have more features from now on; the rows learned so far count as 0 in them.
    ///
    /// Predictions for rows that are 0 in the new features stay as they are. A learner that has seen no row takes any
    /// width as it is.
    ///
    /// Parameters
    /// ----------
    /// n_features
    ///     The new width, at least as large as the old one.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.learn_one([0.1], 0.5)
    /// >>> before = model.predict_one([0.2])
    /// >>> model.widen(2)
    /// >>> model.predict_one([0.2, 0.0]) == before
    /// True
    fn widen(&self, py: Python<'_>, n_features: &Bound<'_, PyAny>) -> PyResult<()> {
        let n_features = arrays::count("n_features", n_features)?;
        Ok(self.lock(py).borrow_mut().widen(n_features)?)
    }

    /// What the learner predicts now, frozen: a small immutable scorer for threads and other processes.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.learn_one([0.1], 0.5)
    /// >>> scorer = model.scorer()
    /// >>> scorer.predict_one([0.2]) == model.predict_one([0.2])
    /// True
    fn scorer(&self, py: Python<'_>) -> Scorer {
        self.lock(py).borrow().scorer().into()
    }

    /// Whether rows may be given a ``sample_weight``.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.RidgeAld().takes_weights, nystream.NonsAld().takes_weights
    /// (True, False)
    #[getter]
    fn takes_weights(&self, py: Python<'_>) -> bool {
        self.lock(py).borrow().takes_weights()
    }

    /// Names of the columns of the first data frame learned; None if rows came as arrays.
    ///
    /// A data frame with other columns, or with the same in another order, is refused; arrays pass.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().feature_names is None
    /// True
    #[getter]
    fn feature_names(&self, py: Python<'_>) -> Option<Vec<String>> {
        let guard = self.lock(py);
        let learner = guard.borrow();
        learner.names().get().map(<[String]>::to_vec)
    }

    /// Number of rows kept.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().n_basis
    /// 0
    #[getter]
    fn n_basis(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().n_basis()
    }

    /// What is known of the experts: width, ridge, forgetting, weights and losses of each.
    fn _experts(&self, py: Python<'_>) -> Vec<Expert> {
        let experts = self.lock(py).borrow().experts();
        let all = experts.into_iter();
        all.map(|e| (e.width, e.ridge, e.forgetting, e.weights, e.losses))
            .collect()
    }

    /// Bytes of memory that the learner holds.
    ///
    /// With J rows kept of d features it is of the order of dJ + J^2 for learners with a dictionary, and grows no more
    /// once that is full.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> before = model.nbytes
    /// >>> model.learn_one([0.1, 0.2], 0.5)
    /// >>> model.nbytes > before
    /// True
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().nbytes()
    }

    /// Number of rows learned.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().n_seen
    /// 0
    #[getter]
    fn n_seen(&self, py: Python<'_>) -> u64 {
        self.lock(py).borrow().n_seen()
    }

    /// Width of the rows learned, or None before the first.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.learn_one([0.1, 0.2], 0.5)
    /// >>> model.n_features
    /// 2
    #[getter]
    fn n_features(&self, py: Python<'_>) -> Option<usize> {
        self.lock(py).borrow().n_features()
    }

    /// The rows kept, as a new array with a row for each.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.learn_one([0.1, 0.2], 0.5)
    /// >>> model.basis
    /// array([[0.1, 0.2]])
    #[getter]
    fn basis<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (rows, shape) = {
            let guard = self.lock(py);
            let learner = guard.borrow();
            let rows = learner.basis().map(Panels::to_vec).unwrap_or_default();
            let n_rows = learner.basis().map_or(0, Panels::n_rows);
            (rows, (n_rows, learner.n_features().unwrap_or(0)))
        };
        PyArray1::from_vec(py, rows).reshape(shape)
    }

    /// The constructor's arguments, as a new dict.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld(alpha=0.01).params["alpha"]
    /// 0.01
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let params = self.lock(py).borrow().params().clone();
        Ok(params::to_py(py, &params)?.1)
    }

    /// The whole learner as bytes: parameters and all that it has learned.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> data = nystream.NonsAld().to_bytes()
    /// >>> nystream.Learner.from_bytes(data).n_seen
    /// 0
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.lock(py).borrow().to_bytes()?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The learner that ``to_bytes`` has written; it goes on exactly as the original would.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.learn_one([0.1, 0.2], 0.5)
    /// >>> again = nystream.NonsAld.from_bytes(model.to_bytes())
    /// >>> again.predict_one([0.3, 0.4]) == model.predict_one([0.3, 0.4])
    /// True
    #[classmethod]
    fn from_bytes<'py>(
        cls: &Bound<'py, PyType>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let learner = Core::from_bytes(&arrays::bytes("data", data)?)?;
        Self::wrap(cls.py(), learner, Some(cls))
    }

    /// Writes the whole learner to a file, from which :func:`nystream.load` goes on exactly.
    ///
    /// The file is there as a whole or not at all, whatever happens meanwhile: what it held before is replaced in one
    /// step.
    ///
    /// Parameters
    /// ----------
    /// path
    ///     The file, a string or a path.
    ///
    /// Examples
    /// --------
    /// >>> import nystream, tempfile
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     nystream.NonsAld().save(f"{folder}/model.nys")
    /// ...     nystream.load(f"{folder}/model.nys").n_seen
    /// 0
    fn save(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let path = arrays::path("path", path)?;
        let bytes = self.lock(py).borrow().to_bytes()?;
        Ok(py.detach(|| model_file::save(&path, &bytes))?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let restore = slf.get_type().getattr("from_bytes")?;
        let bytes = slf.get().to_bytes(slf.py())?;
        Ok((restore, (bytes,), params::attributes(slf)?))
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(params::no_state(slf))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let params = slf.get().lock(slf.py()).borrow().params().clone();
        params::repr(slf, &params)
    }
}

type Expert = (Option<f64>, Option<f64>, f64, Vec<f64>, Vec<f64>);

type Reduced<'py> = (
    Bound<'py, PyAny>,
    (Bound<'py, PyBytes>,),
    Option<Bound<'py, PyAny>>,
);
