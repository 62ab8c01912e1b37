//! The state of an ensemble in files.

use super::super::AutoParams;
use super::super::adaptive::Adaptive;
use super::super::events::Events;
use super::super::lineup;
use super::super::units::Unit;
use super::Ensemble;
use crate::error::Error;
use crate::persist::State;
use crate::predictor::Scaling;

/// The names of numbers of rows, and of take-overs, in files.
const COUNTERS: [&str; 5] = [
    "rounds",
    "renewed_next",
    "changed_at",
    "checked_at",
    "take_overs",
];

impl Ensemble {
    pub(in super::super) fn save(&self, state: &mut State) {
        self.scaling.save(state);
        let units: Vec<f64> = self.units.iter().flat_map(|&(c, s)| [c, s]).collect();
        state.put("units", units);
        state.put("distance", [self.distance]);
        state.put_indices("n_finer", &[self.n_finer]);
        for (i, mean) in self.means.each.iter().enumerate() {
            mean.save(i, state);
        }
        for (i, experts) in self.kernels.iter().enumerate() {
            state.nest(&format!("group{i}"), |state| experts.save(state));
        }
        let linear = format!("group{}", self.kernels.len());
        state.nest(&linear, |state| self.linear.save(state));
        for (i, combiner) in self.combiners.iter().enumerate() {
            state.nest(&format!("combiner{i}"), |state| combiner.save(state));
        }
        for (i, correction) in self.corrections.iter().enumerate() {
            state.nest(&format!("correction{i}"), |state| correction.save(state));
        }
        if let Some(adaptive) = &self.adaptive {
            let counts = [
                self.rounds,
                self.renewed_next,
                self.changed_at,
                self.checked_at,
                self.take_overs,
            ];
            for (name, count) in COUNTERS.into_iter().zip(counts) {
                state.put(name, [count as f64]);
            }
            self.events.save(state);
            state.put("begun_at", [self.begun_at as f64]);
            state.put_indices("delay", &[self.delay]);
            let width = match state.width() {
                0 => 0,
                width => width + adaptive.past.width(),
            };
            state.nest_padded("adaptive", width, |state| adaptive.save(state));
        }
    }

    pub(in super::super) fn load(params: &AutoParams, state: &State) -> Result<Self, Error> {
        let units = load_units(params.n_targets, state)?;
        let (distance, n_finer) = (state.scalar("distance")?, state.count("n_finer")?);
        if n_finer > lineup::MOST_FINER {
            return Err(Error::model_file("n_finer should be at most 3"));
        }
        let scaling = Scaling::load(state)?;
        let (width, adaptive) = (scaling.width(), state.inner("adaptive"));
        let adaptive = adaptive
            .has("uses_past")
            .then(|| Adaptive::load(params, width, &adaptive))
            .transpose()?;
        let mut ensemble = Self::with(params, scaling, units, (distance, n_finer), adaptive)?;
        ensemble.load_counters(state)?;
        for (i, mean) in ensemble.means.each.iter_mut().enumerate() {
            mean.load(i, state)?;
        }
        for (i, experts) in ensemble.kernels.iter_mut().enumerate() {
            experts.load(&state.inner(&format!("group{i}")), width)?;
        }
        let linear = format!("group{}", ensemble.kernels.len());
        ensemble.linear.load(&state.inner(&linear), width)?;
        for (i, combiner) in ensemble.combiners.iter_mut().enumerate() {
            combiner.load(&state.inner(&format!("combiner{i}")))?;
        }
        for (i, correction) in ensemble.corrections.iter_mut().enumerate() {
            let state = state.inner(&format!("correction{i}"));
            // Files from before there were corrections have none.
            if state.has("errors") {
                correction.load(&state)?;
            }
        }
        Ok(ensemble)
    }

    fn counters(&mut self) -> [&mut u64; COUNTERS.len()] {
        [
            &mut self.rounds,
            &mut self.renewed_next,
            &mut self.changed_at,
            &mut self.checked_at,
            &mut self.take_overs,
        ]
    }

    /// Reads the numbers of rows; in the first file format there were none, and nothing to be made anew.
    fn load_counters(&mut self, state: &State) -> Result<(), Error> {
        if self.adaptive.is_none() {
            self.renewed_next = u64::MAX;
            return Ok(());
        }
        for (name, counter) in COUNTERS.into_iter().zip(self.counters()) {
            *counter = state.count(name)? as u64;
        }
        // Files from before labels could be late have none of these.
        self.events = Events::load(self.scaling.width(), state)?;
        if state.has("delay") {
            self.begun_at = state.count("begun_at")? as u64;
            self.delay = state.count("delay")?;
        }
        let is_past = self.changed_at.max(self.checked_at) <= self.rounds;
        if is_past && self.rounds < self.renewed_next {
            return Ok(());
        }
        Err(Error::model_file("its numbers of rows should be in order"))
    }
}

fn load_units(n_targets: usize, state: &State) -> Result<Vec<Unit>, Error> {
    let units = state.vector("units", 2 * n_targets)?;
    let units: Vec<Unit> = units
        .as_chunks::<2>()
        .0
        .iter()
        .map(|[c, s]| (*c, *s))
        .collect();
    if units.iter().all(|(_, scale)| *scale > 0.0) {
        return Ok(units);
    }
    Err(Error::model_file("units should be positive"))
}
