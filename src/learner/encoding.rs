//! Columns in front of an algorithm: rows of tables become rows of features.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value;

use crate::columns::{
    Change, Columns, Kind, Matched, OnMissing, OnNewColumns, Replay, Settings, Table,
};
use crate::data::{FeatureNames, Number, Rows};
use crate::error::Error;
use crate::persist::State;
use crate::predictor::{Scaling, compress_in_place};
use crate::runtime::Heap;

/// Columns, and what brings their features to one scale for algorithms that do not.
#[derive(Debug, Clone)]
pub(crate) struct Encoding {
    pub(crate) columns: Columns,
    /// Scales of the features; `None` for algorithms that have their own.
    scaling: Option<Scaling>,
    /// Number of times that the algorithm has begun anew.
    pub(crate) generation: u64,
}

/// Rows of features, one after the other.
pub(crate) struct Features {
    numbers: Vec<f64>,
    width: usize,
}

impl Features {
    /// The rows.
    pub(crate) fn rows(&self) -> Rows<'_> {
        Rows::trusted(&self.numbers, self.width, 0)
    }

    /// All numbers, row by row.
    pub(crate) fn numbers(&self) -> &[f64] {
        &self.numbers
    }
}

/// Rows of features that were encoded with the same columns, and how the columns changed after the last.
pub(crate) struct Encoded {
    pub(crate) features: Features,
    pub(crate) change: Change,
}

impl Encoding {
    /// Columns that have learned nothing.
    pub(crate) fn new(settings: Settings, n_targets: usize) -> Result<Self, Error> {
        let scaling = settings.scale.then(Scaling::default);
        Ok(Self {
            columns: Columns::new(settings, n_targets)?,
            scaling,
            generation: 0,
        })
    }

    /// Number of features that the algorithm gets: at least one, which is 0 if columns have none.
    pub(crate) fn width(&self) -> usize {
        self.columns.width().max(1)
    }

    /// Names of the columns, if they have names.
    pub(crate) fn names(&self) -> FeatureNames {
        let is_named = self.columns.is_named() && self.columns.n_learned() > 0;
        let names = || self.columns.schema().map(|field| field.name.to_owned());
        FeatureNames::new(is_named.then(|| names().collect()))
    }

    /// Returns true if numbers may be missing.
    pub(crate) fn takes_gaps(&self) -> bool {
        self.columns.settings().missing == OnMissing::Fill
    }

    /// The features of rows of an array; `None` if they are the numbers of the rows.
    pub(crate) fn features_of<T: Number>(
        &self,
        rows: &Rows<'_, T>,
    ) -> Result<Option<Features>, Error> {
        let table = self.table_of(rows)?;
        table.map(|table| self.features(&table)).transpose()
    }

    /// The rows of an array as a table; `None` if their numbers are their features.
    pub(crate) fn table_of<T: Number>(&self, rows: &Rows<'_, T>) -> Result<Option<Table>, Error> {
        if self.takes_arrays_as_tables() || (self.takes_gaps() && rows.has_gaps()) {
            rows.check_numbers_or_gaps("X")?;
            return Ok(Some(self.columns.table_of(rows)));
        }
        Ok(None)
    }

    /// Returns true if an array is encoded like a table, even where no number is missing.
    fn takes_arrays_as_tables(&self) -> bool {
        let is_new = self.columns.n_columns().is_none();
        self.scaling.is_some()
            || !self.columns.settings().missing_values.is_empty()
            || !(is_new || self.columns.takes_numbers_as_they_are())
    }

    /// Returns true if rows of numbers are rows of features, whatever the numbers are.
    pub(crate) fn is_identity(&self) -> bool {
        let columns = &self.columns;
        let mut kinds = columns.schema().map(|field| field.kind);
        self.scaling.is_none()
            && columns.settings().missing_values.is_empty()
            && columns.n_columns().is_none_or(|n| n == columns.width())
            && kinds.all(|kind| kind == Some(Kind::Number))
    }

