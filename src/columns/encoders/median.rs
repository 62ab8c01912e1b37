//! The median of the last numbers.

use crate::error::Error;
use crate::limits::LARGEST;
use crate::persist::State;
use crate::runtime::heap;

/// Number of numbers that are remembered.
const MOST: usize = 255;

/// The last numbers, and their median.
#[derive(Debug, Clone, Default)]
pub(super) struct Recent {
    numbers: Vec<f64>,
    /// Index of the oldest, once there are as many as are remembered.
    oldest: usize,
    /// The numbers in order, once a median has been asked for: most columns have no gaps and need none.
    sorted: Option<Vec<f64>>,
}

impl Recent {
    /// Adds a number, in the place of the oldest if there are many.
    pub(super) fn push(&mut self, number: f64) {
        if self.numbers.len() < MOST {
            self.numbers.push(number);
            if let Some(sorted) = &mut self.sorted {
                sorted.insert(place_in(sorted, number), number);
            }
        } else {
            let gone = std::mem::replace(&mut self.numbers[self.oldest], number);
            self.oldest = (self.oldest + 1) % MOST;
            if let Some(sorted) = &mut self.sorted {
                replace(sorted, gone, number);
            }
        }
    }

    /// Keeps the numbers in order from now on.
    pub(super) fn sort(&mut self) {
        if self.sorted.is_none() {
            self.sorted = Some(self.in_order());
        }
    }

    /// The median, the mean of the middle two if there are two; 0 of no numbers.
    pub(super) fn median(&self) -> f64 {
        match &self.sorted {
            Some(sorted) => middle(sorted),
            None => middle(&self.in_order()),
        }
    }

    fn in_order(&self) -> Vec<f64> {
        let mut sorted = self.numbers.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// Writes the numbers, the oldest first.
    pub(super) fn save(&self, state: &mut State) {
        let (newer, older) = self.numbers.split_at(self.oldest);
        state.put("recent", [older, newer].concat());
    }

    pub(super) fn load(state: &State) -> Result<Self, Error> {
        let numbers = state.any_vector("recent")?;
        if numbers.len() > MOST || numbers.iter().any(|number| number.abs() > LARGEST) {
            return Err(Error::model_file("recent should be at most 255 numbers"));
        }
        Ok(Self {
            numbers,
            ..Self::default()
        })
    }
}

/// The first place at which numbers in order are not below a number.
fn place_in(sorted: &[f64], number: f64) -> usize {
    sorted.partition_point(|other| other.total_cmp(&number).is_lt())
}

/// Replaces one of the numbers in order by another; only those between the two move.
fn replace(sorted: &mut [f64], gone: f64, number: f64) {
    let (from, to) = (place_in(sorted, gone), place_in(sorted, number));
    if from < to {
        sorted.copy_within(from + 1..to, from);
        sorted[to - 1] = number;
    } else {
        sorted.copy_within(to..from, to + 1);
        sorted[to] = number;
    }
}

fn middle(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        n if n % 2 == 1 => sorted[half],
        _ => f64::midpoint(sorted[half - 1], sorted[half]),
    }
}

heap!(Recent: numbers, sorted);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_of_the_last_numbers() {
        let mut recent = Recent::default();
        let mut medians = vec![recent.median()];
        for number in [5.0, 1.0, 9.0, 2.0] {
            recent.push(number);
            medians.push(recent.median());
        }
        assert_eq!(medians, [0.0, 5.0, 3.0, 5.0, 3.5]);
    }

    #[test]
    fn the_oldest_of_many_numbers_are_forgotten() {
        for sorted_after in [0, 100, 300, 400] {
            let mut recent = Recent::default();
            for i in 0..400 {
                if i == sorted_after {
                    recent.sort();
                }
                recent.push(f64::from(i * 7 % 400));
            }
            let mut last: Vec<i32> = (145..400).map(|i| i * 7 % 400).collect();
            last.sort_unstable();
            assert_eq!(recent.median(), f64::from(last[127]));
        }
    }

    #[test]
    fn a_number_takes_the_place_of_another_in_order() {
        let replaced = |gone, number| {
            let mut sorted = [1.0, 2.0, 2.0, 5.0];
            replace(&mut sorted, gone, number);
            sorted
        };
        assert_eq!(replaced(1.0, 7.0), [2.0, 2.0, 5.0, 7.0]);
        assert_eq!(replaced(5.0, 0.0), [0.0, 1.0, 2.0, 2.0]);
        assert_eq!(replaced(2.0, 2.0), [1.0, 2.0, 2.0, 5.0]);
        assert_eq!(replaced(2.0, 3.0), [1.0, 2.0, 3.0, 5.0]);
    }

    #[test]
    fn numbers_come_back_in_order() {
        let mut recent = Recent::default();
        (0..300).for_each(|i| recent.push(f64::from(i % 17)));
        recent.sort();
        let mut state = State::default();
        recent.save(&mut state);
        let mut again = Recent::load(&state).unwrap();
        for i in 0..300 {
            assert_eq!(again.median(), recent.median());
            again.push(f64::from(i));
            recent.push(f64::from(i));
        }
        state.put("recent", vec![0.0; 256]);
        assert!(Recent::load(&state).is_err());
        state.put("recent", vec![1e101]);
        assert!(Recent::load(&state).is_err());
    }
}
