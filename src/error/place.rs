//! Places in the arguments of a call.

use std::fmt;

/// The place of a value in the caller's arguments: `y`, `x[2]`, `y[7]` or `X[7, 2]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Name of the argument.
    pub argument: &'static str,
    /// Row and column, or the one index a vector has.
    pub index: Vec<usize>,
}

impl Place {
    /// A place in `argument`; an empty index means the argument itself.
    pub fn new(argument: &'static str, index: impl Into<Vec<usize>>) -> Self {
        let index = index.into();
        Self { argument, index }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index: Vec<String> = self.index.iter().map(usize::to_string).collect();
        match index.as_slice() {
            [] => f.write_str(self.argument),
            _ => write!(f, "{}[{}]", self.argument, index.join(", ")),
        }
    }
}
