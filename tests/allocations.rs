//! Learning a row with a full dictionary, or one of a table with values that are known, does not allocate; and models say
//! how much they hold.

use nystream::columns::{Column, Columns, Kind, Settings, Table};
use nystream::kernels::{AnyKernel, Gaussian};
use nystream::keyed::{Key, Keyed, KeyedParams};
use nystream::{
    AnyParams, AogdAldParams, AutoParams, FogdParams, KrlsAldParams, Learner, LinearRlsParams,
    NogdParams, NonsAldParams, RidgeAldParams, Rows, set_num_threads,
};

fn learners() -> [AnyParams; 7] {
    let (kernel, max_basis): (AnyKernel, _) = (Gaussian { sigma: 0.5 }.into(), Some(20));
    let nons = NonsAldParams {
        kernel: kernel.clone(),
        max_basis,
        ..NonsAldParams::default()
    };
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
    let nogd = NogdParams {
        kernel,
        budget: 20,
        ..NogdParams::default()
    };
    [
        nons.into(),
        aogd.into(),
        ridge.into(),
        krls.into(),
        nogd.into(),
        FogdParams::default().into(),
        LinearRlsParams::default().into(),
    ]
}

fn row(i: u32) -> [f64; 3] {
    [0.7, 1.9, 3.1].map(|rate| (rate * f64::from(i)).sin())
}

#[test]
fn rounds_do_not_allocate() {
    for params in learners() {
        let mut learner = Learner::new(params).unwrap();
        for i in 0..100 {
            learner.learn_row(&row(i), row(i)[0]).unwrap();
        }
        let info = allocation_counter::measure(|| {
            for i in 100..200 {
                learner.learn_row(&row(i), row(i)[0]).unwrap();
            }
        });
        assert_eq!(info.count_total, 0, "{:?}", learner.params());
    }
}

/// The bytes that are allocated, and not freed again, by making a value.
fn held<T>(make: impl FnOnce() -> T) -> (T, f64) {
    let mut value = None;
    let info = allocation_counter::measure(|| value = Some(make()));
    (value.unwrap(), info.bytes_current as f64)
}

/// Asserts that nearly all bytes are told of: all but one in a hundred, and a few that no row has brought.
fn assert_told(bytes: f64, told: usize, few: f64) {
    let apart = (bytes - told as f64).abs();
    assert!(apart < few + 0.01 * bytes, "{told} of {bytes}");
}

#[test]
fn models_hold_what_they_say() {
    set_num_threads(Some(1)).unwrap();
    let ridge = RidgeAldParams {
        kernel: Gaussian { sigma: 0.1 }.into(),
        ..RidgeAldParams::default()
    };
    let models: [AnyParams; 2] = [ridge.into(), AutoParams::default().into()];
    for (params, n_rows) in models
        .iter()
        .flat_map(|m| [1, 20, 100, 400].map(|n| (m, n)))
    {
        let rows: Vec<f64> = (0..n_rows).flat_map(row).collect();
        let y: Vec<f64> = (0..n_rows).map(|i| row(i)[1]).collect();
        let rows = Rows::new(&rows, 3).unwrap();
        let (learner, bytes) = held(|| {
            let mut learner = Learner::new(params.clone()).unwrap();
            learner.learn_rows(&rows, &y).unwrap();
            learner
        });
        assert_told(bytes, learner.nbytes() - size_of::<Learner>(), 1_000.0);
    }
}

#[test]
fn models_by_key_hold_what_they_say() {
    set_num_threads(Some(1)).unwrap();
    for n_rows in [1, 10] {
        let (keyed, bytes) = held(|| {
            let shared = None;
            let model = KeyedParams::new(RidgeAldParams::default());
            let mut keyed = Keyed::new(KeyedParams { shared, ..model }).unwrap();
            for i in 0..2_000 * n_rows {
                let key = Key::Int(i64::from(i % 2_000));
                keyed.learn_row(key, &row(i), row(i)[1]).unwrap();
            }
            keyed
        });
        assert_told(bytes, keyed.nbytes() - size_of::<Keyed>(), 12_000.0);
    }
}

/// Rows with numbers, gaps, categories, times and texts.
fn table() -> Table {
    let rows = || 0..600_u32;
    let texts = |n| Column::Texts {
        codes: rows().map(|i| i * i % n).collect(),
        values: (0..n).map(|i| format!("value {i}")).collect(),
    };
    let number = |i: u32| {
        if i.is_multiple_of(7) {
            f64::NAN
        } else {
            row(i)[0]
        }
    };
    let columns = [
        ("number", Column::Numbers(rows().map(number).collect())),
        ("category", texts(5)),
        ("values", texts(101)),
        (
            "truth",
            Column::Truths(rows().map(|i| Some(i.is_multiple_of(3))).collect()),
        ),
        (
            "time",
            Column::Times(rows().map(|i| Some(i64::from(i) * 5_000_000_000)).collect()),
        ),
        ("words", texts(7)),
    ];
    let (names, columns) = columns
        .map(|(name, column)| (name.to_owned(), column))
        .into_iter()
        .unzip();
    Table::new(600, names, columns).unwrap()
}

#[test]
fn rows_of_a_table_do_not_allocate() {
    let (table, mut x) = (table(), Vec::new());
    let schema = [("words".to_owned(), Kind::Text)].into();
    let settings = Settings {
        schema,
        ..Settings::default()
    };
    let mut columns = Columns::new(settings, 1).unwrap();
    let mut matched = columns.check(&table).unwrap();
    let mut learn = |row: usize| {
        columns.encode(&mut matched, row, &mut x);
        let _change = columns.learn(&mut matched, row, &[row as f64], 1.0);
    };
    (0..500).for_each(&mut learn);
    let info = allocation_counter::measure(|| (500..600).for_each(&mut learn));
    assert_eq!(info.count_total, 0);
}
