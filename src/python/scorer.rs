//! The class of scorers.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use super::{arrays, chunks, params};
use crate::data::{Number, Rows};
use crate::error::Error;
use crate::limits::{Range, UNBOUNDED};
use crate::linalg::Panels;
use crate::persist::model_file;
use crate::predictor::{Expansion, Line, Mixture, Predictor, Waves};

type Core = crate::Scorer;

/// The predictions of a learner at one moment: immutable, so that threads share it without waiting for each other.
///
/// It holds the rows kept and their coefficients, but not the matrices that only learning needs. The few learners that
/// need all they know to predict, :class:`Kaar`, :class:`Pkawv` and those with ``forward=True``, are copied whole. It
/// can be pickled, saved, and sent to other processes.
///
/// It is made by :meth:`Learner.scorer`.
///
/// Examples
/// --------
/// >>> import nystream
/// >>> X, y = nystream.datasets.friedman(1000)
/// >>> model = nystream.RidgeAld(nystream.Gaussian(sigma=2.0))
/// >>> model.learn_many(X[:500], y[:500])
/// >>> scorer = model.scorer()
/// >>> before = model.predict_many(X[500:])
/// >>> model.learn_many(X[500:], y[500:])
/// >>> bool((scorer.predict_many(X[500:]) == before).all())
/// True
#[pyclass(module = "nystream._core", frozen, weakref)]
pub(super) struct Scorer(Core);

impl chunks::ScoreRows for &Core {
    fn score_rows<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Vec<f64>, Error> {
        self.predict_rows(rows)
    }

    fn values_per_row(&self) -> usize {
        self.n_targets()
    }
}

impl From<Core> for Scorer {
    fn from(core: Core) -> Self {
        Self(core)
    }
}

#[pymethods]
impl Scorer {
    /// The prediction for one row.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().scorer().predict_one([0.1, 0.2])
    /// 0.0
    fn predict_one<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, (x, names)) = (x.py(), arrays::row("x", x)?);
        self.0.names().check("x", &names)?;
        let x = x.try_readonly()?;
        Ok(chunks::prediction(
            py,
            self.0.predict_targets(x.as_slice()?)?,
        ))
    }

    /// The predictions for many rows, by several threads if there are thousands; see ``set_num_threads``.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().scorer().predict_many([[0.1, 0.2], [0.3, 0.4]])
    /// array([0., 0.])
    fn predict_many<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (X, names) = arrays::rows("X", X)?;
        self.0.names().check("X", &names)?;
        let yhat = chunks::score(py, &X, || &self.0)?;
        chunks::predictions(py, yhat, self.0.n_targets())
    }

    /// Number of predictions for a row.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.RidgeAld(n_targets=2).scorer().n_targets
    /// 2
    #[getter]
    fn n_targets(&self) -> usize {
        self.0.n_targets()
    }

    /// Width of the rows, or None if the learner had seen none.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().scorer().n_features is None
    /// True
    #[getter]
    fn n_features(&self) -> Option<usize> {
        self.0.n_features()
    }

    /// Names of the columns, if the learner knew them.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.NonsAld().scorer().feature_names is None
    /// True
    #[getter]
    fn feature_names(&self) -> Option<Vec<String>> {
        self.0.names().get().map(<[String]>::to_vec)
    }

    /// Bytes of memory that the scorer holds.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.RidgeAld()
    /// >>> model.learn_many(*nystream.datasets.friedman(500))
    /// >>> model.scorer().nbytes < model.nbytes
    /// True
    #[getter]
    fn nbytes(&self) -> usize {
        self.0.nbytes()
    }

    /// The numbers that the scorer predicts with, as a new dict.
    ///
    /// With a ``kernel``, a prediction is the sum of ``coefficients`` times the kernel of the row with the rows of
    /// ``basis``; with ``slopes``, it is linear; with ``frequencies``, it is the sum of all cosines, then all sines,
    /// times the ``weights``, divided by the root of the number of frequencies. Then it is clipped to the ``range``.
    ///
    /// :class:`Auto` has ``expansions``, one for each width, on features that are measured from ``centres`` in
    /// ``scales`` and compressed, and ``slopes`` on features that are not compressed. With several targets,
    /// coefficients, slopes, constants and ranges have a row for each. The dict is empty if the scorer holds a whole
    /// learner.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.LinearRls(ridge=1e-6)
    /// >>> model.learn_many([[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 5.0, 7.0])
    /// >>> parts = model.scorer().parts
    /// >>> parts["slopes"].round(3), round(parts["constant"], 3)
    /// (array([2.]), 1.0)
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = PyDict::new(py);
        let ranges = match self.0.predictor() {
            None => return Ok(parts),
            Some(Predictor::Expansion(expansion)) => {
                parts.set_item("kernel", params::object(py, &expansion.kernel)?)?;
                parts.set_item("basis", matrix(py, &expansion.rows)?)?;
                parts.set_item("coefficients", self.each(py, expansion.c.clone())?)?;
                expansion.ranges().to_vec()
            }
            Some(Predictor::Linear(lines)) => self.line_parts(&parts, lines)?,
            Some(Predictor::Waves(Waves { fourier, w })) => {
                parts.set_item("frequencies", matrix(py, fourier.frequencies())?)?;
                parts.set_item("weights", PyArray1::from_slice(py, w))?;
                vec![UNBOUNDED]
            }
            Some(Predictor::Mixture(mixture)) => self.mixture_parts(&parts, mixture)?,
        };
        match ranges[..] {
            [range] => parts.set_item("range", range)?,
            _ => parts.set_item("range", ranges)?,
        }
        Ok(parts)
    }

    /// The whole scorer as bytes.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> data = nystream.NonsAld().scorer().to_bytes()
    /// >>> nystream.Scorer.from_bytes(data).predict_one([0.0])
    /// 0.0
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.to_bytes()?))
    }

    /// Reads the scorer that ``to_bytes`` has written.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> scorer = nystream.NonsAld().scorer()
    /// >>> type(nystream.Scorer.from_bytes(scorer.to_bytes())).__name__
    /// 'Scorer'
    #[staticmethod]
    fn from_bytes(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self(Core::from_bytes(&arrays::bytes("data", data)?)?))
    }

    /// Writes the scorer to a file, whole or not at all; :func:`nystream.load` reads it.
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
    /// ...     nystream.NonsAld().scorer().save(f"{folder}/scorer.nys")
    /// ...     nystream.load(f"{folder}/scorer.nys").predict_one([0.0])
    /// 0.0
    fn save(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let path = arrays::path("path", path)?;
        let bytes = self.0.to_bytes()?;
        Ok(py.detach(|| model_file::save(&path, &bytes))?)
    }

    /// Writes the scorer as an ONNX model, which other runtimes and languages can run; needs the package onnx.
    ///
    /// Its input ``X`` is a batch of rows and its output ``prediction`` a number for each row, or one for each target.
    /// Rows are centred before they are compared, so that data far from 0 loses no digits.
    ///
    /// Parameters
    /// ----------
    /// path
    ///     The file, a string or a path.
    /// dtype
    ///     ``"float64"``, or ``"float32"``, which is faster. It keeps six digits at best, and fewer the larger the sum of the
    ///     absolute coefficients in ``scorer.parts`` is: hardly one where that is a million, as it is for :class:`Auto`.
    ///
    /// Examples
    /// --------
    /// >>> import nystream, tempfile
    /// >>> model = nystream.NonsAld()
    /// >>> model.learn_many(*nystream.datasets.friedman(100))
    /// >>> with tempfile.TemporaryDirectory() as folder:
    /// ...     model.scorer().to_onnx(f"{folder}/scorer.onnx")
    #[pyo3(
        signature = (path, *, dtype=None),
        text_signature = "($self, path, *, dtype='float64')"
    )]
    fn to_onnx(
        slf: &Bound<'_, Self>,
        path: &Bound<'_, PyAny>,
        dtype: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = slf.py();
        let float64 = PyString::intern(py, "float64");
        let dtype = dtype.unwrap_or(&float64);
        py.import("nystream._onnx")?
            .call_method1("save", (slf, path, dtype))?;
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

    fn __repr__(&self) -> String {
        let kind = match self.0.predictor() {
            Some(Predictor::Expansion(expansion)) => {
                format!("{} rows", expansion.rows.n_rows())
            }
            Some(Predictor::Linear(_)) => "linear".to_owned(),
            Some(Predictor::Waves(waves)) => {
                format!("{} frequencies", waves.fourier.frequencies().n_rows())
            }
            Some(Predictor::Mixture(mixture)) => format!("{} widths", mixture.expansions.len()),
            None => "a whole learner".to_owned(),
        };
        format!("<nystream.Scorer: {kind}>")
    }
}

