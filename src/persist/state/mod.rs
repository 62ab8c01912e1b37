//! The state of a learner as named arrays, and their bytes.

mod array;
mod bytes;
mod whole;

use std::collections::BTreeMap;
use std::fmt::Display;

use serde_json::{Map, Value};

use array::Array;
pub(crate) use whole::{index, whole};

use crate::error::Error;
use crate::limits::{LARGEST, Range, UNBOUNDED};
use crate::linalg::{Panels, Triangle, packed_len};

/// Prefix of the names of arrays that are parameters.
const GIVEN: &str = "given_";

/// Named arrays of finite numbers. Arrays that are read have been checked for shape and finiteness.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    arrays: BTreeMap<String, Array>,
    /// Width that stored rows are padded to with zeros.
    width: usize,
}

impl State {
    /// An empty state that pads stored rows with zeros to this width.
    pub(crate) fn wide(width: usize) -> Self {
        let arrays = BTreeMap::new();
        Self { arrays, width }
    }

    /// Stores a vector.
    pub(crate) fn put(&mut self, name: &str, data: impl Into<Vec<f64>>) {
        let data = data.into();
        let shape = vec![data.len()];
        self.arrays.insert(name.to_owned(), Array { shape, data });
    }

    /// Stores indices, which are far below the numbers that float64 would round.
    pub(crate) fn put_indices(&mut self, name: &str, indices: &[usize]) {
        let data: Vec<f64> = indices.iter().map(|&i| i as f64).collect();
        self.put(name, data);
    }

    /// Stores a matrix, row after row.
    pub(crate) fn put_matrix(&mut self, name: &str, shape: [usize; 2], data: Vec<f64>) {
        let shape = shape.to_vec();
        self.arrays.insert(name.to_owned(), Array { shape, data });
    }

    /// Stores a number for each feature, padded with zeros to the width of stored rows.
    pub(crate) fn put_features(&mut self, name: &str, numbers: &[f64]) {
        let mut numbers = numbers.to_vec();
        numbers.resize(numbers.len().max(self.width), 0.0);
        self.put(name, numbers);
    }

    /// Stores rows as a matrix.
    pub(crate) fn put_rows(&mut self, name: &str, rows: &Panels) {
        let wide = (rows.n_features() < self.width).then(|| rows.widened(self.width));
        let rows = wide.as_ref().unwrap_or(rows);
        self.put_matrix(name, [rows.n_rows(), rows.n_features()], rows.to_vec());
    }

    /// Stores rows of this width, one after the other, each padded with a number to the width of stored rows.
    pub(crate) fn put_padded(&mut self, name: &str, rows: &[f64], width: usize, padding: f64) {
        let wide = width.max(self.width);
        let mut padded = Vec::with_capacity(rows.len() / width * wide);
        for row in rows.chunks_exact(width) {
            padded.extend_from_slice(row);
            padded.resize(padded.len() + wide - width, padding);
        }
        self.put_matrix(name, [rows.len() / width, wide], padded);
    }

