//! Tails: whether labels have a long one, and the curve on which it is short.

use crate::predictor::{Curve, location, quantile};

/// The fewest labels that tell.
const FEWEST: usize = 64;

/// The part of the labels that lies beyond either end of the tails.
const OUTSIDE: f64 = 0.05;

/// A tail is long if it has at least so many times the length of the other.
const LONG: f64 = 2.0;

/// The curve bends as little as it takes to leave the long tail at most so many times as long as the other.
const EVEN: f64 = 1.5;

/// Factor from one spread of the curve to the next one that is tried, and the least one as a part of the long tail.
const NEARER: f64 = 0.9;
const NEAREST: f64 = 0.01;

/// The curve for labels like these: a straight one if they are few or no tail is long.
///
/// A tail goes from the median to an outer twentieth; the curve is linear at the end of the short one.
pub(super) fn curve_of(mut labels: Vec<f64>) -> Curve {
    labels.sort_by(f64::total_cmp);
    if labels.len() < FEWEST {
        return Curve::STRAIGHT;
    }
    let at = |part: f64| quantile(&labels, part);
    let (low, median, high) = (at(OUTSIDE), at(0.5), at(1.0 - OUTSIDE));
    let (origin, far, side) = if median - low > high - median {
        (high, low, -1.0)
    } else {
        (low, high, 1.0)
    };
    let (short, long) = ((median - origin).abs(), (far - median).abs());
    // Tails of rounding errors are not compared.
    if long < LONG * short.max(f64::EPSILON) {
        return Curve::STRAIGHT;
    }
    let spread = side * spread_of(short, long);
    let unscaled = Curve {
        origin,
        spread,
        ..Curve::STRAIGHT
    };
    let mut numbers: Vec<f64> = labels.iter().map(|y| unscaled.number(*y)).collect();
    let (centre, scale) = location(&mut numbers);
    Curve {
        centre,
        scale: if scale > 0.0 { scale } else { 1.0 },
        ..unscaled
    }
}

/// The largest of some spreads with which tails of these lengths are about even.
fn spread_of(short: f64, long: f64) -> f64 {
    let mut spread = long;
    let is_even = |spread: f64| {
        let middle = (short / spread).asinh();
        ((short + long) / spread).asinh() - middle <= EVEN * middle
    };
    while spread > NEAREST * long && !is_even(spread) {
        spread *= NEARER;
    }
    spread
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evenly(n: u32, label: impl Fn(f64) -> f64) -> Vec<f64> {
        (1..=n)
            .map(|i| label(f64::from(i) / f64::from(n)))
            .collect()
    }

    #[test]
    fn labels_without_a_long_tail_have_a_straight_curve() {
        for labels in [
            evenly(300, |u| u),
            evenly(300, |u| u * u.sqrt()),
            evenly(300, |_| 3.0),
            evenly(63, |u| 1.0 / u),
            Vec::new(),
        ] {
            assert!(curve_of(labels).is_straight());
        }
    }

    #[test]
    fn on_the_curve_tails_are_even_and_numbers_of_about_1() {
        for side in [1.0, -1.0] {
            let labels = evenly(1000, |u| side / u);
            let curve = curve_of(labels.clone());
            assert_eq!(curve.spread.signum(), side);
            let mut numbers: Vec<f64> = labels.iter().map(|y| curve.number(*y)).collect();
            let (centre, scale) = location(&mut numbers);
            assert!(centre.abs() < 1e-12 && (scale - 1.0).abs() < 1e-12);
            let [low, high] = [OUTSIDE, 1.0 - OUTSIDE].map(|part| quantile(&numbers, part));
            assert!(high < 1.01 * EVEN * -low && high > -low, "{low} {high}");
        }
    }

    #[test]
    fn units_do_not_matter() {
        let labels = evenly(200, |u| (4.0 * u).exp());
        let (curve, scaled) = (
            curve_of(labels.clone()),
            curve_of(labels.iter().map(|y| 8.0 * y - 5.0).collect()),
        );
        for y in labels {
            assert!((curve.number(y) - scaled.number(8.0 * y - 5.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn most_labels_may_be_the_same() {
        let curve = curve_of(evenly(300, |u| (u - 0.7).max(0.0)));
        assert!(curve.spread > 0.0 && curve.number(0.3).is_finite());
        assert!(curve.number(0.0) < curve.number(1e-3));
    }
}
