//! The numbers of predictors as dicts of arrays.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::{chunks, params};
use crate::limits::{Range, UNBOUNDED};
use crate::linalg::Panels;
use crate::predictor::{
    Curve, Curved, Expansion, Extension, Line, Metric, Mixture, Predictor, Trees, Waves,
};

/// A dict that the numbers of a predictor for some targets are put into.
pub(super) struct Parts<'a, 'py> {
    parts: &'a Bound<'py, PyDict>,
    n_targets: usize,
}

impl<'a, 'py> Parts<'a, 'py> {
    pub(super) fn new(parts: &'a Bound<'py, PyDict>, n_targets: usize) -> Self {
        Self { parts, n_targets }
    }

    /// Adds the numbers of a predictor.
    pub(super) fn add(&self, predictor: &Predictor) -> PyResult<()> {
        let ranges = match predictor {
            Predictor::Expansion(expansion) => {
                self.add_expansion(expansion)?;
                expansion.ranges().to_vec()
            }
            Predictor::Linear(lines) => self.add_lines(lines)?,
            Predictor::Waves(Waves { fourier, w }) => {
                self.put("frequencies", matrix(self.py(), fourier.frequencies())?)?;
                self.put("weights", PyArray1::from_slice(self.py(), w))?;
                vec![UNBOUNDED]
            }
            Predictor::Mixture(mixture) => self.add_mixture(mixture)?,
            Predictor::Linked(values, loss) => {
                self.put("loss", params::object(self.py(), loss)?)?;
                return self.add(values);
            }
        };
        match ranges[..] {
            [range] => self.put("range", range),
            _ => self.put("range", ranges),
        }
    }

    fn add_expansion(&self, expansion: &Expansion) -> PyResult<()> {
        let py = self.py();
        self.put("kernel", params::object(py, &expansion.kernel)?)?;
        self.put("basis", matrix(py, &expansion.rows)?)?;
        self.put("coefficients", self.each(expansion.c.clone())?)
    }

    fn add_lines(&self, lines: &[Line]) -> PyResult<Vec<Range>> {
        let slopes = lines.iter().flat_map(|line| line.slopes.clone()).collect();
        let constants = lines.iter().map(|line| line.constant).collect();
        self.put("slopes", self.each(slopes)?)?;
        self.put("constant", chunks::prediction(self.py(), constants))?;
        Ok(lines.iter().map(|line| line.range).collect())
    }

    fn add_mixture(&self, mixture: &Mixture) -> PyResult<Vec<Range>> {
        let (centres, scales) = mixture.scaling.parts();
        self.put("centres", PyArray1::from_slice(self.py(), centres))?;
        self.put("scales", PyArray1::from_slice(self.py(), scales))?;
        let expansions = mixture.expansions.iter().map(|e| self.part(e));
        self.put("expansions", expansions.collect::<PyResult<Vec<_>>>()?)?;
        if let Some(extension) = &mixture.extension {
            self.add_extension(extension)?;
        }
        self.add_lines(&mixture.lines)
    }

    fn add_extension(&self, extension: &Extension) -> PyResult<()> {
        let py = self.py();
        let mapped = |(metric, expansion): &(Metric, Expansion)| {
            let part = self.part(expansion)?;
            part.set_item("metric", metric_array(py, metric)?)?;
            Ok(part)
        };
        let mapped = extension.mapped.iter().map(mapped);
        let trees = extension.trees.iter().map(|trees| tree_parts(py, trees));
        self.put("past", PyArray1::from_slice(py, &extension.past))?;
        self.put("mapped", mapped.collect::<PyResult<Vec<_>>>()?)?;
        self.put("trees", trees.collect::<PyResult<Vec<_>>>()?)?;
        match &extension.curved {
            Some(curved) => self.put("curved", curved_parts(py, curved)?),
            None => Ok(()),
        }
    }

    /// A new dict of an expansion.
    fn part(&self, expansion: &Expansion) -> PyResult<Bound<'py, PyDict>> {
        let part = PyDict::new(self.py());
        Parts::new(&part, self.n_targets).add_expansion(expansion)?;
        Ok(part)
    }

    fn put(&self, name: &str, value: impl IntoPyObject<'py>) -> PyResult<()> {
        self.parts.set_item(name, value)
    }

    /// An array of the numbers of one target, or with a row for each of several.
    fn each(&self, numbers: Vec<f64>) -> PyResult<Bound<'py, PyAny>> {
        match self.n_targets {
            1 => Ok(PyArray1::from_vec(self.py(), numbers).into_any()),
            n_rows => shaped(self.py(), numbers, n_rows),
        }
    }

    fn py(&self) -> Python<'py> {
        self.parts.py()
    }
}

/// An array with this number of rows, at least one.
fn shaped(py: Python<'_>, numbers: Vec<f64>, n_rows: usize) -> PyResult<Bound<'_, PyAny>> {
    let shape = (n_rows, numbers.len() / n_rows);
    Ok(PyArray1::from_vec(py, numbers).reshape(shape)?.into_any())
}

fn matrix<'py>(py: Python<'py>, rows: &Panels) -> PyResult<Bound<'py, PyAny>> {
    let shape = (rows.n_rows(), rows.n_features());
    let array = PyArray1::from_vec(py, rows.to_vec()).reshape(shape)?;
    Ok(array.into_any())
}

/// The factor of each feature, or a matrix.
fn metric_array<'py>(py: Python<'py>, metric: &Metric) -> PyResult<Bound<'py, PyAny>> {
    match (metric.factors(), metric.matrix()) {
        (None, Some(rows)) => {
            let n_rows = rows.len();
            shaped(py, rows.flatten().copied().collect(), n_rows)
        }
        (factors, _) => Ok(PyArray1::from_slice(py, factors.unwrap_or_default()).into_any()),
    }
}

/// A dict of an expansion with a row of coefficients, and a curve, for each number.
fn curved_parts<'py>(py: Python<'py>, curved: &Curved) -> PyResult<Bound<'py, PyDict>> {
    let (part, n_numbers) = (PyDict::new(py), curved.curves.len());
    Parts::new(&part, n_numbers).add_expansion(&curved.expansion)?;
    part.set_item("metric", metric_array(py, &curved.metric)?)?;
    let curves = curved.curves.iter().flat_map(Curve::numbers).collect();
    part.set_item("curves", shaped(py, curves, n_numbers)?)?;
    part.set_item("weights", PyArray1::from_slice(py, &curved.weights))?;
    part.set_item("ranges", curved.ranges.clone())?;
    Ok(part)
}

/// The nodes of trees as arrays; a leaf has the feature -1.
#[allow(
    clippy::cast_possible_wrap,
    reason = "there are far fewer nodes than 2^63"
)]
fn tree_parts<'py>(py: Python<'py>, trees: &Trees) -> PyResult<Bound<'py, PyDict>> {
    let (mut features, mut numbers, mut children) = (Vec::new(), Vec::new(), Vec::new());
    for (feature, number, left) in trees.nodes() {
        features.push(feature.map_or(-1, i64::from));
        numbers.push(number);
        children.push(i64::from(left));
    }
    let roots = trees.roots().iter().map(|&root| root as i64);
    let parts = PyDict::new(py);
    parts.set_item("constant", trees.offset())?;
    parts.set_item("roots", PyArray1::from_iter(py, roots))?;
    parts.set_item("features", PyArray1::from_vec(py, features))?;
    parts.set_item("numbers", PyArray1::from_vec(py, numbers))?;
    parts.set_item("children", PyArray1::from_vec(py, children))?;
    Ok(parts)
}
