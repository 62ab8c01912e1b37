//! A hypothesis as a kernel expansion, for scoring.

use std::sync::OnceLock;

use crate::nystrom::NystromMap;

/// The coefficients of `f = w . phi(.)` as a kernel expansion, computed when they are first asked for.
///
/// With them a score costs O(dJ), without them O(dJ + J^2).
#[derive(Debug, Clone, Default)]
pub struct Expansion(OnceLock<Vec<f64>>);

impl Expansion {
    /// `f(x)`.
    pub fn value(&self, map: &NystromMap, w: &[f64], x: &[f64]) -> f64 {
        let c = self.0.get_or_init(|| map.coefficients(w));
        map.kernel().expand(x, map.rows(), c)
    }

    /// Forgets the coefficients: `w` or the map is about to change.
    pub fn forget(&mut self) {
        self.0.take();
    }
}
