//! The errors of the crate, in one enum.

mod columns;
mod place;

use std::path::{Path, PathBuf};
use std::{fmt, io};

use crate::limits::{LARGEST, Range};
pub use columns::ColumnProblem;
use columns::Listed;
pub use place::Place;

/// Displays a number, with an exponent where it has many zeros.
struct Shown(f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = self;
        if *value == 0.0 || !value.is_finite() || (1e-4..1e16).contains(&value.abs()) {
            write!(f, "{value}")
        } else {
            write!(f, "{value:e}")
        }
    }
}

/// Names of which any will do.
fn any_of(names: &[&str]) -> String {
    match names {
        [name] => (*name).to_owned(),
        names => format!("one of {}", names.join(", ")),
    }
}

/// A range in words.
fn within((low, high): Range) -> String {
    match high {
        f64::INFINITY => format!("at least {}", Shown(low)),
        high => format!("from {} to {}", Shown(low), Shown(high)),
    }
}

/// The reason why a call was refused. A refused call changes nothing.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter outside its range.
    #[error("{name} should be {expected}, but is {}", Shown(*value))]
    Parameter {
        /// The parameter, under its constructor's name.
        name: &'static str,
        /// The values it may take.
        expected: &'static str,
        /// The value it has.
        value: f64,
    },
    /// Two parameters that cannot be given together.
    #[error("{first} and {second} cannot both be given: {reason}")]
    Conflict {
        /// Name of the first parameter.
        first: &'static str,
        /// Name of the second parameter.
        second: &'static str,
        /// The reason why they exclude each other.
        reason: &'static str,
    },
    /// A feature or label that is NaN, infinite, or too large to be squared safely.
    #[error("{place} should be a finite number of magnitude at most {LARGEST:e}, but is {}", Shown(*value))]
    Number {
        /// Place of the number.
        place: Place,
        /// The number.
        value: f64,
    },
    /// An element of a parameter outside its range.
    #[error("{place} should be {expected}, but is {}", Shown(*value))]
    Element {
        /// Place of the element.
        place: Place,
        /// The values it may take.
        expected: &'static str,
        /// The element.
        value: f64,
    },
    /// A kernel that an algorithm cannot work with.
    #[error("kernel should be {expected}, but is {name}")]
    Kernel {
        /// The kernels that it can work with.
        expected: &'static str,
        /// Name of the kernel.
        name: &'static str,
    },
    /// A loss that an algorithm cannot work with.
    #[error("loss should be {}, but is {name}", any_of(expected))]
    Loss {
        /// The losses that it can work with.
        expected: Vec<&'static str>,
        /// Name of the loss.
        name: &'static str,
    },
    /// A label that a loss does not take.
    #[error("{place} should be {} for the loss {loss}, but is {}", within(*range), Shown(*value))]
    LabelOutside {
        /// Place of the label.
        place: Place,
        /// The least and the largest label that the loss takes.
        range: Range,
        /// Name of the loss.
        loss: &'static str,
        /// The label.
        value: f64,
    },
    /// More rows than the learner may store.
    #[error(
        "max_rows is {max_rows}, and {stored} rows are stored: there is no room for {offered} more"
    )]
    Full {
        /// The most rows that may be stored.
        max_rows: usize,
        /// Rows stored.
        stored: usize,
        /// Rows offered.
        offered: usize,
    },
    /// More rows than there are draws for.
    #[error("uniforms should have a number for each row, {needed} by now, but has {found}")]
    Draws {
        /// Rows learned and offered.
        needed: usize,
        /// Numbers given.
        found: usize,
    },
    /// A learner that takes a limited number of rows, where each key has one.
    #[error("model should take any number of rows: {algorithm} is given max_rows or uniforms")]
    LimitedRows {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// A key of which no row has been learned.
    #[error("key should be one that has been learned, but is {key}")]
    UnknownKey {
        /// The key.
        key: String,
    },
    /// A learner that cannot be the model of a key.
    #[error("model {problem}")]
    Inserted {
        /// What is wrong with it.
        problem: String,
    },
    /// Models by key of which two have the same key.
    #[error("models[{first}] and models[{other}] should have different keys, but both have {key}")]
    KeyTwice {
        /// Index of the one.
        first: usize,
        /// Index of the other.
        other: usize,
        /// The key.
        key: String,
    },
    /// Models by key whose shared models cannot be merged.
    #[error(
        "shared models that are {algorithm} cannot be merged: RidgeAld and LinearRls can, and with shared=False there is none"
    )]
    SharedModels {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// A model with labels that wait to be learned.
    #[error("{place} should have no labels that wait: learn_pending() learns them")]
    Waiting {
        /// Its place among the models given.
        place: Place,
    },
    /// A row whose kernel value with itself is too large to be worked with.
    #[error(
        "the kernel value of {place} with itself should be at most {}, but is {}: scale the features or normalise the kernel",
        Shown(*largest),
        Shown(*value)
    )]
    KernelValue {
        /// The row.
        place: Place,
        /// The largest value that can be worked with.
        largest: f64,
        /// Its kernel value with itself.
        value: f64,
    },
    /// A row whose kernel value with itself, times its weight, is too large to be worked with.
    #[error(
        "the kernel value of {place} with itself times its weight should be at most {}, but is {}: divide all weights by their mean, or normalise the kernel",
        Shown(*largest),
        Shown(*value)
    )]
    WeightedKernelValue {
        /// The row.
        place: Place,
        /// The largest value that can be worked with.
        largest: f64,
        /// Its kernel value with itself, times the weight.
        value: f64,
    },
    /// Rows of another width than the model has learned.
    #[error("{argument} should have {expected} features, but has {found}")]
    Width {
        /// Name of the argument.
        argument: &'static str,
        /// Features of the rows learned so far.
        expected: usize,
        /// Features of the rows offered.
        found: usize,
    },
    /// Learners whose rows cannot gain features.
    #[error("n_features cannot grow: frequencies were given, and have no value for a new feature")]
    FixedWidth,
    /// More memory than there is.
    #[error("there is no memory for {what}: {bytes} bytes")]
    Memory {
        /// The purpose of the memory.
        what: String,
        /// Number of bytes asked for.
        bytes: usize,
    },
    /// A learner for which every row counts once.
    #[error("sample_weight should not be given: every row counts once for {algorithm}")]
    Weights {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// A learner that forgets nothing.
    #[error("half_life should not be given: {algorithm} has no forgetting factor")]
    Forgetting {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// Another number of labels or weights than of rows.
    #[error("{argument} should have as many {things} as X has rows, {expected}, but has {found}")]
    Length {
        /// Name of the argument.
        argument: &'static str,
        /// The kind of values: labels or weights.
        things: &'static str,
        /// Number of rows.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// Another number of labels than of rows times targets.
    #[error("y should have {expected} labels, one for each target of each row, but has {found}")]
    Labels {
        /// Number of labels wanted.
        expected: usize,
        /// Number of labels.
        found: usize,
    },
    /// A learner without prediction intervals.
    #[error("{algorithm} has no intervals: only learners by least squares have")]
    Intervals {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// A ticket that a learner of another kind has given.
    #[error("ticket should be one that this {algorithm} has given")]
    Ticket {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// A learner that cannot be merged with others.
    #[error("{place} should be a RidgeAld, but is a {algorithm}")]
    NotMergeable {
        /// Its place among the learners given.
        place: Place,
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// Learners that differ and cannot be merged.
    #[error(
        "models[{other}] should have the same {name} as models[{first}], {}, but has {}",
        values[0],
        values[1]
    )]
    Different {
        /// Name of the parameter or property in which they differ.
        name: String,
        /// Index of the one.
        first: usize,
        /// Index of the other.
        other: usize,
        /// The values of the two.
        values: Box<[String; 2]>,
    },
    /// An array without a row or without a feature.
    #[error("{argument} should have at least one {wanted}, but is empty")]
    Empty {
        /// Name of the argument.
        argument: &'static str,
        /// The missing part: a row or a feature.
        wanted: &'static str,
    },
    /// A factor that is no longer positive definite.
    #[error("the factor is not positive definite: row {row} has the pivot {pivot}")]
    NotPositiveDefinite {
        /// Row of the factor.
        row: usize,
        /// The pivot, which should be positive.
        pivot: f64,
    },
    /// A prediction that is not finite.
    #[error(
        "the prediction is {value}: the model's numbers are out of range, as after a file that was made by hand"
    )]
    Prediction {
        /// The prediction.
        value: f64,
    },
    /// Columns of other names than those learned.
    #[error("{argument} {problem}")]
    Names {
        /// Name of the argument.
        argument: &'static str,
        /// The difference between the columns.
        problem: String,
    },
    /// A table for a learner that takes arrays alone.
    #[error("{algorithm} takes arrays of numbers, not tables: Tabular and Auto take both")]
    NoColumns {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// A learner with columns, which cannot be merged with others.
    #[error(
        "{place} cannot be merged, because it has columns: each learner turns them into features of its own"
    )]
    MergedColumns {
        /// Its place among the learners given.
        place: Place,
    },
    /// Columns of a table that cannot be read.
    #[error("{}", Listed(problems))]
    Columns {
        /// What is wrong with each of them.
        problems: Vec<ColumnProblem>,
    },
    /// A file that could not be read or written.
    #[error("{}: {reason}", path.display())]
    Io {
        /// Its path.
        path: PathBuf,
        /// The system's error number, if there is one.
        code: Option<i32>,
        /// The system's message.
        reason: String,
    },
    /// A file with invalid content.
    #[error("{}: {error}", path.display())]
    File {
        /// Its path.
        path: PathBuf,
        /// The error in its content.
        error: Box<Error>,
    },
    /// Bytes that do not hold a model.
    #[error("not a nystream model: {reason}")]
    ModelFile {
        /// The part that is wrong.
        reason: String,
    },
}

