//! The one place where an error becomes an exception.

use pyo3::exceptions::PyValueError;
use pyo3::import_exception;
use pyo3::prelude::*;

use crate::error::Error;

import_exception!(numpy.linalg, LinAlgError);

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error {
            Error::NotPositiveDefinite { .. } => LinAlgError::new_err(error.to_string()),
            _ => PyValueError::new_err(error.to_string()),
        }
    }
}
