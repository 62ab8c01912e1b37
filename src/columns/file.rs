//! Columns as the content and the arrays of a file.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::encoders::{Encoder, Means, Places};
use super::first_rows::{FirstRows, SETTLED};
use super::kind::{Kind, Why};
use super::reading::Reading;
use super::settings::Settings;
use super::{Columns, Known};
use crate::error::Error;
use crate::persist::State;

/// What is written as JSON.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    settings: Settings,
    n_targets: usize,
    is_named: bool,
    n_rows: u64,
    columns: Vec<Written>,
    features: Vec<String>,
}

/// A column as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    reading: Option<Reading>,
    n_missing: u64,
}

impl Columns {
    /// Stores the arrays in a state, and returns the rest as JSON.
    pub fn save(&self, state: &mut State) -> Result<Value, Error> {
        state.nest("labels", |state| self.labels.save(state));
        for (i, known) in self.all.iter().enumerate() {
            state.nest(&format!("column{i}"), |state| known.encoder.save(state));
        }
        if let Some(first) = &self.first {
            state.nest("first", |state| first.save(self.all.len(), state));
        }
        let columns = self.all.iter().map(|known| Written {
            name: known.name.clone(),
            reading: known.reading,
            n_missing: known.n_missing,
        });
        let content = Content {
            settings: self.settings.clone(),
            n_targets: self.n_targets,
            is_named: self.is_named,
            n_rows: self.n_rows,
            columns: columns.collect(),
            features: self.names.clone(),
        };
        serde_json::to_value(content).map_err(Error::model_file)
    }

    /// Reads the columns that [`save`](Self::save) has stored; they go on bit for bit.
    ///
    /// ```
    /// use nystream::State;
    /// use nystream::columns::{Columns, Settings};
    ///
    /// let columns = Columns::new(Settings::default(), 1)?;
    /// let mut state = State::default();
    /// let content = columns.save(&mut state)?;
    /// assert_eq!(Columns::load(content, &state)?.n_learned(), 0);
    /// assert!(Columns::load("something else".into(), &state).is_err());
    /// # Ok::<(), nystream::Error>(())
    /// ```
    pub fn load(content: Value, state: &State) -> Result<Self, Error> {
        let wrong = |error| Error::model_file(format!("columns: {error}"));
        let content: Content = serde_json::from_value(content).map_err(wrong)?;
        content.check()?;
        let columns = Self::new(content.settings, content.n_targets);
        let mut columns = columns.map_err(Error::model_file)?;
        (columns.n_rows, columns.is_named) = (content.n_rows, content.is_named);
        columns.labels = Means::load(&state.inner("labels"), content.n_targets)?;
        let mut places = Places::new(content.features.len());
        columns.names = content.features;
        let options = columns.options();
        for (i, written) in content.columns.into_iter().enumerate() {
            let state = state.inner(&format!("column{i}"));
            let kind = written.reading.map(|reading| reading.kind);
            places.give_to(i);
            let encoder = Encoder::load(kind, &options, &state, &mut places)?;
            columns.all.push(written.known(encoder));
        }
        columns.owners = places.owners()?;
        columns.load_first(state)?;
        Ok(columns)
    }

    /// Reads the rows kept, unless kinds are settled.
    fn load_first(&mut self, state: &State) -> Result<(), Error> {
        let n_rows = usize::try_from(self.n_rows).unwrap_or(usize::MAX);
        let shape = (self.all.len(), self.n_targets);
        self.first = if n_rows < SETTLED && self.keeps_first_rows() {
            Some(FirstRows::load(&state.inner("first"), n_rows, shape)?)
        } else {
            None
        };
        Ok(())
    }
}

impl Content {
    /// Refuses columns that do not agree with each other or with the settings.
    fn check(&self) -> Result<(), Error> {
        let names: HashSet<&str> = self.columns.iter().map(|column| &*column.name).collect();
        let is_possible = |column: &Written| {
            let stated = self.settings.stated(&column.name);
            let is_plain = |reading: Reading| reading == Reading::of(Kind::Number);
            column.n_missing <= self.n_rows
                && is_possible(stated, column.reading.as_ref())
                && (self.is_named || column.reading.is_some_and(is_plain))
        };
        if names.len() == self.columns.len()
            && self.n_rows < 1 << 53
            && (self.n_rows > 0 || self.columns.is_empty() || !self.is_named)
            && self.columns.iter().all(is_possible)
        {
            return Ok(());
        }
        Err(Error::model_file("columns should agree with the settings"))
    }
}

/// Returns true if a column whose kind is stated, or is not, may be read like this.
fn is_possible(stated: Option<Kind>, reading: Option<&Reading>) -> bool {
    match (stated, reading) {
        (None, None) => true,
        (Some(_), None) => false,
        (
            Some(stated),
            Some(Reading {
                kind, takes_epochs, ..
            }),
        ) => *kind == stated && *takes_epochs == (stated == Kind::Time),
        (
            None,
            Some(Reading {
                kind, takes_epochs, ..
            }),
        ) => !takes_epochs && !matches!(kind, Kind::Text | Kind::Unused(Why::Stated)),
    }
}

