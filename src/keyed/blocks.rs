//! The rows of a call by key, and what the models of keys say of them.

use super::own::Bench;
use crate::algorithms::Algorithm;
use crate::error::Error;
use crate::runtime::{for_each, num_threads};

/// Number of parts into which each thread's share is cut, so that none waits long for the others.
const PARTS: usize = 4;

/// The fewest rows of a part: less is done sooner than it is shared out.
const SHORTEST_PART: usize = 64;

/// Rows, sorted by the slots of their keys; rows of one key keep their order.
pub(super) struct ByKey {
    /// Slot and row.
    pairs: Vec<(u32, u32)>,
}

/// A model and the rows of its key.
pub(super) struct Job<'a, M> {
    pub(super) model: M,
    pub(super) rounds: Rounds<'a>,
}

/// The rows of one key, and a place for what is said of each.
pub(super) struct Rounds<'a> {
    pairs: &'a [(u32, u32)],
    said: &'a mut [f64],
}

/// What one thread does at a time.
struct Part<'a, M> {
    bench: Bench,
    jobs: Vec<Job<'a, M>>,
    outcome: Result<(), Error>,
}

impl Rounds<'_> {
    /// Calls `round` with the number of each row and the place of what is said of it.
    pub(super) fn each(&mut self, mut round: impl FnMut(usize, &mut [f64])) {
        for ((_, row), said) in self.pairs.iter().zip(self.said.chunks_exact_mut(1)) {
            round(*row as usize, said);
        }
    }
}

impl ByKey {
    /// Sorts the rows whose keys have these slots.
    pub(super) fn new(slots: &[u32]) -> Self {
        let mut pairs: Vec<(u32, u32)> = slots.iter().copied().zip(0..).collect();
        pairs.sort_unstable();
        Self { pairs }
    }

    /// The slots, each once, in their order.
    pub(super) fn slots(&self) -> impl Iterator<Item = u32> {
        self.keys().map(|pairs| pairs[0].0)
    }

    fn keys(&self) -> impl Iterator<Item = &[(u32, u32)]> {
        self.pairs.chunk_by(|a, b| a.0 == b.0)
    }

    /// Does the work of each key, on several threads; returns what was said of each row, in the order of the rows, and
    /// the models. A key is one thread's, so that the result does not depend on their number.
    pub(super) fn run<M: Send>(
        &self,
        template: &dyn Algorithm,
        models: impl Iterator<Item = M>,
        work: impl Fn(&mut Bench, &mut Job<'_, M>) -> Result<(), Error> + Sync + Send,
    ) -> Result<(Vec<f64>, Vec<M>), Error> {
        let mut said = vec![0.0; self.pairs.len()];
        let mut parts = self.parts(template, models, &mut said);
        for_each(&mut parts, |part| {
            let mut jobs = part.jobs.iter_mut();
            part.outcome = jobs.try_for_each(|job| work(&mut part.bench, job));
        });
        let mut models = Vec::new();
        for part in parts {
            part.outcome?;
            models.extend(part.jobs.into_iter().map(|job| job.model));
        }
        Ok((self.in_order(&said), models))
    }

    /// The jobs in parts.
    fn parts<'a, M>(
        &'a self,
        template: &dyn Algorithm,
        models: impl Iterator<Item = M>,
        mut rest: &'a mut [f64],
    ) -> Vec<Part<'a, M>> {
        let n_parts = if num_threads() == 1 {
            1
        } else {
            PARTS * num_threads()
        };
        let len = self.pairs.len().div_ceil(n_parts).max(SHORTEST_PART);
        let (mut parts, mut jobs, mut n_rows) = (Vec::new(), Vec::new(), 0);
        for (pairs, model) in self.keys().zip(models) {
            let (said, after) = rest.split_at_mut(pairs.len());
            let rounds = Rounds { pairs, said };
            jobs.push(Job { model, rounds });
            (rest, n_rows) = (after, n_rows + pairs.len());
            if n_rows >= len {
                parts.push(Part::new(template, std::mem::take(&mut jobs)));
                n_rows = 0;
            }
        }
        if !jobs.is_empty() {
            parts.push(Part::new(template, jobs));
        }
        parts
    }

    /// Numbers in the order of the pairs, brought into that of the rows.
    fn in_order(&self, said: &[f64]) -> Vec<f64> {
        let mut ordered = vec![0.0; said.len()];
        for ((_, row), said) in self.pairs.iter().zip(said) {
            ordered[*row as usize] = *said;
        }
        ordered
    }
}

impl<'a, M> Part<'a, M> {
    fn new(template: &dyn Algorithm, jobs: Vec<Job<'a, M>>) -> Self {
        Self {
            bench: Bench::new(template),
            jobs,
            outcome: Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LinearRlsParams;

    #[test]
    fn each_key_has_its_rows_in_order_and_results_are_in_the_order_of_rows() {
        let by_key = ByKey::new(&[2, 0, 2, 1, 0, 2]);
        assert_eq!(by_key.slots().collect::<Vec<_>>(), [0, 1, 2]);
        let template = LinearRlsParams::default().build().unwrap();
        let work = |_: &mut Bench, job: &mut Job<'_, Vec<usize>>| {
            job.rounds.each(|row, said| {
                job.model.push(row);
                said[0] = row as f64;
            });
            Ok(())
        };
        let (said, models) = by_key
            .run(&template, vec![Vec::new(); 3].into_iter(), work)
            .unwrap();
        assert_eq!(said, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(models, [vec![1, 4], vec![3], vec![0, 2, 5]]);
    }
}
