//! Random numbers that are the same on every platform.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::Heap;
use crate::error::{Error, Place};

/// A generator with this seed.
pub(crate) fn generator(random_state: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(random_state)
}

/// One number in [0, 1) for each row: drawn, or given by the caller.
#[derive(Debug, Clone)]
pub(crate) enum Uniforms {
    Drawn { random_state: u64 },
    Given(Vec<f64>),
}

impl Heap for Uniforms {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Drawn { .. } => 0,
            Self::Given(numbers) => numbers.heap_bytes(),
        }
    }
}

impl Uniforms {
    pub(crate) fn new(random_state: u64, given: Option<&[f64]>) -> Result<Self, Error> {
        match given {
            None => Ok(Self::Drawn { random_state }),
            Some(numbers) => match numbers.iter().position(|u| !(0.0..1.0).contains(u)) {
                None => Ok(Self::Given(numbers.to_vec())),
                Some(i) => Err(Error::Element {
                    place: Place::new("uniforms", [i]),
                    expected: "at least 0 and below 1",
                    value: numbers[i],
                }),
            },
        }
    }

    /// The number of row `t`. It depends on nothing but the seed and `t`, so that no generator has to be saved.
    pub(crate) fn of_row(&self, t: usize) -> f64 {
        match self {
            // Only a prediction can ask for a number that was not given; its row is not kept.
            Self::Given(numbers) => numbers.get(t).copied().unwrap_or(1.0),
            Self::Drawn { random_state } => {
                let mut generator = generator(*random_state);
                generator.set_word_pos(2 * t as u128);
                unit(generator.next_u64())
            }
        }
    }

    /// Refuses rows if there are no numbers for them.
    pub(crate) fn check_capacity(&self, used: usize, n_rows: usize) -> Result<(), Error> {
        match self {
            Self::Given(numbers) if numbers.len() < used + n_rows => Err(Error::Draws {
                found: numbers.len(),
                needed: used + n_rows,
            }),
            _ => Ok(()),
        }
    }
}

/// The 53 highest bits as a number in [0, 1).
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_draws_of_a_seed_are_fixed() {
        let uniforms = Uniforms::new(7, None).unwrap();
        let rows = [0, 1, 1000].map(|t| uniforms.of_row(t));
        assert_eq!(
            rows,
            [
                0.157_796_097_020_619_36,
                0.167_989_362_772_101_3,
                0.226_356_110_108_373_86
            ]
        );
    }

    #[test]
    fn draws_are_uniform() {
        let uniforms = Uniforms::new(0, None).unwrap();
        let draws: Vec<f64> = (0..10_000).map(|t| uniforms.of_row(t)).collect();
        assert!(draws.iter().all(|u| (0.0..1.0).contains(u)));
        for cut in [0.1, 0.5, 0.9] {
            let below = draws.iter().filter(|&&u| u < cut).count() as f64;
            assert!((below / 1e4 - cut).abs() < 0.02);
        }
    }

    #[test]
    fn given_numbers_are_used_as_they_are_and_run_out() {
        let uniforms = Uniforms::new(0, Some(&[0.5, 0.25])).unwrap();
        assert_eq!([uniforms.of_row(0), uniforms.of_row(1)], [0.5, 0.25]);
        assert!(uniforms.check_capacity(1, 1).is_ok());
        assert!(uniforms.check_capacity(1, 2).is_err());
        for wrong in [1.0, -0.1, f64::NAN] {
            assert!(Uniforms::new(0, Some(&[0.5, wrong])).is_err());
        }
    }
}
