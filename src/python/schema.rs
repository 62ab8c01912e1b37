//! The columns that a model knows, as Python sees them.

use std::cell::RefCell;
use std::ffi::CString;

use parking_lot::ReentrantMutex;
use pyo3::import_exception;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use super::tables::Table;
use crate::Learner;
use crate::columns::{Columns, Fitted, Kind, Why};
use crate::error::{ColumnProblem, Error};
use crate::keyed::Keyed;

import_exception!(nystream, ColumnWarning);

/// A column that a model knows.
///
/// Examples
/// --------
/// >>> import nystream
/// >>> model = nystream.Auto()
/// >>> model.learn_one({"town": "Ulm", "rooms": None}, 200.0)
/// >>> model.schema
/// [Column(name='town', kind='category', n_missing=0), Column(name='rooms', kind=None, n_missing=1)]
#[pyclass(module = "nystream._core", frozen, eq)]
#[derive(PartialEq)]
pub(super) struct Column {
    name: String,
    kind: Option<String>,
    n_missing: u64,
}

#[pymethods]
impl Column {
    /// Its name; its number if it is a column of arrays.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.Auto()
    /// >>> model.learn_one({"town": "Ulm"}, 200.0)
    /// >>> model.schema[0].name
    /// 'town'
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// ``"number"``, ``"category"``, ``"time"`` or ``"text"``; ``"unused"`` for a column that is left out, with the reason
    /// in parentheses if nobody has said so; None before its first value.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.Auto()
    /// >>> model.learn_many([{"id": i, "rooms": i % 5} for i in range(40)], [200.0] * 40)
    /// >>> [column.kind for column in model.schema]
    /// ['unused (id)', 'number']
    #[getter]
    fn kind(&self) -> Option<&str> {
        self.kind.as_deref()
    }

    /// Number of rows learned in which it had no value; 0 for a column that is left out.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.Auto()
    /// >>> model.learn_many([{"rooms": 3}, {"rooms": None}], [200.0, 150.0])
    /// >>> model.schema[0].n_missing
    /// 1
    #[getter]
    fn n_missing(&self) -> u64 {
        self.n_missing
    }

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

/// A model that may have columns.
pub(super) trait MayHaveColumns {
    /// Its columns, if it has them.
    fn columns(&self) -> Option<&Columns>;
}

impl MayHaveColumns for Learner {
    fn columns(&self) -> Option<&Columns> {
        self.columns()
    }
}

impl MayHaveColumns for Keyed {
    fn columns(&self) -> Option<&Columns> {
        self.columns()
    }
}

/// Lets a model learn, and warns of columns that are left out if that has settled the kinds of columns.
pub(super) fn warn_after<T, M: MayHaveColumns>(
    py: Python<'_>,
    model: &ReentrantMutex<RefCell<M>>,
    learn: impl FnOnce() -> PyResult<T>,
) -> PyResult<T> {
    let is_settled = || {
        let guard = model.lock_py_attached(py);
        let model = guard.borrow();
        model.columns().is_none_or(Columns::is_settled)
    };
    let was_settled = is_settled();
    let learned = learn()?;
    if !was_settled && is_settled() {
        let message = model
            .lock_py_attached(py)
            .borrow()
            .columns()
            .and_then(left_out);
        message.map_or(Ok(()), |message| {
            PyErr::warn(py, &py.get_type::<ColumnWarning>(), &message, 1)
        })?;
    }
    Ok(learned)
}

/// What a warning says of columns that are left out without being told to; `None` if there are none.
fn left_out(columns: &Columns) -> Option<CString> {
    let is_inferred = |kind: &Kind| matches!(kind, Kind::Unused(why) if *why != Why::Stated);
    let unused = columns.schema().filter_map(|field| {
        let kind = field.kind.filter(is_inferred)?;
        Some(format!("{:?} is {kind}", field.name))
    });
    let unused: Vec<String> = unused.collect();
    let message = format!(
        "columns whose values hardly ever come again are left out: {}; schema= can state other kinds, or \"unused\"",
        unused.join(", ")
    );
    (!unused.is_empty()).then(|| CString::new(message.replace('\0', "")).ok())?
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
