//! Whole rounds and scores at a full dictionary.

use criterion::{BenchmarkId, Criterion, Throughput};
use nystream::{AogdAldParams, Learner, NonsAldParams, Rows};

use crate::workloads::{FEATURES, SIZES, data, narrow};

const ROWS: usize = 1000;

/// Learners of both kinds that keep exactly `size` rows.
fn learners(size: usize) -> [(&'static str, Learner); 2] {
    let (kernel, max_basis) = (narrow(), Some(size));
    let nons = NonsAldParams {
        kernel: kernel.clone(),
        max_basis,
        ..NonsAldParams::default()
    };
    let aogd = AogdAldParams {
        kernel,
        max_basis,
        ..AogdAldParams::default()
    };
    let mut learners = [
        ("nons_ald", Learner::new(nons).expect("valid")),
        ("aogd_ald", Learner::new(aogd).expect("valid")),
    ];
    let (x, y) = (data(2 * size, FEATURES), data(2 * size, 1));
    let rows = Rows::new(&x, FEATURES).expect("finite");
    for (name, learner) in &mut learners {
        learner.learn_rows(&rows, &y).expect("finite");
        assert!(learner.n_basis() == size, "{name}");
    }
    learners
}

/// Predict, then learn.
pub(crate) fn learn(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("learn_rows");
    group.throughput(Throughput::Elements(ROWS as u64));
    let (x, y) = (data(ROWS, FEATURES), data(ROWS, 1));
    let rows = Rows::new(&x, FEATURES).expect("finite");
    for size in SIZES {
        for (name, mut learner) in learners(size) {
            group.bench_function(BenchmarkId::new(name, format!("J{size}")), |b| {
                b.iter(|| learner.learn_rows(&rows, &y));
            });
        }
    }
}

/// Scores alone.
pub(crate) fn predict(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("predict_rows");
    group.throughput(Throughput::Elements(ROWS as u64));
    let x = data(ROWS, FEATURES);
    let rows = Rows::new(&x, FEATURES).expect("finite");
    for size in SIZES {
        for (name, learner) in learners(size) {
            group.bench_function(BenchmarkId::new(name, format!("J{size}")), |b| {
                b.iter(|| learner.predict_rows(&rows));
            });
        }
    }
}
