//! Forecasters as a whole: files, gaps, late values, features known ahead, and honesty.

use nystream::LinearRlsParams;
use nystream::columns::{Column, Table};
use nystream::forecast::{Forecaster, ForecasterParams, Step};
use proptest::prelude::*;

fn params() -> ForecasterParams {
    ForecasterParams {
        model: LinearRlsParams {
            forgetting: 0.99,
            ..LinearRlsParams::default()
        }
        .into(),
        horizons: vec![1, 3, 6],
        seasons: Some(vec![4]),
        ..ForecasterParams::default()
    }
}

fn new() -> Forecaster {
    Forecaster::new(params()).unwrap()
}

/// A number from 0 to 1 that looks like chance.
fn noise(slot: i64) -> f64 {
    let mixed = slot.wrapping_mul(0x2545_F491_4F6C_DD1D);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0x1CE4_E5B9_BF58_476D);
    ((mixed >> 33) & 0xFFFF) as f64 / 65536.0
}

/// A season of four with something that looks like noise.
fn value(slot: i64) -> f64 {
    [0.0, 5.0, 9.0, 3.0][usize::try_from(slot.rem_euclid(4)).unwrap()] + noise(slot)
}

fn rows(slots: impl Iterator<Item = i64>) -> (Vec<i64>, Vec<f64>) {
    slots.map(|slot| (slot, value(slot))).unzip()
}

fn table(numbers: Vec<f64>) -> Table {
    Table::new(
        numbers.len(),
        vec!["x".into()],
        vec![Column::Numbers(numbers)],
    )
    .unwrap()
}

/// The bits of forecasts, of which those that were not made are NaN.
fn bits(forecasts: &[f64]) -> Vec<u64> {
    forecasts
        .iter()
        .map(|forecast| forecast.to_bits())
        .collect()
}

#[test]
fn a_forecaster_goes_on_from_its_bytes_bit_for_bit() {
    let ahead = ForecasterParams {
        ahead: vec!["x".into()],
        every: Some(Step::Micros(3_600_000_000)),
        half_life: Some(Step::Micros(86_400_000_000)),
        ..params()
    };
    for (params, has_features) in [(params(), false), (params(), true), (ahead, true)] {
        let mut forecaster = Forecaster::new(params).unwrap();
        forecaster.begin(0);
        for n in [0, 1, 7, 90] {
            let (slots, y) = rows((n..n + 40).filter(|slot| slot % 11 != 0));
            let features = has_features.then(|| table(y.clone()));
            let mut again = Forecaster::from_bytes(&forecaster.to_bytes().unwrap()).unwrap();
            let made = forecaster.learn(&slots, &y, features.as_ref()).unwrap();
            assert_eq!(
                bits(&again.learn(&slots, &y, features.as_ref()).unwrap()),
                bits(&made)
            );
            assert_eq!(again.to_bytes(), forecaster.to_bytes());
            assert_eq!(again.predict(None, 0.9), forecaster.predict(None, 0.9));
        }
    }
}

#[test]
fn every_truncation_of_the_bytes_is_refused() {
    let mut forecaster = new();
    let (slots, y) = rows(0..20);
    forecaster.learn(&slots, &y, None).unwrap();
    let bytes = forecaster.to_bytes().unwrap();
    for n in (0..bytes.len()).step_by(97) {
        assert!(Forecaster::from_bytes(&bytes[..n]).is_err());
    }
}

#[test]
fn rows_at_once_and_one_by_one_are_the_same() {
    let (slots, y) = rows((0..200).filter(|slot| slot % 13 != 5));
    let (mut one, mut many) = (new(), new());
    let together = many.learn(&slots, &y, None).unwrap();
    let single: Vec<f64> = slots
        .iter()
        .zip(&y)
        .flat_map(|(slot, y)| one.learn(&[*slot], &[*y], None).unwrap())
        .collect();
    assert_eq!(bits(&together), bits(&single));
    assert_eq!(one.to_bytes(), many.to_bytes());
}

#[test]
fn the_season_is_found() {
    let mut forecaster = new();
    let (slots, y) = rows(0..400);
    forecaster.learn(&slots, &y, None).unwrap();
    for forecast in forecaster.predict(None, 0.9).unwrap() {
        assert!(
            (forecast.forecast - value(forecast.slot)).abs() < 1.0,
            "{forecast:?}"
        );
        assert!(forecast.margin < 2.0);
    }
    for (distance, tally) in forecaster.tallies() {
        assert!(tally.absolute < tally.plain[0], "{distance}");
        let [n, within, _] = tally.intervals;
        assert!(
            (within / n - 0.9).abs() < 0.08,
            "{distance}: {}",
            within / n
        );
    }
}

