//! The compiled module `nystream._core`.
#![allow(
    clippy::doc_lazy_continuation,
    clippy::doc_link_with_quotes,
    clippy::doc_markdown,
    reason = "docstrings are read by Python"
)]
#![allow(non_snake_case, reason = "X, Z and T are the field's names")]

mod arrays;
mod chunks;
mod errors;
mod files;
mod forecaster;
mod front;
mod intervals;
mod kernel;
mod keyed;
mod late;
mod learner;
mod loss;
mod merge;
mod novelty;
mod one_row;
mod params;
mod parts;
mod schema;
mod scorer;
mod signals;
mod tables;
mod text;
mod training_batch;

use pyo3::prelude::*;

/// The compiled core of nystream; its public face is the package around it.
#[pymodule(gil_used = false)]
mod _core {
    use parking_lot::Mutex;
    use pyo3::exceptions::{PyKeyError, PyValueError};
    use pyo3::prelude::*;
    use pyo3::types::PyDict;

    use super::files::OutputFile;
    use super::{arrays, front};
    use crate::algorithms::{AnyParams, AogdAldParams, Decay};
    use crate::any_model::AnyModel;
    use crate::kernels::AnyKernel;
    use crate::losses::AnyLoss;

    #[pymodule_export]
    use super::forecaster::Forecaster;
    #[pymodule_export]
    use super::kernel::Kernel;
    #[pymodule_export]
    use super::keyed::Keyed;
    #[pymodule_export]
    use super::late::Ticket;
    #[pymodule_export]
    use super::learner::Learner;
    #[pymodule_export]
    use super::loss::Loss;
    #[pymodule_export]
    use super::merge::merge_learners;

    #[pymodule_export]
    use super::schema::Column;
    #[pymodule_export]
    use super::scorer::Scorer;
    #[pymodule_export]
    use super::tables::Table;
    #[pymodule_export]
    use super::text::{TextReader, csv_head, json_keys};

    #[pymodule_export]
    const SMALLEST_ALPHA: f64 = crate::SMALLEST_ALPHA;

    #[pymodule_export]
    const LARGEST: f64 = crate::LARGEST;

    #[pymodule_export]
    const COMPRESSED: f64 = crate::predictor::COMPRESSED;

    #[pymodule_export]
    const FARTHEST: f64 = crate::predictor::FARTHEST;

