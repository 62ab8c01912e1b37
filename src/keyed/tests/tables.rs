//! Models by key that learn from tables.

use super::*;
use crate::columns::{Column, MISSING, OnMissing, OnNewColumns, Table};

/// Keys, a table with a text, a number with gaps, a truth and a time, and labels.
pub(super) struct Stream {
    pub(super) keys: Vec<Key<'static>>,
    pub(super) table: Table,
    pub(super) y: Vec<f64>,
}

const COLORS: [&str; 5] = ["red", "blue", "green", "grey", "pink"];

impl Stream {
    pub(super) fn new(n: u32, n_keys: u32) -> Self {
        let number = |i: u32| i.wrapping_mul(2_654_435_761) >> 16;
        let color = |i: u32| match number(i) % 11 {
            0 => MISSING,
            c => c % 5,
        };
        let size = |i: u32| match number(i + n) % 7 {
            0 => f64::NAN,
            size => f64::from(size) * 10.0,
        };
        let truth = |i: u32| Some(number(i + 5) % 3 == 0);
        let columns = vec![
            Column::Texts {
                codes: (0..n).map(color).collect(),
                values: COLORS.map(str::to_owned).to_vec(),
            },
            Column::Numbers((0..n).map(size).collect()),
            Column::Truths((0..n).map(truth).collect()),
            Column::Times((0..n).map(|i| Some(i64::from(i) * 3_600_000_000)).collect()),
        ];
        let names = ["color", "size", "new", "time"].map(str::to_owned).to_vec();
        let label = |i: u32| {
            let (color, size) = (f64::from(color(i) % 7), size(i));
            color + if size.is_nan() { 3.0 } else { size / 10.0 } + f64::from(number(i) % n_keys)
        };
        Self {
            keys: (0..n)
                .map(|i| Key::Int(i64::from(number(i) % n_keys)))
                .collect(),
            table: Table::new(n as usize, names, columns).unwrap(),
            y: (0..n).map(label).collect(),
        }
    }

    pub(super) fn part(&self, range: std::ops::Range<usize>) -> Self {
        let rows: Vec<usize> = range.clone().collect();
        Self {
            keys: self.keys[range.clone()].to_vec(),
            table: self.table.take(&rows),
            y: self.y[range].to_vec(),
        }
    }

    pub(super) fn learn(&self, keyed: &mut Keyed) -> Vec<f64> {
        keyed.learn_table(&self.keys, &self.table, &self.y).unwrap()
    }

    pub(super) fn predict(&self, keyed: &Keyed) -> Vec<f64> {
        keyed.predict_table(&self.keys, &self.table).unwrap()
    }
}

pub(super) fn models() -> impl Iterator<Item = AnyParams> {
    let auto = AutoParams {
        warm_up: 30,
        max_basis: 8,
        ..AutoParams::default()
    };
    let others = [
        "LinearRls",
        "RidgeAld",
        "RunningMean",
        "Kogd",
        "Fogd",
        "ProsNKons",
    ];
    let others = others.into_iter().filter_map(AnyParams::default_of);
    others.chain([auto.into()])
}

pub(super) fn with_columns(model: AnyParams) -> KeyedParams {
    KeyedParams {
        columns: Some(Settings::default()),
        ..KeyedParams::new(model)
    }
}

fn new(params: KeyedParams) -> Keyed {
    Keyed::new(params).unwrap()
}

pub(super) fn assert_close(found: &[f64], expected: &[f64], name: &str) {
    assert_eq!(found.len(), expected.len());
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let apart = (found - expected).abs() / expected.abs().max(1.0);
        assert!(apart < 1e-6, "{name}: {found} {expected} in row {i}");
    }
}

#[test]
fn with_one_key_and_no_shared_model_it_is_a_learner() {
    let stream = Stream::new(600, 1);
    for model in models() {
        let name = model.name();
        let params = KeyedParams {
            shared: None,
            ..with_columns(model.clone())
        };
        let mut keyed = new(params);
        let mut learner = Learner::with_columns(model, Settings::default()).unwrap();
        let row = |i: usize| stream.part(i..i + 1);
        let learn = |i| learner.learn_table(&row(i).table, &row(i).y, None).unwrap()[0];
        let expected: Vec<f64> = (0..600).map(learn).collect();
        assert_eq!(stream.learn(&mut keyed), expected, "{name}");
        let expected = learner.predict_table(&stream.table).unwrap();
        assert_close(&stream.predict(&keyed), &expected, name);
        let own = keyed.model(stream.keys[0]).unwrap();
        assert_eq!(
            own.predict_table(&stream.table).unwrap(),
            expected,
            "{name}"
        );
    }
}

