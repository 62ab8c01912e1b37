//! Features of rows that are sampled by their leverage scores.

use super::{Block, Change, FeatureMap, Kors, Offer};
use crate::data::Rows;
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::Range;
use crate::linalg::Panels;
use crate::persist::State;
use crate::predictor::Predictor;
use crate::runtime::heap;

/// The Nyström features of rows that kernel online row sampling (KORS) keeps. Each gives later rows a new space.
#[derive(Debug, Clone)]
pub struct SampledMap {
    kors: Kors,
    offer: Offer,
}

impl SampledMap {
    /// The map of the rows that a sampler keeps.
    pub(crate) fn new(kors: Kors) -> Self {
        let offer = Offer::default();
        Self { kors, offer }
    }
}

impl FeatureMap for SampledMap {
    fn size(&self) -> usize {
        self.kors.map().size()
    }

    fn project(&mut self, x: &[f64]) {
        self.kors.project(x, &mut self.offer);
    }

    fn phi(&self) -> &[f64] {
        &self.offer.at.phi
    }

    fn admit(&mut self, x: &[f64]) -> Change {
        let before = self.size();
        self.kors.admit(x, &mut self.offer);
        if !self.offer.kept {
            return Change::None;
        }
        let extends = self.size() > before;
        Change::NewSpace { extends }
    }

    fn project_rows(&mut self, rows: &Rows<'_>, _full: usize, block: &mut Block) {
        let n = self.kors.project_rows(rows, block);
        self.kors.pass(n);
    }

    fn peek(&self, x: &[f64]) -> Vec<f64> {
        let mut offer = Offer::default();
        self.kors.project(x, &mut offer);
        offer.at.phi
    }

    fn predictor<'w>(&self, w: &dyn Fn(usize) -> &'w [f64], ranges: &[Range]) -> Predictor {
        Predictor::Expansion(self.kors.map().expansion(w, ranges))
    }

    fn basis(&self) -> Option<(&Panels, &AnyKernel)> {
        Some((self.kors.rows(), self.kors.map().kernel()))
    }

    fn check_capacity(&self, n_rows: usize) -> Result<(), Error> {
        self.kors.check_capacity(n_rows)
    }

    fn save(&self, state: &mut State) {
        self.kors.save(state);
    }

    fn load(&mut self, state: &State) -> Result<Option<usize>, Error> {
        self.kors.load(state)?;
        Ok(Some(self.size()))
    }
}

heap!(SampledMap: kors, offer);
