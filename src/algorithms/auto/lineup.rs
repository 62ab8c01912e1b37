//! The line-up: the experts that an ensemble is made of.

use super::AutoParams;
use super::experts::{Experts, dictionary_of};
use super::kinds::Memory;
use super::means::Means;
use super::relevant::{Design, Form};
use crate::error::Error;
use crate::features::{Dictionary, FeatureMap, LinearMap, Policy};
use crate::kernels::Gaussian;

/// The widths of kernels, in median distances of two rows, each with a ridge for a long memory and one for a short
/// memory: wider kernels make smoother predictors, which a smaller ridge keeps from being too smooth.
const KERNELS: [(f64, [f64; 2]); 5] = [
    (0.5, [1e-1, 1.0]),
    (1.0, [1e-2, 1e-1]),
    (2.0, [1e-3, 1e-1]),
    (4.0, [1e-4, 1e-2]),
    (8.0, [1e-5, 1e-3]),
];

/// Factor of each finer width, and the most finer widths. On rows along a line or in a plane the narrowest usual width
/// is wide: a finer one is added while the dictionary of the narrowest is not half full after the warm-up.
const FINER: f64 = 0.25;
pub(super) const MOST_FINER: usize = 3;

/// The forms of metrics that are learned, each with a width of the kernel and a ridge for a long and a short memory.
const RELEVANT: [(Form, f64, [f64; 2]); 3] = [
    (Form::Smooth, 1.0, [1e-2, 1e-1]),
    (Form::Rough, 2.0, [1e-1, 1.0]),
    (Form::Mixed, 1.0, [1e-2, 1e-1]),
];

/// The form of experts that learn labels on a curve, with a width of the kernel and a ridge for a long and a short memory.
const STRETCHED: (Form, f64, [f64; 2]) = (Form::Stretched, 1.0, [1e-2, 1e-1]);

/// Width and ridges of experts that look at some features only, all alike.
const EVEN: (f64, [f64; 2]) = KERNELS[2];

/// The widest rows whose features are mixed.
const WIDEST: usize = 128;

/// Width, ridge, and divisor of the cap of an expert whose memory is very short.
const QUICK: (f64, f64, usize) = (1.0, 3e-2, 4);

/// The ridges of linear experts, two with a long memory and one with a short one.
const LINEAR: [f64; 3] = [100.0, 10.0, 10.0];

/// Number of times by which the second mean forgets faster than the comparison of experts.
const LAST_LABELS: f64 = 100.0;

/// Experts of every width, the finer ones first, then the one with a very short memory.
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
        gaussian(width * distance, &memories, cap, n_targets)
    };
    let mut kernels: Vec<_> = finer.chain(KERNELS).map(usual).collect::<Result<_, _>>()?;
    if quick < 1.0 {
        let (width, ridge, part) = QUICK;
        let cap = (params.max_basis.div_ceil(part), params.policy);
        let memories = [(ridge, quick)];
        kernels.push(gaussian(width * distance, &memories, cap, n_targets)?);
    }
    Ok(kernels)
}

fn gaussian(
    sigma: f64,
    memories: &[Memory],
    cap: (usize, Policy),
    n_targets: usize,
) -> Result<Experts<Dictionary>, Error> {
    Experts::kernel(Gaussian { sigma }.into(), sigma, memories, cap, n_targets)
}

/// Experts in metrics that are learned, on rows of this width.
pub(super) fn relevant(params: &AutoParams, width: usize) -> Vec<Design> {
    let forms = RELEVANT.into_iter();
    let forms = forms.filter(|(form, ..)| *form != Form::Mixed || (3..=WIDEST).contains(&width));
    forms.map(|form| design(params, form)).collect()
}

fn design(params: &AutoParams, (form, width, [ridge, larger]): (Form, f64, [f64; 2])) -> Design {
    Design {
        form,
        width,
        memories: vec![(ridge, 1.0), (larger, params.memory(2.0))],
        cap: (params.max_basis, params.policy),
        n_targets: params.n_targets,
        is_focused: false,
    }
}

/// Experts that look at some features only, on rows of this width.
pub(super) fn focused(params: &AutoParams, width: usize) -> Vec<Design> {
    let even = design(params, (Form::Even, EVEN.0, EVEN.1));
    let others = relevant(params, width).into_iter();
    let others = others.filter(|design| design.form != Form::Rough);
    let focused = |design| Design {
        is_focused: true,
        ..design
    };
    [even].into_iter().chain(others).map(focused).collect()
}

/// Experts that learn labels with a long tail on a curve.
pub(super) fn stretched(params: &AutoParams) -> Design {
    design(params, STRETCHED)
}

/// The linear experts that look at the past of the labels, if experts may.
pub(super) fn linear_past(params: &AutoParams) -> Result<Option<Experts<LinearMap>>, Error> {
    let [large, _, larger] = LINEAR;
    let memories = [(large, 1.0), (larger, params.memory(2.0))];
    let experts = params
        .use_past
        .then(|| Experts::linear("past", &memories, params.n_targets));
    experts.transpose()
}

/// The linear experts.
pub(super) fn linear(params: &AutoParams) -> Result<Experts<LinearMap>, Error> {
    let [large, small, larger] = LINEAR;
    let memories = [(large, 1.0), (small, 1.0), (larger, params.memory(2.0))];
    Experts::linear("linear", &memories, params.n_targets)
}

/// The mean of the labels; if there is forgetting, that of the last ones; and the last label alone, if it is asked for.
pub(super) fn means(params: &AutoParams, last_label: bool) -> Means {
    let mut memories = vec![params.forgetting];
    if params.forgetting < 1.0 {
        memories.push(params.memory(LAST_LABELS));
    }
    memories.extend(last_label.then_some(0.0));
    Means::new(&memories, params.n_targets)
}

/// Number of finer widths that the scaled rows of the warm-up ask for.
pub(super) fn n_finer(params: &AutoParams, z: &[f64], width: usize, distance: f64) -> usize {
    let enough = params.max_basis.min(z.len() / width);
    let is_empty = |&finer: &usize| {
        let sigma = narrowest(finer) * distance;
        let kernel = Gaussian { sigma }.into();
        let dictionary = dictionary_of(kernel, z.chunks_exact(width), params.max_basis);
        dictionary.is_ok_and(|dictionary| 2 * dictionary.size() < enough)
    };
    (0..MOST_FINER).take_while(is_empty).count()
}

/// The narrowest width, in median distances, with `n_finer` finer ones.
fn narrowest(n_finer: usize) -> f64 {
    (0..n_finer).fold(KERNELS[0].0, |width, _| FINER * width)
}
