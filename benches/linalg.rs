//! The Nyström map: the features of a row, and the growth by a row.

use criterion::{BatchSize, BenchmarkId, Criterion};

use crate::workloads::{FEATURES, SIZES, data, dictionary};
use nystream::features::FeatureMap;
use nystream::{NystromMap, Projection};

/// `k_S(x)`, then `L^{-1} k`.
pub(crate) fn features(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("features");
    for size in SIZES {
        let (mut dictionary, x) = (dictionary(size), data(1, FEATURES));
        group.bench_function(BenchmarkId::from_parameter(format!("J{size}")), |b| {
            b.iter(|| dictionary.project(&x));
        });
    }
}

/// The growth of the factor and its inverse by a row.
pub(crate) fn grow(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("grow");
    for size in SIZES {
        let x = vec![9.0; FEATURES];
        let map: NystromMap = dictionary(size).map().clone();
        let mut at = Projection::default();
        map.project_into(&x, &mut at);
        group.bench_function(BenchmarkId::from_parameter(format!("J{size}")), |b| {
            b.iter_batched_ref(
                || (map.clone(), at.clone()),
                |(map, at)| map.grow(&x, at),
                BatchSize::LargeInput,
            );
        });
    }
}
