//! Files that Python writes piece by piece, so that what they hold is never in memory as a whole.

use std::fs::File;
use std::io::Write;

use parking_lot::Mutex;
use pyo3::prelude::*;

/// A file of Rust that Python writes to, from one end to the other.
#[pyclass(module = "nystream._core", frozen)]
pub(super) struct OutputFile(pub(super) Mutex<File>);

#[pymethods]
impl OutputFile {
    /// Writes all of some bytes, and returns their number.
    fn write(&self, py: Python<'_>, data: &[u8]) -> PyResult<usize> {
        py.detach(|| self.0.lock().write_all(data))?;
        Ok(data.len())
    }

    /// Hands all that was written to the system.
    fn flush(&self) -> PyResult<()> {
        Ok(self.0.lock().flush()?)
    }
}
