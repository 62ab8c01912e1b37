//! The experts that an ensemble is made of.

use super::AutoParams;
use super::experts::{Experts, dictionary_size};
use super::means::Means;
use crate::error::Error;
use crate::features::{Dictionary, LinearMap};

/// The widths of kernels, in median distances of two rows, and the ridges that go with each, for a long memory and for a
/// short one: wider kernels make smoother functions, which a smaller ridge keeps from being too smooth.
const KERNELS: [(f64, [f64; 2]); 5] = [
    (0.5, [1e-1, 1.0]),
    (1.0, [1e-2, 1e-1]),
    (2.0, [1e-3, 1e-1]),
    (4.0, [1e-4, 1e-2]),
    (8.0, [1e-5, 1e-3]),
];

/// Where rows are on a line or in a plane, the narrowest of these is wide: while its dictionary is not half full after the
/// warm-up, there is one more of a quarter of the width, but no more than so many.
const FINER: f64 = 0.25;
pub(super) const MOST_FINER: usize = 3;

/// The width and the ridge of an expert whose memory is very short, and which part of the rows kept is enough for it.
const QUICK: (f64, f64, usize) = (1.0, 3e-2, 4);

/// The ridges of linear experts, two with a long memory and one with a short one.
const LINEAR: [f64; 3] = [100.0, 10.0, 10.0];

/// Rows that the second mean remembers are a hundred times fewer than those by which experts are compared.
const LAST_LABELS: f64 = 100.0;

/// Experts of every width, those that are finer than the usual ones first, and the one with a very short memory.
pub(super) fn kernels(
    params: &AutoParams,
    distance: f64,
    n_finer: usize,
) -> Result<Vec<Experts<Dictionary>>, Error> {
    let n_targets = params.n_targets;
    let [short, quick] = [params.memory(2.0), params.memory(16.0)];
    let finer = (1..=n_finer).map(|n| (narrowest(n), KERNELS[0].1));
    let usual = |(width, [ridge, larger]): (f64, [f64; 2])| {
        let memories = [(ridge, 1.0), (larger, short)];
        let cap = (params.max_basis, params.policy);
        Experts::kernel(width * distance, &memories, cap, n_targets)
    };
    let mut kernels: Vec<_> = finer.chain(KERNELS).map(usual).collect::<Result<_, _>>()?;
    if quick < 1.0 {
        let (width, ridge, part) = QUICK;
        let cap = (params.max_basis.div_ceil(part), params.policy);
        let memories = [(ridge, quick)];
        kernels.push(Experts::kernel(
            width * distance,
            &memories,
            cap,
            n_targets,
        )?);
    }
    Ok(kernels)
}

/// The linear experts.
pub(super) fn linear(params: &AutoParams) -> Result<Experts<LinearMap>, Error> {
    let [large, small, larger] = LINEAR;
    let memories = [(large, 1.0), (small, 1.0), (larger, params.memory(2.0))];
    Experts::linear(&memories, params.n_targets)
}

/// The mean of the labels and, if anything is forgotten, that of the last ones.
pub(super) fn means(params: &AutoParams) -> Vec<Means> {
    let memories = [params.forgetting, params.memory(LAST_LABELS)];
    let n_means = if params.forgetting < 1.0 { 2 } else { 1 };
    let means = memories[..n_means].iter();
    means.map(|f| Means::new(*f, params.n_targets)).collect()
}

/// Number of widths finer than the usual ones that scaled rows of the warm-up ask for.
pub(super) fn n_finer(params: &AutoParams, z: &[f64], width: usize, distance: f64) -> usize {
    let enough = params.max_basis.min(z.len() / width);
    let is_empty = |&finer: &usize| {
        let sigma = narrowest(finer) * distance;
        let size = dictionary_size(z, width, sigma, params.max_basis);
        size.is_ok_and(|size| 2 * size < enough)
    };
    (0..MOST_FINER).take_while(is_empty).count()
}

/// The narrowest width, in median distances, if there are so many that are finer than the usual ones.
fn narrowest(n_finer: usize) -> f64 {
    (0..n_finer).fold(KERNELS[0].0, |width, _| FINER * width)
}
