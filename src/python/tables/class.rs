//! The class of tables.

use std::sync::Arc;

use numpy::{PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::{rows, values};
use crate::columns::{self, Column};
use crate::python::arrays::wrong_type;

/// Rows of a table: columns of numbers, truths, times and texts, with their names.
///
/// Learners that take tables take it wherever they take a data frame. It is what data frames and files become; it never
/// changes. To make one is worth while where the same rows are used several times.
///
/// Parameters
/// ----------
/// data
///     A data frame of pandas, polars, pyarrow, DuckDB, or of any library that exports Arrow streams; or a list with a dict
///     of names and values for each row, in which a missing name means a missing value.
///
/// Notes
/// -----
/// None, NaN, NaT and NA are missing. Texts and categories are texts; a number or a truth among texts is its text. Dates
/// and times are those of the wall clock in the zone of the column. A duration is its number of seconds. The index of a
/// pandas frame is no column.
///
/// Examples
/// --------
/// >>> import nystream
/// >>> table = nystream.Table([{"size": 2, "color": "red"}, {"size": 3.5}])
/// >>> table
/// Table(2 rows, 2 columns)
/// >>> table.to_dict()
/// {'size': [2.0, 3.5], 'color': ['red', None]}
#[pyclass(module = "nystream._core", frozen)]
pub(in crate::python) struct Table(Arc<columns::Table>);

impl From<columns::Table> for Table {
    fn from(table: columns::Table) -> Self {
        Self(Arc::new(table))
    }
}

impl Table {
    /// The table, which is not copied.
    pub(in crate::python) fn share(&self) -> Arc<columns::Table> {
        Arc::clone(&self.0)
    }
}

#[pymethods]
impl Table {
    #[new]
    #[pyo3(signature = (data, /))]
    fn new(data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let wrong = || wrong_type("data", "a data frame or a list of dicts", data);
        super::table("data", data)?.map(Self).ok_or_else(wrong)
    }

    /// The table of a list of dicts, which may be empty.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> len(nystream.Table.from_rows([]))
    /// 0
    #[staticmethod]
    #[pyo3(signature = (rows, /))]
    fn from_rows(rows: &Bound<'_, PyAny>) -> PyResult<Self> {
        let list = rows.cast::<PyList>();
        let list = list.map_err(|_| wrong_type("rows", "a list of dicts", rows))?;
        Ok(Self(Arc::new(rows::of_dicts("rows", list)?)))
    }

    /// The table of one row, a dict or a series of pandas.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Table.from_row({"size": 2, "color": "red"})
    /// Table(1 row, 2 columns)
    #[staticmethod]
    #[pyo3(signature = (x, /))]
    fn from_row(x: &Bound<'_, PyAny>) -> PyResult<Self> {
        let wrong = || wrong_type("x", "a row with names", x);
        super::row("x", x)?.map(Self).ok_or_else(wrong)
    }

    /// Names of the columns.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Table([{"size": 2, "color": "red"}, {"price": 3.5}]).names
    /// ['size', 'color', 'price']
    #[getter]
    fn names(&self) -> Vec<String> {
        self.0.names().to_vec()
    }

    /// The columns by name, each as a list: floats, truths, datetimes and strings, and None where a value is missing.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Table.from_row({"price": float("nan")}).to_dict()
    /// {'price': [None]}
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, column) in self.0.names().iter().zip(self.0.columns()) {
            let values = list(py, column, self.0.n_rows()).map_err(|error| {
                PyValueError::new_err(format!("column {name:?} has no values of Python: {error}"))
            })?;
            dict.set_item(name, values)?;
        }
        Ok(dict)
    }

    /// Some rows of the table.
    #[allow(clippy::needless_pass_by_value, reason = "Python hands over a list")]
    fn _take(&self, rows: Vec<usize>) -> PyResult<Self> {
        match rows.iter().find(|row| **row >= self.0.n_rows()) {
            Some(row) => Err(PyIndexError::new_err(format!("there is no row {row}"))),
            None => Ok(Self::from(self.0.take(&rows))),
        }
    }

    /// Number of rows without a value in each column.
    fn _n_missing(&self) -> Vec<usize> {
        let columns = self.0.columns().iter();
        columns
            .map(|column| column.n_missing(self.0.n_rows()))
            .collect()
    }

    /// The rows as an array, in which NaN stands for all that is no number.
    fn _numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (n_rows, width) = (self.0.n_rows(), self.0.names().len());
        let mut numbers = vec![f64::NAN; n_rows * width];
        for (j, column) in self.0.columns().iter().enumerate() {
            if let Column::Numbers(column) = column {
                let places = numbers[j.min(n_rows * width)..].iter_mut().step_by(width);
                places
                    .zip(column)
                    .for_each(|(place, number)| *place = *number);
            }
        }
        let array = PyArray1::from_vec(py, numbers).reshape((n_rows, width))?;
        Ok(array.into_any())
    }

    /// Number of rows.
    fn __len__(&self) -> usize {
        self.0.n_rows()
    }

    fn __repr__(&self) -> String {
        let counted = |n, what| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
        let (rows, columns) = (self.0.n_rows(), self.0.names().len());
        format!(
            "Table({}, {})",
            counted(rows, "row"),
            counted(columns, "column")
        )
    }

    #[allow(clippy::unused_self, reason = "Python calls a method")]
    fn __reduce__(&self) -> PyResult<()> {
        let message = "a Table cannot be pickled or copied: pickle what it was made of";
        Err(PyTypeError::new_err(message))
    }
}

/// A column as a list of Python.
fn list<'py>(py: Python<'py>, column: &Column, n_rows: usize) -> PyResult<Bound<'py, PyList>> {
    match column {
        Column::Empty => PyList::new(py, vec![None::<f64>; n_rows]),
        Column::Numbers(numbers) => {
            PyList::new(py, numbers.iter().map(|n| (!n.is_nan()).then_some(*n)))
        }
        Column::Truths(truths) => PyList::new(py, truths),
        Column::Times(times) => {
            let datetime =
                |time: &Option<i64>| time.map(|micros| values::datetime(py, micros)).transpose();
            let times: PyResult<Vec<_>> = times.iter().map(datetime).collect();
            PyList::new(py, times?)
        }
        Column::Texts { codes, values } => {
            PyList::new(py, codes.iter().map(|code| values.get(*code as usize)))
        }
    }
}
