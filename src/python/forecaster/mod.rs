//! Forecasters of series.

mod inputs;

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use parking_lot::{ReentrantMutex, ReentrantMutexGuard};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyType};

use super::learner::Learner;
use super::signals::Signals;
use super::{arrays, chunks, params};
use crate::columns::Table;
use crate::forecast::{Forecast, ForecasterParams, Step, Tally};
use crate::persist::model_file;
use inputs::{features, kwargs, next_slots, row, times};

type Core = crate::forecast::Forecaster;

/// The fewest and the most rows that are learned between two checks of the clock.
const LENGTHS: [usize; 2] = [1, 256];

/// The forecaster behind :class:`nystream.Forecaster`.
#[pyclass(module = "nystream._core", frozen, subclass, weakref)]
pub(super) struct Forecaster {
    core: ReentrantMutex<RefCell<Core>>,
}

/// Rows to be learned.
struct Batch {
    y: Vec<f64>,
    features: Option<Arc<Table>>,
    /// `None`: the ones that come next.
    slots: Option<Vec<i64>>,
    first_time: Option<i64>,
}

impl Forecaster {
    fn lock(&self, py: Python<'_>) -> ReentrantMutexGuard<'_, RefCell<Core>> {
        self.core.lock_py_attached(py)
    }

    /// Wraps a forecaster in its public class, or in this subclass of it.
    pub(super) fn wrap<'py>(
        py: Python<'py>,
        core: Core,
        class: Option<&Bound<'py, PyType>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let base = py.get_type::<Self>();
        let facade = params::facade(py, "Forecaster")?;
        let class = class
            .filter(|class| !class.is(&base))
            .map_or(facade, |class| class.clone().into_any());
        let object = class.call((), Some(&kwargs(py, &core)?))?;
        object.cast::<Self>()?.get().lock(py).replace(core);
        Ok(object)
    }

    fn batch(
        &self,
        py: Python<'_>,
        y: Vec<f64>,
        features: Option<Arc<Table>>,
        time: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Batch> {
        let guard = self.lock(py);
        let core = guard.borrow();
        let times = time.map(|time| times(&core, time)).transpose()?;
        let has_clock = core.params().every.is_some();
        if times.is_none() && has_clock {
            return Err(PyTypeError::new_err("time should be given, since every is"));
        }
        let first_time = times.as_ref().filter(|_| has_clock);
        let first_time = first_time.and_then(|times| times.first().copied());
        let slots = times.map(|times| core.slots(&times));
        if let Some(found) = slots.as_ref().map(Vec::len).filter(|n| *n != y.len()) {
            let expected = y.len();
            return Err(PyValueError::new_err(format!(
                "time should have as many values as y, {expected}, but has {found}"
            )));
        }
        core.check(y.len(), &y, features.as_deref())?;
        Ok(Batch {
            y,
            features,
            slots,
            first_time,
        })
    }

    fn learn_batch(&self, py: Python<'_>, batch: &Batch) -> PyResult<Vec<f64>> {
        let mut signals = Signals::new(py)?;
        py.detach(|| {
            let guard = self.core.lock();
            let n_horizons = guard.borrow().params().horizons.len();
            if let Some(time) = batch.first_time {
                guard.borrow_mut().begin(time);
            }
            let Batch { y, features, .. } = batch;
            let slots = batch.slots.clone();
            let slots = slots.unwrap_or_else(|| next_slots(&guard.borrow(), y.len()));
            let work = |range: Range<usize>| {
                let mut core = guard.borrow_mut();
                core.learn_some(&slots, y, features.as_deref(), range)
            };
            chunks::in_chunks((batch.y.len(), n_horizons), LENGTHS, &mut signals, work)
        })
    }

    fn forecasts(
        &self,
        py: Python<'_>,
        X: Option<&Bound<'_, PyAny>>,
        level: f64,
    ) -> PyResult<Vec<Forecast>> {
        let table = X.map(|X| features("X", X)).transpose()?;
        Ok(self.lock(py).borrow().predict(table.as_deref(), level)?)
    }
}

#[pymethods]
impl Forecaster {
    #[new]
    #[pyo3(signature = (model, horizons, every, seasons, ahead, half_life))]
    fn new(
        py: Python<'_>,
        model: &Bound<'_, PyAny>,
        horizons: Vec<usize>,
        every: Option<String>,
        seasons: Option<Vec<usize>>,
        ahead: Vec<String>,
        half_life: Option<String>,
    ) -> PyResult<Self> {
        let step = |text: Option<String>| {
            text.map(Step::try_from)
                .transpose()
                .map_err(PyValueError::new_err)
        };
        let expected = "a learner that has seen nothing";
        let wrong = || arrays::wrong_type("model", expected, model);
        let learner = model.cast::<Learner>().map_err(|_| wrong())?.get().copy(py);
        if learner.n_seen() > 0 {
            return Err(wrong());
        }
        let columns = learner.columns().map(|columns| columns.settings().clone());
        let core = Core::new(ForecasterParams {
            model: learner.params().clone(),
            columns: columns.unwrap_or_default(),
            horizons,
            every: step(every)?,
            seasons,
            ahead,
            half_life: step(half_life).map_err(|_| {
                PyValueError::new_err("half_life should be a time like 12h, 30d or 2w")
            })?,
        })?;
        Ok(Self {
            core: ReentrantMutex::new(RefCell::new(core)),
        })
    }

