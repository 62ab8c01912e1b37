//! The names of the columns that rows come from.

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Names of the features, if rows came with any.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FeatureNames(Option<Vec<String>>);

impl FeatureNames {
    /// Names, if there are any.
    pub fn new(names: Option<Vec<String>>) -> Self {
        Self(names)
    }

    /// The names, if there are any.
    pub fn get(&self) -> Option<&[String]> {
        self.0.as_deref()
    }

    /// Refuses rows whose columns are not these, in this order. Rows without names pass.
    pub fn check(&self, argument: &'static str, found: &Self) -> Result<(), Error> {
        let (Some(names), Some(found)) = (&self.0, &found.0) else {
            return Ok(());
        };
        if names == found {
            return Ok(());
        }
        let problem = problem(names, found);
        Err(Error::Names { argument, problem })
    }

    /// Refuses another number of names than of features.
    pub(crate) fn check_count(&self, n_features: Option<usize>) -> Result<(), Error> {
        match &self.0 {
            Some(names) if n_features.is_some_and(|n| n != names.len()) => {
                Err(Error::model_file("feature_names and n_features disagree"))
            }
            _ => Ok(()),
        }
    }
}

/// Describes how columns differ from those learned.
fn problem(names: &[String], found: &[String]) -> String {
    if let Some(missing) = names.iter().find(|name| !found.contains(name)) {
        return format!("should have the column {missing:?}, as the rows learned have");
    }
    if let Some(extra) = found.iter().find(|name| !names.contains(name)) {
        return format!("should not have the column {extra:?}: the rows learned do not have it");
    }
    let differ = names
        .iter()
        .zip(found)
        .enumerate()
        .find(|(_, (a, b))| a != b);
    differ.map_or_else(
        || "should have each column once".to_owned(),
        |(i, (name, found))| {
            format!("should have its columns in the order learned: column {i} should be {name:?}, but is {found:?}")
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> FeatureNames {
        FeatureNames::new(Some(names.iter().map(ToString::to_string).collect()))
    }

    #[test]
    fn what_is_missing_new_or_moved_is_named() {
        let learned = names(&["a", "b"]);
        let cases = [
            (names(&["a"]), r#"should have the column "b""#),
            (names(&["a", "c"]), r#"should have the column "b""#),
            (names(&["a", "b", "c"]), r#"should not have the column "c""#),
            (names(&["b", "a"]), r#"column 0 should be "a", but is "b""#),
        ];
        for (found, expected) in cases {
            let message = learned.check("X", &found).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
        for (learned, found) in [(&learned, &FeatureNames::default()), (&learned, &learned)] {
            assert_eq!(learned.check("X", found), Ok(()));
        }
        assert_eq!(FeatureNames::default().check("X", &learned), Ok(()));
    }
}