    /// The width to which stored rows are padded; 0 if they are not.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// Stores the arrays of a part under names with a prefix, with rows padded to a width of its own.
    pub(crate) fn nest_padded(&mut self, name: &str, width: usize, save: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.width, width);
        self.nest(name, save);
        self.width = outer;
    }

    /// Stores ranges; an empty array if one of them is unbounded.
    pub(crate) fn put_ranges(&mut self, name: &str, ranges: &[Range]) {
        let ends: Vec<f64> = ranges.iter().flat_map(|&(low, high)| [low, high]).collect();
        let finite = ends.iter().all(|end| end.is_finite());
        self.put(name, if finite { ends } else { Vec::new() });
    }

    /// Stores what `save` stores, under names with the prefix `name`.
    pub(crate) fn nest(&mut self, name: &str, save: impl FnOnce(&mut Self)) {
        let mut inner = Self::wide(self.width);
        save(&mut inner);
        for (own, array) in inner.arrays {
            self.arrays.insert(format!("{name}.{own}"), array);
        }
    }

    /// The arrays stored under names with the prefix `name`.
    #[must_use]
    pub(crate) fn inner(&self, name: &str) -> Self {
        let prefix = format!("{name}.");
        let arrays = self.arrays.range(prefix.clone()..);
        let arrays = arrays.map_while(|(full, array)| {
            let own = full.strip_prefix(&prefix)?;
            Some((own.to_owned(), array.clone()))
        });
        Self {
            arrays: arrays.collect(),
            width: self.width,
        }
    }

    /// Returns true if there is an array of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.arrays.contains_key(name)
    }

    /// The vector of this name, however long it is.
    pub(crate) fn any_vector(&self, name: &str) -> Result<Vec<f64>, Error> {
        let array = self.get(name)?;
        match array.shape[..] {
            [_] => Ok(array.data.clone()),
            _ => Err(Error::model_file(format!("{name} should be a vector"))),
        }
    }

    /// The vector of this name and length.
    pub(crate) fn vector(&self, name: &str, len: usize) -> Result<Vec<f64>, Error> {
        self.any_vector(name).and_then(|vector| {
            let found = vector.len();
            (found == len).then_some(vector).ok_or_else(|| {
                Error::model_file(format!(
                    "{name} should have the length {len}, but has {found}"
                ))
            })
        })
    }

    /// The `N` numbers of this name.
    pub(crate) fn numbers<const N: usize>(&self, name: &str) -> Result<[f64; N], Error> {
        let numbers = self.vector(name, N)?;
        let wrong = |_| Error::model_file(format!("{name} should be {N} numbers"));
        numbers.try_into().map_err(wrong)
    }

    /// The `n` ranges of this name.
    pub(crate) fn ranges(&self, name: &str, n: usize) -> Result<Vec<Range>, Error> {
        let ends = self.any_vector(name)?;
        if ends.is_empty() {
            return Ok(vec![UNBOUNDED; n]);
        }
        let pairs = ends.as_chunks::<2>().0;
        let ranges: Vec<Range> = pairs.iter().map(|[low, high]| (*low, *high)).collect();
        if ends.len() == 2 * n && ranges.iter().all(|(low, high)| low <= high) {
            return Ok(ranges);
        }
        Err(Error::model_file(format!("{name} should be {n} ranges")))
    }

    /// The increasing indices of this name, all below `end`.
    pub(crate) fn indices(&self, name: &str, end: usize) -> Result<Vec<usize>, Error> {
        let vector = self.any_vector(name)?;
        let increasing = vector.windows(2).all(|pair| pair[0] < pair[1]);
        let indices: Option<Vec<usize>> = vector.into_iter().map(|i| index(i, 0..end)).collect();
        let wrong = || Error::model_file(format!("{name} should be indices below {end}"));
        indices.filter(|_| increasing).ok_or_else(wrong)
    }

    /// The number of this name.
    pub(crate) fn scalar(&self, name: &str) -> Result<f64, Error> {
        Ok(self.vector(name, 1)?[0])
    }

    /// The number of this name, which is a count or a sum of squares.
    pub(crate) fn not_negative(&self, name: &str) -> Result<f64, Error> {
        match self.scalar(name)? {
            value if value >= 0.0 => Ok(value),
            _ => Err(Error::model_file(format!("{name} should not be negative"))),
        }
    }

    /// The whole number of this name.
    pub(crate) fn count(&self, name: &str) -> Result<usize, Error> {
        let wrong = || Error::model_file(format!("{name} should be a whole number"));
        index(self.not_negative(name)?, 0..usize::MAX).ok_or_else(wrong)
    }

    /// The triangle of this name and size.
    pub(crate) fn triangle(&self, name: &str, size: usize) -> Result<Triangle, Error> {
        let packed = self.vector(name, packed_len(size))?;
        Triangle::from_packed(size, &packed)
            .ok_or_else(|| Error::model_file(format!("{name} should be a triangle")))
    }

    /// The triangle of this name and size, which is a factor: its diagonal is positive.
    pub(crate) fn factor(&self, name: &str, size: usize) -> Result<Triangle, Error> {
        let triangle = self.triangle(name, size)?;
        if (0..size).all(|i| triangle.row(i)[i] > 0.0) {
            return Ok(triangle);
        }
        Err(Error::model_file(format!(
            "{name} should have a positive diagonal"
        )))
    }

    /// The number of rows and the entries, row after row, of the matrix of this name and width.
    pub(crate) fn matrix(&self, name: &str, width: usize) -> Result<(usize, Vec<f64>), Error> {
        let ([n_rows, found], data) = self.any_matrix(name)?;
        if found == width {
            return Ok((n_rows, data.to_vec()));
        }
        Err(Error::model_file(format!(
            "{name} should be a matrix of {width} columns"
        )))
    }

    /// The shape and the entries, row after row, of the matrix of this name.
    pub(crate) fn any_matrix(&self, name: &str) -> Result<([usize; 2], &[f64]), Error> {
        let array = self.get(name)?;
        match array.shape[..] {
            [n_rows, width] => Ok(([n_rows, width], &array.data)),
            _ => Err(Error::model_file(format!("{name} should be a matrix"))),
        }
    }

    /// The rows of this name, whose numbers are within the range that learners take.
    pub(crate) fn rows(&self, name: &str) -> Result<Panels, Error> {
        let array = self.get(name)?;
        if array.data.iter().any(|value| value.abs() > LARGEST) {
            return Err(Error::model_file(format!("{name} should be at most 1e100")));
        }
        match array.shape[..] {
            [0, _] => Ok(Panels::default()),
            [_, n_features] if n_features > 0 => Ok(array.data.chunks_exact(n_features).collect()),
            _ => Err(Error::model_file(format!("{name} should be a matrix"))),
        }
    }

    /// Moves the arrays out of these parameters: as text in the header they would be slow, and soon too large for it.
    pub(crate) fn take_arrays(&mut self, params: &mut Value) {
        for (name, value) in fields(params) {
            if let Some(array) = Array::from_json(value) {
                self.arrays.insert(format!("{GIVEN}{name}"), array);
                *value = Value::Null;
            }
        }
    }

    /// Puts arrays back into the parameters that [`take_arrays`](Self::take_arrays) moved them out of.
    pub(crate) fn give_arrays(&self, params: &mut Value) {
        for (name, value) in fields(params) {
            if let Some(array) = self.arrays.get(&format!("{GIVEN}{name}")) {
                *value = array.to_json();
            }
        }
    }

    fn get(&self, name: &str) -> Result<&Array, Error> {
        self.arrays
            .get(name)
            .ok_or_else(|| Error::model_file(format!("{name} is missing")))
    }
}

