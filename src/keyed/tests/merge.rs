//! Models by key that are put together and taken apart.

use super::tables::{Stream as Tables, with_columns};
use super::*;
use crate::error::Error;

/// Models by key of the rows whose keys have this remainder, as shard `i` of `n` has them.
fn shard(params: &KeyedParams, stream: &Stream, (i, n): (usize, usize)) -> Keyed {
    let mut keyed = Keyed::new(params.clone()).unwrap();
    let of = |key: &Key<'_>| match key {
        Key::Int(key) => usize::try_from(*key).unwrap(),
        Key::Text(text) => text.len() + usize::from(text.as_bytes()[0]),
    };
    for (j, key) in stream.keys.iter().enumerate() {
        if of(key) % n == i {
            stream.part(j..j + 1).learn(&mut keyed);
        }
    }
    keyed
}

fn alone(model: AnyParams) -> KeyedParams {
    KeyedParams {
        shared: None,
        ..KeyedParams::new(model)
    }
}

#[test]
fn shards_without_a_shared_model_are_merged_into_the_one_of_all_bit_for_bit() {
    let stream = Stream::new(400, 20);
    for model in all() {
        let (name, params) = (model.name(), alone(model));
        let parts = [0, 1, 2].map(|i| shard(&params, &stream, (i, 3)));
        let merged = Keyed::merge(&parts.each_ref()).unwrap();
        let whole = shard(&params, &stream, (0, 1));
        let predict = |keyed: &Keyed| keyed.predict_rows(&stream.keys, &stream.rows()).unwrap();
        assert_eq!(predict(&merged), predict(&whole), "{name}");
        assert_eq!((merged.len(), merged.n_seen()), (whole.len(), 400));
        let key = stream.keys[5];
        let weights = [&merged, &whole].map(|keyed| keyed.trust.weights(9));
        assert!((weights[0][1] - weights[1][1]).abs() < 1e-9, "{weights:?}");
        assert_eq!(merged.n_seen_of(key), whole.n_seen_of(key));
        let again = Keyed::from_bytes(&merged.to_bytes().unwrap()).unwrap();
        assert_eq!(predict(&again), predict(&whole));
    }
}

#[test]
fn shared_lines_are_merged_exactly_and_others_are_refused() {
    let stream = Stream::new(500, 20);
    let params = KeyedParams::new(LinearRlsParams::default());
    let parts = [0, 1].map(|i| shard(&params, &stream, (i, 2)));
    let merged = Keyed::merge(&[&parts[0], &parts[1]]).unwrap();
    let mut line = Learner::new(LinearRlsParams::default()).unwrap();
    line.learn_rows(&stream.rows(), &stream.y).unwrap();
    let shared = merged.shared_model().unwrap().unwrap();
    for x in [[0.1, 0.9], [0.5, 0.2]] {
        let apart = shared.predict_row(&x).unwrap() - line.predict_row(&x).unwrap();
        assert!(apart.abs() < 1e-9, "{apart}");
    }
    let mut merged = merged;
    stream.learn(&mut merged);
    assert_eq!(merged.copy().unwrap().to_bytes(), merged.to_bytes());
    let params = KeyedParams::new(crate::RunningMeanParams {});
    let parts = [0, 1].map(|i| shard(&params, &stream, (i, 2)));
    let error = Keyed::merge(&[&parts[0], &parts[1]]).unwrap_err();
    let message = "shared models that are RunningMean cannot be merged: \
                   RidgeAld and LinearRls can, and with shared=False there is none";
    assert_eq!(error.to_string(), message);
    let empty = Keyed::new(params).unwrap();
    let merged = Keyed::merge(&[&empty, &parts[1]]).unwrap();
    let shared = |keyed: &Keyed| keyed.shared_model().unwrap().unwrap().to_bytes();
    assert_eq!(shared(&merged), shared(&parts[1]));
}

#[test]
fn shared_dictionaries_are_merged_as_those_of_learners() {
    let stream = Stream::new(200, 12);
    let params = KeyedParams::new(RidgeAldParams::default());
    let parts = [0, 1].map(|i| shard(&params, &stream, (i, 2)));
    let merged = Keyed::merge(&[&parts[0], &parts[1]]).unwrap();
    let learners = [&parts[0], &parts[1]].map(|part| part.shared_model().unwrap().unwrap());
    let expected = Learner::merge(&learners).unwrap();
    let shared = merged.shared_model().unwrap().unwrap();
    assert_eq!(
        shared.predict_rows(&stream.rows()),
        expected.predict_rows(&stream.rows())
    );
}

