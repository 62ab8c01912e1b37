//! The rows of a table as features, and learning them.

use criterion::{BenchmarkId, Criterion, Throughput};
use nystream::columns::{Column, Columns, Settings, Table};

use crate::workloads::data;

const ROWS: usize = 50_000;

/// Texts of `n_values` values, of which some come more often than others.
fn texts(seed: usize, n_values: usize) -> Column {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a square, below the number of values"
    )]
    let index = |x: &f64| (x * x * n_values as f64) as u32;
    let numbers = data(ROWS, seed + 1);
    Column::Texts {
        codes: numbers
            .iter()
            .skip(seed)
            .step_by(seed + 1)
            .map(index)
            .collect(),
        values: (0..n_values).map(|i| format!("value {i}")).collect(),
    }
}

/// Numbers, of which a part is missing.
fn numbers(seed: usize, missing: f64) -> Column {
    let numbers = data(ROWS, seed + 1);
    let numbers = numbers.iter().skip(seed).step_by(seed + 1);
    let gap = |x: f64| if x.abs() < missing { f64::NAN } else { x };
    Column::Numbers(numbers.map(|x| gap(*x)).collect())
}

/// A time in each row, some seconds after the one before.
fn times() -> Column {
    let steps = (0..).map(|row| Some(row * 37_000_000));
    Column::Times(steps.take(ROWS).collect())
}

fn table(columns: Vec<Column>) -> Table {
    let names = (0..columns.len()).map(|i| format!("column {i}"));
    Table::new(ROWS, names.collect(), columns).expect("of equal length")
}

/// Tables of ten columns.
fn tables() -> [(&'static str, Table); 5] {
    let some = |n| (0..n).map(|i| numbers(i, 0.0)).collect::<Vec<_>>();
    let categories = |sizes: [usize; 3]| (0..).zip(sizes).map(|(i, n)| texts(i, n));
    let mixed = some(7).into_iter().chain(categories([4, 30, 500]));
    let many = some(7).into_iter().chain(categories([4, 30, 20_000]));
    let gaps = (0..10).map(|i| numbers(i, 0.3));
    let with_time = some(6)
        .into_iter()
        .chain(categories([4, 30, 500]))
        .chain([times()]);
    [
        ("10 numbers", table(some(10))),
        ("10 numbers with gaps", table(gaps.collect())),
        ("7 numbers, 3 categories", table(mixed.collect())),
        (
            "7 numbers, 3 categories, one of 20,000 values",
            table(many.collect()),
        ),
        (
            "6 numbers, 3 categories, 1 time",
            table(with_time.collect()),
        ),
    ]
}

fn walk(columns: &mut Columns, table: &Table, y: &[f64], x: &mut Vec<f64>) -> f64 {
    let mut matched = columns.check(table).expect("no value is wrong");
    let mut sum = 0.0;
    for (row, y) in y.iter().enumerate() {
        columns.encode(&mut matched, row, x);
        sum += x.iter().sum::<f64>();
        let _change = columns.learn(&mut matched, row, &[*y], 1.0);
    }
    sum
}

/// Check, then encode and learn each row.
pub(crate) fn rows(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("columns");
    group.throughput(Throughput::Elements(ROWS as u64));
    group.sample_size(10);
    let y = data(ROWS, 1);
    for (name, table) in tables() {
        let mut columns = Columns::new(Settings::default(), 1).expect("valid");
        let mut x = Vec::new();
        walk(&mut columns, &table, &y, &mut x);
        group.bench_function(BenchmarkId::from_parameter(name), |b| {
            b.iter(|| walk(&mut columns, &table, &y, &mut x));
        });
    }
}

/// A table of one row, as it comes from a dictionary.
pub(crate) fn one_row(criterion: &mut Criterion) {
    let (_, table) = &tables()[2];
    let mut columns = Columns::new(Settings::default(), 1).expect("valid");
    let (y, mut x) = (data(ROWS, 1), Vec::new());
    walk(&mut columns, table, &y, &mut x);
    let (names, row) = (
        table.names().to_vec(),
        table.columns().iter().map(first).collect(),
    );
    let (names, row): (Vec<String>, Vec<Column>) = (names, row);
    criterion.bench_function("columns/one row", |b| {
        b.iter(|| {
            let table = Table::new(1, names.clone(), row.clone()).expect("one row");
            walk(&mut columns, &table, &y[..1], &mut x)
        });
    });
}

/// The first row of a column.
fn first(column: &Column) -> Column {
    match column {
        Column::Numbers(numbers) => Column::Numbers(numbers[..1].to_vec()),
        Column::Texts { codes, values } => Column::Texts {
            codes: vec![0],
            values: vec![values[codes[0] as usize].clone()],
        },
        other => other.clone(),
    }
}
