//! The place where an Arrow stream comes into Rust.
#![allow(unsafe_code, reason = "an Arrow stream is a pointer in a capsule")]

use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Opens the stream that an object hands out.
pub(super) fn open(value: &Bound<'_, PyAny>) -> PyResult<ArrayStreamReader> {
    let capsule = value.call_method0(intern!(value.py(), "__arrow_c_stream__"))?;
    let capsule = capsule.cast_into::<PyCapsule>()?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: Arrow's PyCapsule interface says that a capsule of this name, which was checked, points to a stream, and that
    // whoever asked for it may move the stream out. The capsule lives until the stream has been moved.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
    let reader = ArrayStreamReader::try_new(stream);
    reader.map_err(|error| PyValueError::new_err(error.to_string()))
}
