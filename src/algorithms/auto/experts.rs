//! Experts that share the features of one map.

use super::any_experts::AnyExperts;
use super::drift::Drift;
use super::kinds::{Kind, Memory};
use crate::algorithms::in_blocks::SHORTEST;
use crate::algorithms::{OnFeatures, Scratch};
use crate::data::Rows;
use crate::error::Error;
use crate::features::{Block, Dictionary, FeatureMap, LinearMap, Policy, TOGETHER};
use crate::kernels::AnyKernel;
use crate::losses::{AnyLoss, Loss};
use crate::persist::State;
use crate::runtime::Heap;
use crate::updates::{LeastSquares, Moments, Output, Update};

/// ALD threshold: so small that the cap decides.
const ALPHA: f64 = 1e-6;

/// Number of rows between two checks for drift, a multiple of those that are learned together.
const CHECK_EVERY: u64 = 64;

/// Number of rows that [`Experts::fit`] takes at a time.
const CHUNK: usize = 256;

/// Experts with several ridges and memories on the features of one map.
///
/// If the expert with a short memory does clearly better than those with a long one, the stream has drifted, and the
/// others take over what it has learned.
#[derive(Debug, Clone)]
pub(super) struct Experts<M> {
    kinds: Vec<Kind>,
    /// The experts with a long memory, then the one with a short memory.
    core: OnFeatures<M, LeastSquares>,
    drift: Option<Drift>,
    rounds: u64,
    /// Number of take-overs so far.
    take_overs: u64,
    /// True if they learn and predict no more.
    is_asleep: bool,
    /// The predictions of each expert for the rows learned last.
    outputs: Vec<Output>,
}

/// The dictionary that keeps some of these rows, at most `max_basis`.
pub(super) fn dictionary_of<'a>(
    kernel: AnyKernel,
    rows: impl Iterator<Item = &'a [f64]>,
    max_basis: usize,
) -> Result<Dictionary, Error> {
    let mut dictionary = Dictionary::new(kernel, ALPHA, Some(max_basis))?;
    for x in rows {
        if dictionary.size() == max_basis {
            break;
        }
        dictionary.project(x);
        dictionary.admit(x);
    }
    Ok(dictionary)
}

impl Experts<Dictionary> {
    /// Experts with a kernel of this width.
    pub(super) fn kernel(
        kernel: AnyKernel,
        sigma: f64,
        memories: &[Memory],
        cap: (usize, Policy),
        n_targets: usize,
    ) -> Result<Self, Error> {
        let dictionary = Dictionary::new(kernel, ALPHA, Some(cap.0))?;
        Self::on_dictionary("kernel", (dictionary, sigma), memories, cap, n_targets)
    }

    /// Experts on a dictionary whose kernel has this width.
    pub(super) fn on_dictionary(
        family: &'static str,
        (dictionary, sigma): (Dictionary, f64),
        memories: &[Memory],
        (max_basis, policy): (usize, Policy),
        n_targets: usize,
    ) -> Result<Self, Error> {
        let map = dictionary.capped(max_basis).policy(policy).on_schedule();
        let mut experts = Self::new(map, (family, Some(sigma)), memories, n_targets)?;
        experts.core.grow_to(experts.core.map.size());
        Ok(experts)
    }

    /// Adds take-overs of experts that were before these.
    pub(super) fn count_take_overs(&mut self, before: u64) {
        self.take_overs += before;
    }

    /// Learns many rows at once on the dictionary as it is.
    pub(super) fn fit(&mut self, rows: &Rows<'_>, y: &[f64], weights: &[f64]) {
        let n_targets = self.core.n_targets();
        let updates = &mut self.core.updates;
        let mut moments: Vec<Moments> = updates.iter().map(LeastSquares::moments).collect();
        let mut block = Block::default();
        for start in (0..rows.len()).step_by(CHUNK) {
            let end = rows.len().min(start + CHUNK);
            let some = rows.slice(start..end);
            let phi = self.core.map.features_of(&some, &mut block);
            let labels = (&y[start * n_targets..end * n_targets], &weights[start..end]);
            for (update, moments) in updates.iter().zip(&mut moments) {
                update.add_moments(&phi, labels, rows.len() - end, moments);
            }
        }
        for (update, moments) in updates.iter_mut().zip(moments) {
            update.set_moments(&moments);
        }
    }

