//! The caller's data, checked: rows, labels, names of columns and parameters.

pub(crate) mod checks;
mod names;
mod rows;

pub use names::FeatureNames;
pub use rows::{Number, Rows};
pub(crate) use rows::{
    check_label, check_labels, check_length, check_predictions, check_row, check_row_or_gaps,
    check_width, score_rows,
};