#[test]
fn a_late_value_is_learned_and_a_second_one_corrects() {
    let mut forecaster = new();
    let (slots, y) = rows((0..50).filter(|slot| *slot != 45));
    forecaster.learn(&slots, &y, None).unwrap();
    assert_eq!(forecaster.n_seen(), 49);
    let learned = |forecaster: &Forecaster| forecaster.learner(1).unwrap().n_seen();
    let before = learned(&forecaster);
    let made = forecaster.learn(&[45], &[value(45)], None).unwrap();
    assert!(made.iter().all(|forecast| forecast.is_finite()));
    assert_eq!(
        (forecaster.n_seen(), learned(&forecaster)),
        (50, before + 1)
    );
    let made = forecaster.learn(&[45], &[100.0], None).unwrap();
    assert!(made.iter().all(|forecast| forecast.is_nan()));
    assert_eq!(
        (forecaster.n_seen(), learned(&forecaster)),
        (50, before + 1)
    );
    forecaster.learn(&[-1000], &[1.0], None).unwrap();
    assert_eq!((forecaster.n_seen(), forecaster.n_too_late()), (50, 1));
    assert_eq!(forecaster.now(), Some(49));
}

#[test]
fn a_long_gap_begins_anew_with_what_was_learned() {
    let mut forecaster = new();
    let (slots, y) = rows((0..100).chain(1_000_000_000..1_000_000_100));
    forecaster.learn(&slots, &y, None).unwrap();
    assert_eq!(forecaster.n_seen(), 200);
    let next = forecaster.predict(None, 0.9).unwrap();
    assert!((next[0].forecast - value(next[0].slot)).abs() < 1.0);
}

#[test]
fn what_is_known_ahead_is_used() {
    let (slots, y): (Vec<i64>, Vec<f64>) = (0..600).map(|slot| (slot, 10.0 * noise(slot))).unzip();
    let error = |ahead: Vec<String>| {
        let mut forecaster = Forecaster::new(ForecasterParams { ahead, ..params() }).unwrap();
        let made = forecaster
            .learn(&slots, &y, Some(&table(y.clone())))
            .unwrap();
        let off = made.chunks(3).zip(&y).skip(300);
        off.map(|(made, y)| (made[2] - y).abs()).sum::<f64>() / 300.0
    };
    assert!(error(vec!["x".into()]) < 0.2 && error(vec![]) > 1.0);
    // Rows that announce what is known, and what is given to predict.
    let mut forecaster = Forecaster::new(ForecasterParams {
        ahead: vec!["x".into()],
        ..params()
    })
    .unwrap();
    forecaster
        .learn(&slots, &y, Some(&table(y.clone())))
        .unwrap();
    let next = [4.0, 1.0, 8.0];
    let given = forecaster
        .predict(Some(&table(next.to_vec())), 0.9)
        .unwrap();
    assert!((given[1].forecast - 8.0).abs() < 0.5, "{given:?}");
    let before = forecaster.predict(None, 0.9).unwrap();
    forecaster
        .learn(
            &[600, 601, 602],
            &[f64::NAN; 3],
            Some(&table(next.to_vec())),
        )
        .unwrap();
    assert_eq!(forecaster.n_seen(), 600);
    let announced = forecaster.predict(None, 0.9).unwrap();
    assert_ne!(announced, before);
    assert_eq!(announced[..2], given[..2]);
    forecaster
        .learn(&[600], &[4.0], Some(&table(vec![4.0])))
        .unwrap();
    let next = forecaster.predict(None, 0.9).unwrap();
    assert!((next[0].forecast - 1.0).abs() < 0.5, "{next:?}");
}

