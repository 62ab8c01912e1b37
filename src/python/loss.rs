//! The base class of all losses.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use super::{arrays, params};
use crate::data::check_length;
use crate::losses::{AnyLoss, Loss as _};

/// The cost of a value that a learner has for a row, given the label. Immutable.
///
/// Examples
/// --------
/// >>> import nystream
/// >>> loss = nystream.Huber(delta=2.0)
/// >>> loss
/// Huber(delta=2.0)
/// >>> loss([0.0, 0.0], [1.0, 5.0]).tolist()
/// [0.5, 8.0]
/// >>> nystream.RidgeAld(loss="absolute").params["loss"]
/// Absolute()
#[pyclass(module = "nystream._core", frozen, subclass, weakref)]
pub(super) struct Loss(AnyLoss);

impl Loss {
    pub(super) fn loss(&self) -> &AnyLoss {
        &self.0
    }
}

/// The loss of this name, with its default parameters.
pub(super) fn named(value: &Bound<'_, PyAny>) -> PyResult<AnyLoss> {
    let expected = "a loss such as nystream.Huber(delta=1.0), or the name of one";
    let wrong = || arrays::wrong_type("loss", expected, value);
    let name = value.cast::<PyString>().map_err(|_| wrong())?.to_string();
    let all = AnyLoss::all();
    let found = all.iter().find(|loss| snake_case(loss.name()) == name);
    found.copied().ok_or_else(|| {
        let names: Vec<String> = all.iter().map(|loss| snake_case(loss.name())).collect();
        let shown = arrays::shown(value);
        let names = names.join("', '");
        PyValueError::new_err(format!("loss should be one of '{names}', but is {shown}"))
    })
}

/// A name like `SquaredHinge` as `squared_hinge`.
fn snake_case(name: &str) -> String {
    let parts = name.split_inclusive(|_: char| true).enumerate();
    let part = |(i, c): (usize, &str)| {
        let is_inner = i > 0 && c.chars().all(char::is_uppercase);
        format!("{}{}", if is_inner { "_" } else { "" }, c.to_lowercase())
    };
    parts.map(part).collect()
}

#[pymethods]
impl Loss {
    #[new]
    #[pyo3(signature = (name, /, **params))]
    fn new(name: &str, params: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let loss: AnyLoss = params::from_py(name, params)?;
        loss.check()?;
        Ok(Self(loss))
    }

    /// The constructor's arguments, as a new dict.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Quantile(q=0.9).params
    /// {'q': 0.9}
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Ok(params::to_py(py, &self.0)?.1)
    }

    /// The least and the largest label that the loss takes.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Logistic().labels
    /// (0.0, 1.0)
    #[getter]
    fn labels(&self) -> (f64, f64) {
        self.0.labels()
    }

    /// The loss of each value, given its label.
    fn _values<'py>(
        &self,
        v: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        each(v, y, |v, y| self.0.value(v, y))
    }

    /// The derivative of the loss with respect to each value, given its label.
    fn _derivatives<'py>(
        &self,
        v: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        each(v, y, |v, y| self.0.derivative(v, y))
    }

    /// The second derivative of the loss with respect to each value, given its label.
    fn _curvatures<'py>(
        &self,
        v: &Bound<'py, PyAny>,
        y: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        each(v, y, |v, y| self.0.curvature(v, y))
    }

    /// The prediction that belongs to each value.
    fn _predictions<'py>(&self, v: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        each(v, v, |v, _| self.0.prediction(v))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let (_, kwargs) = params::to_py(slf.py(), &slf.get().0)?;
        params::repr(slf, &kwargs)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| self.0 == other.get().0)
    }

    fn __hash__(&self) -> PyResult<u64> {
        params::hashed(&self.0)
    }

    /// Makes a loss of this class without calling its constructor, whose arguments may differ.
    #[classmethod]
    fn _restore<'py>(
        cls: &Bound<'py, PyType>,
        name: &str,
        params: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let base = cls.py().get_type::<Self>();
        base.call_method("__new__", (cls, name), Some(params))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<params::Remade<'py>> {
        params::remade(slf, &slf.get().0)
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(params::no_state(slf))
    }
}

/// A function of each value and its label.
fn each<'py>(
    v: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
    function: impl Fn(f64, f64) -> f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let py = v.py();
    let (v, y) = (arrays::vector("v", v)?, arrays::vector("y", y)?);
    let (v, y) = (v.to_vec()?, y.to_vec()?);
    check_length(("y", "labels"), &y, v.len())?;
    let values = v.into_iter().zip(y).map(|(v, y)| function(v, y));
    Ok(PyArray1::from_iter(py, values))
}
