//! Experts on shared features.

use super::watch::Watch;
use crate::block::Block;
use crate::dictionary::{Dictionary, Policy};
use crate::error::Error;
use crate::kernels::Gaussian;
use crate::linalg::index_of_least;
use crate::memory::heap;
use crate::pace::TOGETHER;
use crate::rows::Rows;
use crate::state::State;
use crate::updates::LeastSquares;

/// ALD threshold: small, as it is the cap that matters.
const ALPHA: f64 = 1e-6;

/// Rows between two looks at whether the stream has changed: a multiple of those that are learned together.
const LOOKS: u64 = 64;

/// Fewer rows are learned one by one.
const SHORTEST: usize = 8;

/// A ridge, and how much a row counts a row later.
pub(super) type Memory = (f64, f64);

/// What an expert is: the width of its kernel, if it has one, its ridge, and how much a row counts for it a row later.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) width: Option<f64>,
    pub(super) ridge: f64,
    pub(super) forgetting: f64,
}

/// Least squares with several ridges and memories on the same features.
///
/// If there are some that forget nothing and one with a short memory, and the short memory does clearly better, the stream
/// has changed, and the others take over what it knows.
#[derive(Debug)]
pub(super) struct Group {
    map: Map,
    kinds: Vec<Kind>,
    /// Those with a long memory, then the one with a short memory.
    experts: Vec<LeastSquares>,
    watch: Option<Watch>,
    rounds: u64,
    /// What the experts said of the rows learned last.
    pub(super) said: Vec<Said>,
    block: Block,
}

/// What an expert said of some rows.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The predictions for all targets of the first row, then those of the next.
    pub(super) yhat: Vec<f64>,
    /// `phi . P phi` of each row.
    pub(super) q: Vec<f64>,
}

/// How rows become features.
#[derive(Debug)]
enum Map {
    Kernel(Box<Dictionary>),
    /// A constant and the row itself, kept here.
    Linear(Vec<f64>),
}

/// How many of some rows a dictionary for this width would keep.
pub(super) fn dictionary_size(
    rows: &[f64],
    width: usize,
    sigma: f64,
    max_basis: usize,
) -> Result<usize, Error> {
    let mut dictionary = Dictionary::new(Gaussian { sigma }.into(), ALPHA, Some(max_basis))?;
    for x in rows.chunks_exact(width) {
        dictionary.project(x);
        dictionary.grow_if_novel(x);
    }
    Ok(dictionary.size())
}

impl Group {
    /// Experts with a Gaussian kernel of this width.
    pub(super) fn kernel(
        sigma: f64,
        memories: &[Memory],
        (max_basis, policy): (usize, Policy),
        n_targets: usize,
    ) -> Result<Self, Error> {
        let dictionary = Dictionary::new(Gaussian { sigma }.into(), ALPHA, Some(max_basis))?;
        let map = Map::Kernel(Box::new(dictionary.policy(policy).at_a_pace()));
        Self::new(map, Some(sigma), memories, n_targets)
    }

    /// Linear experts.
    pub(super) fn linear(memories: &[Memory], n_targets: usize) -> Result<Self, Error> {
        Self::new(Map::Linear(Vec::new()), None, memories, n_targets)
    }

    fn new(
        map: Map,
        width: Option<f64>,
        memories: &[Memory],
        n_targets: usize,
    ) -> Result<Self, Error> {
        let kinds = memories.iter().map(|&(ridge, forgetting)| Kind {
            width,
            ridge,
            forgetting,
        });
        let expert = |&(ridge, forgetting): &Memory| {
            LeastSquares::new(ridge, false)?
                .forgetting(forgetting)?
                .targets(n_targets)
        };
        let n_long = memories
            .iter()
            .filter(|(_, forgetting)| *forgetting == 1.0)
            .count();
        Ok(Self {
            map,
            kinds: kinds.collect(),
            experts: memories.iter().map(expert).collect::<Result<_, Error>>()?,
            watch: (0 < n_long && n_long < memories.len()).then(|| Watch::new(n_long)),
            rounds: 0,
            said: memories.iter().map(|_| Said::default()).collect(),
            block: Block::default(),
        })
    }

    pub(super) fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    pub(super) fn experts(&self) -> &[LeastSquares] {
        &self.experts
    }

    /// The dictionary, if there is a kernel.
    pub(super) fn dictionary(&self) -> Option<&Dictionary> {
        match &self.map {
            Map::Kernel(dictionary) => Some(dictionary),
            Map::Linear(_) => None,
        }
    }