/// The fields of an object whose only key is the name of an algorithm.
fn fields(params: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    let tagged = params.as_object_mut().and_then(|o| o.values_mut().next());
    let fields = tagged.and_then(Value::as_object_mut);
    fields.into_iter().flat_map(Map::iter_mut)
}

fn model_file(error: impl Display) -> Error {
    Error::model_file(error)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn example() -> State {
        let mut state = State::default();
        state.put("w", vec![1.0, -2.5]);
        state.put_rows("basis", &[&[1.0, 2.0, 3.0][..]].into_iter().collect());
        state
    }

    #[test]
    fn bytes_hold_the_arrays_and_the_text() {
        let bytes = example().to_bytes("text".into()).unwrap();
        assert_eq!(
            State::from_bytes(&bytes).unwrap(),
            (example(), "text".into())
        );
        assert_eq!(bytes, example().to_bytes("text".into()).unwrap());
    }

    #[test]
    fn what_is_nested_comes_back_under_its_own_names() {
        let mut state = example();
        state.nest("part", |state| *state = example());
        assert_eq!(state.inner("part"), example());
        assert_eq!(state.inner("par"), State::default());
        assert!(state.has("w") && state.has("part.w"));
    }

    #[test]
    fn every_truncation_is_refused() {
        let bytes = example().to_bytes("text".into()).unwrap();
        for n in 0..bytes.len() {
            assert!(State::from_bytes(&bytes[..n]).is_err(), "{n}");
        }
    }

    #[test]
    fn arrays_of_parameters_are_taken_out_and_put_back() {
        let params = json!({"Fogd": {"eta": 0.5, "rows": [[1.0, 2.0], [3.0, 4.5]], "draws": [0.25], "none": null}});
        let (mut state, mut bare) = (State::default(), params.clone());
        state.take_arrays(&mut bare);
        let expected = json!({"Fogd": {"eta": 0.5, "rows": null, "draws": null, "none": null}});
        assert_eq!(bare, expected);
        assert_eq!(
            state.matrix("given_rows", 2),
            Ok((2, vec![1.0, 2.0, 3.0, 4.5]))
        );
        state.give_arrays(&mut bare);
        assert_eq!(bare, params);
    }

    #[test]
    fn shapes_and_values_are_checked() {
        let mut state = example();
        assert!(state.vector("w", 3).is_err());
        assert!(state.triangle("w", 2).is_err());
        assert!(state.rows("w").is_err());
        assert!(state.scalar("nothing").is_err());
        state.put("negative", vec![-1.0]);
        assert!(state.not_negative("negative").is_err());
        assert!(state.triangle("negative", 1).is_ok());
        assert!(state.factor("negative", 1).is_err());
        state.put("w", vec![f64::NAN]);
        assert!(state.to_bytes(String::new()).is_err());
        state.put("w", vec![1e101, 0.0]);
        state.put_matrix("rows", [1, 2], vec![1e101, 0.0]);
        assert!(state.vector("w", 2).is_ok() && state.rows("rows").is_err());
    }
}