    /// A table under the names that are known: columns without names are found by their order.
    pub(crate) fn named<'t>(&self, table: &'t Table) -> Cow<'t, Table> {
        let renamed = self.columns.renamed(table);
        renamed.map_or(Cow::Borrowed(table), Cow::Owned)
    }

    /// Refuses a table without rows, or without columns if those learned have to come.
    pub(crate) fn check_size(&self, table: &Table) -> Result<(), Error> {
        let needs_columns = self.columns.settings().on_new_columns == OnNewColumns::Error;
        let wanted = match (table.n_rows(), table.names().len()) {
            (0, _) => "row",
            (_, 0) if needs_columns => "feature",
            _ => return Ok(()),
        };
        let argument = "X";
        Err(Error::Empty { argument, wanted })
    }

    /// Encodes and learns all rows of a table, as [`learn_rows`](Self::learn_rows) does, for those who check features
    /// before anything is learned: `check` gets rows of features, the number of the first, and their weights, if any.
    pub(crate) fn rehearse(
        mut self,
        mut matched: Matched<'_>,
        y: &[f64],
        weights: Option<&[f64]>,
        check: impl Fn(&Rows<'_>, usize, Option<&[f64]>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (mut first, n_rows) = (0, matched.table().n_rows());
        while first < n_rows {
            let encoded = self.learn_rows(&mut matched, first..n_rows, y, weights);
            let rows = encoded.features.rows();
            check(&rows, first, weights.map(|weights| &weights[first..]))?;
            first += rows.len();
            match encoded.change {
                Change::None => {}
                Change::Wider => self.widen(),
                Change::Anew(replay) => {
                    let weights: Vec<f64> = replay.rows().iter().map(|row| row.weight).collect();
                    check(&self.begin_anew(&replay).rows(), 0, Some(&weights))?;
                }
            }
        }
        Ok(())
    }

    /// The features of the rows of a table.
    pub(crate) fn features(&self, table: &Table) -> Result<Features, Error> {
        let (table, width) = (self.named(table), self.width());
        let mut matched = self.columns.check(&table)?;
        let mut scratch = Vec::new();
        let mut numbers = Vec::with_capacity(table.n_rows() * width);
        for row in 0..table.n_rows() {
            self.encode_onto(&mut matched, row, &mut scratch, &mut numbers);
        }
        Ok(Features { numbers, width })
    }

    /// Appends the features of a row of a table.
    pub(crate) fn encode_onto(
        &self,
        matched: &mut Matched<'_>,
        row: usize,
        scratch: &mut Vec<f64>,
        all: &mut Vec<f64>,
    ) {
        self.columns.encode(matched, row, scratch);
        self.scale(scratch);
        all.extend_from_slice(scratch);
    }

    /// Brings the features of a row to one scale, if the algorithm does not.
    fn scale(&self, features: &mut Vec<f64>) {
        features.resize(self.width(), 0.0);
        let scaling = self.scaling.as_ref();
        if let Some(scaling) = scaling.filter(|scaling| scaling.width() == features.len()) {
            *features = scaling.scaled(features);
            compress_in_place(features);
        }
    }

    /// Gives a scale to numbers that vary for the first time in a row that is learned: those of columns that come late,
    /// say. The features of this row stay what they were: one scale from the centre. Late features of other kinds stay
    /// signs: a mean label is far from 0 at once, and its first value tells nothing of how it varies.
    fn begin_scales(&mut self, features: &[f64]) {
        let columns = &self.columns;
        if let Some(scaling) = &mut self.scaling {
            let centres = scaling.parts().0.iter().zip(features).enumerate();
            let number = |(i, (centre, x)): (usize, (&f64, &f64))| {
                if columns.is_number(i) { *x } else { *centre }
            };
            let numbers: Vec<f64> = centres.map(number).collect();
            scaling.update(&numbers);
        }
    }

    /// Gives a scale to numbers that vary for the first time in a row of a table, which is learned.
    fn begin_scales_of(&mut self, matched: &mut Matched<'_>, row: usize) {
        if self.scaling.is_some() {
            let mut features = Vec::new();
            self.columns.encode(matched, row, &mut features);
            self.begin_scales(&features);
        }
    }

    /// Encodes rows of a table and learns them, one after the other, until all features change or the rows end. `y` and
    /// `weights` are those of the whole table.
    pub(crate) fn learn_rows(
        &mut self,
        matched: &mut Matched<'_>,
        rows: Range<usize>,
        y: &[f64],
        weights: Option<&[f64]>,
    ) -> Encoded {
        let (n_targets, width) = (self.columns.n_targets(), self.width());
        let (mut scratch, mut numbers) = (Vec::new(), Vec::with_capacity(rows.len() * width));
        let mut change = Change::None;
        for row in rows {
            let y = &y[row * n_targets..(row + 1) * n_targets];
            let weight = weights.map_or(1.0, |weights| weights[row]);
            self.columns.encode(matched, row, &mut scratch);
            if weight > 0.0 {
                self.begin_scales(&scratch);
            }
            self.scale(&mut scratch);
            numbers.extend_from_slice(&scratch);
            change = self.columns.learn(matched, row, y, weight);
            if change != Change::None {
                break;
            }
        }
        let features = Features { numbers, width };
        Encoded { features, change }
    }

    /// Refuses a row that was asked for, if its values are of other kinds than those that are settled by now.
    pub(crate) fn check_asked(&self, table: &Table) -> Result<(), Error> {
        self.columns.check(&self.named(table)).map(drop)
    }

    /// Returns true if a row of a table, asked for in some generation, had features that are others by now.
    pub(crate) fn is_of_others(&self, generation: Option<u64>) -> bool {
        generation.is_some_and(|generation| generation != self.generation)
    }

    /// Learns the labels of a row that was asked for when it had the features `x`; returns its features as they are now.
    /// They are encoded anew if all have changed since, or if it is a row of an array, which has no generation.
    pub(crate) fn learn_asked(
        &mut self,
        table: &Table,
        (x, generation): (&[f64], Option<u64>),
        (y, weight): (&[f64], f64),
    ) -> Result<(Vec<f64>, Change), Error> {
        let table = self.named(table).into_owned();
        let mut matched = self.columns.check(&table)?;
        let mut features = Vec::with_capacity(self.width());
        if generation == Some(self.generation) {
            features.extend_from_slice(x);
            features.resize(self.width(), 0.0);
        } else {
            self.encode_onto(&mut matched, 0, &mut Vec::new(), &mut features);
        }
        self.begin_scales_of(&mut matched, 0);
        let change = self.columns.learn(&mut matched, 0, y, weight);
        Ok((features, change))
    }

    /// Begins to learn rows of arrays, if nothing has been learned.
    pub(crate) fn begin_numbers(&mut self, width: usize) {
        if self.columns.n_columns().is_none() {
            self.columns.begin_numbers(width);
        }
    }

    /// Tells the columns of a row of an array whose numbers were its features.
    pub(crate) fn note_row(&mut self, x: &[f64]) {
        self.begin_numbers(x.len());
        self.columns.learn_numbers(x);
    }

    /// Follows features that were appended.
    pub(crate) fn widen(&mut self) {
        let width = self.width();
        if let Some(scaling) = &mut self.scaling {
            scaling.widen(width);
        }
    }

    /// Takes the scales from rows that are learned again; returns their features.
    pub(crate) fn begin_anew(&mut self, replay: &Replay) -> Features {
        self.generation += 1;
        let width = self.width();
        let mut numbers = Vec::with_capacity(replay.rows().len() * width);
        for row in replay.rows() {
            numbers.extend_from_slice(&row.features);
            numbers.resize(numbers.len() + width - row.features.len(), 0.0);
        }
        if let Some(scaling) = &mut self.scaling {
            *scaling = Scaling::of(&numbers, width);
            numbers = scaling.scaled(&numbers);
            compress_in_place(&mut numbers);
        }
        Features { numbers, width }
    }

    /// Stores the arrays in a state, and returns the rest as JSON.
    pub(crate) fn save(&self, state: &mut State) -> Result<Value, Error> {
        let mut content = Ok(Value::Null);
        state.nest("columns", |state| {
            if let Some(scaling) = &self.scaling {
                state.nest("scaling", |state| scaling.save(state));
            }
            state.put("generation", [self.generation as f64]);
            content = self.columns.save(state);
        });
        content
    }

    /// Reads what [`save`](Self::save) has stored.
    pub(crate) fn load(content: Value, n_targets: usize, state: &State) -> Result<Self, Error> {
        let state = state.inner("columns");
        let columns = Columns::load(content, &state)?;
        if columns.n_targets() != n_targets {
            let problem = "columns should be for as many targets as the learner";
            return Err(Error::model_file(problem));
        }
        let mut encoding = Self {
            scaling: None,
            generation: state.count("generation")? as u64,
            columns,
        };
        if encoding.columns.settings().scale {
            let scaling = Scaling::load(&state.inner("scaling"))?;
            if ![0, encoding.width()].contains(&scaling.width()) {
                let problem = "scales should be as many as the features of the columns";
                return Err(Error::model_file(problem));
            }
            encoding.scaling = Some(scaling);
        }
        Ok(encoding)
    }
}