    #[doc = include_str!("../docs/forecaster/learn_one.txt")]
    #[pyo3(signature = (y, x=None, *, time=None))]
    fn learn_one(
        &self,
        py: Python<'_>,
        y: &Bound<'_, PyAny>,
        x: Option<&Bound<'_, PyAny>>,
        time: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let y = if y.is_none() {
            f64::NAN
        } else {
            arrays::number("y", y)?
        };
        let x = x.map(row).transpose()?;
        let time = time
            .map(|time| pyo3::types::PyList::new(py, [time]))
            .transpose()?;
        let batch = self.batch(py, vec![y], x, time.as_ref().map(Bound::as_any))?;
        self.learn_batch(py, &batch).map(drop)
    }

    #[doc = include_str!("../docs/forecaster/learn_many.txt")]
    #[pyo3(signature = (y, X=None, *, time=None))]
    fn learn_many(
        &self,
        py: Python<'_>,
        y: &Bound<'_, PyAny>,
        X: Option<&Bound<'_, PyAny>>,
        time: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        self.progressive(py, y, X, time).map(drop)
    }

    #[doc = include_str!("../docs/forecaster/progressive.txt")]
    #[pyo3(signature = (y, X=None, *, time=None))]
    fn progressive<'py>(
        &self,
        py: Python<'py>,
        y: &Bound<'py, PyAny>,
        X: Option<&Bound<'py, PyAny>>,
        time: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let y = arrays::vector("y", y)?.to_vec()?;
        let X = X.map(|X| features("X", X)).transpose()?;
        let batch = self.batch(py, y, X, time)?;
        let made = self.learn_batch(py, &batch)?;
        let n_horizons = self.lock(py).borrow().params().horizons.len();
        PyArray1::from_vec(py, made).reshape((batch.y.len(), n_horizons))
    }

