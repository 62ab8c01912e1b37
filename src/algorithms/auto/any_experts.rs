//! Groups of experts as the ensemble sees them.

use super::kinds::Kind;
use crate::data::Rows;
use crate::updates::Output;

/// Experts on the features of any map, as the ensemble sees them.
pub(super) trait AnyExperts: Send + Sync {
    /// Makes the round of a row that counts `weight` times. `asked` is what each expert predicted for it, if the row was
    /// asked for before; nothing of an expert that did not exist then.
    fn learn_row(&mut self, x: &[f64], y: &[f64], weight: f64, asked: Option<&[Output]>);

    /// Makes the rounds of many rows.
    fn learn_rows(&mut self, rows: &Rows<'_>, y: &[f64]);

    /// The predictions of each expert for the rows learned last; none of experts that are asleep.
    fn outputs(&self) -> &[Output];

    /// The kind of each expert.
    fn kinds(&self) -> &[Kind];

    /// The predictions of each expert for a row, and its uncertainty `phi . P phi`; none of experts that are asleep.
    fn predict(&self, x: &[f64]) -> Vec<Output>;

    /// The squared distance of a row from the span of those kept, 0 to 1; nothing without a dictionary or when asleep.
    fn distance(&self, _x: &[f64]) -> Option<f64> {
        None
    }

    /// Number of times that long memories have taken over what a short one had learned.
    fn take_overs(&self) -> u64 {
        0
    }

    /// Puts the experts to sleep: they learn and predict no more.
    fn sleep(&mut self) {}

    /// Returns true if the experts learn and predict no more.
    fn is_asleep(&self) -> bool {
        false
    }
}
