//! One update on given features.

use criterion::{BenchmarkId, Criterion};
use nystream::updates::{Gradient, Newton, Rate, Update};

use crate::workloads::{SIZES, data};

/// `w . phi`, with the step of the round before, and the next step.
pub(crate) fn newton(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("newton");
    for size in SIZES {
        let mut newton = Newton::new(1.0, 0.125, f64::INFINITY, 1.0).expect("valid");
        (0..size).for_each(|_| newton.gain(1.0));
        let phi = data(1, size);
        group.bench_function(BenchmarkId::from_parameter(format!("J{size}")), |b| {
            // An error that does not vanish with the rounds: without one there is nothing to do.
            b.iter(|| {
                newton.predict(&phi, f64::INFINITY);
                newton.step(0.3);
            });
        });
    }
}

/// The step and the way back into the ball.
pub(crate) fn gradient(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gradient");
    for size in SIZES {
        let mut gradient = Gradient::new(Rate::adaptive(1.0));
        (0..size).for_each(|_| gradient.grow());
        let phi = data(1, size);
        group.bench_function(BenchmarkId::from_parameter(format!("J{size}")), |b| {
            b.iter(|| {
                let yhat = gradient.predict(&phi);
                gradient.step(&phi, yhat - 0.1);
            });
        });
    }
}
