//! The columns that a model knows, as Python sees them.

use pyo3::prelude::*;

use super::tables::Table;
use crate::columns::{Columns, Fitted};
use crate::error::{ColumnProblem, Error};

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

/// A row left out, its column, what its value should be, and the value; no value if it is missing.
pub(super) type Refused = (usize, String, Option<&'static str>, String);

/// The rows of a table that columns take, and those that they do not.
pub(super) fn fit(
    columns: Option<&Columns>,
    table: &Table,
) -> PyResult<(Option<Table>, Vec<Refused>)> {
    let Some(columns) = columns else {
        return Ok((None, Vec::new()));
    };
    let table = table.share();
    let renamed = columns.renamed(&table);
    let Fitted { table, refused } = columns.fit(renamed.as_ref().unwrap_or(&table))?;
    let refused: Result<_, Error> = refused
        .into_iter()
        .map(|(row, problem)| described(row, problem))
        .collect();
    Ok((table.map(Table::from), refused?))
}

fn described(row: usize, problem: ColumnProblem) -> Result<Refused, Error> {
    match problem {
        ColumnProblem::Value {
            column,
            expected,
            value,
            ..
        } => Ok((row, column, Some(expected), value)),
        ColumnProblem::NoValue { column, .. } => Ok((row, column, None, String::new())),
        problem => Err(Error::Columns {
            problems: vec![problem],
        }),
    }
}
