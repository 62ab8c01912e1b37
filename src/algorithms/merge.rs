//! Merging of algorithms that have learned parts of a stream.

use super::{Algorithm, AnyParams, LinearRls, LinearRlsParams};
use crate::error::Error;
use crate::features::FeatureMap;
use crate::persist::State;
use crate::predictor::Record;
use crate::updates::Update;

impl AnyParams {
    /// Merges algorithms with these parameters that have learned rows of one width; nothing if they cannot be merged.
    pub(crate) fn merge(
        &self,
        models: &[&dyn Algorithm],
    ) -> Result<Option<Box<dyn Algorithm>>, Error> {
        match self {
            Self::RidgeAld(params) => {
                let models = read(models, || params.build())?;
                Ok(Some(Box::new(params.merge(&models)?)))
            }
            Self::LinearRls(params) => {
                let models = read(models, || params.build())?;
                Ok(Some(Box::new(params.merge(&models)?)))
            }
            _ => Ok(None),
        }
    }
}

/// The algorithms as those of the type that `build` makes, which they must be.
fn read<A: Algorithm>(
    models: &[&dyn Algorithm],
    build: impl Fn() -> Result<A, Error>,
) -> Result<Vec<A>, Error> {
    let read = |model: &&dyn Algorithm| {
        let (mut state, mut again) = (State::default(), build()?);
        model.save(&mut state);
        again.load(&state)?;
        Ok(again)
    };
    models.iter().map(read).collect()
}

impl LinearRlsParams {
    /// Merges learners with these parameters that have learned rows of one width: exact, since sums of squares add up.
    fn merge(&self, models: &[LinearRls]) -> Result<LinearRls, Error> {
        let mut merged = self.build()?;
        let size = models.first().map_or(0, |model| model.update().size());
        merged.map_mut().set_size(size);
        (0..size).for_each(|_| merged.update_mut().grow());
        for model in models {
            let (features, labels) = model.update().to_rows();
            merged.update_mut().add_rows(&features, &labels);
        }
        let records: Vec<&Record> = models.iter().filter_map(LinearRls::record).collect();
        merged.set_record(Record::merged(&records));
        Ok(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RunningMeanParams;

    fn learned(params: &AnyParams, rows: std::ops::Range<u32>) -> Box<dyn Algorithm> {
        let mut model = params.build().unwrap();
        for t in rows {
            let x = [t * 7 % 11, t * 5 % 13].map(|x| f64::from(x) / 13.0);
            let y = 3.0 * x[0] - x[1] + f64::from(t % 3) / 9.0;
            model.learn_row(&x, &[y], 1.0, &mut [0.0]);
        }
        model
    }

    #[test]
    fn lines_of_parts_are_merged_into_the_line_of_all_rows() {
        for (forward, clip, intercept) in [(false, true, true), (true, false, false)] {
            let params = AnyParams::from(LinearRlsParams {
                intercept,
                forward,
                clip,
                ..LinearRlsParams::default()
            });
            let parts = [0..40, 40..41, 41..100].map(|rows| learned(&params, rows));
            let parts: Vec<&dyn Algorithm> = parts.iter().map(|part| &**part).collect();
            let merged = params.merge(&parts).unwrap().unwrap();
            let whole = learned(&params, 0..100);
            for x in [[0.0, 0.0], [0.3, 0.9], [1.0, 0.2]] {
                let (mut found, mut expected) = ([0.0], [0.0]);
                merged.predict_into(&x, &mut found);
                whole.predict_into(&x, &mut expected);
                assert!((found[0] - expected[0]).abs() < 1e-10);
            }
        }
        let mean: AnyParams = RunningMeanParams {}.into();
        assert!(mean.merge(&[&*learned(&mean, 0..9)]).unwrap().is_none());
    }
}
