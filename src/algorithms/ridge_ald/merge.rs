//! Merging of learners that have learned parts of a stream.

use nalgebra::DMatrix;

use super::{RidgeAld, RidgeAldParams};
use crate::error::Error;
use crate::features::{FeatureMap, NystromMap, SMALLEST_ALPHA};
use crate::predictor::Record;
use crate::runtime::interleave;
use crate::updates::Update;

/// Divisor of `alpha` for the union of the dictionaries, from which rows are then removed: the rows that join by ALD at
/// `alpha` itself are not those that matter most for the predictions.
const FINER: f64 = 10.0;

/// The knowledge of a learner: rows in the features of its map, one a column, and their labels.
struct Part<'a> {
    map: &'a NystromMap,
    features: DMatrix<f64>,
    labels: DMatrix<f64>,
}

impl RidgeAldParams {
    /// Merges learners with these parameters that have learned parts of a stream.
    ///
    /// The result keeps as many rows as ALD would take of all rows that they keep. The knowledge of each is projected
    /// onto the span of these rows and added up.
    pub(crate) fn merge(&self, models: &[RidgeAld]) -> Result<RidgeAld, Error> {
        let parts: Vec<Part<'_>> = models.iter().map(Part::new).collect();
        let mut merged = self.build()?;
        for x in self.choose(models, &parts)? {
            merged.map_mut().keep(&x);
        }
        merged.add_parts(&parts);
        let records: Vec<&Record> = models.iter().filter_map(RidgeAld::record).collect();
        merged.set_record(Record::merged(&records));
        Ok(merged)
    }

    /// Chooses the rows to keep: as many as ALD takes, but those of a finer dictionary whose removal would cost most.
    fn choose(&self, models: &[RidgeAld], parts: &[Part<'_>]) -> Result<Vec<Vec<f64>>, Error> {
        let rows = interleave(models.iter().map(rows_of));
        let mut coarse = self.build()?;
        coarse.offer(&rows);
        let mut fine = self.finer().build()?;
        fine.offer(&rows);
        let kept = rows_of(&fine);
        if kept.len() <= coarse.map().size() {
            return Ok(kept);
        }
        fine.add_parts(parts);
        let factor = fine.map().map().factor();
        let kept = fine
            .update()
            .rows_worth_keeping(factor, coarse.map().size());
        let mut rows = rows_of(&fine);
        Ok(kept.iter().map(|&i| std::mem::take(&mut rows[i])).collect())
    }

    fn finer(&self) -> Self {
        Self {
            alpha: (self.alpha / FINER).max(SMALLEST_ALPHA),
            max_basis: None,
            ..self.clone()
        }
    }
}

impl RidgeAld {
    fn offer(&mut self, rows: &[Vec<f64>]) {
        for x in rows {
            self.map_mut().project(x);
            self.map_mut().admit(x);
        }
    }

