//! What models by key promise as a whole.

mod late;
mod merge;
mod tables;

use proptest::prelude::*;

use super::*;
use crate::data::Rows;
use crate::{AutoParams, LinearRlsParams, RidgeAldParams, set_num_threads};

/// Keys, rows of two features and labels.
struct Stream {
    keys: Vec<Key<'static>>,
    x: Vec<f64>,
    y: Vec<f64>,
}

const NAMES: [&str; 3] = ["a", "b", "7"];

impl Stream {
    fn new(n: u32, n_keys: u32) -> Self {
        let number = |i: u32| f64::from(i.wrapping_mul(2_654_435_761) >> 8) / f64::from(1 << 24);
        let number_of = |i: u32| (i.wrapping_mul(2_654_435_761) >> 19) % n_keys;
        let key = |i: u32| match number_of(i) {
            k if (k as usize) < NAMES.len() => Key::Text(NAMES[k as usize]),
            k => Key::Int(i64::from(k)),
        };
        let x: Vec<f64> = (0..2 * n).map(number).collect();
        let label = |i: u32| 3.0 * x[2 * i as usize] + number(i) + f64::from(number_of(i));
        Self {
            keys: (0..n).map(key).collect(),
            y: (0..n).map(label).collect(),
            x,
        }
    }

    fn rows(&self) -> Rows<'_> {
        Rows::new(&self.x, 2).unwrap()
    }

    fn learn(&self, keyed: &mut Keyed) -> Vec<f64> {
        keyed.learn_rows(&self.keys, &self.rows(), &self.y).unwrap()
    }

    fn part(&self, range: std::ops::Range<usize>) -> Self {
        Self {
            keys: self.keys[range.clone()].to_vec(),
            x: self.x[2 * range.start..2 * range.end].to_vec(),
            y: self.y[range].to_vec(),
        }
    }
}

fn all() -> impl Iterator<Item = AnyParams> {
    let defaults = AnyParams::NAMES
        .iter()
        .filter_map(|name| AnyParams::default_of(name));
    let linear = |forgetting, clip, forward| LinearRlsParams {
        forward,
        clip,
        forgetting,
        ..LinearRlsParams::default()
    };
    defaults.chain([
        linear(0.9, true, false).into(),
        linear(1.0, false, true).into(),
    ])
}

fn of(model: impl Into<AnyParams>) -> Keyed {
    Keyed::new(KeyedParams::new(model)).unwrap()
}

fn bounded(model: AnyParams, max_keys: usize) -> Keyed {
    let max_keys = Some(max_keys);
    Keyed::new(KeyedParams {
        max_keys,
        ..KeyedParams::new(model)
    })
    .unwrap()
}

