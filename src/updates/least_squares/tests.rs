//! Tests of recursive least squares.

use super::*;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-14
}

#[test]
fn two_rounds_in_one_dimension_by_hand() {
    for (forward, expected) in [(false, 1.6), (true, 1.6 / 1.8)] {
        let mut squares = LeastSquares::new(1.0, forward).unwrap();
        squares.grow();
        assert_eq!(squares.learn_row(&[2.0], 2.0), (0.0, 4.0));
        // A = 1 + 4, w = 4 / 5, q = 4 / 5
        assert!(close(squares.predict(&[2.0]), expected));
        assert!(close(squares.uncertainty(&[2.0]).unwrap(), 0.8));
        assert!(close(squares.learn_row(&[2.0], 1.0).0, expected));
        // A = 1 + 8, w = 6 / 9
        assert!(close(squares.w(0)[0], 6.0 / 9.0));
    }
}

#[test]
fn a_row_fades_by_hand() {
    let mut squares = LeastSquares::new(1.0, false)
        .and_then(|squares| squares.forgetting(0.5))
        .unwrap();
    squares.grow();
    squares.learn_row(&[2.0], 2.0);
    // A = 1 / 2 + 4, renewed to 1 + 4; b = 4
    assert!(close(squares.w(0)[0], 4.0 / 5.0));
    squares.learn_row(&[1.0], 1.0);
    // A = (1 + 4) / 2 + 1, renewed by 1 / 2; b = 4 / 2 + 1
    assert!(close(squares.w(0)[0], 3.0 / 4.0));
    assert!(close(squares.uncertainty(&[2.0]).unwrap(), 1.0));
}

#[test]
fn time_that_passes_is_that_of_rows_that_do_not_count() {
    let new = || {
        LeastSquares::new(0.5, false)
            .and_then(|squares| squares.forgetting(0.9))
            .unwrap()
    };
    for rounds in [0_u32, 1, 5, 7, 40] {
        let mut both = [new(), new()];
        for squares in &mut both {
            squares.grow();
            for x in [1.0, 2.0, 3.0] {
                squares.learn_row(&[x], 2.0 * x);
            }
        }
        let [passed, counted] = &mut both;
        passed.elapse(u64::from(rounds));
        for _ in 0..rounds {
            counted.learn_targets(&[1.0], &[0.0], 0.0, &mut [0.0]);
        }
        for squares in [&mut *passed, &mut *counted] {
            squares.learn_row(&[1.0], 5.0);
        }
        assert!(close(passed.w(0)[0], counted.w(0)[0]), "{rounds}");
        assert!(close(
            passed.uncertainty(&[1.0]).unwrap(),
            counted.uncertainty(&[1.0]).unwrap()
        ));
    }
    let mut squares = new();
    squares.grow();
    squares.learn_row(&[1.0], 1e9);
    squares.elapse(u64::MAX);
    assert!(squares.w(0)[0].abs() < 1e-9);
}

#[test]
fn targets_do_not_mix() {
    let mut both = LeastSquares::new(0.5, false)
        .and_then(|squares| squares.targets(2))
        .unwrap();
    let mut each = [0, 1].map(|_| LeastSquares::new(0.5, false).unwrap());
    both.grow();
    each.iter_mut().for_each(LeastSquares::grow);
    let mut yhat = [0.0; 2];
    for (x, y) in [(1.0, [2.0, -1.0]), (0.5, [0.0, 3.0]), (-2.0, [1.0, 1.0])] {
        both.learn_targets(&[x], &y, 1.0, &mut yhat);
        for target in 0..2 {
            assert!(close(
                each[target].learn_row(&[x], y[target]).0,
                yhat[target]
            ));
        }
    }
}

#[test]
fn a_coordinate_of_past_rows_is_embedded_exactly() {
    // Rows (1, 1) and (2, -1) with labels 1 and 2, learned whole, or in the first coordinate and then embedded.
    let mut whole = LeastSquares::new(0.5, true).unwrap();
    (0..2).for_each(|_| whole.grow());
    whole.learn_row(&[1.0, 1.0], 1.0);
    whole.learn_row(&[2.0, -1.0], 2.0);
    let mut squares = LeastSquares::new(0.5, true).unwrap();
    squares.grow();
    squares.learn_row(&[1.0], 1.0);
    squares.learn_row(&[2.0], 2.0);
    let border = squares.weights().border(&[1.0 - 2.0], 2.0, 1.0 - 2.0);
    let expected = whole.predict(&[3.0, 4.0]);
    assert!(close(
        squares.predict_embedded(&border, &[3.0], 4.0),
        expected
    ));
    squares.embed(&border);
    assert!(close(squares.predict(&[3.0, 4.0]), expected));
    assert!(close(squares.w(0)[1], whole.w(0)[1]));
}
