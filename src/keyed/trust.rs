//! How far a key's own past is trusted, after as many rows as it has: pooled over all keys.

use crate::error::Error;
use crate::persist::State;

/// Number of rows that the bucket of younger keys counts as in the next.
const PRIOR: f64 = 16.0;

/// Number of rows that the errors of keys of the same age count as beside a key's own.
const SCALE_PRIOR: f64 = 8.0;

/// Number of rows whose residual is 0 that a bucket begins with: corrections that are alike share their weight, and
/// rounding does not decide between them.
const NOTHING: f64 = 1.0;

/// Number of buckets: one for each power of two that an age may have.
const BUCKETS: usize = 65;

/// The corrections of a shared prediction for a row of a key: the mean of its residuals so far, and what its own model
/// says of this row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Corrections {
    pub(super) mean: f64,
    pub(super) own: f64,
}

/// Pooled weights of the corrections of keys, and the size of the errors that are left.
///
/// Keys are in buckets by age, the number of rows that they have had: 1, 2 and 3, 4 to 7, and so on. In each bucket the
/// weights minimise the squared errors of all its rows so far; they are not negative, and their sum is at most 1. So a
/// key that has had one row is believed as far as such keys have deserved. A bucket that has few rows leans on the one
/// before it.
#[derive(Debug, Clone)]
pub(super) struct Trust {
    buckets: Vec<Moments>,
}

/// Sums over the rows of a bucket.
#[derive(Debug, Clone, Copy, Default)]
struct Moments {
    n: f64,
    mean_mean: f64,
    mean_own: f64,
    own_own: f64,
    mean_residual: f64,
    own_residual: f64,
    errors: f64,
}

impl Default for Trust {
    fn default() -> Self {
        let buckets = vec![Moments::default(); BUCKETS];
        Self { buckets }
    }
}

impl Trust {
    /// The weights of the mean and of the own model of a key of this age; nothing is known of one that has had no row.
    pub(super) fn weights(&self, age: u64) -> [f64; 2] {
        match bucket_of(age) {
            0 => [0.0, 0.0],
            bucket => self.leaning(bucket).held_back().weights(),
        }
    }

    /// The expected squared error for a key of this age, whose own squared errors have this sum.
    pub(super) fn variance(&self, age: u64, errors: f64) -> f64 {
        (SCALE_PRIOR * self.expected(age) + errors) / (SCALE_PRIOR + age as f64)
    }

    /// The mean of the squared errors of keys of this age.
    pub(super) fn expected(&self, age: u64) -> f64 {
        let pooled = self.leaning(bucket_of(age));
        pooled.errors / pooled.n.max(1.0)
    }

    /// Adds what others know of other keys.
    pub(super) fn add(&mut self, other: &Self) {
        for (own, other) in self.buckets.iter_mut().zip(&other.buckets) {
            *own = own.plus(1.0, other);
        }
    }

    /// Learns from a row of a key of this age: its corrections, its residual, and the error of its prediction.
    pub(super) fn learn(&mut self, age: u64, of: Corrections, residual: f64, error: f64) {
        let Corrections { mean, own } = of;
        let sums = &mut self.buckets[bucket_of(age)];
        sums.n += 1.0;
        sums.mean_mean += mean * mean;
        sums.mean_own += mean * own;
        sums.own_own += own * own;
        sums.mean_residual += mean * residual;
        sums.own_residual += own * residual;
        sums.errors += error * error;
    }

    /// The sums of a bucket, which leans on the one before it; the first one, of new keys, leans on none.
    fn leaning(&self, bucket: usize) -> Moments {
        let own = self.buckets[bucket];
        match bucket.checked_sub(1).map(|before| self.buckets[before]) {
            Some(before) if before.n > 0.0 => own.plus(PRIOR / before.n, &before),
            _ => own,
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        let numbers: Vec<f64> = self
            .buckets
            .iter()
            .flat_map(|sums| sums.to_array())
            .collect();
        state.put_matrix("trust", [BUCKETS, Moments::LEN], numbers);
    }

    pub(super) fn load(state: &State) -> Result<Self, Error> {
        let (n, numbers) = state.matrix("trust", Moments::LEN)?;
        let (rows, _) = numbers.as_chunks();
        let buckets: Vec<Moments> = rows.iter().map(Moments::from_array).collect();
        if n == BUCKETS && buckets.iter().all(Moments::is_plausible) {
            return Ok(Self { buckets });
        }
        Err(Error::model_file("trust should be sums over rows"))
    }
}

impl Moments {
    const LEN: usize = 7;

    fn to_array(self) -> [f64; Self::LEN] {
        [
            self.n,
            self.mean_mean,
            self.mean_own,
            self.own_own,
            self.mean_residual,
            self.own_residual,
            self.errors,
        ]
    }

    fn from_array(numbers: &[f64; Self::LEN]) -> Self {
        let [
            n,
            mean_mean,
            mean_own,
            own_own,
            mean_residual,
            own_residual,
            errors,
        ] = *numbers;
        Self {
            n,
            mean_mean,
            mean_own,
            own_own,
            mean_residual,
            own_residual,
            errors,
        }
    }

    fn is_plausible(&self) -> bool {
        [self.n, self.mean_mean, self.own_own, self.errors]
            .iter()
            .all(|sum| *sum >= 0.0)
    }