impl Error {
    pub(crate) fn parameter(name: &'static str, expected: &'static str, value: f64) -> Self {
        Self::Parameter {
            name,
            expected,
            value,
        }
    }

    pub(crate) fn unknown_key(key: impl fmt::Display) -> Self {
        let key = key.to_string();
        Self::UnknownKey { key }
    }

    pub(crate) fn io(path: &Path, error: &io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            code: error.raw_os_error(),
            reason: error.to_string(),
        }
    }

    pub(crate) fn model_file(reason: impl fmt::Display) -> Self {
        let reason = reason.to_string();
        Self::ModelFile { reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_argument_the_place_and_the_value() {
        let place = Place::new("X", [7, 2]);
        let value = f64::NAN;
        assert_eq!(
            Error::Number { place, value }.to_string(),
            "X[7, 2] should be a finite number of magnitude at most 1e100, but is NaN"
        );
        assert_eq!(
            Error::parameter("alpha", "positive and finite", -1.0).to_string(),
            "alpha should be positive and finite, but is -1"
        );
        assert_eq!(Place::new("y", []).to_string(), "y");
        let shown =
            [0.0, 1e-4, -1e15, 1e-11, -2.5e200, f64::INFINITY].map(|v| Shown(v).to_string());
        assert_eq!(
            shown,
            [
                "0",
                "0.0001",
                "-1000000000000000",
                "1e-11",
                "-2.5e200",
                "inf"
            ]
        );
    }
}
