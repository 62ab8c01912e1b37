//! The polynomial kernel.

use serde::{Deserialize, Serialize};

use super::{Geometry, Kernel};
use crate::data::checks::{not_negative, positive};
use crate::error::Error;

/// `(gamma x . z + coef0)^degree`, or that divided by the root of its values at `(x, x)` and `(z, z)`.
///
/// The normalised kernel of a row with itself is 1, as the paper assumes of every kernel; without a constant it
/// is 0 for a row of zeros.
///
/// ```
/// use nystream::kernels::{Polynomial, Kernel};
///
/// let kernel = Polynomial { degree: 2, ..Polynomial::default() };
/// assert_eq!(kernel.diagonal(&[1.0, 1.0]), 9.0);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Polynomial {
    /// Degree, 1 to 32. Default 3.
    pub degree: u32,
    /// Factor of the inner product, positive. Default 1.
    pub gamma: f64,
    /// Constant, 0 or positive. Default 1.
    pub coef0: f64,
    /// True to normalise: to divide by the root of the values at `(x, x)` and `(z, z)`. Default false.
    pub normalize: bool,
}

impl Default for Polynomial {
    fn default() -> Self {
        Self {
            degree: 3,
            gamma: 1.0,
            coef0: 1.0,
            normalize: false,
        }
    }
}

impl Kernel for Polynomial {
    fn check(&self) -> Result<(), Error> {
        if !(1..=32).contains(&self.degree) {
            return Err(Error::parameter(
                "degree",
                "between 1 and 32",
                f64::from(self.degree),
            ));
        }
        positive("gamma", self.gamma)?;
        not_negative("coef0", self.coef0)
    }

    fn geometry(&self) -> Geometry {
        if self.normalize {
            let offset = self.coef0 / self.gamma;
            Geometry::Cosine { offset }
        } else {
            Geometry::Dot
        }
    }

    fn profile_in_place(&self, values: &mut [f64]) {
        for value in values {
            let base = if self.normalize {
                *value
            } else {
                self.gamma * *value + self.coef0
            };
            *value = base.powi(self.degree.cast_signed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalised_values_are_the_plain_ones_over_the_diagonal() {
        let plain = Polynomial {
            degree: 3,
            gamma: 0.5,
            coef0: 2.0,
            normalize: false,
        };
        let normalised = Polynomial {
            normalize: true,
            ..plain.clone()
        };
        let (x, z) = ([1.0, 2.0], [3.0, -0.5]);
        let value = |kernel: &Polynomial| {
            let rows = [&z[..]].into_iter().collect();
            let mut row = [0.0];
            kernel.row_into(&x, &rows, &mut row);
            row[0]
        };
        assert!((value(&plain) - 27.0).abs() < 1e-12);
        let expected = 27.0 / (plain.diagonal(&x) * plain.diagonal(&z)).sqrt();
        assert!((value(&normalised) - expected).abs() < 1e-15);
    }

    #[test]
    fn degree_has_a_range() {
        for degree in [0, 33] {
            let kernel = Polynomial {
                degree,
                ..Polynomial::default()
            };
            assert!(kernel.check().is_err());
        }
    }
}
