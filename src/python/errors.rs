//! The conversion of errors to exceptions.

use std::path::Path;

use pyo3::exceptions::{PyKeyError, PyMemoryError, PyOSError, PyTypeError, PyValueError};
use pyo3::import_exception;
use pyo3::prelude::*;

use crate::error::Error;

import_exception!(numpy.linalg, LinAlgError);

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error {
            Error::Io { path, code, reason } => match code {
                // Python chooses the class by the number, FileNotFoundError for one.
                Some(code) => PyOSError::new_err((code, strerror(&reason), shown(&path))),
                None => PyOSError::new_err(format!("{}: {reason}", shown(&path))),
            },
            Error::UnknownKey { key } => PyKeyError::new_err(key),
            Error::Memory { .. } => PyMemoryError::new_err(error.to_string()),
            Error::Weights { .. } | Error::NotMergeable { .. } => {
                PyTypeError::new_err(error.to_string())
            }
            Error::NotPositiveDefinite { .. } | Error::Prediction { .. } => {
                LinAlgError::new_err(error.to_string())
            }
            _ => PyValueError::new_err(error.to_string()),
        }
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The system's message, without the number that Rust appends.
fn strerror(reason: &str) -> String {
    reason
        .split(" (os error")
        .next()
        .unwrap_or(reason)
        .to_owned()
}
