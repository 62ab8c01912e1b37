//! A row of a table by itself, and as JSON.

use serde_json::{Map, Number, Value, json};

use super::table::{Column, MISSING, Table};
use crate::error::Error;

impl Table {
    /// A row as a table by itself.
    ///
    /// ```
    /// use nystream::columns::{Column, Table};
    ///
    /// let table = Table::new(2, vec!["size".into()], vec![Column::Numbers(vec![1.0, 2.0])])?;
    /// assert_eq!(table.row(1).columns(), [Column::Numbers(vec![2.0])]);
    /// # Ok::<(), nystream::Error>(())
    /// ```
    #[must_use]
    pub fn row(&self, row: usize) -> Self {
        let columns = self.columns().iter().map(|column| column.row(row));
        Self::trusted(1, self.names().to_vec(), columns.collect())
    }

    /// The first row as JSON: an object with a value for each column; times are objects with the microseconds.
    pub(crate) fn row_to_json(&self) -> Value {
        let values = self.columns().iter().map(Column::first_to_json);
        let fields: Map<String, Value> = self.names().iter().cloned().zip(values).collect();
        fields.into()
    }

    /// The row that [`row_to_json`](Self::row_to_json) has written.
    pub(crate) fn row_from_json(json: &Value) -> Result<Self, Error> {
        let wrong = || Error::model_file("a row should be an object of values");
        let object = json.as_object().ok_or_else(wrong)?;
        let columns = object.values().map(of_json);
        let columns: Option<Vec<Column>> = columns.collect();
        Self::new(
            1,
            object.keys().cloned().collect(),
            columns.ok_or_else(wrong)?,
        )
    }
}

impl Column {
    fn row(&self, row: usize) -> Self {
        match self {
            Self::Empty => Self::Empty,
            Self::Numbers(numbers) => Self::Numbers(one(numbers, row, f64::NAN)),
            Self::Truths(truths) => Self::Truths(one(truths, row, None)),
            Self::Times(times) => Self::Times(one(times, row, None)),
            Self::Texts { codes, values } => {
                let code = codes.get(row).copied().unwrap_or(MISSING);
                values
                    .get(code as usize)
                    .map_or(Self::Empty, |text| Self::text(text.clone()))
            }
        }
    }

    fn text(text: String) -> Self {
        let (codes, values) = (vec![0], vec![text]);
        Self::Texts { codes, values }
    }

    fn first_to_json(&self) -> Value {
        match self {
            Self::Empty => Value::Null,
            Self::Numbers(numbers) => {
                let number = numbers.first().copied().and_then(Number::from_f64);
                number.map_or(Value::Null, Value::Number)
            }
            Self::Truths(truths) => json!(truths.first().copied().flatten()),
            Self::Times(times) => {
                let time = times.first().copied().flatten();
                time.map_or(Value::Null, |micros| json!({ "time": micros }))
            }
            Self::Texts { codes, values } => {
                let code = codes.first().copied().unwrap_or(MISSING);
                json!(values.get(code as usize))
            }
        }
    }
}

/// A value by itself.
fn one<T: Copy>(values: &[T], row: usize, missing: T) -> Vec<T> {
    vec![values.get(row).copied().unwrap_or(missing)]
}

fn of_json(value: &Value) -> Option<Column> {
    match value {
        Value::Null => Some(Column::Empty),
        Value::Bool(truth) => Some(Column::Truths(vec![Some(*truth)])),
        Value::Number(number) => number.as_f64().map(|number| Column::Numbers(vec![number])),
        Value::String(text) => Some(Column::text(text.clone())),
        Value::Object(time) => {
            let micros = time.get("time").and_then(Value::as_i64);
            micros.map(|micros| Column::Times(vec![Some(micros)]))
        }
        Value::Array(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::table::tests::{table, texts};

    #[test]
    fn a_row_comes_back_from_json_bit_for_bit() {
        let table = table([
            ("number", Column::Numbers(vec![0.1, -0.0, f64::NAN])),
            ("truth", Column::Truths(vec![Some(true), None, Some(false)])),
            ("time", Column::Times(vec![Some(i64::MIN), None, Some(7)])),
            ("text", texts(["a\"b", "", "\u{1f600}"])),
            ("empty", Column::Empty),
        ]);
        for i in 0..3 {
            let row = table.row(i);
            let text = row.row_to_json().to_string();
            let again = Table::row_from_json(&serde_json::from_str(&text).unwrap()).unwrap();
            let settings = crate::columns::Settings::default();
            for (before, after) in row.columns().iter().zip(again.columns()) {
                let cells =
                    [before, after].map(|column| format!("{:?}", column.cell(0, &settings)));
                assert_eq!(cells[0], cells[1]);
            }
        }
    }

    #[test]
    fn other_json_is_refused() {
        for text in ["1", r#"{"a": [1]}"#, r#"{"a": {"time": 0.5}}"#] {
            let json: Value = serde_json::from_str(text).unwrap();
            assert!(Table::row_from_json(&json).is_err(), "{text}");
        }
    }
}
