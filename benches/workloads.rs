//! Data for all benchmarks: deterministic, made outside the timed part.

use nystream::Dictionary;
use nystream::features::FeatureMap;
use nystream::kernels::{AnyKernel, Gaussian};
use nystream::linalg::Panels;

/// Dictionary sizes: about those of the paper's data sets and beyond.
pub(crate) const SIZES: [usize; 3] = [32, 128, 512];

/// Width of the rows where only one is measured.
pub(crate) const FEATURES: usize = 18;

/// A number in [-1, 1), the same on every machine.
fn number(seed: u64) -> f64 {
    // The mixing function of SplitMix64.
    let mut z = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// `n` rows of `d` features, one after the other.
pub(crate) fn data(n: usize, d: usize) -> Vec<f64> {
    (0..n * d).map(|i| number(i as u64 + 1)).collect()
}

/// `n` stored rows of `d` features.
pub(crate) fn panels(n: usize, d: usize) -> Panels {
    data(n, d).chunks_exact(d).collect()
}

/// A kernel so narrow that every row is novel.
pub(crate) fn narrow() -> AnyKernel {
    Gaussian { sigma: 0.5 }.into()
}

/// A kernel so wide that rows are much alike.
pub(crate) fn wide() -> AnyKernel {
    Gaussian { sigma: 8.0 }.into()
}

/// A dictionary of exactly `size` rows.
pub(crate) fn dictionary(size: usize) -> Dictionary {
    let mut dictionary = Dictionary::new(narrow(), 1e-3, Some(size)).expect("valid parameters");
    for x in data(size, FEATURES).chunks_exact(FEATURES) {
        dictionary.project(x);
        dictionary.grow_if_novel(x);
    }
    dictionary
}