#[test]
fn rows_and_calls_of_any_cut_are_the_same() {
    let stream = Stream::new(700, 40);
    for model in models() {
        let name = model.name();
        let (mut whole, mut cut) = (new(with_columns(model.clone())), new(with_columns(model)));
        let expected = stream.learn(&mut whole);
        let (mut found, mut start) = (Vec::new(), 0);
        for len in (0..).map(|i| [1, 1, 3, 1, 130, 7, 64][i % 7]) {
            let part = stream.part(start..700.min(start + len));
            if len == 1 {
                let said = part.predict(&cut);
                found.extend(part.learn(&mut cut));
                assert_close(&said, &found[start..], name);
            } else {
                found.extend(part.learn(&mut cut));
            }
            start += part.y.len();
            if start == 700 {
                break;
            }
        }
        assert_close(&found, &expected, name);
        assert_close(&stream.predict(&cut), &stream.predict(&whole), name);
        assert_eq!(cut.n_seen(), 700);
        assert!(cut.keys().eq(whole.keys()));
    }
}

#[test]
fn threads_and_the_disk_change_nothing() {
    let stream = Stream::new(660, 60);
    for model in models() {
        let bounded = KeyedParams {
            max_keys: Some(7),
            ..with_columns(model.clone())
        };
        let (mut few, mut all) = (new(bounded), new(with_columns(model)));
        for start in (0..660).step_by(15) {
            let part = stream.part(start..start + 15);
            set_num_threads(Some(3)).unwrap();
            let learned = part.learn(&mut few);
            set_num_threads(Some(1)).unwrap();
            assert_eq!(part.learn(&mut all), learned);
        }
        set_num_threads(None).unwrap();
        assert_eq!(stream.predict(&few), stream.predict(&all));
        assert!(few.in_memory.len() <= 7 + 15 && few.overflow.is_used());
        let own = |keyed: &Keyed| keyed.model(stream.keys[0]).unwrap().to_bytes().unwrap();
        assert_eq!(own(&few), own(&all));
    }
}

#[test]
fn files_go_on_bit_for_bit_before_and_after_kinds_are_settled() {
    let stream = Stream::new(900, 30);
    for model in models() {
        let bounded = KeyedParams {
            max_keys: Some(11),
            ..with_columns(model)
        };
        let mut keyed = new(bounded);
        let mut start = 0;
        for end in [0, 1, 100, 300, 900] {
            stream
                .part(start..end)
                .keys
                .first()
                .map(|_| stream.part(start..end).learn(&mut keyed));
            let bytes = keyed.to_bytes().unwrap();
            let mut again = Keyed::from_bytes(&bytes).unwrap();
            assert_eq!(again.to_bytes().unwrap(), bytes);
            let next = stream.part(end.min(700)..end.min(700) + 200);
            let mut copy = keyed.copy().unwrap();
            assert_eq!(next.learn(&mut again), next.learn(&mut copy));
            assert_eq!(again.to_bytes().unwrap(), copy.to_bytes().unwrap());
            start = end;
        }
        assert!(keyed.to_bytes().unwrap().starts_with(b"nystream keys 2\n"));
    }
}

#[test]
fn every_truncation_and_a_change_of_what_is_kept_is_refused() {
    let mut keyed = new(with_columns(LinearRlsParams::default().into()));
    Stream::new(30, 5).learn(&mut keyed);
    let bytes = keyed.to_bytes().unwrap();
    assert!((0..bytes.len()).all(|n| Keyed::from_bytes(&bytes[..n]).is_err()));
    keyed.first_keys.pop();
    let bytes = keyed.to_bytes().unwrap();
    assert!(Keyed::from_bytes(&bytes).is_err());
}

