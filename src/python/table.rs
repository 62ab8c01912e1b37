//! The class of tables.

use pyo3::prelude::*;

use crate::columns;

/// Rows of a table: columns of numbers, truths, times and texts, with their names.
///
/// Learners that take tables take it wherever they take a data frame. It is what data frames and files become; it never
/// changes.
#[pyclass(module = "nystream._core", frozen)]
pub(super) struct Table(pub(super) columns::Table);

#[pymethods]
impl Table {
    /// Names of the columns.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.0.n_rows()
    }

    fn __repr__(&self) -> String {
        let (n_rows, n_columns) = (self.0.n_rows(), self.0.names().len());
        format!("Table({n_rows} rows, {n_columns} columns)")
    }
}
