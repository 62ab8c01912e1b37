//! Models by key whose labels come late.

use super::tables::{Stream as Tables, assert_close, models, with_columns};
use super::*;

/// Asks and answers each row at once; returns the predictions.
fn asked_at_once(keyed: &mut Keyed, stream: &Stream) -> Vec<f64> {
    let rows = stream.rows();
    let rounds = stream.keys.iter().zip(rows.iter().zip(&stream.y));
    let round = |(key, (x, y)): (&Key<'_>, (&[f64], &f64))| {
        let ticket = keyed.ask(*key, x).unwrap();
        keyed.answer(&ticket, *y).unwrap();
        ticket.said.yhat
    };
    rounds.map(round).collect()
}

#[test]
fn to_ask_and_answer_at_once_is_to_learn() {
    let stream = Stream::new(250, 11);
    for model in all() {
        let (mut asked, mut learned) = (of(model.clone()), of(model));
        let expected: Vec<f64> = (0..250)
            .map(|i| stream.part(i..i + 1).learn(&mut learned)[0])
            .collect();
        let found = asked_at_once(&mut asked, &stream);
        let name = learned.params().model.name();
        for (found, expected) in found.iter().zip(expected) {
            let apart = (found - expected).abs();
            assert!(apart < 1e-9, "{name}: {apart}");
        }
        assert_eq!(asked.n_seen(), learned.n_seen());
        let rest = Stream::new(300, 11).part(250..300);
        let ends = |keyed: &Keyed| {
            keyed
                .predict_intervals(&rest.keys, &rest.rows(), 0.9)
                .unwrap()
        };
        for (found, expected) in ends(&asked).iter().zip(ends(&learned)) {
            assert!(
                (found - expected).abs() < 1e-3,
                "{name}: {found} {expected}"
            );
        }
    }
}

#[test]
fn a_ticket_is_judged_and_taught_by_what_was_said() {
    let mut keyed = of(crate::RunningMeanParams {});
    let (a, b) = (Key::from("a"), Key::from("b"));
    keyed.learn_row(a, &[0.0], 4.0).unwrap();
    let ticket = keyed.ask(a, &[0.0]).unwrap();
    let said = ticket.said;
    assert_eq!((said.shared, said.mean, said.age), (4.0, 4.0, 1));
    // Others teach the shared model much in between, which is not to count for the key.
    for _ in 0..100 {
        keyed.learn_row(b, &[0.0], 1000.0).unwrap();
    }
    keyed.answer(&ticket, 6.0).unwrap();
    // The residuals of the key: 4 of a prediction of 0, and 2 of one of 4.
    assert_eq!(keyed.slots[&a].mean, 3.0);
    let own = keyed.model(a).unwrap();
    assert_eq!((own.n_seen(), own.predict_row(&[0.0])), (2, Ok(3.0)));
    let mut other = of(crate::RunningMeanParams {});
    other.learn_row(a, &[0.0], 4.0).unwrap();
    other.learn_row(a, &[0.0], 6.0).unwrap();
    assert_eq!(other.slots[&a].mean, 3.0);
    assert_eq!(other.slots[&a].errors, keyed.slots[&a].errors);
}

#[test]
fn tickets_come_back_from_their_parts_and_wrong_ones_change_nothing() {
    for model in all() {
        let mut keyed = of(model);
        Stream::new(60, 5).learn(&mut keyed);
        let ticket = keyed.ask(Key::from("b"), &[0.5, 0.1]).unwrap();
        let (lists, texts) = ticket.parts();
        let again = Ticket::from_parts(&lists, &texts).unwrap();
        assert_eq!(again, ticket);
        let before = keyed.to_bytes().unwrap();
        let mut wrong: Vec<Ticket> = (0..5).map(|_| ticket.clone()).collect();
        wrong[0].x.push(1.0);
        wrong[1].said.mean = f64::NAN;
        wrong[2].own.yhat.clear();
        wrong[3].shared.scales.push(-1.0);
        wrong[4].said.unit = -1.0;
        assert!(
            wrong
                .iter()
                .all(|ticket| keyed.answer(ticket, 1.0).is_err())
        );
        assert!(keyed.answer(&ticket, f64::NAN).is_err());
        assert_eq!(keyed.to_bytes().unwrap(), before);
        keyed.answer(&ticket, 1.0).unwrap();
    }
    for lists in [
        [vec![], vec![0.0; 6], vec![], vec![]],
        [vec![], vec![0.5; 7], vec![0.0; 3], vec![0.0; 3]],
        [vec![], vec![0.0; 7], vec![9.0; 3], vec![0.0; 3]],
    ] {
        assert!(Ticket::from_parts(&lists, &["i1".into(), String::new()]).is_err());
    }
}

