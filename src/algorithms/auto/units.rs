//! Units of the labels: experts see labels of about 1.

use super::past::LABELS;

/// Centre and scale of a target's labels.
pub(super) type Unit = (f64, f64);

/// The largest distance of a label from its centre, in scales: fourth powers stay finite.
const FARTHEST: f64 = 1e50;

/// Labels of some rows in units of their targets.
pub(super) fn scaled(y: &[f64], units: &[Unit]) -> Vec<f64> {
    let scale = |(y, (centre, scale)): (&f64, &Unit)| clipped((y - centre) / scale);
    y.iter().zip(units.iter().cycle()).map(scale).collect()
}

/// Labels in their own scale again.
pub(super) fn unscaled(y: &[f64], units: &[Unit]) -> Vec<f64> {
    let unscale = |(y, (centre, scale)): (&f64, &Unit)| centre + scale * y;
    y.iter().zip(units.iter().cycle()).map(unscale).collect()
}

/// A number in units, clipped.
pub(super) fn clipped(y: f64) -> f64 {
    y.clamp(-FARTHEST, FARTHEST)
}

/// The past of the labels in units of their targets.
pub(super) fn scaled_past(past: &[f64], units: &[Unit]) -> Vec<f64> {
    of_past(past, units, |feature, (centre, scale)| {
        clipped((feature - centre) / scale)
    })
}

/// The past of the labels in their own scale again.
pub(super) fn unscaled_past(past: &[f64], units: &[Unit]) -> Vec<f64> {
    of_past(past, units, |feature, (centre, scale)| {
        centre + scale * feature
    })
}

/// Changes the units of each feature of the past; differences of labels have the centre 0.
fn of_past(past: &[f64], units: &[Unit], change: impl Fn(f64, Unit) -> f64) -> Vec<f64> {
    let units = units.iter().flat_map(|(centre, scale)| {
        LABELS.map(|is_label| (if is_label { *centre } else { 0.0 }, *scale))
    });
    past.iter()
        .zip(units)
        .map(|(f, unit)| change(*f, unit))
        .collect()
}