#[test]
fn without_a_shared_model_keys_are_models_of_their_own_bit_for_bit() {
    let stream = Stream::new(300, 7);
    for model in all() {
        let params = KeyedParams {
            shared: None,
            ..KeyedParams::new(model.clone())
        };
        let mut keyed = Keyed::new(params).unwrap();
        let mut apart: Vec<(Key<'_>, Learner)> = Vec::new();
        let expected = stream.keys.iter().zip(stream.rows().iter().zip(&stream.y));
        let expected: Vec<f64> = expected
            .map(|(key, (x, y))| {
                let known = apart.iter().position(|(other, _)| other == key);
                let i = known.unwrap_or_else(|| {
                    apart.push((*key, Learner::new(model.clone()).unwrap()));
                    apart.len() - 1
                });
                apart[i].1.learn_row(x, *y).unwrap()
            })
            .collect();
        assert_eq!(stream.learn(&mut keyed), expected, "{}", model.name());
        for (key, learner) in &apart {
            let x = [0.3, 0.6];
            assert_eq!(keyed.predict_row(*key, &x), learner.predict_row(&x));
            let own = keyed.model(*key).unwrap();
            assert_eq!(own.predict_row(&x), learner.predict_row(&x));
            assert_eq!(own.n_seen(), learner.n_seen());
        }
    }
}

#[test]
fn rows_at_once_and_one_by_one_are_the_same() {
    let stream = Stream::new(400, 11);
    for model in all() {
        let (mut one, mut many) = (of(model.clone()), of(model));
        let rounds = stream.keys.iter().zip(stream.rows().iter().zip(&stream.y));
        let expected: Vec<f64> = rounds
            .map(|(key, (x, y))| {
                let predicted = one.predict_row(*key, x).unwrap();
                let said = one.learn_row(*key, x, *y).unwrap();
                assert!((predicted - said).abs() < 1e-9);
                said
            })
            .collect();
        for (found, expected) in stream.learn(&mut many).iter().zip(expected) {
            let apart = (found - expected).abs();
            assert!(apart < 1e-9, "{}: {apart}", one.params().model.name());
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let stream = Stream::new(3000, 200);
    let learned = [1, 2, 3].map(|n| {
        set_num_threads(Some(n)).unwrap();
        let mut keyed = of(LinearRlsParams::default());
        let learned = stream.learn(&mut keyed);
        (
            learned,
            keyed.predict_rows(&stream.keys, &stream.rows()).unwrap(),
        )
    });
    set_num_threads(None).unwrap();
    assert_eq!(learned[0], learned[1]);
    assert_eq!(learned[0], learned[2]);
}

#[test]
fn keys_on_the_disk_come_back_exactly() {
    let stream = Stream::new(2600, 40);
    for model in [
        LinearRlsParams::default().into(),
        RidgeAldParams::default().into(),
    ] {
        let (mut all, mut few) = (of(AnyParams::clone(&model)), bounded(model, 4));
        for start in (0..2600).step_by(5) {
            let part = stream.part(start..start + 5);
            assert_eq!(part.learn(&mut few), part.learn(&mut all));
            assert!(few.in_memory.len() <= 5);
        }
        let predict = |keyed: &Keyed| keyed.predict_rows(&stream.keys, &stream.rows());
        assert_eq!(predict(&few), predict(&all));
        assert!(few.overflow.is_used() && few.nbytes() < all.nbytes());
        let key = stream.keys[0];
        assert_eq!(
            few.model(key).unwrap().to_bytes(),
            all.model(key).unwrap().to_bytes()
        );
    }
}

#[test]
fn a_file_has_everything_and_goes_on_bit_for_bit() {
    let stream = Stream::new(900, 30);
    let auto: AnyParams = AutoParams::default().into();
    for model in [
        LinearRlsParams::default().into(),
        RidgeAldParams::default().into(),
        auto,
    ] {
        let mut keyed = bounded(model, 9);
        stream.part(0..600).learn(&mut keyed);
        let bytes = keyed.to_bytes().unwrap();
        let mut again = Keyed::from_bytes(&bytes).unwrap();
        assert_eq!(again.to_bytes().unwrap(), bytes);
        let rest = stream.part(600..900);
        assert_eq!(rest.learn(&mut again), rest.learn(&mut keyed));
        assert_eq!(again.to_bytes(), keyed.to_bytes());
        assert!(Learner::from_bytes(&bytes).is_err());
    }
}

#[test]
fn every_truncation_of_the_bytes_is_refused() {
    let mut keyed = of(LinearRlsParams::default());
    Stream::new(20, 5).learn(&mut keyed);
    let bytes = keyed.to_bytes().unwrap();
    assert!((0..bytes.len()).all(|n| Keyed::from_bytes(&bytes[..n]).is_err()));
    let learner = Learner::new(LinearRlsParams::default()).unwrap();
    assert!(Keyed::from_bytes(&learner.to_bytes().unwrap()).is_err());
}

#[test]
fn a_refused_call_changes_nothing() {
    for model in all() {
        let mut keyed = of(model);
        Stream::new(40, 5).learn(&mut keyed);
        let (before, key) = (keyed.to_bytes().unwrap(), Key::from("new"));
        let rows = Rows::new(&[0.0, 1.0, 2.0, 3.0], 2).unwrap();
        assert!(keyed.learn_row(key, &[0.0], 0.0).is_err());
        assert!(keyed.learn_row(key, &[0.0, f64::NAN], 0.0).is_err());
        assert!(keyed.learn_row(key, &[0.0, 0.0], f64::INFINITY).is_err());
        assert!(keyed.learn_rows(&[key], &rows, &[0.0, 1.0]).is_err());
        assert!(keyed.learn_rows(&[key, key], &rows, &[0.0]).is_err());
        assert!(
            keyed
                .learn_rows(&[key, key], &rows, &[0.0, f64::NAN])
                .is_err()
        );
        assert!(keyed.predict_rows(&[key], &rows).is_err());
        assert!(keyed.model(key).is_err() && keyed.drop_key(key).is_err());
        assert_eq!(keyed.to_bytes().unwrap(), before);
    }
}

#[test]
fn a_disk_that_cannot_be_written_to_changes_nothing() {
    let store = Some("/no/such/folder".into());
    let params = KeyedParams {
        max_keys: Some(2),
        store,
        ..KeyedParams::new(LinearRlsParams::default())
    };
    let mut keyed = Keyed::new(params).unwrap();
    for key in [1, 2] {
        keyed.learn_row(Key::Int(key), &[0.5], 1.0).unwrap();
    }
    let before = keyed.to_bytes().unwrap();
    assert!(matches!(
        keyed.learn_row(Key::Int(3), &[0.5], 1.0),
        Err(Error::Io { .. })
    ));
    assert_eq!(keyed.to_bytes().unwrap(), before);
    keyed.learn_row(Key::Int(1), &[0.5], 1.0).unwrap();
}

#[test]
fn a_key_that_is_dropped_is_new_again() {
    let mut keyed = bounded(LinearRlsParams::default().into(), 4);
    Stream::new(200, 10).learn(&mut keyed);
    for key in [Key::Int(4), Key::Text("a"), Key::Int(9)] {
        keyed.drop_key(key).unwrap();
        assert!(!keyed.contains(key));
        let new = keyed.predict_row(Key::from("new"), &[0.5, 0.5]);
        assert_eq!(keyed.predict_row(key, &[0.5, 0.5]), new);
    }
    assert_eq!(keyed.len(), 7);
    Stream::new(200, 10).learn(&mut keyed);
    assert_eq!(keyed.len(), 10);
}

#[test]
fn models_of_several_targets_and_of_limited_rows_are_refused() {
    let targets = LinearRlsParams {
        n_targets: 2,
        ..LinearRlsParams::default()
    };
    let error = Keyed::new(KeyedParams::new(targets)).unwrap_err();
    assert!(error.to_string().starts_with("n_targets should be 1"));
    let limited = crate::PkawvParams {
        max_rows: Some(10),
        ..crate::PkawvParams::default()
    };
    let error = Keyed::new(KeyedParams::new(limited)).unwrap_err();
    assert!(matches!(error, Error::LimitedRows { algorithm: "Pkawv" }));
    let none = KeyedParams {
        max_keys: Some(0),
        ..KeyedParams::new(RidgeAldParams::default())
    };
    assert!(Keyed::new(none).is_err());
}

#[test]
fn a_new_key_begins_with_what_all_have_in_common_and_then_goes_its_own_way() {
    let mut keyed = of(LinearRlsParams::default());
    let stream = Stream::new(2000, 50);
    stream.learn(&mut keyed);
    let new = Key::from("new");
    let shared = keyed.predict_row(new, &[0.5, 0.5]).unwrap();
    assert!((shared - 26.5).abs() < 2.0, "{shared}");
    keyed.learn_row(new, &[0.5, 0.5], shared + 100.0).unwrap();
    let after = keyed.predict_row(new, &[0.2, 0.1]).unwrap();
    let others = keyed.predict_row(Key::from("other"), &[0.2, 0.1]).unwrap();
    assert!(after - others > 50.0, "{after} {others}");
}

#[test]
fn intervals_hold_the_labels_of_keys_old_and_new() {
    let mut keyed = of(LinearRlsParams::default());
    let stream = Stream::new(6000, 40);
    stream.part(0..3000).learn(&mut keyed);
    let rest = stream.part(3000..6000);
    let ends = keyed
        .predict_intervals(&rest.keys, &rest.rows(), 0.9)
        .unwrap();
    let inside = ends
        .chunks(2)
        .zip(&rest.y)
        .filter(|(e, y)| e[0] <= **y && **y <= e[1])
        .count();
    assert!((0.86..0.96).contains(&(inside as f64 / 3000.0)), "{inside}");
    let new = keyed
        .predict_intervals(&[Key::from("new")], &stream.part(0..1).rows(), 0.9)
        .unwrap();
    assert!(new[1].is_finite() && new[1] - new[0] > 2.0 * (ends[1] - ends[0]));
    assert!(
        keyed
            .predict_intervals(&rest.keys, &rest.rows(), 1.0)
            .is_err()
    );
}

#[test]
fn models_by_key_can_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Keyed>();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn labels_to_come_change_no_prediction(cut in 1_usize..99, seed in 0_u32..9) {
        let stream = Stream::new(100, 4 + seed);
        let mut changed = stream.part(0..100);
        changed.y[cut..].iter_mut().for_each(|y| *y = 7.0 - *y * 3.0);
        let learned = [stream, changed].map(|stream| stream.learn(&mut of(RidgeAldParams::default())));
        prop_assert_eq!(&learned[0][..=cut], &learned[1][..=cut]);
    }
}
