//! The features that encoders append.

use crate::error::Error;
use crate::persist::index;

/// The names of all features, to which the encoder of a column appends its own.
#[derive(Debug)]
pub(in crate::columns) struct Features<'a> {
    /// Name of the column.
    pub(in crate::columns) column: &'a str,
    pub(in crate::columns) names: &'a mut Vec<String>,
}

impl Features<'_> {
    /// Appends the feature that is called like the column and this, and returns its place.
    pub(super) fn append(&mut self, rest: &str) -> usize {
        self.names.push(format!("{}{rest}", self.column));
        self.names.len() - 1
    }

    /// Appends several features, and returns the place of the first.
    pub(super) fn append_all(&mut self, rests: &[impl AsRef<str>]) -> usize {
        for rest in rests {
            self.append(rest.as_ref());
        }
        self.names.len() - rests.len()
    }
}

/// The places of features in a file: each belongs to one encoder.
#[derive(Debug)]
pub(in crate::columns) struct Places {
    /// The column that has taken each place.
    owners: Vec<Option<usize>>,
    /// The column that takes places now.
    column: usize,
}

impl Places {
    /// So many places, which nobody has taken.
    pub(in crate::columns) fn new(width: usize) -> Self {
        let (owners, column) = (vec![None; width], 0);
        Self { owners, column }
    }

    /// Lets this column take places from now on.
    pub(in crate::columns) fn give_to(&mut self, column: usize) {
        self.column = column;
    }

    /// Takes `n` places, of which this is the first.
    pub(super) fn take(&mut self, first: f64, n: usize) -> Result<usize, Error> {
        let wrong = || Error::model_file("places should be those of features, each of one encoder");
        let first = index(first, 0..self.owners.len()).ok_or_else(wrong)?;
        let taken = self.owners.get_mut(first..first.saturating_add(n));
        let taken = taken.ok_or_else(wrong)?;
        if taken.iter().any(Option::is_some) {
            return Err(wrong());
        }
        taken.fill(Some(self.column));
        Ok(first)
    }

    /// Takes `n` places, or none if the first is -1.
    pub(super) fn take_if_any(&mut self, first: f64, n: usize) -> Result<Option<usize>, Error> {
        match first {
            -1.0 => Ok(None),
            first => self.take(first, n).map(Some),
        }
    }

    /// The column of each feature; refuses places that nobody has taken.
    pub(in crate::columns) fn owners(self) -> Result<Vec<usize>, Error> {
        let owners: Option<Vec<usize>> = self.owners.into_iter().collect();
        owners.ok_or_else(|| Error::model_file("a feature should be that of a column"))
    }
}

/// A place as a file has it: -1 for none.
pub(super) fn number_of(place: Option<usize>) -> f64 {
    place.map_or(-1.0, |place| place as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_called_like_their_column() {
        let mut names = vec!["first".to_owned()];
        let mut features = Features {
            column: "a",
            names: &mut names,
        };
        assert_eq!(features.append(" is missing"), 1);
        assert_eq!(features.append_all(&["", "=x"]), 2);
        assert_eq!(names, ["first", "a is missing", "a", "a=x"]);
    }

    #[test]
    fn a_place_is_taken_once() {
        let mut places = Places::new(4);
        assert_eq!(places.take(1.0, 2), Ok(1));
        for (first, n) in [
            (2.0, 1),
            (3.0, 2),
            (4.0, 1),
            (0.5, 1),
            (-1.0, 1),
            (f64::MAX, 1),
        ] {
            assert!(places.take(first, n).is_err(), "{first}");
        }
        assert_eq!(places.take_if_any(-1.0, 1), Ok(None));
        assert!(places.take_if_any(-2.0, 1).is_err());
        assert_eq!(places.take_if_any(0.0, 1), Ok(Some(0)));
        places.give_to(7);
        assert_eq!(places.take(3.0, 1), Ok(3));
        assert_eq!(places.owners().unwrap(), [0, 0, 0, 7]);
        assert!(Places::new(1).owners().is_err());
    }
}
