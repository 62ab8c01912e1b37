//! Columns: the rows of a table as features.
//!
//! [`Columns`] turns rows of a [`Table`] into rows of numbers, on line: how a row is encoded depends on the rows learned
//! before it alone. Kinds of columns are settled by the first rows. A label never reaches the encoding of its own row.
//!
//! ```
//! use nystream::columns::{Change, Column, Columns, Settings, Table};
//!
//! let colors = Column::Texts { codes: vec![0, 1, 0], values: vec!["red".into(), "blue".into()] };
//! let sizes = Column::Numbers(vec![2.0, f64::NAN, 3.0]);
//! let table = Table::new(3, vec!["size".into(), "color".into()], vec![sizes, colors])?;
//!
//! let mut columns = Columns::new(Settings::default(), 1)?;
//! let mut matched = columns.check(&table)?;
//! let mut x = Vec::new();
//! for (row, y) in [20.0, 10.0, 30.0].into_iter().enumerate() {
//!     columns.encode(&mut matched, row, &mut x);
//!     // Here a learner predicts from x, then learns x and y.
//!     match columns.learn(&mut matched, row, &[y], 1.0) {
//!         Change::None => {}
//!         Change::Wider => { /* Rows learned so far count as 0 in the features appended. */ }
//!         Change::Anew(replay) => { /* The learner starts again, from the rows of the replay. */ }
//!     }
//! }
//! let names = ["size", "size is missing", "color: mean label"];
//! assert_eq!(columns.feature_names(), names);
//! # Ok::<(), nystream::Error>(())
//! ```

mod arrays;
mod builder;
mod cell;
mod check;
mod demand;
mod encoders;
mod file;
mod first_rows;
mod fit;
mod infer;
mod kind;
mod learn;
mod matched;
mod moments;
mod reading;
mod replay;
mod row;
mod settings;
mod table;
mod texts;
mod times;

use crate::data::checks::targets;
use crate::error::Error;
use crate::runtime::Heap;

pub use builder::{ColumnBuilder, TextsBuilder, text_of_number, time_of_day};
use encoders::{Encoder, Means};
use first_rows::FirstRows;
pub use fit::Fitted;
pub use kind::{Kind, Why};
pub use matched::Matched;
use reading::Reading;
pub use replay::{Replay, ReplayedRow};
pub use settings::{OnMissing, OnNewColumns, Settings};
pub use table::{Column, MISSING, Table};
pub(crate) use texts::{put_texts, texts};
pub(crate) use times::{DAY, months_of, start_of_month};

/// What has been learned of the columns of a table.
///
/// Kinds are inferred from the first 256 rows, and inferred anew when 1, 2, 4 and so on of them have been learned: these
/// rows are kept as they came. A column without any value has no kind and no features; its first value gives it both.
#[derive(Debug, Clone)]
pub struct Columns {
    settings: Settings,
    n_targets: usize,
    /// False if the rows learned were those of arrays, whose columns are numbers without names.
    is_named: bool,
    all: Vec<Known>,
    /// The names of the features.
    names: Vec<String>,
    /// The column of each feature.
    owners: Vec<usize>,
    /// The mean label of all rows.
    labels: Means,
    /// Number of rows learned.
    n_rows: u64,
    /// The rows kept until kinds are settled.
    first: Option<FirstRows>,
    /// Counts the changes of columns and of how they are read, by which a table knows what it has to look up again.
    version: u64,
}

/// A column that is known.
#[derive(Debug, Clone)]
struct Known {
    name: String,
    /// `None` before the first value.
    reading: Option<Reading>,
    encoder: Encoder,
    /// Number of rows without a value.
    n_missing: u64,
    /// The version with which this column changed.
    version: u64,
}

impl Known {
    fn new(name: String) -> Self {
        Self {
            name,
            reading: None,
            encoder: Encoder::Nothing,
            n_missing: 0,
            version: 0,
        }
    }

    fn is_unused(&self) -> bool {
        matches!(
            self.reading,
            Some(Reading {
                kind: Kind::Unused(_),
                ..
            })
        )
    }
}

/// What a row learned has changed of the features.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Nothing.
    None,
    /// Features were appended. Rows learned so far count as 0 in them.
    Wider,
    /// The kind of a column has changed, and all features are others. What was learned from them is to be learned again.
    Anew(Replay),
}

/// A column of the schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its kind; `None` before its first value.
    pub kind: Option<Kind>,
    /// Number of rows learned without a value; 0 if the column is left out.
    pub n_missing: u64,
}

impl Columns {
    /// Columns that have learned nothing, for rows with so many labels.
    pub fn new(settings: Settings, n_targets: usize) -> Result<Self, Error> {
        settings.check()?;
        targets(n_targets)?;
        Ok(Self {
            settings,
            n_targets,
            is_named: true,
            all: Vec::new(),
            names: Vec::new(),
            owners: Vec::new(),
            labels: Means::new(n_targets),
            n_rows: 0,
            first: Some(FirstRows::default()),
            version: 0,
        })
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Number of labels that a row has.
    pub fn n_targets(&self) -> usize {
        self.n_targets
    }

    /// Number of features. It may be 0.
    pub fn width(&self) -> usize {
        self.names.len()
    }

    /// The names of the features.
    pub fn feature_names(&self) -> &[String] {
        &self.names
    }

    /// The column that a feature belongs to.
    pub(crate) fn column_of(&self, feature: usize) -> Option<usize> {
        self.owners.get(feature).copied()
    }

    /// Returns true if a feature is one of a column of numbers.
    pub(crate) fn is_number(&self, feature: usize) -> bool {
        let owner = self.column_of(feature).and_then(|i| self.all.get(i));
        let reading = owner.and_then(|known| known.reading);
        reading.is_some_and(|reading| reading.kind == Kind::Number)
    }

    /// The sum, for each column, of the numbers of its features.
    pub(crate) fn sums(&self, numbers: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.all.len()];
        for (number, owner) in numbers.iter().zip(&self.owners) {
            sums[*owner] += number;
        }
        sums
    }

    /// The kind that is stated for a column: columns without names are numbers.
    fn stated(&self, name: &str) -> Option<Kind> {
        if self.is_named {
            self.settings.stated(name)
        } else {
            Some(Kind::Number)
        }
    }

    /// The columns that are known, in the order in which they came.
    pub fn schema(&self) -> impl ExactSizeIterator<Item = Field<'_>> {
        self.all.iter().map(|known| Field {
            name: &known.name,
            kind: known.reading.map(|reading| reading.kind),
            n_missing: if known.is_unused() {
                0
            } else {
                known.n_missing
            },
        })
    }

    /// Number of rows learned.
    pub fn n_learned(&self) -> u64 {
        self.n_rows
    }

    /// Returns true if kinds are settled: [`learn`](Self::learn) will not begin anew.
    pub fn is_settled(&self) -> bool {
        self.first.is_none()
    }
}

impl Heap for Columns {
    fn heap_bytes(&self) -> usize {
        let names = self
            .names
            .iter()
            .map(|name| size_of::<String>() + name.capacity());
        let known = self
            .all
            .iter()
            .map(|known| size_of::<Known>() + known.name.capacity() + known.encoder.heap_bytes());
        let settings = self
            .settings
            .schema
            .keys()
            .map(|name| size_of::<(String, Kind)>() + name.len());
        names.chain(known).chain(settings).sum::<usize>()
            + self.settings.missing_values.heap_bytes()
            + self.owners.capacity() * size_of::<usize>()
            + self.labels.heap_bytes()
            + self.first.heap_bytes()
    }
}
