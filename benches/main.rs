//! Benchmarks of the core: `cargo bench`, or `cargo bench -- newton` for a part.
//!
//! Sizes are in the names: d features, J rows kept. Compare within one run only.

mod columns;
mod kernels;
mod learners;
mod linalg;
mod updates;
mod workloads;

criterion::criterion_group!(
    benches,
    columns::rows,
    columns::one_row,
    kernels::row,
    linalg::features,
    linalg::grow,
    updates::newton,
    updates::gradient,
    learners::learn,
    learners::untuned,
    learners::predict,
    learners::growth
);
criterion::criterion_main!(benches);
