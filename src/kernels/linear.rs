//! The linear kernel.

use serde::{Deserialize, Serialize};

use super::{Geometry, Kernel};
use crate::error::Error;

/// `x . z`.
///
/// ```
/// use nystream::kernels::{Linear, Kernel};
///
/// let kernel = Linear {};
/// assert_eq!(kernel.diagonal(&[3.0, 4.0]), 25.0);
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Linear {}

impl Kernel for Linear {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    fn geometry(&self) -> Geometry {
        Geometry::Dot
    }

    fn profile_in_place(&self, _values: &mut [f64]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_inner_products() {
        let rows = [&[3.0, -1.0][..]].into_iter().collect();
        let mut row = [0.0];
        Linear {}.row_into(&[2.0, 5.0], &rows, &mut row);
        assert!((row[0] - 1.0).abs() < 1e-15);
    }
}
