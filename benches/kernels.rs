//! One row of the kernel matrix.

use criterion::{BenchmarkId, Criterion, Throughput};
use nystream::kernels::{
    AnyKernel, Gaussian, Laplacian, Linear, Matern32, Matern52, Polynomial, RationalQuadratic,
};

use crate::workloads::{SIZES, data, panels};

pub(crate) fn row(criterion: &mut Criterion) {
    let kernels: [(&str, AnyKernel); 7] = [
        ("gaussian", Gaussian::default().into()),
        ("laplacian", Laplacian::default().into()),
        ("matern32", Matern32::default().into()),
        ("matern52", Matern52::default().into()),
        ("rational_quadratic", RationalQuadratic::default().into()),
        ("polynomial", Polynomial::default().into()),
        ("linear", Linear::default().into()),
    ];
    let mut group = criterion.benchmark_group("kernel_row");
    for (name, kernel) in &kernels {
        for d in [8, 18, 96] {
            let size = SIZES[1];
            let (rows, x, mut out) = (panels(size, d), data(1, d), vec![0.0; size]);
            group.throughput(Throughput::Elements(size as u64));
            group.bench_function(BenchmarkId::new(*name, format!("d{d}/J{size}")), |b| {
                b.iter(|| kernel.row_into(&x, &rows, &mut out));
            });
        }
    }
}