    /// Adds the knowledge of others, projected onto the span of the rows kept.
    fn add_parts(&mut self, parts: &[Part<'_>]) {
        (0..self.map().size()).for_each(|_| self.update_mut().grow());
        for part in parts {
            let change = self.map().map().change_from(part.map);
            let features = change.tr_mul(&part.features);
            self.update_mut().add_rows(&features, &part.labels);
        }
    }
}

impl<'a> Part<'a> {
    fn new(model: &'a RidgeAld) -> Self {
        let (features, labels) = model.update().to_rows();
        Self {
            map: model.map().map(),
            features,
            labels,
        }
    }
}

/// The rows kept, in the order in which they joined.
fn rows_of(model: &RidgeAld) -> Vec<Vec<f64>> {
    let rows = model.map().rows();
    (0..rows.n_rows()).map(|i| rows.row(i).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithms::Algorithm;
    use crate::features::Policy;
    use crate::kernels::{Gaussian, Linear};

    fn row(t: u32) -> [f64; 3] {
        [t * 7 % 11, t * 5 % 13, t * 3 % 17].map(|x| f64::from(x) / 17.0 - 0.3)
    }

    fn labels(t: u32) -> [f64; 2] {
        let x = row(t);
        [x[0] - 2.0 * x[1] + 0.1 * f64::from(t % 3), x[2]]
    }

    /// A learner of rows with these weights.
    fn learner(params: &RidgeAldParams, rows: impl IntoIterator<Item = (u32, f64)>) -> RidgeAld {
        let mut model = params.build().unwrap();
        for (t, weight) in rows {
            model.learn_row(&row(t), &labels(t), weight, &mut [0.0; 2]);
        }
        model
    }

    fn linear() -> RidgeAldParams {
        RidgeAldParams {
            kernel: Linear {}.into(),
            n_targets: 2,
            ..RidgeAldParams::default()
        }
    }

    fn assert_equal(model: &RidgeAld, expected: &RidgeAld) {
        for t in 0..30 {
            let (x, mut found, mut wanted) = (row(t), [0.0; 2], [0.0; 2]);
            model.predict_into(&x, &mut found);
            expected.predict_into(&x, &mut wanted);
            for (found, wanted) in found.iter().zip(wanted) {
                assert!((found - wanted).abs() < 1e-9, "{found} {wanted}");
            }
            let q = [model, expected].map(|m| (m.intervals().unwrap().uncertainty)(&x));
            assert!((q[0] - q[1]).abs() < 1e-9 * q[1], "{q:?}");
        }
    }

    #[test]
    fn learners_of_one_span_are_merged_into_the_one_of_all_rows() {
        let weight = |t: u32| (t, 0.5 + f64::from(t % 4));
        for forward in [false, true] {
            let params = RidgeAldParams {
                forward,
                clip: true,
                ..linear()
            };
            let parts = [0..40, 40..57, 57..100].map(|part| learner(&params, part.map(weight)));
            let mut merged = params.merge(&parts).unwrap();
            let mut whole = learner(&params, (0..100).map(weight));
            assert_eq!(merged.facts().n_basis, 3);
            assert_equal(&merged, &whole);
            for t in 100..150 {
                let mut yhat = [[0.0; 2]; 2];
                merged.learn_row(&row(t), &labels(t), 1.0, &mut yhat[0]);
                whole.learn_row(&row(t), &labels(t), 1.0, &mut yhat[1]);
                assert!((yhat[0][1] - yhat[1][1]).abs() < 1e-9);
            }
            assert_equal(&merged, &whole);
        }
    }

    #[test]
    fn with_forgetting_the_last_row_of_each_counts_once() {
        let params = RidgeAldParams {
            forgetting: 0.9,
            ..linear()
        };
        let parts = [0..20, 20..45].map(|part| learner(&params, part.map(|t| (t, 1.0))));
        let merged = params.merge(&parts).unwrap();
        let age = |t: u32| if t < 20 { 19 - t } else { 44 - t };
        let faded = (0..45).map(|t| (t, 0.9_f64.powf(f64::from(age(t)))));
        assert_equal(&merged, &learner(&linear(), faded));
    }

    #[test]
    fn the_cap_is_shared_out_between_regions() {
        for policy in [Policy::Freeze, Policy::Replace] {
            let params = RidgeAldParams {
                kernel: Gaussian { sigma: 0.5 }.into(),
                max_basis: Some(6),
                policy,
                ..RidgeAldParams::default()
            };
            let parts = [0.0, 100.0].map(|start| {
                let mut model = params.build().unwrap();
                for i in 0..50_u32 {
                    let x = start + f64::from(i * 7 % 50) / 10.0;
                    model.learn_row(&[x], &[x.sin()], 1.0, &mut [0.0]);
                }
                model
            });
            let merged = params.merge(&parts).unwrap();
            let right = rows_of(&merged).iter().filter(|x| x[0] > 50.0).count();
            assert_eq!(merged.facts().n_basis, 6);
            assert!((2..=4).contains(&right), "{right}");
        }
    }

    #[test]
    fn rows_without_a_kernel_value_leave_nothing_to_carry_over() {
        let params = RidgeAldParams {
            kernel: Linear {}.into(),
            ..RidgeAldParams::default()
        };
        let parts = [(); 2].map(|()| {
            let mut model = params.build().unwrap();
            model.learn_row(&[0.0, 0.0], &[1.0], 1.0, &mut [0.0]);
            model
        });
        let mut merged = params.merge(&parts).unwrap();
        assert_eq!(merged.facts().n_basis, 0);
        let mut yhat = [f64::NAN];
        merged.learn_row(&[1.0, 0.0], &[1.0], 1.0, &mut yhat);
        assert_eq!(yhat, [0.0]);
    }
}
