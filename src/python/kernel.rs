//! The base class of all kernels.

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use super::{arrays, params};
use crate::data::Rows;
use crate::error::{Error, Place};
use crate::kernels::AnyKernel;
use crate::limits::LARGEST;
use crate::linalg::Panels;
use crate::runtime::memory::zeros;

/// A positive semidefinite kernel: compares two rows. Immutable.
///
/// Examples
/// --------
/// >>> import nystream
/// >>> kernel = nystream.Gaussian(sigma=2.0)
/// >>> kernel
/// Gaussian(sigma=2.0)
/// >>> kernel([[0.0], [2.0]]).round(4).tolist()
/// [[1.0, 0.6065], [0.6065, 1.0]]
#[pyclass(module = "nystream._core", frozen, subclass, weakref)]
pub(super) struct Kernel(AnyKernel);

impl Kernel {
    pub(super) fn kernel(&self) -> &AnyKernel {
        &self.0
    }
}

#[pymethods]
impl Kernel {
    #[new]
    #[pyo3(signature = (name, /, **params))]
    fn new(name: &str, params: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let kernel: AnyKernel = params::from_py(name, params)?;
        kernel.check()?;
        Ok(Self(kernel))
    }

    /// The constructor's arguments, as a new dict.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Gaussian(sigma=2.0).params
    /// {'sigma': 2.0}
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        Ok(params::to_py(py, &self.0)?.1)
    }

    /// The matrix of kernel values between the rows of `X` and those of `Z`, or of `X` itself.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Linear()([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]])
    /// array([[11., 17.]])
    #[pyo3(signature = (X, Z=None))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        X: &Bound<'py, PyAny>,
        Z: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let X = arrays::matrix("X", X)?;
        let Z = Z.map(|Z| arrays::matrix("Z", Z)).transpose()?;
        // The conversion of Z may have run the user's code, and that may have changed X.
        let X = arrays::matrix("X", &X)?.try_readonly()?;
        let Z = Z.map(|Z| Z.try_readonly()).transpose()?;
        let rows = Rows::new(X.as_slice()?, X.shape()[1])?;
        let columns = match &Z {
            Some(Z) => Rows::named("Z", Z.as_slice()?, Z.shape()[1])?,
            None => rows,
        };
        let values = py.detach(|| gram(&self.0, &rows, &columns))?;
        PyArray1::from_vec(py, values).reshape((rows.len(), columns.len()))
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

    /// Makes a kernel of this class without calling its constructor, whose arguments may differ.
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

/// The kernel matrix, row by row.
fn gram(kernel: &AnyKernel, rows: &Rows<'_>, columns: &Rows<'_>) -> PyResult<Vec<f64>> {
    if rows.n_features() != columns.n_features() {
        return Err(PyErr::from(Error::Width {
            argument: "Z",
            expected: rows.n_features(),
            found: columns.n_features(),
        }));
    }
    kernel.check_rows(rows.iter(), LARGEST, |i| Place::new("X", [i]))?;
    kernel.check_rows(columns.iter(), LARGEST, |i| Place::new("Z", [i]))?;
    let (n, m) = (rows.len(), columns.len());
    let mut values = zeros(n.saturating_mul(m), || format!("a matrix of {n} x {m}"))?;
    let stored: Panels = columns.iter().collect();
    for (x, row) in rows.iter().zip(values.chunks_exact_mut(columns.len())) {
        kernel.row_into(x, &stored, row);
    }
    Ok(values)
}
