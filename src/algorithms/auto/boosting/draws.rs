//! The rows and features that a tree is fitted to.

/// The random draws of a tree: each is a hash, so that it depends on no draw before.
pub(super) struct Draws {
    rows: u64,
    features: u64,
}

impl Draws {
    /// The draws of the tree of this number.
    pub(super) fn new(seed: u64, tree: usize) -> Self {
        let start = mix(seed).wrapping_add(2 * tree as u64);
        Self {
            rows: mix(start),
            features: mix(start.wrapping_add(1)),
        }
    }

    /// The rows that are drawn, about this part of all, and the others.
    pub(super) fn rows(&self, n_rows: usize, part: f64) -> (Vec<u32>, Vec<u32>) {
        let n_rows = u32::try_from(n_rows).unwrap_or(u32::MAX);
        (0..n_rows).partition(|&i| unit(draw(self.rows, i.into())) < part)
    }

    /// The features that are drawn, in their order, if there are more than `most`.
    pub(super) fn features(&self, n_features: usize, most: usize) -> Option<Vec<usize>> {
        if n_features <= most {
            return None;
        }
        let mut features: Vec<usize> = (0..n_features).collect();
        features.sort_by_key(|&i| draw(self.features, i as u64));
        features.truncate(most);
        features.sort_unstable();
        Some(features)
    }
}

/// The numbers below `n`, shuffled.
pub(super) fn shuffled(seed: u64, n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_cached_key(|&i| draw(mix(seed), i as u64));
    order
}

fn draw(key: u64, item: u64) -> u64 {
    mix(key.wrapping_add(item))
}

/// The 53 highest bits as a number in [0, 1).
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// A step of the generator `SplitMix64`.
fn mix(state: u64) -> u64 {
    let z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_splitmix() {
        assert_eq!(mix(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
    }

    #[test]
    fn about_the_part_asked_for_is_drawn_and_every_row_is_somewhere() {
        let (drawn, others) = Draws::new(3, 5).rows(10_000, 0.7);
        assert!((6_800..7_200).contains(&drawn.len()));
        assert_eq!(drawn.len() + others.len(), 10_000);
        assert!(drawn.is_sorted() && others.is_sorted());
        assert_ne!(drawn, Draws::new(3, 6).rows(10_000, 0.7).0);
        assert_ne!(drawn, Draws::new(4, 5).rows(10_000, 0.7).0);
        assert_eq!(Draws::new(0, 0).rows(3, 1.0), (vec![0, 1, 2], vec![]));
    }

    #[test]
    fn features_are_drawn_only_if_there_are_too_many() {
        let draws = Draws::new(0, 0);
        assert_eq!(draws.features(5, 5), None);
        let drawn = draws.features(100, 7).unwrap();
        assert!(drawn.len() == 7 && drawn.is_sorted() && drawn[6] < 100);
        assert_ne!(Draws::new(0, 1).features(100, 7).unwrap(), drawn);
    }
}