#[test]
fn a_refused_call_changes_nothing() {
    let mut forecaster = new();
    let (slots, y) = rows(0..30);
    forecaster
        .learn(&slots, &y, Some(&table(y.clone())))
        .unwrap();
    let before = forecaster.to_bytes().unwrap();
    let names = vec!["other".to_owned()];
    let other = Table::new(1, names, vec![Column::Numbers(vec![1.0])]).unwrap();
    assert!(forecaster.learn(&[30], &[1.0], None).is_err());
    assert!(forecaster.learn(&[30], &[1.0], Some(&other)).is_err());
    assert!(
        forecaster
            .learn(&[30], &[f64::INFINITY], Some(&table(vec![1.0])))
            .is_err()
    );
    assert!(
        forecaster
            .learn(&[30], &[1.0, 2.0], Some(&table(vec![1.0])))
            .is_err()
    );
    assert!(
        forecaster
            .learn(&[30], &[1.0], Some(&table(vec![1.0, 2.0])))
            .is_err()
    );
    assert!(forecaster.predict(Some(&other), 0.9).is_err());
    assert!(forecaster.predict(None, 1.0).is_err());
    assert_eq!(forecaster.to_bytes().unwrap(), before);
}

#[test]
fn parameters_outside_their_ranges_are_refused() {
    let wrong = [
        ForecasterParams {
            horizons: vec![],
            ..params()
        },
        ForecasterParams {
            horizons: vec![0],
            ..params()
        },
        ForecasterParams {
            horizons: vec![2, 2],
            ..params()
        },
        ForecasterParams {
            seasons: Some(vec![1]),
            ..params()
        },
        ForecasterParams {
            half_life: Some(Step::Months(1)),
            ..params()
        },
        ForecasterParams {
            every: Some(Step::Micros(1)),
            half_life: Some(Step::Months(1)),
            ..params()
        },
    ];
    for params in wrong {
        assert!(Forecaster::new(params).is_err());
    }
}

#[test]
fn a_half_life_is_a_forgetting_factor_and_goes_on_in_gaps() {
    let hour = Step::Micros(3_600_000_000);
    let with = |half_life, forgetting| {
        let model = LinearRlsParams {
            forgetting,
            ..LinearRlsParams::default()
        };
        let params = ForecasterParams {
            model: model.into(),
            every: Some(hour),
            half_life,
            ..params()
        };
        let mut forecaster = Forecaster::new(params).unwrap();
        forecaster.begin(0);
        forecaster
    };
    let (day, factor) = (Step::Micros(86_400_000_000), 0.5_f64.powf(1.0 / 24.0));
    let (mut by_clock, mut by_row) = (with(Some(day), 1.0), with(None, factor));
    let (slots, y) = rows(0..300);
    for forecaster in [&mut by_clock, &mut by_row] {
        forecaster.learn(&slots, &y, None).unwrap();
    }
    let forecasts = |forecaster: &Forecaster| {
        let all = forecaster.predict(None, 0.9).unwrap().into_iter();
        all.map(|one| one.forecast).collect::<Vec<f64>>()
    };
    assert_eq!(forecasts(&by_clock), forecasts(&by_row));
    let (slots, y) = rows((300..320).filter(|slot| slot % 3 == 0));
    for forecaster in [&mut by_clock, &mut by_row] {
        forecaster.learn(&slots, &y, None).unwrap();
    }
    assert_ne!(forecasts(&by_clock), forecasts(&by_row));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn no_value_reaches_a_forecast_made_before_it(
        mut slots in proptest::collection::vec(0_i64..120, 1..80),
        cut in 0_usize..80,
        sorts in proptest::bool::ANY,
    ) {
        if sorts {
            slots.sort_unstable();
        }
        let cut = cut.min(slots.len() - 1);
        let y: Vec<f64> = slots.iter().map(|slot| value(*slot)).collect();
        let mut other = y.clone();
        other[cut..].iter_mut().for_each(|y| *y = 50.0 - 3.0 * *y);
        let made = [&y, &other].map(|y| new().learn(&slots, y, None).unwrap());
        // The forecasts for the row at the cut were made before its value was known.
        let [made, changed] = made.map(|made| bits(&made[..(cut + 1) * 3]));
        prop_assert_eq!(made, changed);
    }

    #[test]
    fn any_order_of_any_slots_is_learned_or_left_out(
        slots in proptest::collection::vec(-1000_i64..1_000_000, 1..60),
    ) {
        let y: Vec<f64> = slots.iter().map(|slot| value(*slot)).collect();
        let mut forecaster = new();
        let made = forecaster.learn(&slots, &y, None).unwrap();
        prop_assert!(made.iter().all(|made| !made.is_infinite()));
        let next = forecaster.predict(None, 0.5).unwrap();
        prop_assert!(next.iter().all(|next| next.forecast.is_finite()));
    }
}