#[test]
fn what_cannot_be_merged_is_named() {
    let stream = Stream::new(60, 6);
    let learned = |model: AnyParams| {
        let mut keyed = of(model);
        stream.learn(&mut keyed);
        keyed
    };
    let message = |all: &[&Keyed]| Keyed::merge(all).unwrap_err().to_string();
    let line = learned(LinearRlsParams::default().into());
    let key = line.keys().next().unwrap().to_string();
    let expected =
        format!("models[0] and models[1] should have different keys, but both have {key}");
    assert_eq!(message(&[&line, &line]), expected);
    let other = of(RidgeAldParams::default());
    let found = message(&[&line, &other]);
    assert!(found.starts_with("models[1] should have the same model as models[0], LinearRls("));
    let apart = Keyed::new(alone(LinearRlsParams::default().into())).unwrap();
    assert!(message(&[&line, &apart]).ends_with("but has False"));
    let mut waiting = of(LinearRlsParams::default());
    waiting
        .learn_late_rows(&stream.keys, &stream.rows(), &stream.y, 3)
        .unwrap();
    assert!(message(&[&waiting]).starts_with("models[0] should have no labels that wait"));
    let mut wide = of(LinearRlsParams::default());
    wide.learn_row(Key::from("wide"), &[0.0; 3], 1.0).unwrap();
    let expected = "models[1] should have the same n_features as models[0], 2, but has 3";
    assert_eq!(message(&[&line, &wide]), expected);
    let tables = Keyed::new(with_columns(LinearRlsParams::default().into())).unwrap();
    assert!(matches!(
        Keyed::merge(&[&tables]),
        Err(Error::MergedColumns { .. })
    ));
    assert!(matches!(Keyed::merge(&[]), Err(Error::Empty { .. })));
    assert_eq!(Keyed::merge(&[&line]).unwrap().to_bytes(), line.to_bytes());
}

#[test]
fn a_subset_predicts_and_goes_on_as_the_whole_did() {
    let stream = Stream::new(500, 20);
    for model in all() {
        let mut keyed = bounded(model, 5);
        stream.learn(&mut keyed);
        let some: Vec<Key<'_>> = keyed.keys().step_by(3).collect();
        let twice = [some.clone(), some.clone()].concat();
        let mut part = keyed.subset(&twice).unwrap();
        assert!(part.keys().eq(some.iter().copied()));
        assert!(part.in_memory.len() <= 5);
        let row = stream.part(0..1);
        for key in some {
            let row = [stream.x[0], stream.x[1]];
            assert_eq!(part.predict_row(key, &row), keyed.predict_row(key, &row));
        }
        let new = Key::from("new");
        assert_eq!(
            part.predict_row(new, &[0.1, 0.2]),
            keyed.predict_row(new, &[0.1, 0.2])
        );
        row.learn(&mut part);
        assert!(keyed.subset(&[new]).is_err());
    }
}

#[test]
fn a_subset_of_tables_forgets_the_first_rows_of_other_keys() {
    let stream = Tables::new(300, 9);
    let mut keyed = Keyed::new(with_columns(LinearRlsParams::default().into())).unwrap();
    let first = stream.part(0..90);
    keyed
        .learn_late_table(&first.keys, &first.table, &first.y, 8)
        .unwrap();
    let kept = stream.keys[0];
    let mut part = keyed.subset(&[kept]).unwrap();
    assert!(part.n_pending() < 8 && part.len() == 1);
    part.learn_pending().unwrap();
    for i in 90..300 {
        if stream.keys[i] == kept {
            stream.part(i..i + 1).learn(&mut part);
        }
    }
    assert!(part.keys().eq([kept]));
    assert_eq!(part.copy().unwrap().to_bytes(), part.to_bytes());
}

#[test]
fn a_learner_becomes_the_model_of_a_key() {
    let stream = Stream::new(60, 1);
    for model in all() {
        let mut learner = Learner::new(model.clone()).unwrap();
        learner.learn_rows(&stream.rows(), &stream.y).unwrap();
        let mut keyed = bounded(model.clone(), 3);
        keyed.params.shared = None;
        keyed.shared = None;
        for key in 0..9 {
            keyed.insert(Key::Int(key), &learner).unwrap();
        }
        assert!(keyed.in_memory.len() <= 4);
        for key in 0..9 {
            let x = [0.3, 0.7];
            assert_eq!(
                keyed.predict_row(Key::Int(key), &x),
                learner.predict_row(&x)
            );
        }
        let own = keyed.model(Key::Int(4)).unwrap();
        assert_eq!((own.n_seen(), keyed.len(), keyed.n_seen()), (60, 9, 0));
        let before = keyed.to_bytes().unwrap();
        let message = |error: Result<(), Error>| error.unwrap_err().to_string();
        let there = keyed.insert(Key::Int(4), &learner);
        let expected = "model cannot be that of the key 4, which has one: drop it first";
        assert_eq!(message(there), expected);
        let mut wide = Learner::new(model).unwrap();
        wide.learn_row(&[0.0; 3], 1.0).unwrap();
        let wide = message(keyed.insert(Key::Int(9), &wide));
        assert_eq!(wide, "model should have 2 features, but has 3");
        let other = Learner::new(LinearRlsParams {
            ridge: 0.5,
            ..LinearRlsParams::default()
        });
        let other = message(keyed.insert(Key::Int(9), &other.unwrap()));
        assert!(other.starts_with("model should be a "), "{other}");
        assert_eq!(keyed.to_bytes().unwrap(), before);
        let mut again = Keyed::from_bytes(&before).unwrap();
        assert_eq!(stream.learn(&mut again), stream.learn(&mut keyed));
    }
    let mut tables = Keyed::new(with_columns(LinearRlsParams::default().into())).unwrap();
    let learner = Learner::new(LinearRlsParams::default()).unwrap();
    let error = tables.insert(Key::from("a"), &learner).unwrap_err();
    assert!(error.to_string().contains("where there are columns"));
}
