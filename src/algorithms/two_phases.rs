//! Learners that begin as one algorithm and go on as another.

use std::fmt;

use super::{Algorithm, Basis, Blocks, Facts, Scratch};
use crate::data::Rows;
use crate::error::Error;
use crate::limits::LARGEST;
use crate::persist::State;
use crate::predictor::Predictor;
use crate::runtime::Heap;

/// The condition that ends the first algorithm, and the start of the second.
pub trait Switch: Clone + fmt::Debug + Send + Sync + 'static {
    /// The first algorithm.
    type First: Algorithm + Clone + 'static;
    /// The second algorithm.
    type Second: Algorithm + Clone + 'static;

    /// The largest `kappa(x, x)` that both can work with.
    const LARGEST_KAPPA: f64 = LARGEST;

    /// True if the switch comes with the row that makes it due, false if with the next.
    const AT_ONCE: bool;

    /// The most rows that the first algorithm still learns.
    fn rows_left(&self, first: &Self::First) -> usize;

    /// The second algorithm, which goes on from what the first has learned.
    fn switch(&self, first: &Self::First) -> Self::Second;

    /// An empty second algorithm to load the state into, if the state is that of one.
    fn second_in(&self, first: &Self::First, state: &State) -> Option<Self::Second>;
}

/// A learner that begins as one algorithm and goes on as another.
#[derive(Debug, Clone)]
pub struct TwoPhases<S: Switch> {
    switch: S,
    phase: Phase<S::First, S::Second>,
}

#[derive(Debug, Clone)]
enum Phase<A, B> {
    First(Box<A>),
    Second(Box<B>),
}

impl<S: Switch> TwoPhases<S> {
    /// A learner in its first phase.
    pub(super) fn new(switch: S, first: S::First) -> Self {
        let phase = Phase::First(Box::new(first));
        Self { switch, phase }
    }

    /// The first algorithm, while it lasts.
    pub fn first(&self) -> Option<&S::First> {
        match &self.phase {
            Phase::First(first) => Some(first),
            Phase::Second(_) => None,
        }
    }

    /// The second algorithm, once it has begun.
    pub fn second(&self) -> Option<&S::Second> {
        match &self.phase {
            Phase::First(_) => None,
            Phase::Second(second) => Some(second),
        }
    }

    fn current(&self) -> &dyn Algorithm {
        match &self.phase {
            Phase::First(first) => &**first,
            Phase::Second(second) => &**second,
        }
    }

    fn current_mut(&mut self) -> &mut dyn Algorithm {
        match &mut self.phase {
            Phase::First(first) => &mut **first,
            Phase::Second(second) => &mut **second,
        }
    }

    fn rows_left(&self) -> usize {
        let first = self.first();
        first.map_or(usize::MAX, |first| self.switch.rows_left(first))
    }

    fn switch_if_due(&mut self) {
        if let Phase::First(first) = &self.phase
            && self.switch.rows_left(first) == 0
        {
            self.phase = Phase::Second(Box::new(self.switch.switch(first)));
        }
    }

    fn switch_at_once(&mut self) {
        if S::AT_ONCE {
            self.switch_if_due();
        }
    }
}

impl<S: Switch> Algorithm for TwoPhases<S> {
    /// The properties of the current algorithm, with blocks in both phases: the result must not depend on the switch.
    fn facts(&self) -> Facts {
        let facts = self.current().facts();
        let blocks = facts.blocks.or(Some(Blocks::default()));
        Facts { blocks, ..facts }
    }

    fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, yhat: &mut [f64]) {
        self.switch_if_due();
        self.current_mut().learn_row(x, y, weight, yhat);
        self.switch_at_once();
    }

    fn learn_block(
        &mut self,
        rows: &Rows<'_>,
        y: &[f64],
        scratch: &mut Scratch,
        yhat: &mut Vec<f64>,
    ) {
        self.switch_if_due();
        let n = self.rows_left().min(rows.len());
        self.current_mut()
            .learn_block(&rows.slice(0..n), &y[..n], scratch, yhat);
        self.switch_at_once();
    }

    fn predict_into(&self, x: &[f64], out: &mut [f64]) {
        self.current().predict_into(x, out);
    }

    fn predict_rows_into(&self, rows: &Rows<'_>, out: &mut [f64]) {
        self.current().predict_rows_into(rows, out);
    }

    fn predictor(&self) -> Option<Predictor> {
        self.current().predictor()
    }

    fn basis(&self) -> Option<Basis<'_>> {
        let basis = self.current().basis()?;
        let largest_kappa = basis.largest_kappa.min(S::LARGEST_KAPPA);
        Some(Basis {
            largest_kappa,
            ..basis
        })
    }

    fn save(&self, state: &mut State) {
        self.current().save(state);
    }

    fn load(&mut self, state: &State) -> Result<(), Error> {
        if let Some(second) = self
            .first()
            .and_then(|first| self.switch.second_in(first, state))
        {
            self.phase = Phase::Second(Box::new(second));
        }
        self.current_mut().load(state)?;
        if S::AT_ONCE && self.rows_left() == 0 {
            return Err(Error::model_file(
                "the learner should have gone on to its second phase",
            ));
        }
        Ok(())
    }
}

impl<S: Switch> Heap for TwoPhases<S> {
    fn heap_bytes(&self) -> usize {
        self.current().heap_bytes()
    }
}
