//! The kinds of experts.

use crate::runtime::heap;

/// A ridge and a forgetting factor.
pub(super) type Memory = (f64, f64);

/// The kind of an expert.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    /// The name of its family.
    pub(super) family: &'static str,
    /// Width of its kernel, if it has one.
    pub(super) width: Option<f64>,
    /// The ridge, if it has one.
    pub(super) ridge: Option<f64>,
    pub(super) forgetting: f64,
}

/// The form in which experts take a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Input {
    /// In scales of the features.
    Plain,
    /// Compressed.
    Compressed,
    /// In scales, with the past of the labels.
    PlainPast,
    /// Compressed, with the past of the labels.
    CompressedPast,
}

impl Kind {
    /// Returns true for trees.
    pub(super) fn is_trees(&self) -> bool {
        self.family.ends_with("trees")
    }

    /// The form in which experts of this kind take a row.
    pub(super) fn input(&self) -> Input {
        match self.family {
            "kernel" => Input::Compressed,
            "linear" | "mean" => Input::Plain,
            "past" => Input::PlainPast,
            _ => Input::CompressedPast,
        }
    }
}

heap!(Kind:);