    /// The dictionary.
    pub(super) fn dictionary(&self) -> &Dictionary {
        &self.core.map
    }

    /// Reads the state of experts on rows of this width.
    pub(super) fn load(&mut self, state: &State, width: usize) -> Result<(), Error> {
        let size = self.core.map.load(state)?;
        let rows = self.core.map.rows();
        if rows.n_rows() > 0 && rows.n_features() != width {
            return Err(Error::model_file("a basis and the scales disagree"));
        }
        self.load_experts(state, size)
    }
}

impl Experts<LinearMap> {
    /// Linear experts.
    pub(super) fn linear(
        family: &'static str,
        memories: &[Memory],
        n_targets: usize,
    ) -> Result<Self, Error> {
        Self::new(LinearMap::new(true), (family, None), memories, n_targets)
    }

    /// Reads the state of experts on rows of at most this width.
    pub(super) fn load(&mut self, state: &State, width: usize) -> Result<(), Error> {
        let size = state.any_vector("expert0.w")?.len() / self.core.n_targets();
        self.load_experts(state, Some(size))?;
        if size > width + 1 {
            return Err(Error::model_file("a linear expert and the scales disagree"));
        }
        self.core.grow_to(width + 1);
        Ok(())
    }
}

impl<M: FeatureMap> Experts<M> {
    fn new(
        map: M,
        (family, width): (&'static str, Option<f64>),
        memories: &[Memory],
        n_targets: usize,
    ) -> Result<Self, Error> {
        let kinds = memories.iter().map(|&(ridge, forgetting)| Kind {
            family,
            width,
            ridge: Some(ridge),
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
        let updates = memories.iter().map(expert).collect::<Result<_, Error>>()?;
        Ok(Self {
            kinds: kinds.collect(),
            core: OnFeatures { map, updates },
            drift: (0 < n_long && n_long < memories.len()).then(|| Drift::new(n_long)),
            rounds: 0,
            take_overs: 0,
            is_asleep: false,
            outputs: vec![Output::default(); memories.len()],
        })
    }

    /// Makes the rounds of the first of some rows; returns the number of rows.
    fn learn_block(&mut self, rows: &Rows<'_>, y: &[f64], scratch: &mut Scratch) -> usize {
        let Self { core, outputs, .. } = self;
        if rows.len() >= SHORTEST {
            return core.learn_block(rows, y, usize::MAX, scratch, outputs);
        }
        for (x, y) in rows.iter().zip(y.chunks_exact(core.n_targets())) {
            core.learn_row(x, y, 1.0, outputs);
        }
        rows.len()
    }

    /// Records the losses of the experts on the last rows.
    fn evaluate(&mut self, y: &[f64]) {
        let n_targets = self.core.n_targets();
        self.rounds += (y.len() / n_targets) as u64;
        let Some(drift) = &mut self.drift else {
            return;
        };
        let Some((short, long)) = self.outputs.split_last() else {
            return;
        };
        let Some(start) = short.yhat.len().checked_sub(y.len()) else {
            return; // the row was asked for when they did not exist yet
        };
        let loss = AnyLoss::default();
        for (i, y) in y.chunks_exact(n_targets).enumerate() {
            let loss = |output: &Output| {
                let yhat = &output.yhat[start + i * n_targets..];
                let losses = yhat.iter().zip(y).map(|(yhat, y)| loss.value(*yhat, *y));
                losses.sum::<f64>()
            };
            drift.record(long.iter().map(loss), loss(short));
        }
    }

    /// Checks for drift now and then, and adapts to it.
    fn adapt(&mut self) {
        if !self.rounds.is_multiple_of(CHECK_EVERY) {
            return;
        }
        if let Some(drift) = self.drift.as_mut().filter(|drift| drift.has_changed()) {
            drift.reset();
            self.take_overs += 1;
            self.core.map.adapt_to_drift();
            if let Some((short, long)) = self.core.updates.split_last_mut() {
                for expert in long {
                    expert.take_over(short);
                }
            }
        }
    }

    /// The weights and the matrix of each expert.
    pub(super) fn updates(&self) -> &[LeastSquares] {
        &self.core.updates
    }

    fn clear(&mut self) {
        self.outputs.iter_mut().for_each(Output::clear);
    }

    pub(super) fn save(&self, state: &mut State) {
        self.core.map.save(state);
        for (i, expert) in self.core.updates.iter().enumerate() {
            state.nest(&format!("expert{i}"), |state| expert.save(state));
        }
        if let Some(drift) = &self.drift {
            drift.save(state);
        }
        state.put("rounds", [self.rounds as f64]);
        if self.take_overs > 0 {
            state.put("take_overs", [self.take_overs as f64]);
        }
        if self.is_asleep {
            state.put("is_asleep", [1.0]);
        }
    }

    fn load_experts(&mut self, state: &State, size: Option<usize>) -> Result<(), Error> {
        for (i, expert) in self.core.updates.iter_mut().enumerate() {
            expert.load(&state.inner(&format!("expert{i}")), size)?;
        }
        if let Some(drift) = &mut self.drift {
            drift.load(state)?;
        }
        self.rounds = state.count("rounds")? as u64;
        if state.has("take_overs") {
            self.take_overs = state.count("take_overs")? as u64;
        }
        self.is_asleep = state.has("is_asleep");
        Ok(())
    }
}

impl<M: FeatureMap> AnyExperts for Experts<M> {
    fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, asked: Option<&[Output]>) {
        self.clear();
        if self.is_asleep {
            return;
        }
        self.core.learn_row(x, y, weight, &mut self.outputs);
        if let Some(asked) = asked {
            self.outputs.clone_from_slice(asked);
        }
        self.evaluate(y);
        self.adapt();
    }

    fn learn_rows(&mut self, rows: &Rows<'_>, y: &[f64]) {
        self.clear();
        let (n_targets, mut start) = (self.core.n_targets(), 0);
        // Kept from block to block, not with the experts, where it would be as large as they are.
        let mut scratch = Scratch::default();
        while start < rows.len() && !self.is_asleep {
            #[allow(clippy::cast_possible_truncation, reason = "it is at most a constant")]
            let left = TOGETHER - (self.rounds % TOGETHER as u64) as usize;
            let end = rows.len().min(start + left);
            let some = &y[start * n_targets..end * n_targets];
            let done = self.learn_block(&rows.slice(start..end), some, &mut scratch);
            self.evaluate(&some[..done * n_targets]);
            self.adapt();
            start += done;
        }
    }

    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn predict(&self, x: &[f64]) -> Vec<Output> {
        if self.is_asleep {
            return vec![Output::default(); self.kinds.len()];
        }
        let phi = self.core.map.peek(x);
        let predict = |expert: &LeastSquares| {
            let mut yhat = vec![0.0; self.core.n_targets()];
            expert.predict_into(&phi, &mut yhat);
            let q = expert.uncertainty(&phi).into_iter().collect();
            Output { yhat, q }
        };
        self.core.updates.iter().map(predict).collect()
    }

    fn distance(&self, x: &[f64]) -> Option<f64> {
        self.core.map.distance(x).filter(|_| !self.is_asleep)
    }

    fn take_overs(&self) -> u64 {
        self.take_overs
    }

    fn sleep(&mut self) {
        self.is_asleep = true;
        self.clear();
    }

    fn is_asleep(&self) -> bool {
        self.is_asleep
    }
}

impl<M: FeatureMap> Heap for Experts<M> {
    fn heap_bytes(&self) -> usize {
        self.kinds.heap_bytes()
            + self.core.map.heap_bytes()
            + self.core.updates.heap_bytes()
            + self.drift.heap_bytes()
            + self.outputs.heap_bytes()
    }
}
