//! Rows whose labels come late.

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::keyed::to_py;
use super::{arrays, chunks};
use crate::data::FeatureNames;
use crate::error::Error;
use crate::keyed;
use crate::predictor::Asked;
use crate::{AskedRow, Learner};

#[doc = include_str!("docs/Ticket.txt")]
#[pyclass(module = "nystream._core", frozen, weakref)]
pub(super) struct Ticket {
    core: Core,
    interval: Option<Vec<f64>>,
    names: FeatureNames,
}

/// A ticket of a learner, or of models by key.
enum Core {
    Learner(crate::Ticket),
    Keyed(Box<keyed::Ticket>),
}

/// The parts of a ticket of models by key: lists of numbers and texts, the interval, and names of features.
type KeyedParts = (
    Vec<Vec<f64>>,
    Vec<String>,
    Option<Vec<f64>>,
    Option<Vec<String>>,
);

/// The parts of a ticket of a learner: what `Ticket._restore` takes.
type Parts = (
    (Vec<f64>, u64, Option<Vec<String>>, String),
    (Vec<f64>, f64, Vec<f64>, Vec<f64>),
    Option<Vec<f64>>,
);

impl Ticket {
    /// A ticket of models by key.
    pub(super) fn of_key(
        ticket: keyed::Ticket,
        interval: Option<Vec<f64>>,
        names: FeatureNames,
    ) -> Self {
        let core = Core::Keyed(Box::new(ticket));
        Self {
            core,
            interval,
            names,
        }
    }

    /// The ticket of models by key that this is, and the names of its features.
    pub(super) fn asked_of_key(&self) -> Result<(&keyed::Ticket, &FeatureNames), Error> {
        match &self.core {
            Core::Keyed(ticket) => Ok((ticket, &self.names)),
            Core::Learner(_) => Err(Error::Ticket { algorithm: "Keyed" }),
        }
    }

    /// The ticket of a learner that this is.
    fn asked_of_learner(&self, learner: &Learner) -> Result<&crate::Ticket, Error> {
        match &self.core {
            Core::Learner(ticket) => Ok(ticket),
            Core::Keyed(_) => Err(Error::Ticket {
                algorithm: learner.params().name(),
            }),
        }
    }

    /// The prediction for each target.
    fn yhat(&self) -> &[f64] {
        match &self.core {
            Core::Learner(ticket) => &ticket.asked.yhat,
            Core::Keyed(ticket) => std::slice::from_ref(&ticket.said.yhat),
        }
    }
}

#[pymethods]
impl Ticket {
    /// The key of the row; None if it was asked for without one.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.Keyed(nystream.RunningMean()).ask("a", [0.1, 0.2]).key
    /// 'a'
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.core {
            Core::Learner(_) => Ok(None),
            Core::Keyed(ticket) => to_py(py, ticket.key.as_key()).map(Some),
        }
    }

    /// The features of the row.
    ///
    /// Examples
    /// --------
    /// >>> import nystream
    /// >>> nystream.RunningMean().ask([0.1, 0.2]).x
    /// array([0.1, 0.2])
    #[getter]
    fn x<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(
            py,
            match &self.core {
                Core::Learner(ticket) => &ticket.x,
                Core::Keyed(ticket) => &ticket.x,
            },
        )
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
        chunks::prediction(py, self.yhat().to_vec())
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
        let n_targets = self.yhat().len();
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
            core: Core::Learner(crate::Ticket { x, asked, at, row }),
            interval,
            names: FeatureNames::new(names),
        })
    }

    #[staticmethod]
    fn _restore_of_key(parts: KeyedParts) -> PyResult<Self> {
        let (lists, texts, interval, names) = parts;
        let wrong = || Error::Ticket { algorithm: "Keyed" };
        let lists = lists.first_chunk().filter(|all| all.len() == lists.len());
        let texts = texts.first_chunk().filter(|all| all.len() == texts.len());
        let parts = lists.zip(texts).ok_or_else(wrong)?;
        let ticket = keyed::Ticket::from_parts(parts.0, parts.1)?;
        Ok(Self::of_key(ticket, interval, FeatureNames::new(names)))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, class, own) = (slf.py(), slf.get_type(), slf.get());
        let names = own.names.get().map(<[String]>::to_vec);
        let interval = own.interval.clone();
        let core = match &own.core {
            Core::Learner(core) => core,
            Core::Keyed(ticket) => {
                let (lists, texts) = ticket.parts();
                let parts: KeyedParts = (lists.into(), texts.into(), interval, names);
                return Ok((
                    class.getattr("_restore_of_key")?,
                    (parts,).into_pyobject(py)?,
                ));
            }
        };
        let row = core.row_to_text();
        let crate::Ticket { x, asked, at, .. } = core.clone();
        let asked = (asked.yhat, asked.q, asked.scales, asked.details);
        let parts: Parts = ((x, at, names, row), asked, interval);
        Ok((class.getattr("_restore")?, (parts,).into_pyobject(py)?))
    }

    fn __repr__(&self) -> String {
        format!("Ticket(prediction={:?})", self.yhat())
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
        core: Core::Learner(ticket),
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
    let core = ticket.asked_of_learner(learner)?;
    learner.check_names("ticket", &ticket.names)?;
    let is_first = learner.n_seen() == 0;
    learner.answer(core, y, weight)?;
    if is_first {
        learner.name_features(ticket.names.clone());
    }
    Ok(())
}
