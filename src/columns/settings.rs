//! Settings of columns.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::kind::Kind;
use crate::data::checks::{at_least_one, within};
use crate::error::{Error, Place};
use crate::limits::LARGEST;

/// The treatment of columns that come or go once rows have been learned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnNewColumns {
    /// A new column is an error, and so is a column that does not come any more.
    #[default]
    Error,
    /// A new column is left out; one that does not come any more has no values.
    Ignore,
    /// A new column joins when it is first learned; one that does not come any more has no values.
    Add,
}

/// The treatment of missing values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnMissing {
    /// A missing value has features of its own.
    #[default]
    Fill,
    /// A missing value is an error, except in columns that are left out.
    Error,
}

/// Settings of [`Columns`](super::Columns).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Kinds that the user states, by the names of columns. The kinds of others are inferred. Default none.
    pub schema: BTreeMap<String, Kind>,
    /// The most values of a category that are remembered, at least 1. Default 1000.
    pub max_categories: usize,
    /// Numbers that stand for missing values, as -200 in some. Default none.
    pub missing_values: Vec<f64>,
    /// The treatment of missing values. Default fill.
    pub missing: OnMissing,
    /// True if features are to be scaled by whoever learns from them: all begins anew whenever kinds are inferred, so that
    /// scales can be those of all first rows. Default false.
    pub scale: bool,
    /// Forgetting factor of mean labels, 0.5 to 1. Default 0.999.
    pub forgetting: f64,
    /// The treatment of columns that come or go. Default error.
    pub on_new_columns: OnNewColumns,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            schema: BTreeMap::new(),
            max_categories: 1000,
            missing_values: Vec::new(),
            missing: OnMissing::Fill,
            scale: false,
            forgetting: 0.999,
            on_new_columns: OnNewColumns::Error,
        }
    }
}

impl Settings {
    /// Refuses settings outside their ranges.
    pub(super) fn check(&self) -> Result<(), Error> {
        at_least_one("max_categories", self.max_categories)?;
        let expected = "between 0.5 and 1";
        within("forgetting", self.forgetting, 0.5..=1.0, expected)?;
        let is_wrong = |value: &f64| !value.is_finite() || value.abs() > LARGEST;
        match self.missing_values.iter().position(is_wrong) {
            None => Ok(()),
            Some(i) => Err(Error::Number {
                place: Place::new("missing_values", [i]),
                value: self.missing_values[i],
            }),
        }
    }

    /// The kind that the user states for a column.
    pub(super) fn stated(&self, name: &str) -> Option<Kind> {
        self.schema.get(name).copied()
    }

    /// Returns true if a number stands for a missing value.
    pub(super) fn is_missing(&self, number: f64) -> bool {
        number.is_nan() || self.missing_values.contains(&number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_outside_their_ranges_are_refused() {
        let settings = Settings::default;
        let wrong = [
            Settings {
                max_categories: 0,
                ..settings()
            },
            Settings {
                forgetting: 0.4,
                ..settings()
            },
            Settings {
                forgetting: f64::NAN,
                ..settings()
            },
            Settings {
                missing_values: vec![0.0, f64::INFINITY],
                ..settings()
            },
        ];
        for settings in wrong {
            assert!(settings.check().is_err(), "{settings:?}");
        }
        assert_eq!(settings().check(), Ok(()));
    }

    #[test]
    fn settings_are_read_from_what_the_user_gives() {
        let text = r#"{"schema": {"zip": "category"}, "on_new_columns": "add"}"#;
        let settings: Settings = serde_json::from_str(text).unwrap();
        assert_eq!(settings.stated("zip"), Some(Kind::Category));
        assert_eq!(settings.stated("city"), None);
        assert_eq!(settings.on_new_columns, OnNewColumns::Add);
        assert!(serde_json::from_str::<Settings>(r#"{"zip": 1}"#).is_err());
    }

    #[test]
    fn nan_and_numbers_said_to_be_missing_are_missing() {
        let missing_values = vec![-200.0];
        let settings = Settings {
            missing_values,
            ..Settings::default()
        };
        assert!(settings.is_missing(f64::NAN) && settings.is_missing(-200.0));
        assert!(!settings.is_missing(0.0));
    }
}
