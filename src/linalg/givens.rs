//! Rotations in the planes of neighbouring coordinates.

/// A rotation of two coordinates, `(x, y)` to `(c x + s y, c y - s x)`.
#[derive(Debug, Clone, Copy)]
pub struct Givens {
    c: f64,
    s: f64,
}

impl Givens {
    /// The rotation that turns `(x, y)`, not both 0, onto the first axis, and the length of `(x, y)`.
    pub(super) fn onto_first(x: f64, y: f64) -> (Self, f64) {
        let r = x.hypot(y);
        let (c, s) = (x / r, y / r);
        (Self { c, s }, r)
    }

    /// Rotates `(x, y)`.
    #[inline(always)]
    pub(super) fn apply(self, x: f64, y: f64) -> (f64, f64) {
        (self.c * x + self.s * y, self.c * y - self.s * x)
    }

    /// Rotates the pairs of entries of two rows.
    pub(super) fn apply_to_rows(self, first: &mut [f64], second: &mut [f64]) {
        for (x, y) in first.iter_mut().zip(second) {
            (*x, *y) = self.apply(*x, *y);
        }
    }
}

/// Applies rotations in turn, the first to the coordinates `first` and `first + 1`, each other to the pair one further.
pub(crate) fn rotate_in_place(rotations: &[Givens], first: usize, vector: &mut [f64]) {
    for (k, rotation) in rotations.iter().enumerate() {
        let Some([x, y]) = vector.get_mut(first + k..first + k + 2) else {
            return;
        };
        (*x, *y) = rotation.apply(*x, *y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_turned_onto_its_axis_and_others_keep_their_length() {
        let (rotation, r) = Givens::onto_first(3.0, 4.0);
        assert_eq!((r, rotation.apply(3.0, 4.0).0), (5.0, 5.0));
        let mut vector = [1.0, 3.0, 4.0, 7.0];
        rotate_in_place(&[rotation, rotation], 1, &mut vector);
        let norm: f64 = vector.iter().map(|x| x * x).sum();
        assert!((norm - 75.0).abs() < 1e-12 && vector[0] == 1.0);
        let mut short = [1.0, 2.0];
        rotate_in_place(&[rotation], 1, &mut short);
        assert_eq!(short, [1.0, 2.0]);
    }
}
