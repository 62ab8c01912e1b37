//! The class of scorers.

use numpy::PyArrayMethods;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use super::parts::Parts;
use super::schema::{self, Column};
use super::{arrays, chunks, params, tables};
use crate::columns::Table;
use crate::data::{Number, Rows};
use crate::error::Error;
use crate::learner::Features;
use crate::persist::model_file;
use crate::predictor::{Extension, Mixture, Predictor, Trees};

type Core = crate::Scorer;

/// The predictions of a learner at one moment: immutable, so that threads share it without waiting for each other.
///
/// It takes the rows that the learner takes: arrays, and tables if the learner has columns, which it then holds too.
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

    fn features(&self, table: &Table) -> Result<Features, Error> {
        Core::features(self, table)
    }

    fn score_features(&self, rows: &Rows<'_>) -> Result<Vec<f64>, Error> {
        self.predict_features(rows)
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
        let py = x.py();
        if !arrays::is_nameless(x)
            && self.0.columns().is_some()
            && let Some(row) = tables::row("x", x)?
        {
            return Ok(chunks::prediction(py, self.0.predict_table(&row)?));
        }
        let (x, names) = arrays::row("x", x)?;
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
        let table = self.0.columns().map(|_| tables::table("X", X));
        let yhat = if let Some(table) = table.transpose()?.flatten() {
            chunks::score_table(py, &table, || &self.0)?
        } else {
            let (X, names) = arrays::rows("X", X)?;
            self.0.names().check("X", &names)?;
            chunks::score(py, &X, || &self.0)?
        };
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

    /// The columns that the learner knew, each with its kind; None for a learner without columns.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.Auto()
    /// >>> model.learn_one({"town": "Ulm", "rooms": 3}, 200.0)
    /// >>> [(column.name, column.kind) for column in model.scorer().schema]
    /// [('town', 'category'), ('rooms', 'number')]
    #[getter]
    fn schema(&self) -> Option<Vec<Column>> {
        self.0.columns().map(schema::of)
    }

    /// Whether no column is encoded before it is predicted from.
    #[getter]
    fn _takes_numbers_as_they_are(&self) -> bool {
        self.0.takes_numbers_as_they_are()
    }

    /// Leaves out the rows of a table that its columns do not take: the rest, if any are left out, and these rows.
    fn _fit(
        &self,
        table: &Bound<'_, tables::Table>,
    ) -> PyResult<(Option<tables::Table>, Vec<schema::Refused>)> {
        schema::fit(self.0.columns(), table.get())
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
    /// ``scales`` and compressed, and ``slopes`` on features that are not compressed. It also looks at rows that
    /// begin with ``past``, which is what the last labels tell and the same for all rows, and go on with the compressed
    /// features. Each of ``mapped`` is an expansion on these rows after a ``metric``, which is a vector that they are
    /// multiplied by, or a matrix with a row for each number that it makes of them. ``trees`` has a dict for each target:
    /// the sum of a ``constant`` and of a tree from each node in ``roots``. A node is a leaf with a value in ``numbers``
    /// if its feature in ``features`` is -1. Else a row goes from it to the node in ``children`` if the feature is at
    /// most the node's number, and to the one after that if it is larger. The three are missing if the scorer is from a
    /// file that has no such experts. If labels have a long tail, there is ``curved``: an expansion after a ``metric`` with
    /// a row of coefficients for each expert and target, those of the first expert first. A row ``origin, spread, centre,
    /// scale`` of ``curves`` makes the label ``origin + spread * sinh(centre + scale * number)`` of a number, which is
    /// clipped to the target's range in ``ranges``; with the spread 0 a number is a label. The prediction has the labels
    /// times the ``weights``.
    ///
    /// With several targets, coefficients, slopes, constants and ranges have a row for each. The dict is empty if the
    /// scorer holds a whole learner.
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
        if let Some(predictor) = self.0.predictor() {
            Parts::new(&parts, self.0.n_targets()).add(predictor)?;
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
    /// A scorer that encodes columns, such as texts, times or gaps, cannot be written: ONNX takes numbers alone. To be
    /// written, a model has to learn columns that are numbers already and have no gaps.
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
    ///     absolute coefficients in ``scorer.parts`` is: hardly one where that is a million, which :class:`Auto` comes near.
    ///     Its trees may also take a row that is at a threshold for one beyond it.
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
        let kind = self.0.predictor().map(kind);
        let kind = kind.unwrap_or_else(|| "a whole learner".to_owned());
        format!("<nystream.Scorer: {kind}>")
    }
}

fn kind(predictor: &Predictor) -> String {
    match predictor {
        Predictor::Expansion(expansion) => format!("{} rows", expansion.rows.n_rows()),
        Predictor::Linear(_) => "linear".to_owned(),
        Predictor::Waves(waves) => {
            format!("{} frequencies", waves.fourier.frequencies().n_rows())
        }
        Predictor::Mixture(mixture) => mixture_kind(mixture),
        Predictor::Linked(values, loss) => format!("{}, {}", kind(values), loss.name()),
    }
}

fn mixture_kind(mixture: &Mixture) -> String {
    let widths = format!("{} widths", mixture.expansions.len());
    let Some(Extension {
        mapped,
        trees,
        curved,
        ..
    }) = &mixture.extension
    else {
        return widths;
    };
    let n_metrics = mapped.len() + usize::from(curved.is_some());
    let n_trees: usize = trees.iter().map(Trees::n_trees).sum();
    format!("{widths}, {n_metrics} metrics, {n_trees} trees")
}
