//! The dialect of a CSV file.

use super::encoding::Encoding;

/// How a CSV file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The sign between cells.
    pub separator: u8,
    /// True if numbers have a comma before their fraction.
    pub decimal_comma: bool,
    /// The encoding of its text.
    pub encoding: Encoding,
}

/// What is known of a dialect beforehand; the rest is recognised from the first lines.
#[derive(Debug, Clone)]
pub struct Wishes {
    /// The separators that are thought of.
    pub separators: Vec<u8>,
    /// Whether commas are decimal, if that is known.
    pub decimal_comma: Option<bool>,
    /// The encoding, if that is known.
    pub encoding: Option<Encoding>,
}

impl Default for Wishes {
    fn default() -> Self {
        Self {
            separators: b",;\t|".to_vec(),
            decimal_comma: None,
            encoding: None,
        }
    }
}
