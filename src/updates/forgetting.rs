//! Exponential forgetting.

use crate::data::checks::within;
use crate::error::Error;
use crate::persist::{State, index};

/// Exponential forgetting: a row counts `factor` times what it did a round before.
///
/// Only ratios of weights matter. So nothing is scaled in a round; instead the row of each round counts `1 / factor`
/// times the one before it. At the end of a period, after about a doubling, everything is scaled at once.
#[derive(Debug, Clone)]
pub(super) struct Forgetting {
    factor: f64,
    /// Rounds after which half is forgotten, at least one; `None` if nothing is.
    period: Option<u32>,
    /// Number of rounds in this period so far.
    age: u32,
}

impl Forgetting {
    /// Forgetting by a factor from 0.5 to 1, which forgets nothing.
    pub(super) fn new(factor: f64) -> Result<Self, Error> {
        within("forgetting", factor, 0.5..=1.0, "between 0.5 and 1")?;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it saturates"
        )]
        let rounds = (0.5_f64.ln() / factor.ln()).ceil().abs() as u32;
        Ok(Self {
            factor,
            period: (factor < 1.0).then_some(rounds.max(1)),
            age: 0,
        })
    }

    /// The factor.
    pub(super) fn factor(&self) -> f64 {
        self.factor
    }

    /// The weight of the row that comes `later` rounds from now, in the scale of this period.
    pub(super) fn weight(&self, later: u32) -> f64 {
        self.power(self.age + later + 1)
    }

    /// The weight, in the scale of this period, that stands for counting once `later` rounds from now.
    pub(super) fn unit(&self, later: u32) -> f64 {
        self.power(self.age + later)
    }

    fn power(&self, rounds: u32) -> f64 {
        match self.period {
            None => 1.0,
            Some(_) => self.factor.powf(-f64::from(rounds)),
        }
    }

    /// Begins a new period.
    pub(super) fn restart(&mut self) {
        self.age = 0;
    }

    /// Number of rounds of a period; 1 if nothing is forgotten.
    pub(super) fn period(&self) -> u32 {
        self.period.unwrap_or(1)
    }

    /// Number of rounds left in this period.
    pub(super) fn rounds_left(&self) -> u32 {
        self.period.map_or(u32::MAX, |period| period - self.age)
    }

    /// Counts rounds, no more than are left; at the end of the period, returns the factor that scales the past.
    pub(super) fn pass(&mut self, rounds: u32) -> Option<f64> {
        let period = self.period?;
        self.age += rounds;
        (self.age == period).then(|| {
            self.age = 0;
            self.power(period).recip()
        })
    }

    /// Appends the number of rounds in this period, if there are periods.
    pub(super) fn pack(&self, numbers: &mut Vec<f64>) {
        numbers.extend(self.period.map(|_| f64::from(self.age)));
    }

    /// Reads what [`pack`](Self::pack) has written; returns the numbers after that.
    pub(super) fn unpack<'n>(&mut self, numbers: &'n [f64]) -> Option<&'n [f64]> {
        let Some(period) = self.period else {
            return Some(numbers);
        };
        let (age, rest) = numbers.split_first()?;
        let age = index(*age, 0..usize::try_from(period).ok()?)?;
        self.age = u32::try_from(age).ok()?;
        Some(rest)
    }

    pub(super) fn save(&self, state: &mut State) {
        if self.period.is_some() {
            state.put("age", [f64::from(self.age)]);
        }
    }

    pub(super) fn load(&mut self, state: &State) -> Result<(), Error> {
        let Some(period) = self.period else {
            return Ok(());
        };
        let age = u32::try_from(state.count("age")?).unwrap_or(u32::MAX);
        if age >= period {
            return Err(Error::model_file("age should be less than the period"));
        }
        self.age = age;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_double_in_a_period_and_start_anew() {
        let mut forgetting = Forgetting::new(0.9).unwrap();
        assert_eq!(forgetting.rounds_left(), 7);
        assert_eq!(forgetting.unit(0), 1.0);
        assert_eq!(forgetting.pass(6), None);
        assert!((forgetting.weight(0) - 0.9_f64.powi(-7)).abs() < 1e-15);
        assert!((forgetting.pass(1).unwrap() - 0.9_f64.powi(7)).abs() < 1e-15);
        assert!((forgetting.weight(0) - 1.0 / 0.9).abs() < 1e-15);
    }

    #[test]
    fn a_factor_of_one_forgets_nothing_and_others_have_a_range() {
        let mut forgetting = Forgetting::new(1.0).unwrap();
        assert_eq!(forgetting.pass(u32::MAX), None);
        assert_eq!(forgetting.weight(7), 1.0);
        assert_eq!(Forgetting::new(0.5).unwrap().rounds_left(), 1);
        for factor in [0.0, 0.49, 1.01, f64::NAN] {
            assert!(Forgetting::new(factor).is_err());
        }
        assert!(Forgetting::new(1.0 - 1e-16).unwrap().rounds_left() > 1 << 30);
    }
}
