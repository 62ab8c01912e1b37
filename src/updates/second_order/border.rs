//! Coordinates that past rows gain too.

use super::SecondOrder;
use crate::limits::cut;
use crate::linalg::{axpy_in_place, dot, norm_squared};

impl SecondOrder {
    /// What it takes to follow features that gain a coordinate on past rows too: then `A` gains the row `a` and, beside
    /// what it starts with, `squares` on the diagonal, and `A w` of the one target the entry `target`.
    pub fn border(&self, a: &[f64], squares: f64, target: f64) -> Border {
        let v = self.tr_mul(a);
        // In exact arithmetic it is never below the diagonal that `A` starts with.
        let schur = (self.diagonal + squares - norm_squared(&v)).max(self.diagonal);
        let mut p_a = vec![0.0; a.len()];
        self.root().mul_into(&v, &mut p_a);
        let weight = (target - dot(a, self.w(0))) / schur;
        Border { p_a, schur, weight }
    }

    /// Gains the coordinate of this border.
    pub fn embed(&mut self, border: &Border) {
        self.settle();
        axpy_in_place(-border.weight, &border.p_a, &mut self.w[0]);
        self.push(border.weight, &border.column());
    }
}

/// A coordinate to come; see [`SecondOrder::border`].
#[derive(Debug, Clone)]
pub struct Border {
    /// `P a`.
    p_a: Vec<f64>,
    /// The Schur complement of the new diagonal entry.
    schur: f64,
    weight: f64,
}

impl Border {
    /// What `w . phi` and `phi . P phi` become when `phi` gains this coordinate.
    pub fn peek(&self, (yhat, q): (f64, f64), phi: &[f64], coordinate: f64) -> (f64, f64) {
        let novelty = coordinate - dot(&self.p_a, phi);
        (
            cut(yhat + self.weight * novelty),
            q + novelty * novelty / self.schur,
        )
    }

    /// The new column of the root, `[-P a, 1] / sqrt(schur)`.
    fn column(&self) -> Vec<f64> {
        let scale = self.schur.sqrt().recip();
        let mut column: Vec<f64> = self.p_a.iter().map(|p_a| -p_a * scale).collect();
        column.push(scale);
        column
    }
}