    #[pymodule_export]
    const ROUNDING: f64 = crate::predictor::ROUNDING;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    /// The learner, the scorer or the models by key that ``save`` has written to a file.
    ///
    /// A learner goes on exactly as the one that was saved. A file that is truncated, damaged, changed by hand, of another
    /// program or of a newer version raises ``ValueError``; nothing in it is executed.
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
    /// ...     nystream.NonsAld(alpha=0.01).save(f"{folder}/model.nys")
    /// ...     model = nystream.load(f"{folder}/model.nys")
    /// >>> model.params["alpha"]
    /// 0.01
    #[pyfunction]
    fn load<'py>(py: Python<'py>, path: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let path = arrays::path("path", path)?;
        match py.detach(|| AnyModel::load(&path))? {
            AnyModel::Learner(learner) => Learner::wrap(py, learner, None),
            AnyModel::Forecaster(forecaster) => Forecaster::wrap(py, *forecaster, None),
            AnyModel::Scorer(scorer) => Ok(Bound::new(py, Scorer::from(scorer))?.into_any()),
            AnyModel::Keyed(keyed) => Ok(Bound::new(py, Keyed::from(*keyed))?.into_any()),
        }
    }

    /// The names of all learners.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> "Auto" in nystream.algorithms()
    /// True
    #[pyfunction]
    fn algorithms() -> Vec<&'static str> {
        AnyParams::NAMES.to_vec()
    }

    /// The names of all kernels.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> "Gaussian" in nystream.kernels()
    /// True
    #[pyfunction]
    fn kernels() -> Vec<&'static str> {
        AnyKernel::NAMES.to_vec()
    }

    /// The names of all losses.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> "Huber" in nystream.losses()
    /// True
    #[pyfunction]
    fn losses() -> Vec<&'static str> {
        AnyLoss::NAMES.to_vec()
    }

    /// Sets how many threads score large arrays, 1 to 1,024; None, the default, means all cores. Learning takes one
    /// thread, except in :class:`Auto`, whose experts are shared out when many rows are learned in one call.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.set_num_threads(1)
    /// >>> nystream.get_num_threads()
    /// 1
    /// >>> nystream.set_num_threads(None)
    #[pyfunction]
    #[pyo3(signature = (n))]
    fn set_num_threads(n: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let n = n.map(|n| arrays::count("n", n)).transpose()?;
        Ok(crate::set_num_threads(n)?)
    }

    /// The number of threads that score large arrays.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.get_num_threads() >= 1
    /// True
    #[pyfunction]
    fn get_num_threads() -> usize {
        crate::num_threads()
    }

    /// The vector instructions in use, chosen at run time.
    ///
    /// The environment variable ``NYSTREAM_SIMD=baseline``, set before Python starts, selects those that every processor has.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.instruction_set() in {"AVX-512", "AVX2", "128-bit", "baseline"}
    /// True
    #[pyfunction]
    fn instruction_set() -> &'static str {
        crate::instruction_set()
    }

    /// Writes a file: whatever happens meanwhile, the path holds its old content or all of `data`.
    #[pyfunction]
    fn write_file(py: Python<'_>, path: &Bound<'_, PyAny>, data: &[u8]) -> PyResult<()> {
        let path = arrays::path("path", path)?;
        Ok(py.detach(|| crate::persist::write_file(&path, data))?)
    }

    /// Writes a file in the manner of `write_file`, with what `fill` writes to the file that it is called with.
    #[pyfunction]
    fn fill_file(py: Python<'_>, path: &Bound<'_, PyAny>, fill: &Bound<'_, PyAny>) -> PyResult<()> {
        let path = arrays::path("path", path)?;
        Ok(crate::persist::fill_file(&path, |file| {
            let file = OutputFile(Mutex::new(file.try_clone()?));
            fill.call1((Bound::new(py, file)?,))?;
            Ok(())
        })?)
    }

    /// The default parameters of a learner.
    #[pyfunction]
    fn default_params<'py>(py: Python<'py>, algorithm: &str) -> PyResult<Bound<'py, PyDict>> {
        let defaults = AnyParams::default_of(algorithm)
            .ok_or_else(|| PyKeyError::new_err(algorithm.to_owned()))?;
        Ok(front::to_py(py, &crate::Learner::new(defaults)?)?.1)
    }

    /// The paper's `alpha` and `mu` of NONS-ALD for `T` rows.
    #[pyfunction]
    #[pyo3(signature = (T, decay, p=None))]
    fn nons_ald_settings(
        T: &Bound<'_, PyAny>,
        decay: &Bound<'_, PyAny>,
        p: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(f64, f64)> {
        let horizon = arrays::count("T", T)?;
        let p = p.map(|p| arrays::number("p", p)).transpose()?;
        let decay = match (decay.extract().unwrap_or_default(), p) {
            ("exponential", None) => Decay::Exponential,
            ("polynomial", Some(p)) => Decay::Polynomial { p },
            _ => {
                let (decay, p) = (decay.repr()?, p.into_pyobject(decay.py())?.repr()?);
                return Err(PyValueError::new_err(format!(
                    "decay should be 'exponential' without p, or 'polynomial' with p, but is {decay} and p is {p}"
                )));
            }
        };
        Ok(decay.settings(horizon)?)
    }

    /// The paper's `alpha` and `B_0` of AOGD-ALD for `T` rows.
    #[pyfunction]
    fn aogd_ald_settings(
        n_features: &Bound<'_, PyAny>,
        T: &Bound<'_, PyAny>,
    ) -> PyResult<(f64, usize)> {
        let n_features = arrays::count("n_features", n_features)?;
        Ok(AogdAldParams::settings(n_features, arrays::count("T", T)?)?)
    }
}