#[test]
fn tickets_outlive_their_key_and_files() {
    for model in all() {
        let mut keyed = of(model);
        Stream::new(100, 5).learn(&mut keyed);
        let key = Key::from("a");
        let ticket = keyed.ask(key, &[0.5, 0.1]).unwrap();
        keyed.drop_key(key).unwrap();
        let mut again = keyed.copy().unwrap();
        for keyed in [&mut keyed, &mut again] {
            keyed.answer(&ticket, 3.0).unwrap();
            assert_eq!((keyed.n_seen_of(key), keyed.n_seen()), (1, 101));
        }
        assert_eq!(again.to_bytes(), keyed.to_bytes());
    }
}

#[test]
fn labels_that_wait_are_learned_in_their_turn_and_kept_in_files() {
    let stream = Stream::new(120, 7);
    for model in all() {
        let mut late = of(model.clone());
        let first = stream.part(0..70);
        let mut found = late
            .learn_late_rows(&first.keys, &first.rows(), &first.y, 9)
            .unwrap();
        assert_eq!((late.n_pending(), late.n_seen()), (9, 61));
        let bytes = late.to_bytes().unwrap();
        assert!(bytes.starts_with(b"nystream keys 2\n"));
        let mut again = Keyed::from_bytes(&bytes).unwrap();
        assert_eq!(again.to_bytes().unwrap(), bytes);
        let rest = stream.part(70..120);
        for keyed in [&mut late, &mut again] {
            let more = keyed.learn_late_rows(&rest.keys, &rest.rows(), &rest.y, 9);
            found.truncate(70);
            found.extend(more.unwrap());
            keyed.learn_pending().unwrap();
            assert_eq!((keyed.n_pending(), keyed.n_seen()), (0, 120));
        }
        assert_eq!(again.to_bytes(), late.to_bytes());
        assert!(late.to_bytes().unwrap().starts_with(b"nystream keys 1\n"));
        let mut by_hand = of(model);
        let mut tickets = std::collections::VecDeque::new();
        let mut expected = Vec::new();
        for (i, (key, x)) in stream.keys.iter().zip(stream.rows().iter()).enumerate() {
            tickets.push_back((by_hand.ask(*key, x).unwrap(), stream.y[i]));
            expected.push(tickets[tickets.len() - 1].0.said.yhat);
            if tickets.len() > 9 {
                let (ticket, y) = tickets.pop_front().unwrap();
                by_hand.answer(&ticket, y).unwrap();
            }
        }
        assert_eq!(found, expected);
    }
}

#[test]
fn rows_of_tables_wait_while_kinds_are_settled_and_features_join() {
    let stream = Tables::new(400, 8);
    for model in models() {
        let (name, params) = (model.name(), with_columns(model));
        let mut at_once = Keyed::new(params.clone()).unwrap();
        let mut learned = Keyed::new(params.clone()).unwrap();
        let mut late = Keyed::new(params).unwrap();
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for i in 0..150 {
            let row = stream.part(i..i + 1);
            let ticket = at_once.ask_table(row.keys[0], &row.table).unwrap();
            at_once.answer(&ticket, row.y[0]).unwrap();
            found.push(ticket.said.yhat);
            expected.extend(row.learn(&mut learned));
        }
        // Auto judges experts by late labels in a way of its own.
        let n_equal = if name == "Auto" { 30 } else { 150 };
        assert_close(&found[..n_equal], &expected[..n_equal], name);
        let some = |late: &mut Keyed, range| {
            let part = stream.part(range);
            late.learn_late_table(&part.keys, &part.table, &part.y, 12)
        };
        some(&mut late, 0..250).unwrap();
        let mut again = late.copy().unwrap();
        assert_eq!(again.n_pending(), 12);
        assert_eq!(some(&mut late, 250..400), some(&mut again, 250..400));
        assert_eq!(late.to_bytes(), again.to_bytes());
        late.learn_pending().unwrap();
        assert_eq!((late.n_seen(), late.n_pending()), (400, 0));
    }
}
