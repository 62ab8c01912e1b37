//! Forgetting is safe on endless streams.

use nalgebra::{DMatrix, DVector};
use nystream::updates::{LeastSquares, Update};

/// A row of numbers between -1 and 1; the last feature does not vary in the second half of the stream.
fn row(i: u32) -> [f64; 4] {
    let t = f64::from(i);
    let last = if i < ROWS / 2 { (0.3 * t).sin() } else { 0.0 };
    [1.0, (0.7 * t).sin(), (1.9 * t).cos(), last]
}

fn label(i: u32, x: [f64; 4]) -> f64 {
    x[0] + 2.0 * x[1] - x[2] + 3.0 * x[3] + (f64::from(i) * 12.9898).sin()
}

const ROWS: u32 = 10_000_000;
const RIDGE: f64 = 1e-3;
const FORGETTING: f64 = 0.99;
/// Number of rows after which nothing of one is left.
const GONE: u32 = 5_000;

#[test]
fn ten_million_rows_leave_what_the_last_ones_say() {
    let mut squares = LeastSquares::new(RIDGE, false)
        .and_then(|squares| squares.forgetting(FORGETTING))
        .unwrap();
    (0..4).for_each(|_| squares.grow());
    for i in 0..ROWS {
        squares.learn_row(&row(i), label(i, row(i)));
    }
    let period = (0.5_f64.ln() / FORGETTING.ln()).ceil();
    let ridge = RIDGE * FORGETTING.powf(f64::from(ROWS) % period);
    let mut a = DMatrix::identity(4, 4) * ridge;
    let mut b = DVector::zeros(4);
    for i in ROWS - GONE..ROWS {
        let weight = FORGETTING.powf(f64::from(ROWS - 1 - i));
        let x = DVector::from_row_slice(&row(i));
        a += weight * &x * x.transpose();
        b += weight * label(i, row(i)) * x;
    }
    let p = a.try_inverse().unwrap();
    let w = &p * b;
    for i in 0..4 {
        assert!(
            (squares.w(0)[i] - w[i]).abs() < 1e-9,
            "{:?} {w}",
            squares.w(0)
        );
    }
    // Where no rows come, only the ridge remains: nothing grows without bound.
    let x = [0.0, 0.0, 0.0, 1.0];
    assert!((squares.uncertainty(&x).unwrap() - 1.0 / ridge).abs() < 1e-6 / ridge);
    assert!(squares.w(0)[3].abs() < 1e-12);
}
