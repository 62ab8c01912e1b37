//! The columns that a model knows, as Python sees them.

use pyo3::prelude::*;

use crate::columns::Columns;

/// A column that a model knows.
///
/// Attributes
/// ----------
/// name
///     Its name.
/// kind
///     ``"number"``, ``"category"``, ``"time"`` or ``"text"``; ``"unused"`` for a column that is left out, with the reason
///     in parentheses if nobody has said so; None before its first value.
/// n_missing
///     Number of rows learned in which it had no value.
///
/// Examples
/// --------
/// >>> import nystream
/// >>> model = nystream.Auto()
/// >>> model.learn_one({"town": "Ulm", "rooms": None}, 200.0)
/// >>> model.schema
/// [Column(name='town', kind='category', n_missing=0), Column(name='rooms', kind=None, n_missing=1)]
#[pyclass(module = "nystream._core", frozen, get_all, eq)]
#[derive(PartialEq)]
pub(super) struct Column {
    name: String,
    kind: Option<String>,
    n_missing: u64,
}

#[pymethods]
impl Column {
    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let attribute = |name| PyResult::Ok(slf.getattr(name)?.repr()?.to_string());
        let (name, kind) = (attribute("name")?, attribute("kind")?);
        Ok(format!(
            "Column(name={name}, kind={kind}, n_missing={})",
            slf.get().n_missing
        ))
    }
}

/// The schema of columns, in the order in which they came.
pub(super) fn of(columns: &Columns) -> Vec<Column> {
    let fields = columns.schema().map(|field| Column {
        name: field.name.to_owned(),
        kind: field.kind.map(|kind| kind.to_string()),
        n_missing: field.n_missing,
    });
    fields.collect()
}
