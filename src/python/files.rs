//! Files that are written piece by piece, so that what they hold is never in memory as a whole.

use std::fs::File;
use std::io::{self, Write};

use parking_lot::Mutex;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The bytes that go to Python at once.
pub(super) const PIECE: usize = 1 << 20;

/// Anything of Python that has `write`, which Rust writes to; the interpreter is held for each piece alone.
pub(super) struct PyWriter(pub(super) Py<PyAny>);

impl Write for PyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Python::attach(|py| {
            let bytes = PyBytes::new(py, bytes);
            self.0.call_method1(py, intern!(py, "write"), (bytes,))
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

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

    /// Does nothing: there is no buffer.
    fn flush(&self) {}
}
