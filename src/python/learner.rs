//! The base class of all learners.

use std::cell::RefCell;

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyType};

use super::arrays::Matrix;
use super::signals::Signals;
use super::{arrays, params};
use crate::linalg::Panels;
use crate::rows::{Number, Rows};

/// The most rows that are learned between two looks at the clock.
const LARGEST_CHUNK: usize = 1024;

/// The most rows that are scored between two looks at the clock: many, for all threads to have enough.
const LARGEST_SCORED: usize = 64 * LARGEST_CHUNK;

type Core = crate::Learner;
type Floats<'py> = Bound<'py, PyArray1<f64>>;

/// An online learner: sees each row once and predicts it before it learns its label.
///
/// Rows are one-dimensional arrays or lists of numbers, many rows a two-dimensional array with a row for each.
/// Arrays of any layout and of any real dtype give the same answer; float64 and float32 in C order are not copied.
/// Values that are not finite, or of another width than before, raise ``ValueError`` and change nothing.
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

    /// Predictions for all rows, learning their labels if there are any, without holding the interpreter.
    fn run<'py>(
        &self,
        py: Python<'py>,
        X: &Matrix<'py>,
        y: Option<&Bound<'py, PyArray1<f64>>>,
    ) -> PyResult<Floats<'py>> {
        match X {
            Matrix::Float64(X) => self.run_on(py, X, y),
            Matrix::Float32(X) => self.run_on(py, X, y),
        }
    }

    /// The same for one type of numbers.
    ///
    /// Everything is checked before anything is learned, and rows to be scored as they are. Ctrl-C is obeyed between two
    /// chunks.
    fn run_on<'py, T: Number + Element>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyArray2<T>>,
        y: Option<&Bound<'py, PyArray1<f64>>>,
    ) -> PyResult<Floats<'py>> {
        let X = X.try_readonly()?;
        let y = y.map(PyArrayMethods::try_readonly).transpose()?;
        let (data, n_features) = (X.as_slice()?, X.shape()[1]);
        let y = y.as_ref().map(|y| y.as_slice()).transpose()?;
        let predictions = py.detach(|| -> PyResult<Vec<f64>> {
            let learner = self.core.lock();
            let rows = Rows::unchecked("X", data, n_features)?;
            if let Some(y) = y {
                rows.check_numbers("X")?;
                learner.borrow().check(&rows, y)?;
            }
            let mut predictions = Vec::with_capacity(rows.len());
            let (mut signals, mut room) = (Signals::default(), Vec::new());
            let (shortest, longest) = match y {
                // Where chunks end must not show in the result, and how many rows they have depends on the clock.
                Some(_) => (learner.borrow().block_len(), LARGEST_CHUNK),
                None => (LARGEST_CHUNK, LARGEST_SCORED),
            };
            let mut chunk = shortest;
            while predictions.len() < rows.len() {
                let next = predictions.len()..rows.len().min(predictions.len() + chunk);
                let some = rows.slice(next.clone());
                // Each chunk is checked again: a handler may have taught the model something else.
                predictions.extend(match y {
                    Some(y) => {
                        let some = some.float64(&mut room);
                        learner.borrow_mut().learn_rows(&some, &y[next])?
                    }
                    None => learner.borrow().predict_rows(&some)?,
                });
                // A row may take a microsecond or many milliseconds.
                chunk = if signals.check()? {
                    shortest
                } else {
                    longest.min(2 * chunk)
                };
            }
            Ok(predictions)
        })?;
        Ok(PyArray1::from_vec(py, predictions))
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

    /// The prediction for one row. Changes nothing; 0 before anything is learned.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().predict_one([0.1, 0.2])
    /// 0.0
    fn predict_one(&self, py: Python<'_>, x: &Bound<'_, PyAny>) -> PyResult<f64> {
        let x = arrays::vector("x", x)?.try_readonly()?;
        Ok(self.lock(py).borrow().predict_row(x.as_slice()?)?)
    }

    /// Learns one row and its label.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.learn_one([0.1, 0.2], 0.5)
    /// >>> round(model.predict_one([0.1, 0.2]), 3)
    /// 0.889
    fn learn_one(
        &self,
        py: Python<'_>,
        x: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let y = arrays::number("y", y)?;
        let x = arrays::vector("x", x)?.try_readonly()?;
        self.lock(py).borrow_mut().learn_row(x.as_slice()?, y)?;
        Ok(())
    }

    /// The predictions for many rows, by several threads if there are thousands; see ``set_num_threads``. Changes
    /// nothing.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().predict_many([[0.1, 0.2], [0.3, 0.4]])
    /// array([0., 0.])
    fn predict_many<'py>(&self, py: Python<'py>, X: &Bound<'py, PyAny>) -> PyResult<Floats<'py>> {
        self.run(py, &arrays::rows("X", X)?, None)
    }

    /// Learns many rows and their labels, in order.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.learn_many([[0.1, 0.2], [0.3, 0.4]], [0.5, 0.6])
    /// >>> model.n_seen
    /// 2
    fn learn_many(
        &self,
        py: Python<'_>,
        X: &Bound<'_, PyAny>,
        y: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.progressive(py, X, y)?;
        Ok(())
    }

    /// Predicts each row, then learns its label, in order: the predictions made before each label was learned.
    ///
    /// To rounding the same as a loop of ``predict_one`` and ``learn_one``, in one call and much faster.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.NonsAld()
    /// >>> model.progressive([[0.1, 0.2], [0.1, 0.2]], [0.5, 0.5]).round(3)
    /// array([0.   , 0.889])
    fn progressive<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
    ) -> PyResult<Floats<'py>> {
        let (X, y) = arrays::rows_and_labels(X, y)?;
        self.run(py, &X, Some(&y))
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
            (rows, (learner.n_basis(), learner.n_features().unwrap_or(0)))
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
        let py = cls.py();
        let bytes: PyBackedBytes = data
            .extract()
            .map_err(|_| arrays::wrong_type("data", "bytes", data))?;
        let learner = Core::from_bytes(&bytes)?;
        let (name, kwargs) = params::to_py(py, learner.params())?;
        let base = py.get_type::<Self>();
        let facade = params::facade(py, &name)?;
        let class = if cls.is(&base) {
            facade
        } else if cls.is_subclass(&facade)? {
            cls.clone().into_any()
        } else {
            let asked = cls.name()?;
            return Err(PyValueError::new_err(format!(
                "data should hold a {asked}, but holds a {name}"
            )));
        };
        let object = base.call_method("__new__", (class, name), Some(&kwargs))?;
        object.cast::<Self>()?.get().lock(py).replace(learner);
        Ok(object)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let restore = slf.get_type().getattr("from_bytes")?;
        let bytes = slf.get().to_bytes(slf.py())?;
        Ok((restore, (bytes,), params::attributes(slf)?))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let params = slf.get().lock(slf.py()).borrow().params().clone();
        params::repr(slf, &params)
    }
}

type Reduced<'py> = (
    Bound<'py, PyAny>,
    (Bound<'py, PyBytes>,),
    Option<Bound<'py, PyAny>>,
);
