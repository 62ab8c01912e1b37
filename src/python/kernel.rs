//! The base class of all kernels.

use std::hash::{DefaultHasher, Hash, Hasher};

use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use super::{arrays, params};
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::linalg::Panels;
use crate::rows::Rows;

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
#[pyclass(module = "nystream._core", frozen, subclass)]
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
        let rows = Rows::new(X.as_slice()?, X.shape()[1])?;
        let columns = match &Z {
            Some(Z) => Rows::named("Z", Z.as_slice()?, Z.shape()[1])?,
            None => rows,
        };
        let shape = (rows.len(), columns.len());
        let values = py.detach(|| gram(&self.0, &rows, &columns))?;
        PyArray1::from_vec(py, values).reshape(shape)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        params::repr(py, &self.0)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Self>()
            .is_ok_and(|other| self.0 == other.get().0)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        let mut hasher = DefaultHasher::new();
        self.__repr__(py)?.hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.params(py)?))
    }
}

/// The kernel matrix, row by row.
fn gram(kernel: &AnyKernel, rows: &Rows<'_>, columns: &Rows<'_>) -> Result<Vec<f64>, Error> {
    if rows.n_features() != columns.n_features() {
        return Err(Error::Width {
            argument: "Z",
            expected: rows.n_features(),
            found: columns.n_features(),
        });
    }
    let stored: Panels = columns.iter().collect();
    let mut values = vec![0.0; rows.len() * columns.len()];
    for (x, row) in rows.iter().zip(values.chunks_exact_mut(columns.len())) {
        kernel.row_into(x, &stored, row);
    }
    Ok(values)
}