    fn plus(&self, factor: f64, other: &Self) -> Self {
        let (own, other) = (self.to_array(), other.to_array());
        Self::from_array(&std::array::from_fn(|i| own[i] + factor * other[i]))
    }

    /// The sums with rows of the usual corrections, and no residual.
    fn held_back(mut self) -> Self {
        let factor = 1.0 + NOTHING / self.n.max(1.0);
        self.mean_mean *= factor;
        self.own_own *= factor;
        self
    }

    /// The two weights, not negative and of a sum of at most 1, with the least squared error.
    fn weights(&self) -> [f64; 2] {
        let (scale_mean, scale_own) = (self.mean_mean.sqrt(), self.own_own.sqrt());
        let alone = |residual: f64, scale: f64| match residual / scale / scale {
            weight if weight > 0.0 => weight.min(1.0),
            _ => 0.0, // NaN, too, where nothing has been seen
        };
        let product = self.mean_own / scale_mean / scale_own;
        let left = 1.0 - product * product;
        if left > 0.0 {
            let (u, v) = (
                self.mean_residual / scale_mean,
                self.own_residual / scale_own,
            );
            let mean = (u - product * v) / left / scale_mean;
            let own = (v - product * u) / left / scale_own;
            if mean >= 0.0 && own >= 0.0 && mean + own <= 1.0 {
                return [mean, own];
            }
        }
        let candidates = [
            [alone(self.mean_residual, scale_mean), 0.0],
            [0.0, alone(self.own_residual, scale_own)],
            self.with_sum_one(),
        ];
        let best = candidates
            .into_iter()
            .min_by(|a, b| self.loss(a).total_cmp(&self.loss(b)));
        best.unwrap_or_default()
    }

    /// The best weights whose sum is 1.
    fn with_sum_one(&self) -> [f64; 2] {
        let spread = self.mean_mean - 2.0 * self.mean_own + self.own_own;
        let gain = self.mean_residual - self.own_residual - self.mean_own + self.own_own;
        let mean = if spread > 0.0 { gain / spread } else { 0.0 };
        let mean = mean.clamp(0.0, 1.0);
        [mean, 1.0 - mean]
    }

    /// The squared error with these weights, less that without any.
    fn loss(&self, [mean, own]: &[f64; 2]) -> f64 {
        mean * (mean * self.mean_mean + 2.0 * own * self.mean_own - 2.0 * self.mean_residual)
            + own * (own * self.own_own - 2.0 * self.own_residual)
    }
}

/// The bucket of an age: the number of binary digits that it has.
fn bucket_of(age: u64) -> usize {
    (u64::BITS - age.leading_zeros()) as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn corrections(mean: f64, own: f64) -> Corrections {
        Corrections { mean, own }
    }

    #[test]
    fn a_new_key_has_no_weights_and_buckets_double() {
        let mut trust = Trust::default();
        trust.learn(0, corrections(5.0, 5.0), 5.0, 0.0);
        assert_eq!(trust.weights(0), [0.0, 0.0]);
        assert_eq!([0, 1, 2, 3, 4, 7, 8].map(bucket_of), [0, 1, 2, 2, 3, 3, 4]);
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn a_correction_that_explains_half_of_the_residual_gets_half_the_weight() {
        let mut trust = Trust::default();
        (0..100).for_each(|_| trust.learn(1, corrections(2.0, 0.0), 1.0, 0.5));
        let [mean, own] = trust.weights(1);
        assert!((mean - 0.5 * 100.0 / 101.0).abs() < 1e-12 && own == 0.0);
        // The next bucket leans on this one until it knows better.
        let [next, _] = trust.weights(2);
        assert!((next - 0.5 * 16.0 / 17.0).abs() < 1e-12);
        (0..1000).for_each(|_| trust.learn(2, corrections(0.0, 3.0), 3.0, 0.0));
        let [mean, own] = trust.weights(2);
        assert!(mean < 0.51 && own > 0.49);
        assert_eq!(trust.variance(1, 0.0), 8.0 * 0.25 / 9.0);
    }

    #[test]
    fn corrections_that_are_alike_share_their_weight() {
        let mut trust = Trust::default();
        trust.learn(1, corrections(2.0, 2.0), 2.0, 0.0);
        let [mean, own] = trust.weights(1);
        assert!((mean - own).abs() < 1e-12 && mean > 0.3);
    }

    #[test]
    fn a_correction_that_misleads_gets_none() {
        let mut trust = Trust::default();
        trust.learn(1, corrections(1.0, 1e200), -1.0, 0.0);
        assert_eq!(trust.weights(1), [0.0, 0.0]);
    }

    proptest! {
        #[test]
        fn no_weights_that_are_allowed_do_better(
            rows in prop::collection::vec((-9.0..9.0, -9.0..9.0, -9.0..9.0), 1..20)
        ) {
            let mut sums = Trust::default();
            for (mean, own, residual) in rows {
                sums.learn(1, corrections(mean, own), residual, 0.0);
            }
            let (moments, weights) = (sums.buckets[1].held_back(), sums.weights(1));
            prop_assert!(weights.iter().all(|w| *w >= 0.0) && weights[0] + weights[1] <= 1.0 + 1e-12);
            for i in 0..=10 {
                for j in 0..=10 - i {
                    let other = [f64::from(i) / 10.0, f64::from(j) / 10.0];
                    prop_assert!(moments.loss(&weights) <= moments.loss(&other) + 1e-6);
                }
            }
        }
    }
}
