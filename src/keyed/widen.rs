//! Rows that gain features: the shared model follows at once, those of keys when they learn again.

use super::blocks::ByKey;
use super::own::{Bench, Own};
use super::{Keyed, Slot};
use crate::algorithms::Algorithm;
use crate::error::Error;
use crate::learner::widened;
use crate::linalg::Panels;

impl Keyed {
    /// Lets rows have more features from now on; rows learned so far count as 0 in them.
    pub(super) fn widen(&mut self, width: usize) -> Result<(), Error> {
        if let (Some(shared), Some(params)) = (&self.shared, &self.params.shared)
            && let Some(before) = width_of(&**shared)
        {
            self.shared = Some(widened(super::checked(params)?, &**shared, before..width)?);
        }
        self.n_features = Some(width);
        self.widened_at = self.n_seen;
        Ok(())
    }

    /// Gives the models of slots whose rows are to be learned as many features as these have.
    pub(super) fn widen_owns(&mut self, slots: &[u32]) -> Result<(), Error> {
        if self.widened_at == 0 {
            return Ok(());
        }
        let mut bench = Bench::new(&*self.template);
        for slot in ByKey::new(slots).slots() {
            let Slot { own, used, .. } = &self.slots[slot as usize];
            if *used > self.widened_at {
                continue;
            }
            let mut place = Own::Fresh;
            let model = bench.read(own, &self.overflow, &mut place)?;
            if let Some(wider) = self.wider(model)? {
                self.slots[slot as usize].own = Own::of(wider);
            }
        }
        Ok(())
    }

    /// A copy of the model of a key for rows as they are now; `None` if it is one for them.
    pub(super) fn wider(&self, model: &dyn Algorithm) -> Result<Option<Box<dyn Algorithm>>, Error> {
        let before = width_of(model).filter(|_| self.widened_at > 0);
        match (before, self.n_features) {
            (Some(before), Some(width)) if before < width => {
                widened(self.template.copy(), model, before..width).map(Some)
            }
            _ => Ok(None),
        }
    }
}

impl Own {
    /// A model in memory.
    pub(super) fn of(mut algorithm: Box<dyn Algorithm>) -> Self {
        let mut numbers = Vec::new();
        if algorithm.pack(&mut numbers) {
            return Self::Packed(numbers.into());
        }
        Self::Live(algorithm)
    }
}

/// The width of the rows that a model has learned, if it matters to it.
pub(super) fn width_of(model: &dyn Algorithm) -> Option<usize> {
    let rows = model.basis().map(|basis| basis.rows);
    let rows = rows.filter(|rows| rows.n_rows() > 0);
    model.facts().n_features.or(rows.map(Panels::n_features))
}
