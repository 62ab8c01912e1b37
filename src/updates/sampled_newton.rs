//! Online Newton step on features whose space changes.

use super::{Newton, Output, Rounds, Update};
use crate::error::Error;
use crate::features::{Change, FeatureMatrix};
use crate::limits::{Range, UNBOUNDED};
use crate::losses::AnyLoss;
use crate::persist::State;
use crate::runtime::heap;

/// The treatment of matrix and weights when a row gives later rows a new space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NewSpace {
    /// Matrix and weights start anew.
    Restart,
    /// Matrix and weights are carried over. The weights skip the step of the round that kept the row, and the next
    /// round does not project them.
    CarryOver,
}

/// [`Newton`] on the features of sampled rows.
#[derive(Debug, Clone)]
pub struct SampledNewton {
    newton: Newton,
    new_space: NewSpace,
    /// True if the next round keeps its prediction within the bound.
    projects: bool,
}

impl SampledNewton {
    /// The online Newton step `newton` with this treatment of new spaces.
    pub(crate) fn new(newton: Newton, new_space: NewSpace) -> Self {
        Self {
            newton,
            new_space,
            projects: true,
        }
    }

    fn enter(&mut self, extends: bool, e: f64) {
        match self.new_space {
            NewSpace::Restart => self.newton.restart(self.size() + usize::from(extends)),
            NewSpace::CarryOver => {
                self.newton.step_matrix(e);
                if extends {
                    self.newton.gain(0.0);
                }
                self.projects = false;
            }
        }
    }
}

impl Update for SampledNewton {
    fn size(&self) -> usize {
        self.newton.size()
    }

    fn w(&self, target: usize) -> &[f64] {
        self.newton.w(target)
    }

    fn loss(&self) -> AnyLoss {
        self.newton.loss()
    }

    fn grow(&mut self) {
        self.newton.grow();
    }

    fn begin(&mut self, phi: &[f64]) {
        if std::mem::replace(&mut self.projects, true) {
            self.newton.begin(phi);
        } else {
            self.newton.begin_unbounded(phi);
        }
    }

    fn finish(
        &mut self,
        phi: &[f64],
        change: Change,
        y: &[f64],
        weight: f64,
        yhat: &mut [f64],
    ) -> f64 {
        let Change::NewSpace { extends } = change else {
            return self.newton.finish(phi, change, y, weight, yhat);
        };
        yhat[0] = self.newton.yhat();
        self.enter(extends, self.newton.derivative(y[0]));
        0.0
    }

    /// False for the row after one that has changed the space.
    fn takes_blocks(&self) -> bool {
        self.projects
    }

    fn learn_rows(
        &mut self,
        features: &FeatureMatrix,
        rounds: &mut Rounds,
        y: &[f64],
        out: &mut Output,
    ) {
        self.newton.learn_rows(features, rounds, y, out);
    }

    fn predict_into(&self, phi: &[f64], out: &mut [f64]) {
        self.newton.predict_into(phi, out);
    }

    fn range(&self) -> Range {
        if self.projects {
            self.newton.range()
        } else {
            UNBOUNDED
        }
    }

    fn largest_kappa(&self) -> f64 {
        self.newton.largest_kappa()
    }

    fn save(&self, state: &mut State) {
        self.newton.save(state);
        state.put("projects", [f64::from(self.projects)]);
    }

    fn load(&mut self, state: &State, size: Option<usize>) -> Result<(), Error> {
        self.newton.load(state, size)?;
        self.projects = state.scalar("projects")? != 0.0;
        Ok(())
    }
}

heap!(SampledNewton: newton);
