//! Experts that look at some features only: those that tell more about the labels than chance does.

use super::AutoParams;
use super::any_experts::AnyExperts;
use super::boosted::Boosted;
use super::focus::Focus;
use super::lineup;
use super::relevant::Relevant;
use crate::error::Error;
use crate::persist::State;
use crate::runtime::heap;

/// Experts with kernels and trees that look at some features only.
#[derive(Debug, Clone)]
pub(super) struct Focused {
    pub(super) focus: Focus,
    pub(super) metrics: Vec<Relevant>,
    pub(super) boosted: Boosted,
}

impl Focused {
    /// Experts for rows of this width, which look at all features alike until they are renewed.
    pub(super) fn new(params: &AutoParams, rows: &[f64], width: usize) -> Result<Self, Error> {
        let designs = lineup::focused(params, width).into_iter();
        Ok(Self {
            focus: Focus::none(width),
            metrics: designs
                .map(|design| Relevant::new(design, rows, width))
                .collect::<Result<_, Error>>()?,
            boosted: Boosted::new("focused trees", params.n_targets),
        })
    }

    /// All experts: those with kernels, then trees.
    pub(super) fn groups(&self) -> impl Iterator<Item = &dyn AnyExperts> {
        let relevant = self.metrics.iter().map(|r| r as &dyn AnyExperts);
        relevant.chain([&self.boosted as &dyn AnyExperts])
    }

    /// Mutable references to all experts: those with kernels, then trees.
    pub(super) fn groups_mut(&mut self) -> impl Iterator<Item = &mut dyn AnyExperts> {
        let relevant = self.metrics.iter_mut().map(|r| r as &mut dyn AnyExperts);
        relevant.chain([&mut self.boosted as &mut dyn AnyExperts])
    }

    /// Returns true if no expert learns or predicts any more.
    pub(super) fn is_asleep(&self) -> bool {
        self.groups().all(AnyExperts::is_asleep)
    }

    pub(super) fn save(&self, state: &mut State) {
        self.focus.save(state);
        for (i, relevant) in self.metrics.iter().enumerate() {
            state.nest(&format!("relevant{i}"), |state| relevant.save(state));
        }
        self.boosted.save(state);
    }

    /// Reads experts on rows of this width.
    pub(super) fn load(params: &AutoParams, width: usize, state: &State) -> Result<Self, Error> {
        let mut boosted = Boosted::new("focused trees", params.n_targets);
        boosted.load(state, width)?;
        Ok(Self {
            focus: Focus::load(width, state)?,
            metrics: Relevant::load_all(lineup::focused(params, 3), width, state)?,
            boosted,
        })
    }
}

heap!(Focused: focus, metrics, boosted);
