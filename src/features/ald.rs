//! The dictionary kept by the approximate linear dependence (ALD) condition.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::replacement::ReplacementSchedule;
use super::{Block, Change, FeatureMap, NystromMap, Projection};
use crate::data::Rows;
use crate::data::checks::{at_least_one_if_given, within};
use crate::error::Error;
use crate::kernels::AnyKernel;
use crate::limits::{LARGEST, Range};
use crate::linalg::{Givens, Panels};
use crate::persist::State;
use crate::predictor::Predictor;
use crate::runtime::heap;

/// The smallest `alpha`: below it the outcome would depend on rounding, not on the data.
pub const SMALLEST_ALPHA: f64 = 1e-10;

/// Addition to the kernel value of a row with itself, relative to it, if `alpha` is below [`FINE`].
///
/// If each row is a little further than the last, it is extrapolated from those kept with weights that grow without
/// bound while its distance to the span is still small, and rounding in the factor is multiplied by their squares:
/// distances would be noise, rows would not join, and features would leave the ball. The nugget makes large weights
/// part of the distance, so that a row joins in time; it changes the kernel by a thousandth of `alpha` at most.
const NUGGET: f64 = 1e-13;
const FINE: f64 = 1e-5;

/// The `alpha` below which features are found by substitution: a product with the inverse of the factor would multiply
/// rounding by the norm of that inverse, `1 / sqrt(alpha)`, once more.
const VERY_FINE: f64 = 5e-7;

/// The treatment of a row that should join a full dictionary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// The dictionary stays as it is; the row is learned through its projection.
    #[default]
    Freeze,
    /// The row replaces the one whose removal costs least.
    Replace,
}

/// A dictionary of rows that are far from the span of those kept before them, and the features it gives.
///
/// A row `x` joins when `alpha_t = min_beta ||sum_i beta_i kappa(z_i, .) - kappa(x, .)||^2`, the squared distance of
/// its kernel function to the span of the dictionary's, is more than `alpha kappa(x, x)`; the first row always joins.
#[derive(Debug, Clone)]
pub struct Dictionary {
    map: NystromMap,
    threshold: f64,
    max_basis: usize,
    policy: Policy,
    /// The times when a row may replace another; `None` means always.
    schedule: Option<Box<ReplacementSchedule>>,
    /// The projection of the row at hand.
    at: Projection,
}

impl Dictionary {
    /// An empty dictionary that keeps at most `max_basis` rows.
    pub fn new(kernel: AnyKernel, alpha: f64, max_basis: Option<usize>) -> Result<Self, Error> {
        kernel.check()?;
        check_alpha(alpha)?;
        at_least_one_if_given("max_basis", max_basis)?;
        let nugget = if alpha < FINE { NUGGET } else { 0.0 };
        let map = NystromMap::with_nugget(kernel, nugget);
        Ok(Self {
            map: if alpha < VERY_FINE {
                map.accurate()
            } else {
                map
            },
            // The distance is measured with the nugget.
            threshold: alpha + nugget,
            max_basis: max_basis.unwrap_or(usize::MAX),
            policy: Policy::Freeze,
            schedule: None,
            at: Projection::default(),
        })
    }

    /// Sets the most rows that it keeps, at least as many as it has.
    #[must_use]
    pub(crate) fn capped(self, max_basis: usize) -> Self {
        Self { max_basis, ..self }
    }

    /// Sets the policy at the cap.
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Sets a schedule for replacements: rare as a rule, and frequent when the stream moves.
    #[must_use]
    pub(crate) fn on_schedule(self) -> Self {
        let schedule = Some(Box::default());
        Self { schedule, ..self }
    }

    /// Returns true while replacements are frequent because the stream has moved.
    pub(crate) fn is_renewing(&self) -> bool {
        self.schedule
            .as_ref()
            .is_some_and(|schedule| schedule.is_fast())
    }

    /// The Nyström map of the rows kept.
    pub fn map(&self) -> &NystromMap {
        &self.map
    }

    /// The rows kept.
    pub fn rows(&self) -> &Panels {
        self.map.rows()
    }

    /// The features of rows on the dictionary as it is, with a row for each and perhaps more.
    pub(crate) fn features_of(&self, rows: &Rows<'_>, block: &mut Block) -> DMatrix<f64> {
        block.project(&self.map, rows);
        let features = &block.features;
        DMatrix::from_column_slice(features.width(), self.size(), features.data())
    }

    /// Projects the row at hand again, after a removal.
    pub(crate) fn project_again(&mut self, x: &[f64]) {
        self.map.project_into(x, &mut self.at);
    }