impl Scorer {
    fn line_parts(&self, parts: &Bound<'_, PyDict>, lines: &[Line]) -> PyResult<Vec<Range>> {
        let slopes = lines.iter().flat_map(|line| line.slopes.clone()).collect();
        let constants = lines.iter().map(|line| line.constant).collect();
        parts.set_item("slopes", self.each(parts.py(), slopes)?)?;
        parts.set_item("constant", chunks::prediction(parts.py(), constants))?;
        Ok(lines.iter().map(|line| line.range).collect())
    }

    fn mixture_parts(&self, parts: &Bound<'_, PyDict>, mixture: &Mixture) -> PyResult<Vec<Range>> {
        let py = parts.py();
        let (centres, scales) = mixture.scaling.parts();
        parts.set_item("centres", PyArray1::from_slice(py, centres))?;
        parts.set_item("scales", PyArray1::from_slice(py, scales))?;
        let of_width = |expansion: &Expansion| {
            let part = PyDict::new(py);
            part.set_item("kernel", params::object(py, &expansion.kernel)?)?;
            part.set_item("basis", matrix(py, &expansion.rows)?)?;
            part.set_item("coefficients", self.each(py, expansion.c.clone())?)?;
            Ok(part)
        };
        let expansions = mixture.expansions.iter().map(of_width);
        parts.set_item("expansions", expansions.collect::<PyResult<Vec<_>>>()?)?;
        self.line_parts(parts, &mixture.lines)
    }

    /// An array of the numbers of one target, or with a row for each of several.
    fn each<'py>(&self, py: Python<'py>, numbers: Vec<f64>) -> PyResult<Bound<'py, PyAny>> {
        let (n, n_targets) = (numbers.len(), self.0.n_targets());
        let array = PyArray1::from_vec(py, numbers);
        match n_targets {
            1 => Ok(array.into_any()),
            _ => Ok(array.reshape((n_targets, n / n_targets))?.into_any()),
        }
    }
}

fn matrix<'py>(py: Python<'py>, rows: &Panels) -> PyResult<Bound<'py, PyAny>> {
    let shape = (rows.n_rows(), rows.n_features());
    let array = PyArray1::from_vec(py, rows.to_vec()).reshape(shape)?;
    Ok(array.into_any())
}