    #[doc = include_str!("../docs/forecaster/predict.txt")]
    #[pyo3(signature = (X=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        X: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let forecasts = self.forecasts(py, X, 0.5)?;
        Ok(PyArray1::from_iter(
            py,
            forecasts.iter().map(|one| one.forecast),
        ))
    }

    #[doc = include_str!("../docs/forecaster/predict_interval.txt")]
    #[pyo3(signature = (X=None, level=None), text_signature = "($self, X=None, level=0.9)")]
    fn predict_interval<'py>(
        &self,
        py: Python<'py>,
        X: Option<&Bound<'py, PyAny>>,
        level: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let level = level.map_or(Ok(0.9), |level| arrays::number("level", level))?;
        let forecasts = self.forecasts(py, X, level)?;
        let ends = forecasts
            .iter()
            .flat_map(|one| [one.forecast - one.margin, one.forecast + one.margin]);
        PyArray1::from_iter(py, ends).reshape((forecasts.len(), 2))
    }

    /// The slots of the next forecasts as microseconds since 1970, or as numbers without a clock.
    fn _next(&self, py: Python<'_>) -> (bool, Vec<i64>) {
        let guard = self.lock(py);
        let core = guard.borrow();
        let now = core.now().unwrap_or(-1);
        let slots = core
            .tallies()
            .map(|(distance, _)| now.saturating_add_unsigned(distance as u64));
        let slots: Vec<i64> = slots.collect();
        let times: Option<Vec<i64>> = slots.iter().map(|slot| core.time(*slot)).collect();
        times.map_or((false, slots), |times| (true, times))
    }

    /// The time of the last value, as those of the next forecasts; None before the first.
    fn _last(&self, py: Python<'_>) -> Option<i64> {
        let guard = self.lock(py);
        let core = guard.borrow();
        let now = core.now()?;
        Some(core.time(now).unwrap_or(now))
    }

    /// The number of steps from the last value to each of these times.
    fn _distances(&self, py: Python<'_>, time: &Bound<'_, PyAny>) -> PyResult<Vec<i64>> {
        let guard = self.lock(py);
        let core = guard.borrow();
        let (slots, now) = (core.slots(&times(&core, time)?), core.now().unwrap_or(-1));
        Ok(slots
            .into_iter()
            .map(|slot| slot.saturating_sub(now))
            .collect())
    }

    /// For each horizon, what was counted of its errors.
    fn _tallies(&self, py: Python<'_>) -> Vec<Counted> {
        let counted = |(distance, tally): (usize, &Tally)| {
            let Tally {
                count,
                absolute,
                squared,
                plain,
                intervals,
            } = tally.clone();
            (distance, [count, absolute, squared], plain, intervals)
        };
        self.lock(py).borrow().tallies().map(counted).collect()
    }

    #[doc = include_str!("../docs/forecaster/learner.txt")]
    fn learner<'py>(
        &self,
        py: Python<'py>,
        horizon: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let distance = arrays::count("horizon", horizon)?;
        let guard = self.lock(py);
        let core = guard.borrow();
        let learner = core.learner(distance).map(crate::Learner::copy);
        let learner = learner.ok_or_else(|| {
            let horizons = &core.params().horizons;
            PyValueError::new_err(format!(
                "horizon should be one of {horizons:?}, but is {distance}"
            ))
        })?;
        Learner::wrap(py, learner, None)
    }

    #[doc = include_str!("../docs/forecaster/horizons.txt")]
    #[getter]
    fn horizons(&self, py: Python<'_>) -> Vec<usize> {
        self.lock(py).borrow().params().horizons.clone()
    }

    #[doc = include_str!("../docs/forecaster/seasons.txt")]
    #[getter]
    fn seasons(&self, py: Python<'_>) -> Vec<usize> {
        self.lock(py).borrow().seasons()
    }

    #[doc = include_str!("../docs/forecaster/n_seen.txt")]
    #[getter]
    fn n_seen(&self, py: Python<'_>) -> u64 {
        self.lock(py).borrow().n_seen()
    }

    #[doc = include_str!("../docs/forecaster/n_too_late.txt")]
    #[getter]
    fn n_too_late(&self, py: Python<'_>) -> u64 {
        self.lock(py).borrow().n_too_late()
    }

    #[doc = include_str!("../docs/forecaster/nbytes.txt")]
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> usize {
        self.lock(py).borrow().nbytes()
    }

    #[doc = include_str!("../docs/forecaster/params.txt")]
    #[getter]
    fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        kwargs(py, &self.lock(py).borrow())
    }

    #[doc = include_str!("../docs/forecaster/to_bytes.txt")]
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.lock(py).borrow().to_bytes()?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[doc = include_str!("../docs/forecaster/from_bytes.txt")]
    #[classmethod]
    fn from_bytes<'py>(
        cls: &Bound<'py, PyType>,
        data: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let core = Core::from_bytes(&arrays::bytes("data", data)?)?;
        Self::wrap(cls.py(), core, Some(cls))
    }

    #[doc = include_str!("../docs/forecaster/save.txt")]
    fn save(&self, py: Python<'_>, path: &Bound<'_, PyAny>) -> PyResult<()> {
        let path = arrays::path("path", path)?;
        let bytes = self.lock(py).borrow().to_bytes()?;
        Ok(py.detach(|| model_file::save(&path, &bytes))?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<params::Reduced<'py>> {
        params::reduced(slf, slf.get().to_bytes(slf.py())?)
    }

    fn __getstate__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(params::no_state(slf))
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        params::repr(slf, &kwargs(slf.py(), &slf.get().lock(slf.py()).borrow())?)
    }
}

type Counted = (usize, [f64; 3], Vec<f64>, [f64; 3]);