    /// `phi . P phi` of each expert for a row, of which kernels want the second form.
    pub(super) fn uncertainties(&self, z: &[f64], compressed: &[f64]) -> Vec<f64> {
        let phi = match &self.map {
            Map::Kernel(dictionary) => dictionary.peek(compressed),
            Map::Linear(_) => [&[1.0], z].concat(),
        };
        self.experts.iter().map(|e| e.uncertainty(&phi)).collect()
    }

    /// Rounds for some rows, in order; what the experts said of them is left in `said`.
    pub(super) fn learn_rows(&mut self, rows: &Rows<'_>, y: &[f64]) {
        self.clear();
        let n_targets = y.len() / rows.len();
        let mut start = 0;
        while start < rows.len() {
            #[allow(clippy::cast_possible_truncation, reason = "it is at most a constant")]
            let left = TOGETHER - (self.rounds % TOGETHER as u64) as usize;
            let end = rows.len().min(start + left);
            let y = &y[start * n_targets..end * n_targets];
            start += self.learn_some(&rows.slice(start..end), y);
            self.look();
        }
    }

    /// One round for a row that counts `weight` times.
    pub(super) fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64) {
        self.clear();
        self.learn(x, y, weight);
        self.look();
    }

    fn clear(&mut self) {
        for said in &mut self.said {
            said.yhat.clear();
            said.q.clear();
        }
    }

    /// Rounds for the first of some rows; returns how many.
    fn learn_some(&mut self, rows: &Rows<'_>, y: &[f64]) -> usize {
        let n_targets = y.len() / rows.len();
        let mut done = 0;
        if rows.len() >= SHORTEST {
            self.project(rows);
            done = self.block.features.n_rows();
            let Block {
                features, rounds, ..
            } = &mut self.block;
            for (expert, said) in self.experts.iter_mut().zip(&mut self.said) {
                expert.learn_features(features, rounds, y, &mut said.yhat, &mut said.q);
            }
            self.note(&y[..done * n_targets]);
        }
        // The next row takes the place of another, after which features are others; or all rows are too few for a block.
        let rest = if rows.len() >= SHORTEST {
            1
        } else {
            rows.len()
        };
        let rest = rows
            .iter()
            .zip(y.chunks_exact(n_targets))
            .skip(done)
            .take(rest);
        for (x, y) in rest {
            self.learn(x, y, 1.0);
            done += 1;
        }
        done
    }

    /// The features of a block of rows, of which the last may be left out.
    fn project(&mut self, rows: &Rows<'_>) {
        match &mut self.map {
            Map::Kernel(dictionary) => dictionary.project_rows(rows, usize::MAX, &mut self.block),
            Map::Linear(_) => {
                self.grow_to(rows.n_features() + 1);
                self.block.take(rows, true);
            }
        }
    }

    fn grow_to(&mut self, size: usize) {
        for expert in &mut self.experts {
            while expert.size() < size {
                expert.grow();
            }
        }
    }

    fn learn(&mut self, x: &[f64], y: &[f64], weight: f64) {
        self.project_row(x);
        if self.dictionary().is_some_and(Dictionary::wants_room) {
            self.experts.iter_mut().for_each(LeastSquares::settle);
            self.predict_projected(y.len());
            self.make_room(x);
            self.learn_projected(x, y, weight, |_, _, _| {});
        } else {
            self.learn_projected(x, y, weight, |said, yhat, q| {
                said.yhat.extend_from_slice(yhat);
                said.q.push(q);
            });
        }
        self.note(y);
    }

    fn project_row(&mut self, x: &[f64]) {
        match &mut self.map {
            Map::Kernel(dictionary) => dictionary.project(x),
            Map::Linear(features) => {
                features.clear();
                features.push(1.0);
                features.extend_from_slice(x);
                self.grow_to(x.len() + 1);
            }
        }
    }

    fn phi(&self) -> &[f64] {
        match &self.map {
            Map::Kernel(dictionary) => dictionary.phi(),
            Map::Linear(features) => features,
        }
    }

    /// What the experts say of the row last projected.
    fn predict_projected(&mut self, n_targets: usize) {
        let mut said = std::mem::take(&mut self.said);
        for (expert, said) in self.experts.iter().zip(&mut said) {
            let start = said.yhat.len();
            said.yhat.resize(start + n_targets, 0.0);
            expert.predict_into(self.phi(), &mut said.yhat[start..]);
            said.q.push(expert.uncertainty(self.phi()));
        }
        self.said = said;
    }

    /// Removes the row that the experts need least: as a rule the one with the longest memory is asked; where the stream has
    /// moved, the one with the shortest, for which rows of before are of no use. Projects the new row onto the others.
    fn make_room(&mut self, x: &[f64]) {
        let Map::Kernel(dictionary) = &mut self.map else {
            return;
        };
        let judge = if dictionary.is_renewing() {
            self.experts.last()
        } else {
            self.experts.first()
        };
        let Some(judge) = judge else {
            return;
        };
        let costs = judge.removal_costs(dictionary.map().factor());
        let cheapest = index_of_least(&costs);
        let rotations = dictionary.remove(cheapest);
        dictionary.project_again(x);
        for expert in &mut self.experts {
            expert.remove(&rotations, cheapest);
        }
    }

    /// Learns the row last projected, which may join; `hear` is told what each expert had said of it.
    fn learn_projected(
        &mut self,
        x: &[f64],
        y: &[f64],
        weight: f64,
        hear: impl Fn(&mut Said, &[f64], f64),
    ) {
        if let Map::Kernel(dictionary) = &mut self.map
            && dictionary.grow_if_novel(x).is_some()
        {
            self.experts.iter_mut().for_each(LeastSquares::grow);
        }
        let (mut experts, mut yhat) = (std::mem::take(&mut self.experts), vec![0.0; y.len()]);
        let mut said = std::mem::take(&mut self.said);
        for (expert, said) in experts.iter_mut().zip(&mut said) {
            let q = expert.learn_weighted(self.phi(), y, weight, &mut yhat);
            hear(said, &yhat, q);
        }
        (self.experts, self.said) = (experts, said);
    }

    /// Takes in how well the experts did on the last rows.
    fn note(&mut self, y: &[f64]) {
        let n_targets = self.experts[0].n_targets();
        self.rounds += (y.len() / n_targets) as u64;
        let Some(watch) = &mut self.watch else {
            return;
        };
        let start = self.said[0].yhat.len() - y.len();
        let Some((short, long)) = self.said.split_last() else {
            return;
        };
        for (i, y) in y.chunks_exact(n_targets).enumerate() {
            let loss = |said: &Said| {
                let yhat = &said.yhat[start + i * n_targets..];
                let errors = yhat.iter().zip(y).map(|(yhat, y)| yhat - y);
                errors.map(|e| e * e).sum::<f64>()
            };
            watch.note(long.iter().map(loss), loss(short));
        }
    }

    /// Looks, now and then, whether the stream has changed.
    fn look(&mut self) {
        if !self.rounds.is_multiple_of(LOOKS) {
            return;
        }
        if let Some(watch) = self.watch.as_mut().filter(|watch| watch.has_changed()) {
            watch.reset();
            if let Map::Kernel(dictionary) = &mut self.map {
                dictionary.hasten();
            }
            if let Some((short, long)) = self.experts.split_last_mut() {
                for expert in long {
                    expert.take_over(short);
                }
            }
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        if let Map::Kernel(dictionary) = &self.map {
            dictionary.save(state);
        }
        for (i, expert) in self.experts.iter().enumerate() {
            state.nest(&format!("expert{i}"), |state| expert.save(state));
        }
        if let Some(watch) = &self.watch {
            watch.save(state);
        }
        state.put("rounds", [self.rounds as f64]);
    }

    /// Reads what a group for rows of this width, or of fewer features, has written.
    pub(super) fn load(&mut self, state: &State, width: usize) -> Result<(), Error> {
        let n_targets = self.experts[0].n_targets();
        let size = match &mut self.map {
            Map::Kernel(dictionary) => {
                dictionary.load(state)?;
                if dictionary.size() > 0 && dictionary.rows().n_features() != width {
                    return Err(Error::model_file("a basis and the scales disagree"));
                }
                dictionary.size()
            }
            Map::Linear(_) => state.any_vector("expert0.w")?.len() / n_targets,
        };
        for (i, expert) in self.experts.iter_mut().enumerate() {
            expert.load(&state.inner(&format!("expert{i}")), size)?;
        }
        if self.dictionary().is_none() {
            if size > width + 1 {
                return Err(Error::model_file("a linear expert and the scales disagree"));
            }
            self.grow_to(width + 1);
        }
        if let Some(watch) = &mut self.watch {
            watch.load(state)?;
        }
        self.rounds = state.count("rounds")? as u64;
        Ok(())
    }
}

impl crate::memory::Heap for Group {
    fn heap_bytes(&self) -> usize {
        let map = match &self.map {
            Map::Kernel(dictionary) => dictionary.heap_bytes(),
            Map::Linear(features) => features.heap_bytes(),
        };
        map + self.experts.heap_bytes() + self.watch.heap_bytes() + self.said.heap_bytes()
    }
}

heap!(Said: yhat, q);
