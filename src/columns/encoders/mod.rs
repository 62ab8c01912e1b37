//! Encoders: each turns the values of a column into features, and learns from them and the labels.
//!
//! An encoder appends its features when it needs them. A feature keeps its place for ever.

mod category;
mod features;
mod means;
mod median;
mod number;
mod source;
mod time;
mod words;

use super::kind::Kind;
use crate::error::Error;
use crate::persist::State;
use crate::runtime::Heap;

use category::Category;
pub(super) use features::{Features, Places};
pub(super) use means::Means;
use number::Number;
pub(super) use source::Source;
use time::Time;
pub(super) use time::{moment_of, numbers_of};
use words::Words;

/// What the encoders of all columns have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    pub(super) n_targets: usize,
    pub(super) max_categories: usize,
    pub(super) forgetting: f64,
}

/// What a row teaches.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lesson<'a> {
    /// The label of each target.
    pub(super) y: &'a [f64],
    pub(super) weight: f64,
}

/// The encoder of a column.
#[derive(Debug, Clone)]
pub(super) enum Encoder {
    /// Of a column that is left out, or whose kind is not known yet.
    Nothing,
    Number(Number),
    Category(Category),
    Time(Time),
    Words(Words),
}

impl Encoder {
    /// An encoder that has learned nothing, for columns of a kind.
    pub(super) fn new(kind: Option<Kind>, options: &Options, features: &mut Features<'_>) -> Self {
        match kind {
            Some(Kind::Number) => Self::Number(Number::new(features)),
            Some(Kind::Category) => Self::Category(Category::new(options)),
            Some(Kind::Time) => Self::Time(Time::default()),
            Some(Kind::Text) => Self::Words(Words::new(features)),
            Some(Kind::Unused(_)) | None => Self::Nothing,
        }
    }

    /// Writes the features of a row, which are 0 so far, given the mean labels of all rows.
    pub(super) fn encode(
        &self,
        source: &mut Source<'_>,
        row: usize,
        labels: &Means,
        out: &mut [f64],
    ) {
        match self {
            Self::Nothing => {}
            Self::Number(number) => number.encode(source.number(row), out),
            Self::Category(category) => {
                category.encode(source.seat(row, category), labels, out);
            }
            Self::Time(time) => time.encode(source.moment(row), out),
            Self::Words(words) => words.encode(source.text(row), out),
        }
    }

    /// Learns a row; returns true if it has a value.
    pub(super) fn learn(
        &mut self,
        source: &mut Source<'_>,
        row: usize,
        lesson: &Lesson<'_>,
        features: &mut Features<'_>,
    ) -> bool {
        match self {
            Self::Nothing => false,
            Self::Number(number) => {
                let value = source.number(row);
                number.learn(value, features);
                value.is_some()
            }
            Self::Category(category) => {
                let seat = source.seat(row, category);
                let text = source.text(row);
                let (seat, has_value) =
                    (category.learn(seat, text, lesson, features), text.is_some());
                source.set_seat(row, seat);
                has_value
            }
            Self::Time(time) => {
                let moment = source.moment(row);
                time.learn(moment, features);
                moment.is_some()
            }
            Self::Words(_) => source.text(row).is_some(),
        }
    }

    pub(super) fn save(&self, state: &mut State) {
        match self {
            Self::Nothing => {}
            Self::Number(number) => number.save(state),
            Self::Category(category) => category.save(state),
            Self::Time(time) => time.save(state),
            Self::Words(words) => words.save(state),
        }
    }

    /// Reads the encoder of a column of a kind, whose features have some of these places.
    pub(super) fn load(
        kind: Option<Kind>,
        options: &Options,
        state: &State,
        places: &mut Places,
    ) -> Result<Self, Error> {
        match kind {
            Some(Kind::Number) => Number::load(state, places).map(Self::Number),
            Some(Kind::Category) => Category::load(options, state, places).map(Self::Category),
            Some(Kind::Time) => Time::load(state, places).map(Self::Time),
            Some(Kind::Text) => Words::load(state, places).map(Self::Words),
            Some(Kind::Unused(_)) | None => Ok(Self::Nothing),
        }
    }
}

impl Heap for Encoder {
    fn heap_bytes(&self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Number(number) => number.heap_bytes(),
            Self::Category(category) => category.heap_bytes(),
            Self::Time(time) => time.heap_bytes(),
            Self::Words(words) => words.heap_bytes(),
        }
    }
}
