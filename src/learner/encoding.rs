//! Columns in front of an algorithm: rows of tables become rows of features.

use std::ops::Range;

use serde_json::Value;

use crate::columns::{Columns, Matched, OnMissing, Replay, Settings, Table};
use crate::data::{FeatureNames, Number, Rows};
use crate::error::Error;
use crate::persist::State;
use crate::predictor::{Scaling, compress_in_place};
use crate::runtime::Heap;

/// Columns, and what brings their features to one scale for algorithms that do not.
#[derive(Debug, Clone)]
pub(super) struct Encoding {
    pub(super) columns: Columns,
    /// Scales of the features; `None` for algorithms that have their own.
    scaling: Option<Scaling>,
    /// Number of times that the algorithm has begun anew.
    pub(super) generation: u64,
}

impl Encoding {
    /// Columns that have learned nothing.
    pub(super) fn new(settings: Settings, n_targets: usize) -> Result<Self, Error> {
        let scaling = settings.scale.then(Scaling::default);
        Ok(Self {
            columns: Columns::new(settings, n_targets)?,
            scaling,
            generation: 0,
        })
    }

    /// Number of features that the algorithm gets: at least one, which is 0 if columns have none.
    pub(super) fn width(&self) -> usize {
        self.columns.width().max(1)
    }

    /// Names of the features, if columns have names.
    pub(super) fn names(&self) -> FeatureNames {
        let is_named = self.columns.is_named() && self.columns.n_learned() > 0;
        FeatureNames::new(is_named.then(|| self.columns.feature_names().to_vec()))
    }

    /// Returns true if an array is encoded like a table, even where no number is missing.
    pub(super) fn takes_arrays_as_tables(&self) -> bool {
        let settings = self.columns.settings();
        let is_new = self.columns.n_columns().is_none();
        self.scaling.is_some()
            || !settings.missing_values.is_empty()
            || settings.missing == OnMissing::Error
            || (!is_new && !self.columns.takes_numbers_as_they_are())
    }

    /// The rows of an array as a table, unless their numbers are their features.
    pub(super) fn table_of<T: Number>(&self, rows: &Rows<'_, T>) -> Option<Table> {
        let is_needed = self.takes_arrays_as_tables() || rows.has_gaps();
        is_needed.then(|| self.columns.table_of(rows))
    }

    /// Appends the features of a row of a table.
    pub(super) fn encode_onto(
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

    /// The features of some rows of a table, row after row.
    pub(super) fn encode(&self, matched: &mut Matched<'_>, rows: Range<usize>) -> Vec<f64> {
        let (mut scratch, mut all) = (Vec::new(), Vec::with_capacity(rows.len() * self.width()));
        for row in rows {
            self.encode_onto(matched, row, &mut scratch, &mut all);
        }
        all
    }

    /// Brings the features of a row to one scale, if the algorithm does not.
    fn scale(&self, features: &mut Vec<f64>) {
        features.resize(self.width(), 0.0);
        let scaling = self.scaling.as_ref();
        if let Some(scaling) = scaling.filter(|scaling| scaling.width() == features.len()) {
            features.copy_from_slice(&scaling.scaled(features));
            compress_in_place(features);
        }
    }

    /// Follows features that were appended.
    pub(super) fn widen(&mut self) {
        let width = self.width();
        if let Some(scaling) = &mut self.scaling {
            scaling.widen(width);
        }
    }

    /// Takes the scales from rows that are learned again; returns their features.
    pub(super) fn begin_anew(&mut self, replay: &Replay) -> Vec<f64> {
        self.generation += 1;
        let width = self.width();
        let pad = |features: &[f64]| {
            let zeros = std::iter::repeat_n(0.0, width - features.len());
            features.iter().copied().chain(zeros).collect::<Vec<_>>()
        };
        let mut rows: Vec<f64> = replay.rows().iter().flat_map(|row| pad(&row.features)).collect();
        if let Some(scaling) = &mut self.scaling {
            *scaling = Scaling::of(&rows, width);
            rows = scaling.scaled(&rows);
            compress_in_place(&mut rows);
        }
        rows
    }

    /// Stores the arrays in a state, and returns the rest as JSON.
    pub(super) fn save(&self, state: &mut State) -> Result<Value, Error> {
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
    pub(super) fn load(content: Value, n_targets: usize, state: &State) -> Result<Self, Error> {
        let state = state.inner("columns");
        let columns = Columns::load(content, &state)?;
        if columns.n_targets() != n_targets {
            return Err(Error::model_file("columns should be for as many targets as the learner"));
        }
        let mut encoding = Self {
            scaling: None,
            generation: state.count("generation")? as u64,
            columns,
        };
        if encoding.columns.settings().scale {
            let scaling = Scaling::load(&state.inner("scaling"))?;
            let is_right = scaling.width() == encoding.width() || scaling.width() == 0;
            encoding.scaling = Some(scaling).filter(|_| is_right);
            encoding.scaling.as_ref().ok_or_else(|| {
                Error::model_file("scales should be as many as the features of the columns")
            })?;
        }
        Ok(encoding)
    }
}

impl Heap for Encoding {
    fn heap_bytes(&self) -> usize {
        self.columns.heap_bytes() + self.scaling.as_ref().map_or(0, Heap::heap_bytes)
    }
}
