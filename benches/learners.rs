//! Whole rounds and scoring with a full dictionary.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput};
use nystream::{
    AnyParams, AogdAldParams, AutoParams, FogdParams, KaarParams, KogdParams, KonsParams,
    KrlsAldParams, Learner, NonsAldParams, OnlineKrrParams, PkawvParams, Policy, RidgeAldParams,
    Rows, SketchedKonsParams, set_num_threads,
};

use crate::workloads::{FEATURES, SIZES, data, narrow, wide};

const ROWS: usize = 1000;

/// Rows learned before the measurement, for learners that store every row.
const STORED: [usize; 3] = [500, 1000, 2000];

/// Rows learned in a measurement of learners that store every row: few enough that the cost does not grow meanwhile.
const FEW: usize = 20;

fn learner(params: AnyParams, n_rows: usize, d: usize) -> Learner {
    let mut learner = Learner::new(params).expect("valid");
    let (x, y) = (data(n_rows, d), data(n_rows, 1));
    let rows = Rows::new(&x, d).expect("finite");
    learner.learn_rows(&rows, &y).expect("finite");
    learner
}

/// NONS-ALD with a dictionary of at most this size, and a kernel with which every row is novel.
fn nons_ald(size: usize) -> NonsAldParams {
    NonsAldParams {
        kernel: narrow(),
        max_basis: Some(size),
        ..NonsAldParams::default()
    }
}

/// Learners whose dictionary has exactly `size` rows, and one with as many features.
fn learners(size: usize) -> Vec<(&'static str, Learner)> {
    let (kernel, max_basis) = (narrow(), Some(size));
    let aogd = AogdAldParams {
        kernel: kernel.clone(),
        max_basis,
        ..AogdAldParams::default()
    };
    let ridge = RidgeAldParams {
        kernel: kernel.clone(),
        max_basis,
        ..RidgeAldParams::default()
    };
    let krls = KrlsAldParams {
        kernel: kernel.clone(),
        max_basis,
        ..KrlsAldParams::default()
    };
    let fogd = FogdParams {
        kernel,
        n_frequencies: size / 2,
        ..FogdParams::default()
    };
    let params: [(_, AnyParams); 5] = [
        ("nons_ald", nons_ald(size).into()),
        ("aogd_ald", aogd.into()),
        ("ridge_ald", ridge.into()),
        ("krls_ald", krls.into()),
        ("fogd", fogd.into()),
    ];
    let learners = params.map(|(name, params)| (name, learner(params, 2 * size, FEATURES)));
    for (name, learner) in &learners {
        assert!(learner.n_basis() == size || *name == "fogd", "{name}");
    }
    learners.into()
}

/// The learners that store every row, with so many rows stored.
fn every_row(n_rows: usize) -> [(&'static str, Learner); 6] {
    // A wide kernel: with a narrow one those that sample would keep every row.
    let kernel = wide();
    let kogd = KogdParams {
        kernel: kernel.clone(),
        ..KogdParams::default()
    };
    let kons = KonsParams {
        kernel: kernel.clone(),
        ..KonsParams::default()
    };
    let krr = OnlineKrrParams {
        kernel: kernel.clone(),
        ..OnlineKrrParams::default()
    };
    let sketched = SketchedKonsParams {
        kernel: kernel.clone(),
        ..SketchedKonsParams::default()
    };
    let pkawv = PkawvParams {
        kernel,
        ..PkawvParams::default()
    };
    let params: [(_, AnyParams); 6] = [
        ("kogd", kogd.into()),
        ("kons", kons.into()),
        ("kaar", KaarParams(krr.clone()).into()),
        ("online_krr", krr.into()),
        ("sketched_kons", sketched.into()),
        ("pkawv", pkawv.into()),
    ];
    params.map(|(name, params)| (name, learner(params, n_rows, FEATURES)))
}

/// Learning when more and more rows are stored: O(t) for KOGD, O(t^2) for the exact second-order ones.
pub(crate) fn growth(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("every_row");
    group.throughput(Throughput::Elements(FEW as u64));
    group.sample_size(20);
    for n_rows in STORED {
        // Rows that come after the stored ones.
        let (x, y) = (data(n_rows + FEW, FEATURES), data(n_rows + FEW, 1));
        let rows = Rows::new(&x, FEATURES).expect("finite");
        let (rows, y) = (rows.slice(n_rows..n_rows + FEW), &y[n_rows..]);
        for (name, learner) in every_row(n_rows) {
            let bytes = learner.to_bytes().expect("finite");
            group.bench_function(BenchmarkId::new(name, format!("t{n_rows}")), |b| {
                b.iter_batched_ref(
                    || Learner::from_bytes(&bytes).expect("written just now"),
                    |learner| learner.learn_rows(&rows, y),
                    BatchSize::PerIteration,
                );
            });
        }
    }
}

/// Rounds of predicting and learning: one by one, and in blocks.
pub(crate) fn learn(criterion: &mut Criterion) {
    let (x, y) = (data(ROWS, FEATURES), data(ROWS, 1));
    let rows = Rows::new(&x, FEATURES).expect("finite");
    for (path, in_blocks) in [("learn_row", false), ("learn_rows", true)] {
        let mut group = criterion.benchmark_group(path);
        group.throughput(Throughput::Elements(ROWS as u64));
        for size in SIZES {
            for (name, mut learner) in learners(size) {
                group.bench_function(BenchmarkId::new(name, format!("J{size}")), |b| {
                    b.iter(|| {
                        if in_blocks {
                            learner.learn_rows(&rows, &y).expect("finite");
                        } else {
                            for (x, &y) in rows.iter().zip(&y) {
                                learner.learn_row(x, y).expect("finite");
                            }
                        }
                    });
                });
            }
        }
    }
}

/// Auto, and a dictionary that replaces a row in each round, on one thread.
pub(crate) fn untuned(criterion: &mut Criterion) {
    set_num_threads(Some(1)).unwrap();
    let (x, y) = (data(ROWS, FEATURES), data(ROWS, 1));
    let rows = Rows::new(&x, FEATURES).expect("finite");
    let replacing = RidgeAldParams {
        kernel: narrow(),
        max_basis: Some(150),
        policy: Policy::Replace,
        ..RidgeAldParams::default()
    };
    let params: [(_, AnyParams); 2] = [
        ("auto", AutoParams::default().into()),
        ("ridge_ald_replacing", replacing.into()),
    ];
    let mut group = criterion.benchmark_group("untuned");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.sample_size(20);
    for (name, params) in params {
        let mut learner = learner(params, 2 * ROWS, FEATURES);
        group.bench_function(BenchmarkId::new(name, "J150"), |b| {
            b.iter(|| learner.learn_rows(&rows, &y).expect("finite"));
        });
    }
}

/// Scoring alone, on one thread.
pub(crate) fn predict(criterion: &mut Criterion) {
    set_num_threads(Some(1)).unwrap();
    let mut group = criterion.benchmark_group("predict_rows");
    group.throughput(Throughput::Elements(ROWS as u64));
    for d in [8, FEATURES, 96] {
        let x = data(ROWS, d);
        let rows = Rows::new(&x, d).expect("finite");
        for size in SIZES {
            let scorer = learner(nons_ald(size).into(), 2 * size, d);
            group.bench_function(BenchmarkId::new("nons_ald", format!("d{d}/J{size}")), |b| {
                b.iter(|| scorer.predict_rows(&rows));
            });
        }
    }
}
