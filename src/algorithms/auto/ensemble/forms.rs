//! The forms in which experts take rows.

use super::super::adaptive::Extended;
use super::super::kinds::Input;
use crate::data::Rows;

/// Rows in the forms in which experts take them.
#[derive(Debug)]
pub(super) struct Forms {
    pub(super) width: usize,
    pub(super) plain: Vec<f64>,
    pub(super) compressed: Vec<f64>,
    pub(super) extended: Option<Extended>,
}

impl Forms {
    pub(super) fn rows(&self, input: Input) -> Rows<'_> {
        let extended = self.extended.as_ref();
        let rows = match (input, extended) {
            (Input::PlainPast, Some(extended)) => &extended.plain,
            (Input::CompressedPast, Some(extended)) => &extended.compressed,
            (Input::Compressed, _) => &self.compressed,
            _ => &self.plain,
        };
        let n_rows = self.plain.len() / self.width;
        Rows::trusted(rows, rows.len() / n_rows, 0)
    }
}