#[test]
fn a_refused_table_changes_nothing() {
    for model in models() {
        let mut keyed = new(with_columns(model));
        let stream = Stream::new(40, 5);
        for n in [0, 40] {
            if n > 0 {
                stream.learn(&mut keyed);
            }
            let before = keyed.to_bytes().unwrap();
            let names = vec!["other".to_owned()];
            let other = Table::new(40, names, vec![Column::Numbers(vec![f64::INFINITY; 40])]);
            assert!(
                keyed
                    .learn_table(&stream.keys, &other.unwrap(), &stream.y)
                    .is_err()
            );
            assert!(
                keyed
                    .learn_table(&stream.keys[1..], &stream.table, &stream.y)
                    .is_err()
            );
            assert!(
                keyed
                    .learn_table(&stream.keys, &stream.table, &stream.y[1..])
                    .is_err()
            );
            assert!(
                keyed
                    .predict_table(&stream.keys[1..], &stream.table)
                    .is_err()
            );
            assert!(
                keyed
                    .predict_table_intervals(&stream.keys, &stream.table, 1.0)
                    .is_err()
            );
            assert_eq!(keyed.to_bytes().unwrap(), before);
        }
    }
    let mut numbers = of(LinearRlsParams::default());
    let stream = Stream::new(4, 2);
    let error = numbers.learn_table(&stream.keys, &stream.table, &stream.y);
    assert!(matches!(error, Err(Error::NoColumns { .. })));
}

#[test]
fn features_too_large_for_a_kernel_are_found_before_anything_is_learned() {
    let params = crate::NonsAldParams {
        kernel: crate::kernels::Polynomial::default().into(),
        ..crate::NonsAldParams::default()
    };
    let mut keyed = new(with_columns(params.into()));
    let rows = [1e60, 1.0, 2.0];
    let rows = Rows::new(&rows, 1).unwrap();
    let error = keyed.learn_rows(&[1, 2, 3].map(Key::from), &rows, &[0.0; 3]);
    assert!(matches!(error, Err(Error::KernelValue { .. })));
    assert_eq!(
        (keyed.n_seen(), keyed.n_features(), keyed.len()),
        (0, None, 0)
    );
    let rows = [1.0, 2.0, 3.0];
    let rows = Rows::new(&rows, 1).unwrap();
    keyed
        .learn_rows(&[1, 2, 3].map(Key::from), &rows, &[0.0; 3])
        .unwrap();
}

#[test]
fn labels_to_come_change_no_prediction_of_a_table() {
    for model in models() {
        for cut in [1, 31, 255, 256] {
            let (stream, mut changed) = (Stream::new(270, 9), Stream::new(270, 9));
            changed.y[cut..]
                .iter_mut()
                .for_each(|y| *y = 9.0 - *y * 3.0);
            let learned =
                [stream, changed].map(|stream| stream.learn(&mut new(with_columns(model.clone()))));
            assert_eq!(&learned[0][..=cut], &learned[1][..=cut], "{}", model.name());
        }
    }
}

#[test]
fn models_of_keys_widen_when_they_are_used_and_predict_as_if_they_had() {
    let settings = Settings {
        on_new_columns: OnNewColumns::Add,
        ..Settings::default()
    };
    let stream = Stream::new(600, 9);
    for model in models() {
        let params = KeyedParams {
            columns: Some(settings.clone()),
            ..with_columns(model)
        };
        let mut keyed = new(params);
        stream.part(0..500).learn(&mut keyed);
        let width = keyed.n_features;
        let (mut names, mut columns) = (
            stream.table.names().to_vec(),
            stream.table.columns().to_vec(),
        );
        names.push("late".to_owned());
        columns.push(Column::Numbers(
            (0..600).map(|i| f64::from(i % 5)).collect(),
        ));
        let wide = Table::new(600, names, columns).unwrap().take(&[500]);
        keyed
            .learn_table(&stream.keys[500..501], &wide, &[7.0])
            .unwrap();
        assert!(keyed.n_features > width);
        // Half of the keys learn again, and are wide by then; the predictions of the others are those of wide ones.
        let rest = stream.part(501..520);
        let said = rest.predict(&keyed);
        let mut again = keyed.copy().unwrap();
        let slots = again.slots_for(&rest.keys);
        again.widen_owns(&slots).unwrap();
        assert_eq!(rest.predict(&again), said);
        let learned = rest.learn(&mut keyed);
        assert_close(&learned[..1], &said[..1], keyed.params().model.name());
        assert_eq!(keyed.copy().unwrap().to_bytes(), keyed.to_bytes());
        let own = keyed.model(rest.keys[0]).unwrap();
        assert!(own.predict_table(&wide).is_ok());
    }
}

