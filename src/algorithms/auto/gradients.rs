//! Gradients of kernel expansions, and the metrics that are made of them.

use nalgebra::DMatrix;

use crate::kernels::AnyKernel;
use crate::linalg::{axpy_in_place, symmetric_eigen};
use crate::predictor::Metric;

/// If features are mixed: the least part of the gradients' squares that a direction has, and the most directions.
const LEAST: f64 = 1e-4;
const MOST_DIRECTIONS: usize = 64;

/// Writes the gradient of an expansion at a row, up to a factor that is the same for all rows.
pub(super) fn slope_into(
    kernel: &AnyKernel,
    (stored, c, k): (&[f64], &[f64], &[f64]),
    x: &[f64],
    out: &mut Vec<f64>,
) {
    out.clear();
    out.resize(x.len(), 0.0);
    let terms = stored.chunks_exact(x.len()).zip(c.iter().zip(k));
    if matches!(kernel, AnyKernel::Laplacian(_)) {
        for (z, (c, k)) in terms {
            let weight = c * k;
            for ((out, z), x) in out.iter_mut().zip(z).zip(x) {
                *out += weight * (f64::from(u8::from(z > x)) - f64::from(u8::from(z < x)));
            }
        }
        return;
    }
    for (z, (c, k)) in terms {
        axpy_in_place(c * k, z, out);
        axpy_in_place(-c * k, x, out);
    }
}

/// The metric in which each feature counts as much as the gradients have of it.
pub(super) fn diagonal(gradients: &[f64], width: usize) -> Option<Metric> {
    let mut squares = vec![0.0; width];
    for gradient in gradients.chunks_exact(width) {
        squares
            .iter_mut()
            .zip(gradient)
            .for_each(|(s, g)| *s += g * g);
    }
    let sum: f64 = squares.iter().sum();
    let factors = squares.iter().map(|s| (s / sum).sqrt()).collect();
    (sum > 0.0 && sum.is_finite()).then(|| Metric::diagonal(factors))
}

/// The metric whose directions are those of the average product of a gradient with itself.
pub(super) fn mixed(gradients: &[f64], width: usize) -> Option<Metric> {
    let gradients = DMatrix::from_column_slice(width, gradients.len() / width, gradients);
    let products = &gradients * gradients.transpose();
    let trace = products.trace();
    if !(trace > 0.0 && trace.is_finite()) {
        return None;
    }
    let (values, vectors) = symmetric_eigen(products / trace);
    let directions = values.iter().zip(vectors.column_iter());
    let directions = directions.take(MOST_DIRECTIONS).enumerate();
    let numbers: Vec<f64> = directions
        .take_while(|(rank, (value, _))| *rank < 2 || **value > LEAST)
        .flat_map(|(_, (value, vector))| {
            let factor = value.max(0.0).sqrt();
            vector.iter().map(|v| factor * v).collect::<Vec<f64>>()
        })
        .collect();
    let is_finite = numbers.iter().all(|number| number.is_finite());
    is_finite.then(|| Metric::full(numbers, width))
}