    /// Records the distance of the row at hand from the span.
    fn record_distance(&mut self) {
        let (is_full, size) = (self.is_full(), self.size());
        match &mut self.schedule {
            Some(schedule) if is_full => {
                schedule.record((self.at.residual / self.at.kappa).min(1.0).sqrt(), size);
            }
            Some(schedule) => schedule.pass(),
            None => {}
        }
    }

    /// Returns true if the row at hand should replace another.
    fn wants_eviction(&self) -> bool {
        self.policy == Policy::Replace
            && self
                .schedule
                .as_ref()
                .is_none_or(|schedule| schedule.is_due())
            && self.is_full()
            && self.is_novel(&self.at)
    }

    fn is_full(&self) -> bool {
        self.size() >= self.max_basis
    }

    /// Removes row `j`; returns the rotations of the features, as [`NystromMap::remove`] does.
    pub fn remove(&mut self, j: usize) -> Vec<Givens> {
        if let Some(schedule) = &mut self.schedule {
            schedule.record_replacement();
        }
        self.map.remove(j)
    }

    /// Lets the row last projected join if it is far from the span; returns the coordinate that `phi(x)` has gained.
    pub fn grow_if_novel(&mut self, x: &[f64]) -> Option<f64> {
        let mut at = std::mem::take(&mut self.at);
        let coordinate = self
            .coordinate(&mut at)
            .filter(|_| self.map.grow(x, &mut at).is_ok());
        self.at = at;
        coordinate
    }

    /// Lets a row join whatever its distance, unless the dictionary is full or rounding makes the row useless.
    pub(crate) fn keep(&mut self, x: &[f64]) {
        self.map.project_accurately(x, &mut self.at);
        if !self.is_full() {
            // A row within the span adds nothing: the refusal is fine.
            let _ = self.map.grow(x, &mut self.at);
        }
    }

    /// The coordinate that the features of a projected row gain if it joins.
    ///
    /// A row that seems novel by the fast projection is confirmed by the accurate one, which the factor is built from.
    fn coordinate(&self, at: &mut Projection) -> Option<f64> {
        if self.is_full() || !self.is_novel(at) {
            return None;
        }
        self.map.refine(at);
        self.is_novel(at).then(|| at.residual.sqrt())
    }

    /// Returns true if a row is far enough from the span to join. One with a tiny kernel value counts as zeros.
    fn is_novel(&self, at: &Projection) -> bool {
        let first = self.size() == 0;
        at.kappa > LARGEST.recip() && (first || at.residual > self.threshold * at.kappa)
    }
}

impl FeatureMap for Dictionary {
    fn size(&self) -> usize {
        self.map.size()
    }

    fn project(&mut self, x: &[f64]) {
        self.project_again(x);
        self.record_distance();
    }

    fn phi(&self) -> &[f64] {
        &self.at.phi
    }

    fn distance(&self, x: &[f64]) -> Option<f64> {
        let mut at = Projection::default();
        self.map.project_into(x, &mut at);
        Some((at.residual / at.kappa).clamp(0.0, 1.0))
    }

    fn admit(&mut self, x: &[f64]) -> Change {
        self.grow_if_novel(x).map_or(Change::None, Change::Gain)
    }

    fn evicting(&mut self) -> Option<&mut Dictionary> {
        self.wants_eviction().then_some(self)
    }

    fn adapt_to_drift(&mut self) {
        let size = self.size();
        if let Some(schedule) = &mut self.schedule {
            schedule.adapt_to_drift(size);
        }
    }

    fn project_rows(&mut self, rows: &Rows<'_>, full: usize, block: &mut Block) {
        block.project(self.map(), rows);
        for (i, x) in rows.iter().enumerate() {
            block.look_at(i, &mut self.at);
            let (before, size) = (self.schedule.clone(), self.size());
            self.record_distance();
            if self.wants_eviction() {
                // The round of this row is made again, by itself.
                self.schedule = before;
                block.features.truncate(i);
                break;
            }
            if self.is_full() || !self.is_novel(&self.at) {
                continue;
            }
            block.kernel_values_into(i, size, &mut self.at.k);
            let gained = self.grow_if_novel(x).is_some();
            block.features.set_row(i, &self.at.phi[..size]);
            if gained {
                block.join(i, &self.map, &self.at.phi);
                if self.size() >= full {
                    block.features.truncate(i + 1);
                    break;
                }
            }
        }
    }

