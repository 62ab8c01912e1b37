//! Single values of Python.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString, PyType};

use crate::columns::ColumnBuilder;

/// Number of the first of January 1970 among the days since the year 1, which Python calls ordinals.
const EPOCH: i64 = 719_163;

/// Microseconds of a second.
pub(super) const SECOND: i64 = 1_000_000;

/// What NumPy has for a time that is missing.
const NAT: i64 = i64::MIN;

/// Appends a value of Python to a column. Returns false for a value that no column holds.
pub(super) fn push(column: &mut ColumnBuilder, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(number) = value.cast_exact::<PyFloat>() {
        column.number(number.value());
    } else if let Ok(text) = value.cast_exact::<PyString>() {
        push_text(column, text);
    } else if value.is_none() {
        column.missing();
    } else if let Ok(truth) = value.cast_exact::<PyBool>() {
        column.truth(truth.is_true());
    } else if value.is_exact_instance_of::<PyInt>() {
        column.number(number(value)?);
    } else {
        return push_other(column, value);
    }
    Ok(true)
}

/// A time in microseconds as NumPy has it; `None` if it is missing.
pub(super) fn moment(micros: i64) -> Option<i64> {
    (micros != NAT).then_some(micros)
}

/// A time as a datetime without a zone.
pub(super) fn datetime(py: Python<'_>, micros: i64) -> PyResult<Bound<'_, PyAny>> {
    let classes = Classes::get(py)?;
    let epoch = classes.datetime.bind(py).call1((1970, 1, 1))?;
    let since = classes.timedelta.bind(py).call1((
        0,
        micros.div_euclid(SECOND),
        micros.rem_euclid(SECOND),
    ))?;
    epoch.add(since)
}

/// A number as a float; infinite if it is too large for one.
pub(super) fn number(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    match value.extract::<f64>() {
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => Ok(if value.lt(0)? {
            f64::NEG_INFINITY
        } else {
            f64::INFINITY
        }),
        number => number,
    }
}

fn push_text(column: &mut ColumnBuilder, text: &Bound<'_, PyString>) {
    match text.to_str() {
        Ok(text) => column.text(text),
        // Half a surrogate pair is no character.
        Err(_) => column.text(&text.to_string_lossy()),
    }
}

/// Appends a value of a class that is not one of Python's own four.
fn push_other(column: &mut ColumnBuilder, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    let classes = Classes::get(py)?;
    let is = |class: &Py<PyType>| value.is_instance(class.bind(py));
    if let Ok(text) = value.cast::<PyString>() {
        push_text(column, text);
    } else if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
        column.number(number(value)?);
    } else if is(&classes.date)? {
        push_date(column, value, is(&classes.datetime)?)?;
    } else if is(&classes.generic)? {
        return push_scalar(column, value);
    } else if is(&classes.decimal)? {
        column.number(decimal(value)?);
    } else if is(&classes.time)? {
        let naive = value.call_method1(intern!(py, "strftime"), ("%H:%M:%S.%f",))?;
        column.text(naive.extract()?);
    } else if is(&classes.timedelta)? {
        column.number(
            value
                .call_method0(intern!(py, "total_seconds"))?
                .extract()?,
        );
    } else if value.get_type().name()? == "NAType" {
        column.missing();
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// Appends a date; the time of a datetime is that of its own wall clock.
fn push_date(column: &mut ColumnBuilder, date: &Bound<'_, PyAny>, has_time: bool) -> PyResult<()> {
    // NaT of pandas is a datetime that is not equal to itself.
    if date.ne(date)? {
        column.missing();
        return Ok(());
    }
    let py = date.py();
    let part = |name: &Bound<'_, PyString>| date.getattr(name)?.extract::<i64>();
    let days: i64 = date.call_method0(intern!(py, "toordinal"))?.extract()?;
    let mut micros = (days - EPOCH) * 24 * 3600 * SECOND;
    if has_time {
        let minutes = 60 * part(intern!(py, "hour"))? + part(intern!(py, "minute"))?;
        micros += (60 * minutes + part(intern!(py, "second"))?) * SECOND;
        micros += part(intern!(py, "microsecond"))?;
    }
    column.time(micros);
    Ok(())
}

/// A decimal as a float; a NaN of any kind is NaN.
fn decimal(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    match value.extract::<f64>() {
        Err(error) if error.is_instance_of::<PyValueError>(value.py()) => Ok(f64::NAN),
        number => number,
    }
}

/// Appends a scalar of NumPy.
fn push_scalar(column: &mut ColumnBuilder, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    let kind: char = value
        .getattr(intern!(py, "dtype"))?
        .getattr(intern!(py, "kind"))?
        .extract()?;
    match kind {
        'b' => column.truth(value.is_truthy()?),
        'i' | 'u' | 'f' => column.number(number(value)?),
        'M' => match moment(micros(value, "datetime64[us]")?) {
            None => column.missing(),
            Some(micros) => column.time(micros),
        },
        'm' => match moment(micros(value, "timedelta64[us]")?) {
            None => column.missing(),
            Some(micros) => column.number(micros as f64 / SECOND as f64),
        },
        _ => return Ok(false),
    }
    Ok(true)
}

fn micros(value: &Bound<'_, PyAny>, dtype: &str) -> PyResult<i64> {
    let astype = intern!(value.py(), "astype");
    let time = value.call_method1(astype, (dtype,))?;
    time.call_method1(astype, ("int64",))?.extract()
}

/// Classes of values, looked up once.
struct Classes {
    date: Py<PyType>,
    datetime: Py<PyType>,
    time: Py<PyType>,
    timedelta: Py<PyType>,
    decimal: Py<PyType>,
    /// The class of all scalars of NumPy.
    generic: Py<PyType>,
}

impl Classes {
    fn get(py: Python<'_>) -> PyResult<&'static Self> {
        static CLASSES: PyOnceLock<Classes> = PyOnceLock::new();
        CLASSES.get_or_try_init(py, || {
            let class = |module: &str, name: &str| -> PyResult<Py<PyType>> {
                Ok(py
                    .import(module)?
                    .getattr(name)?
                    .cast_into::<PyType>()?
                    .unbind())
            };
            Ok(Self {
                date: class("datetime", "date")?,
                datetime: class("datetime", "datetime")?,
                time: class("datetime", "time")?,
                timedelta: class("datetime", "timedelta")?,
                decimal: class("decimal", "Decimal")?,
                generic: class("numpy", "generic")?,
            })
        })
    }
}