impl Written {
    fn known(self, encoder: Encoder) -> Known {
        Known {
            reading: self.reading,
            encoder,
            n_missing: self.n_missing,
            ..Known::new(self.name)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use safetensors::SafeTensors;
    use serde_json::json;

    use super::*;
    use crate::columns::learn::tests::{columns, learn};
    use crate::columns::table::tests::{table, texts};
    use crate::columns::{Column, Table};

    /// Rows of every kind of column, with gaps.
    fn example(rows: std::ops::Range<u32>) -> Table {
        let gap = |i: u32| i % 7 == 3;
        let text = |text: String, i| if gap(i) { String::new() } else { text };
        let number = |i| {
            if gap(i) {
                f64::NAN
            } else {
                f64::from(i * i % 10) / 3.0
            }
        };
        let time = |i| (i % 5 > 0).then_some(i64::from(i) * 7_777_777_777 - 1);
        table([
            (
                "number",
                Column::Numbers(rows.clone().map(number).collect()),
            ),
            (
                "category",
                texts(rows.clone().map(|i| text(format!("x{}", i % 4), i))),
            ),
            (
                "truth",
                Column::Truths(
                    rows.clone()
                        .map(|i| (!gap(i)).then_some(i % 2 > 0))
                        .collect(),
                ),
            ),
            ("time", Column::Times(rows.clone().map(time).collect())),
            (
                "clock",
                texts(rows.clone().map(|i| text(format!("{:02}:00", i % 24), i))),
            ),
            (
                "date",
                texts(rows.clone().map(|i| format!("{}/1/2013", 1 + i % 28))),
            ),
            (
                "title",
                texts(rows.clone().map(|i| format!("the title {i}"))),
            ),
            (
                "words",
                texts(rows.clone().map(|i| format!("some words {i}"))),
            ),
            ("id", Column::Numbers(rows.clone().map(f64::from).collect())),
            ("late", texts(rows.map(|i| if i < 290 { "" } else { "x" }))),
        ])
    }

    fn settings() -> Settings {
        Settings {
            schema: [("words".to_owned(), Kind::Text)].into(),
            ..Settings::default()
        }
    }

    /// The names of the arrays.
    fn names_of(state: &State) -> Vec<String> {
        let bytes = state.to_bytes(String::new()).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        let mut names: Vec<String> = tensors
            .names()
            .into_iter()
            .map(ToString::to_string)
            .collect();
        names.sort();
        names
    }

    fn learned(n_rows: u32) -> (Value, State) {
        let mut columns = columns(settings());
        learn(&mut columns, &example(0..n_rows));
        let mut state = State::default();
        (columns.save(&mut state).unwrap(), state)
    }

    #[test]
    fn columns_go_on_from_their_state_bit_for_bit() {
        for n_rows in [0, 1, 100, 256, 300] {
            let mut whole = columns(settings());
            learn(&mut whole, &example(0..n_rows));
            let (content, state) = learned(n_rows);
            let mut again = Columns::load(content.clone(), &state).unwrap();
            let mut saved = State::default();
            assert_eq!((again.save(&mut saved).unwrap(), &saved), (content, &state));
            let rest = example(n_rows..n_rows + 200);
            assert_eq!(learn(&mut again, &rest), learn(&mut whole, &rest));
        }
    }

    #[test]
    fn content_that_does_not_agree_is_refused() {
        let (content, state) = learned(300);
        assert!(Columns::load(content.clone(), &state).is_ok());
        let forged = [
            ("/settings/max_categories", json!(0)),
            ("/settings/max_categories", json!(2)),
            ("/settings/schema/words", json!("number")),
            ("/settings/schema", json!({})),
            ("/n_targets", json!(2)),
            ("/n_targets", json!(0)),
            ("/n_rows", json!(255)),
            ("/n_rows", json!(u64::MAX)),
            ("/n_rows", json!(-1)),
            ("/columns/0/name", json!("time")),
            ("/columns/0/reading/kind", json!("text")),
            ("/columns/0/reading/kind", json!("category")),
            ("/columns/0/reading/takes_epochs", json!(true)),
            ("/columns/0/reading", json!(null)),
            ("/columns/0/n_missing", json!(301)),
            ("/columns", json!([])),
            ("/features/0", json!(1)),
            ("/features", json!([])),
        ];
        for (place, value) in forged {
            let mut content = content.clone();
            *content.pointer_mut(place).unwrap() = value.clone();
            let error = Columns::load(content, &state).unwrap_err();
            assert!(matches!(error, Error::ModelFile { .. }), "{place}");
        }
    }

    proptest! {
        #[test]
        fn forged_numbers_give_an_error_or_columns_that_learn(
            n_rows in prop::sample::select(vec![3_u32, 300]),
            (array, at) in any::<(prop::sample::Index, prop::sample::Index)>(),
            number in prop_oneof![
                Just(-1.0), Just(0.5), -3.0..3.0_f64, Just(1e18), any::<i8>().prop_map(f64::from),
            ],
            cut in any::<bool>(),
        ) {
            let (content, state) = learned(n_rows);
            let names = names_of(&state);
            let name = array.get(&names);
            let Ok(mut numbers) = state.any_vector(name) else {
                return Ok(());
            };
            let mut state = state;
            if cut {
                numbers.truncate(at.index(numbers.len() + 1));
            } else if !numbers.is_empty() {
                let at = at.index(numbers.len());
                numbers[at] = number;
            }
            state.put(name, numbers);
            if let Ok(mut columns) = Columns::load(content, &state) {
                let rest = example(n_rows..n_rows + 300);
                if let Ok(mut matched) = columns.check(&rest) {
                    let mut x = Vec::new();
                    for row in 0..300 {
                        columns.encode(&mut matched, row, &mut x);
                        _ = columns.learn(&mut matched, row, &[1.0], 1.0);
                    }
                }
            }
        }
    }
}