impl Heap for Encoding {
    fn heap_bytes(&self) -> usize {
        self.columns.heap_bytes() + self.scaling.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use crate::columns::{Column, OnNewColumns, Settings, Table};
    use crate::{Learner, LinearRlsParams};

    /// Rows whose first column never varies, with a second if it is given.
    fn table(more: Option<Vec<f64>>) -> Table {
        let n_rows = more.as_ref().map_or(300, Vec::len);
        let columns = [Some(vec![0.0; n_rows]), more].into_iter().flatten();
        let (names, columns) = ["a", "b"]
            .map(str::to_owned)
            .into_iter()
            .zip(columns.map(Column::Numbers))
            .unzip();
        Table::new(n_rows, names, columns).unwrap()
    }

    #[test]
    fn columns_that_come_late_are_numbers_and_not_signs() {
        let settings = Settings {
            on_new_columns: OnNewColumns::Add,
            ..Settings::default()
        };
        let mut late = Learner::with_columns(LinearRlsParams::default(), settings).unwrap();
        late.learn_table(&table(None), &[0.0; 300], None).unwrap();
        let numbers: Vec<f64> = (0..300).map(|i| f64::from(i * 7 % 10)).collect();
        let mut asked = late.copy();
        late.learn_table(&table(Some(numbers.clone())), &numbers, None)
            .unwrap();
        for number in &numbers {
            let row = table(Some(vec![*number]));
            let ticket = asked.ask_table(&row).unwrap();
            asked.answer(&ticket, &[*number], None).unwrap();
        }
        for learner in [late, asked] {
            let found = learner.predict_table(&table(Some(vec![2.0, 8.0]))).unwrap();
            assert!(
                (found[0] - 2.0).abs() < 0.5 && (found[1] - 8.0).abs() < 0.5,
                "{found:?}"
            );
        }
    }
}
