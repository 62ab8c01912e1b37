//! Rows that gain features.

use std::ops::Range;

use super::{LARGEST_WIDTH, Learner};
use crate::algorithms::Algorithm;
use crate::data::checks::at_least_one;
use crate::error::Error;
use crate::persist::State;

impl Learner {
    /// Lets rows have more features from now on; rows learned so far count as 0 in them.
    ///
    /// ```
    /// use nystream::{Learner, NonsAldParams};
    ///
    /// let mut learner = Learner::new(NonsAldParams::default())?;
    /// learner.learn_row(&[0.5], 1.0)?;
    /// let before = learner.predict_row(&[0.4])?;
    /// learner.widen(2)?;
    /// assert_eq!(learner.predict_row(&[0.4, 0.0])?, before);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn widen(&mut self, n_features: usize) -> Result<(), Error> {
        let before = self.n_features().or(self.algorithm.facts().n_features);
        let Some(before) = before else {
            return at_least_one("n_features", n_features);
        };
        if n_features < before || n_features > LARGEST_WIDTH {
            let expected = "at least as many as rows have";
            return Err(Error::parameter("n_features", expected, n_features as f64));
        }
        if n_features == before {
            return Ok(());
        }
        if self.names().get().is_some() {
            let (argument, problem) = ("n_features", "cannot grow: columns have names".into());
            return Err(Error::Names { argument, problem });
        }
        if let Some(encoding) = &mut self.encoding {
            encoding.columns.add_numbers(n_features);
            encoding.widen();
            let width = encoding.width();
            return self.widen_algorithm(width);
        }
        self.widen_algorithm(n_features)?;
        for waiting in &mut self.pending {
            waiting.widen(n_features);
        }
        Ok(())
    }

    /// Lets the algorithm's rows have more features.
    pub(super) fn widen_algorithm(&mut self, n_features: usize) -> Result<(), Error> {
        let before = self.n_features.or(self.algorithm.facts().n_features);
        let Some(before) = before else {
            return Ok(());
        };
        self.check_memory(n_features)?;
        let fresh = self.params.build()?;
        self.algorithm = widened(fresh, &*self.algorithm, before..n_features)?;
        self.n_features = self.n_features.map(|_| n_features);
        Ok(())
    }
}

/// An algorithm whose rows have more features than before: `fresh` is one that has learned nothing.
pub(crate) fn widened(
    mut fresh: Box<dyn Algorithm>,
    algorithm: &dyn Algorithm,
    Range { start, end }: Range<usize>,
) -> Result<Box<dyn Algorithm>, Error> {
    let mut state = State::wide(end);
    algorithm.save(&mut state);
    fresh.load(&state)?;
    fresh.widen(start, end)?;
    Ok(fresh)
}
