//! Rows whose labels come late.

use numpy::PyArray1;
use pyo3::prelude::*;

use super::{arrays, chunks};
use crate::data::FeatureNames;
use crate::error::Error;
use crate::predictor::Asked;
use crate::{AskedRow, Learner};

#[doc = include_str!("docs/Ticket.txt")]
#[pyclass(module = "nystream._core", frozen, weakref)]
pub(super) struct Ticket {
    core: crate::Ticket,
    interval: Option<Vec<f64>>,
    names: FeatureNames,
}

/// The parts of a ticket: what `Ticket._restore` takes.
type Parts = (
    (Vec<f64>, u64, Option<Vec<String>>, String),
    (Vec<f64>, f64, Vec<f64>, Vec<f64>),
    Option<Vec<f64>>,
);

#[pymethods]
impl Ticket {
    /// The features of the row.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.RunningMean().ask([0.1, 0.2]).x
    /// array([0.1, 0.2])
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.core.x)
    }

    /// What was predicted: a number, or an array of as many as there are targets.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.RunningMean().ask([0.1, 0.2]).prediction
    /// 0.0
    #[getter]
    fn prediction<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        chunks::prediction(py, self.core.asked.yhat.clone())
    }

    /// The ends of the interval, of each target if there are several; ``None`` unless a level was given.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> model = nystream.RunningMean()
    /// >>> model.learn_many([[0.0]] * 20, [1.0, 3.0] * 10)
    /// >>> model.ask([0.0], level=0.8).interval.round(2)
    /// array([0.9, 3.1])
    #[getter]
    fn interval<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let n_targets = self.core.asked.yhat.len();
        let shaped = |ends: &Vec<f64>| super::intervals::of_row(py, ends.clone(), n_targets);
        self.interval.as_ref().map(shaped).transpose()
    }

    #[staticmethod]
    fn _restore(parts: Parts) -> PyResult<Self> {
        let ((x, at, names, row), (yhat, q, scales, details), interval) = parts;
        let asked = Asked {
            yhat,
            q,
            scales,
            details,
        };
        let row = AskedRow::from_text(&row)?;
        Ok(Self {
            core: crate::Ticket { x, asked, at, row },
            interval,
            names: FeatureNames::new(names),
        })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Parts,))> {
        let (restore, own) = (slf.get_type().getattr("_restore")?, slf.get());
        let row = own.core.row_to_text();
        let crate::Ticket { x, asked, at, .. } = own.core.clone();
        let names = own.names.get().map(<[String]>::to_vec);
        let asked = (asked.yhat, asked.q, asked.scales, asked.details);
        Ok((
            restore,
            (((x, at, names, row), asked, own.interval.clone()),),
        ))
    }

    fn __repr__(&self) -> String {
        let Asked { yhat, .. } = &self.core.asked;
        format!("Ticket(prediction={yhat:?})")
    }
}

/// The number of rows after which a label is known.
pub(super) fn delay(delay: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    delay.map_or(Ok(0), |delay| arrays::count("delay", delay))
}

/// Predicts a row whose label comes later.
pub(super) fn ask(
    learner: &mut Learner,
    level: Option<f64>,
    names: FeatureNames,
    ask: impl FnOnce(&mut Learner) -> Result<crate::Ticket, Error>,
) -> PyResult<Ticket> {
    if let Some(level) = level {
        learner.check_level(level)?;
    }
    let ticket = ask(learner)?;
    let interval = level.map(|level| learner.interval_of(&ticket, level));
    Ok(Ticket {
        interval: interval.transpose()?,
        core: ticket,
        names,
    })
}

/// Learns the labels of a row that was asked for.
pub(super) fn answer(
    learner: &mut Learner,
    ticket: &Ticket,
    y: &[f64],
    weight: Option<f64>,
) -> PyResult<()> {
    learner.check_names("ticket", &ticket.names)?;
    let is_first = learner.n_seen() == 0;
    learner.answer(&ticket.core, y, weight)?;
    if is_first {
        learner.name_features(ticket.names.clone());
    }
    Ok(())
}