#[test]
fn arrays_with_gaps_are_tables_without_names() {
    for model in models() {
        let name = model.name();
        let (mut keyed, keys) = (new(with_columns(model)), [1, 2, 1].map(Key::from));
        let rows = [1.0, 2.0, f64::NAN, 4.0, 5.0, 6.0];
        let rows = Rows::with_gaps(&rows, 2).unwrap();
        assert!(keyed.learn_rows(&keys[1..], &rows, &[1.0; 3]).is_err());
        assert_eq!((keyed.n_features(), keyed.n_seen()), (None, 0));
        keyed.learn_rows(&keys, &rows, &[1.0, 2.0, 3.0]).unwrap();
        keyed.learn_row(keys[0], &[3.0, f64::NAN], 4.0).unwrap();
        assert_eq!((keyed.n_features(), keyed.n_seen()), (Some(2), 4));
        let many = keyed.predict_rows(&keys, &rows).unwrap();
        let one = keyed.predict_row(keys[1], &[f64::NAN, 4.0]).unwrap();
        assert_close(&[one], &many[1..2], name);
        assert_eq!(keyed.copy().unwrap().to_bytes(), keyed.to_bytes());
        let settings = Settings {
            missing: OnMissing::Error,
            ..Settings::default()
        };
        let columns = Some(settings);
        let mut strict = new(KeyedParams {
            columns,
            ..keyed.params().clone()
        });
        assert!(strict.learn_rows(&keys, &rows, &[1.0; 3]).is_err());
        assert_eq!(strict.n_seen(), 0);
    }
}

#[test]
fn a_key_that_is_dropped_among_the_first_rows_does_not_come_back() {
    let stream = Stream::new(400, 6);
    for model in models() {
        let mut keyed = new(with_columns(model));
        stream.part(0..100).learn(&mut keyed);
        let key = stream.keys[3];
        keyed.drop_key(key).unwrap();
        let rest = stream.part(100..400);
        let others: Vec<usize> = (0..300).filter(|i| rest.keys[*i] != key).collect();
        let keys: Vec<Key<'_>> = others.iter().map(|i| rest.keys[*i]).collect();
        let y: Vec<f64> = others.iter().map(|i| rest.y[*i]).collect();
        keyed
            .learn_table(&keys, &rest.table.take(&others), &y)
            .unwrap();
        assert!(!keyed.contains(key));
        assert_eq!((keyed.len(), keyed.n_seen()), (5, 100 + y.len() as u64));
        let shared = keyed.shared_model().unwrap().unwrap();
        let row = stream.table.take(&[7]);
        let said = shared.predict_table(&row).unwrap();
        assert_close(
            &keyed.predict_table(&[key], &row).unwrap(),
            &said,
            "a new key",
        );
    }
}

#[test]
fn scales_are_learned_if_one_of_the_models_needs_them() {
    let scales = |model: AnyParams, shared: AnyParams| {
        let shared = Some(shared);
        let keyed = new(KeyedParams {
            shared,
            ..with_columns(model)
        });
        keyed.columns().unwrap().settings().scale
    };
    let (auto, linear): (AnyParams, AnyParams) = (
        AutoParams::default().into(),
        LinearRlsParams::default().into(),
    );
    assert!(!scales(auto.clone(), auto.clone()));
    assert!(scales(auto.clone(), linear.clone()) && scales(linear, auto));
    let fixed = crate::FogdParams {
        frequencies: Some(vec![vec![1.0, 2.0]]),
        ..crate::FogdParams::default()
    };
    let error = Keyed::new(with_columns(fixed.into())).unwrap_err();
    assert_eq!(error, Error::FixedWidth);
}