    fn peek(&self, x: &[f64]) -> Vec<f64> {
        let mut at = Projection::default();
        self.map.project_into(x, &mut at);
        let coordinate = self.coordinate(&mut at);
        at.phi.extend(coordinate);
        at.phi
    }

    fn predictor<'w>(&self, w: &dyn Fn(usize) -> &'w [f64], ranges: &[Range]) -> Predictor {
        Predictor::Expansion(self.map.expansion(w, ranges))
    }

    fn basis(&self) -> Option<(&Panels, &AnyKernel)> {
        Some((self.rows(), self.map.kernel()))
    }

    fn pack(&self, numbers: &mut Vec<f64>) -> bool {
        self.map.pack(numbers);
        if self.policy == Policy::Replace {
            self.map.pack_removals(numbers);
        }
        self.schedule.is_none()
    }

    fn unpack<'n>(&mut self, size: usize, numbers: &'n [f64]) -> Option<&'n [f64]> {
        let rest = self.map.unpack(size, numbers)?;
        match self.policy {
            Policy::Freeze => Some(rest),
            Policy::Replace => self.map.unpack_removals(rest),
        }
    }

    fn save(&self, state: &mut State) {
        self.map.save(state);
        if self.policy == Policy::Replace {
            self.map.save_removals(state);
        }
        if let Some(schedule) = &self.schedule {
            schedule.save(state);
        }
    }

    fn load(&mut self, state: &State) -> Result<Option<usize>, Error> {
        self.map.load(state)?;
        if self.policy == Policy::Replace {
            self.map.load_removals(state)?;
        }
        if let Some(schedule) = &mut self.schedule {
            schedule.load(state)?;
        }
        Ok(Some(self.size()))
    }
}

fn check_alpha(alpha: f64) -> Result<(), Error> {
    let expected = "between 1e-10, the least that float64 can tell from 0, and 1";
    within("alpha", alpha, SMALLEST_ALPHA..=1.0, expected)
}

heap!(Dictionary: map, at);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::{Gaussian, Linear};

    fn offer(dictionary: &mut Dictionary, x: &[f64]) -> bool {
        dictionary.project(x);
        dictionary.grow_if_novel(x).is_some()
    }

    #[test]
    fn rows_in_the_span_do_not_join() {
        let mut dictionary = Dictionary::new(Linear {}.into(), 1e-6, None).unwrap();
        assert!(!offer(&mut dictionary, &[0.0, 0.0, 0.0]));
        assert!(offer(&mut dictionary, &[1.0, 0.0, 0.0]));
        assert!(!offer(&mut dictionary, &[-3.0, 0.0, 0.0]));
        assert!(offer(&mut dictionary, &[1.0, 1.0, 0.0]));
        assert!(!offer(&mut dictionary, &[5.0, 7.0, 1e-3]));
        assert!(offer(&mut dictionary, &[5.0, 7.0, 1e-1]));
    }

    #[test]
    fn rows_that_creep_along_stay_within_the_ball() {
        for alpha in [1e-10, 1e-8, 1e-6, 1e-4] {
            let mut dictionary = Dictionary::new(Gaussian::default().into(), alpha, None).unwrap();
            for i in 0..1000 {
                offer(&mut dictionary, &[f64::from(i) * 3e-3]);
                let left = 1.0 - crate::linalg::norm_squared(dictionary.phi());
                let rounding = 1e-9;
                assert!(
                    (-rounding..=alpha + rounding).contains(&left),
                    "{alpha} {i} {left}"
                );
            }
            assert!(dictionary.size() < 50);
        }
    }

    #[test]
    fn the_first_row_joins_at_any_alpha_and_the_cap_holds() {
        let mut dictionary = Dictionary::new(Gaussian::default().into(), 1.0, None).unwrap();
        assert!(offer(&mut dictionary, &[0.0]));
        assert!(!offer(&mut dictionary, &[100.0]));
        let mut capped = Dictionary::new(Gaussian::default().into(), 1e-3, Some(2)).unwrap();
        let joined = [0.0, 100.0, 200.0].map(|x| offer(&mut capped, &[x]));
        assert_eq!(joined, [true, true, false]);
        assert_eq!(capped.phi().len(), 2);
    }

    #[test]
    fn parameters_have_ranges() {
        for alpha in [0.0, 1e-11, 1.1, f64::NAN] {
            assert!(Dictionary::new(AnyKernel::default(), alpha, None).is_err());
        }
        assert!(Dictionary::new(AnyKernel::default(), 0.1, Some(0)).is_err());
        assert!(Dictionary::new(Gaussian { sigma: 0.0 }.into(), 0.1, None).is_err());
    }
}
