//! Columns made value by value.

use std::collections::HashMap;

use super::cell::Cell;
use super::settings::Settings;
use super::table::{Column, MISSING};
use super::times::Moment;

/// A column of texts that is made text by text. Each different text is stored once.
///
/// ```
/// use nystream::columns::{Column, MISSING, TextsBuilder};
///
/// let mut texts = TextsBuilder::default();
/// let red = texts.code("red");
/// for code in [red, MISSING, texts.code("blue"), red] {
///     texts.push(code);
/// }
/// let values = vec!["red".into(), "blue".into()];
/// assert_eq!(texts.finish(), Column::Texts { codes: vec![0, MISSING, 1, 0], values });
/// ```
#[derive(Debug, Clone, Default)]
pub struct TextsBuilder {
    codes: Vec<u32>,
    known: HashMap<String, u32>,
}

impl TextsBuilder {
    /// The code of a text.
    pub fn code(&mut self, text: &str) -> u32 {
        if let Some(code) = self.known.get(text) {
            return *code;
        }
        let code = u32::try_from(self.known.len()).unwrap_or(MISSING);
        self.known.insert(text.to_owned(), code);
        code
    }

    /// Appends the text with a code, or [`MISSING`].
    pub fn push(&mut self, code: u32) {
        self.codes.push(code);
    }

    /// Lets go of rows after the first so many.
    pub fn truncate(&mut self, n_rows: usize) {
        self.codes.truncate(n_rows);
    }

    /// Appends values that are given by their place among the categories; `None` is missing.
    pub fn extend(&mut self, places: impl Iterator<Item = Option<usize>>, categories: Column) {
        let (of_categories, texts) = categories.into_codes();
        // Categories that do not come are left out, and each of the others is looked up once.
        let mut known = vec![None; texts.len()];
        for place in places {
            let text = place.and_then(|place| of_categories.get(place));
            let text = text.map(|code| *code as usize);
            let code = text.and_then(|text| {
                let code = known.get_mut(text)?;
                Some(*code.get_or_insert_with(|| self.code(&texts[text])))
            });
            self.push(code.unwrap_or(MISSING));
        }
    }

    /// The column.
    pub fn finish(self) -> Column {
        let mut values = vec![String::new(); self.known.len()];
        for (text, code) in self.known {
            values[code as usize] = text;
        }
        let codes = self.codes;
        Column::Texts { codes, values }
    }
}

/// A column that is made value by value, whose type its values tell.
///
/// Truths among numbers are numbers. Values of other types that stand together are texts, those that they have as
/// categories. A column without any value is [`Column::Empty`].
///
/// ```
/// use nystream::columns::{Column, ColumnBuilder};
///
/// let mut column = ColumnBuilder::default();
/// column.missing();
/// column.number(2.0);
/// assert!(matches!(column.finish(), Column::Numbers(numbers) if numbers[0].is_nan() && numbers[1] == 2.0));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ColumnBuilder {
    /// Number of rows without a value before the first.
    n_missing: usize,
    values: Values,
}

#[derive(Debug, Clone, Default)]
enum Values {
    #[default]
    None,
    Numbers(Vec<f64>),
    Truths(Vec<Option<bool>>),
    Times(Vec<Option<i64>>),
    Texts(TextsBuilder),
    /// Values of several types.
    Mixed(Vec<Cell<'static>>),
}

impl ColumnBuilder {
    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        match &self.values {
            Values::None => self.n_missing,
            Values::Numbers(numbers) => numbers.len(),
            Values::Truths(truths) => truths.len(),
            Values::Times(times) => times.len(),
            Values::Texts(texts) => texts.codes.len(),
            Values::Mixed(cells) => cells.len(),
        }
    }

    /// Appends a missing value.
    pub fn missing(&mut self) {
        match &mut self.values {
            Values::None => self.n_missing += 1,
            Values::Numbers(numbers) => numbers.push(f64::NAN),
            Values::Truths(truths) => truths.push(None),
            Values::Times(times) => times.push(None),
            Values::Texts(texts) => texts.push(MISSING),
            Values::Mixed(cells) => cells.push(Cell::Missing),
        }
    }

    /// Appends a number; NaN is missing.
    pub fn number(&mut self, number: f64) {
        match &mut self.values {
            Values::Numbers(numbers) => numbers.push(number),
            Values::None if !number.is_nan() => {
                let mut numbers = vec![f64::NAN; self.n_missing];
                numbers.push(number);
                self.values = Values::Numbers(numbers);
            }
            _ if number.is_nan() => self.missing(),
            _ => self.mixed(Cell::Number(number)),
        }
    }

    /// Appends a truth.
    pub fn truth(&mut self, truth: bool) {
        match &mut self.values {
            Values::Truths(truths) => truths.push(Some(truth)),
            Values::None => {
                let mut truths = vec![None; self.n_missing];
                truths.push(Some(truth));
                self.values = Values::Truths(truths);
            }
            _ => self.mixed(Cell::Truth(truth)),
        }
    }

    /// Appends a time: microseconds since 1970 on the wall clock.
    pub fn time(&mut self, micros: i64) {
        match &mut self.values {
            Values::Times(times) => times.push(Some(micros)),
            Values::None => {
                let mut times = vec![None; self.n_missing];
                times.push(Some(micros));
                self.values = Values::Times(times);
            }
            _ => self.mixed(Cell::Time(micros)),
        }
    }

    /// Appends a text.
    pub fn text(&mut self, text: &str) {
        match &mut self.values {
            Values::Texts(texts) => {
                let code = texts.code(text);
                texts.push(code);
            }
            Values::None => {
                let mut texts = TextsBuilder::default();
                texts.codes.resize(self.n_missing, MISSING);
                let code = texts.code(text);
                texts.push(code);
                self.values = Values::Texts(texts);
            }
            _ => self.mixed(Cell::of_text(text).into_owned()),
        }
    }

    /// The column.
    pub fn finish(self) -> Column {
        match self.values {
            Values::None => Column::Empty,
            Values::Numbers(numbers) => Column::Numbers(numbers),
            Values::Truths(truths) => Column::Truths(truths),
            Values::Times(times) => Column::Times(times),
            Values::Texts(texts) => texts.finish(),
            Values::Mixed(cells) if cells.iter().all(is_numeric) => {
                let numbers = cells.iter().map(|cell| cell.number().unwrap_or(f64::NAN));
                Column::Numbers(numbers.collect())
            }
            Values::Mixed(cells) => texts_of(&cells),
        }
    }

    /// Appends a value of another type than those before.
    fn mixed(&mut self, cell: Cell<'static>) {
        if !matches!(self.values, Values::Mixed(_)) {
            let (column, settings) = (std::mem::take(self).finish(), Settings::default());
            let n_rows = column.len().unwrap_or(0);
            let cells = column.cells(0..n_rows, &settings).map(Cell::into_owned);
            self.values = Values::Mixed(cells.collect());
        }
        if let Values::Mixed(cells) = &mut self.values {
            cells.push(cell);
        }
    }
}

impl Column {
    /// The values as texts: a code for each row, and each text once.
    fn into_codes(self) -> (Vec<u32>, Vec<String>) {
        let (settings, n_rows) = (Settings::default(), self.len().unwrap_or(0));
        let column = match self {
            Self::Texts { .. } => self,
            other => texts_of(&other.cells(0..n_rows, &settings).collect::<Vec<_>>()),
        };
        match column {
            Self::Texts { codes, values } => (codes, values),
            _ => (Vec::new(), Vec::new()),
        }
    }
}

/// The text of a time of day, so many microseconds after midnight.
///
/// ```
/// assert_eq!(nystream::columns::time_of_day(3_661_500_000), "01:01:01.500000");
/// ```
#[must_use]
pub fn time_of_day(micros: i64) -> String {
    let has_date = false;
    Moment { micros, has_date }.to_string()
}

/// The text of a number as a category.
///
/// ```
/// assert_eq!(nystream::columns::text_of_number(3.0), "3");
/// ```
#[must_use]
pub fn text_of_number(number: f64) -> String {
    let cell = Cell::Number(number);
    cell.text().unwrap_or_default().into_owned()
}

fn is_numeric(cell: &Cell<'_>) -> bool {
    cell.is_missing() || cell.number().is_some()
}

/// The texts that values have as categories.
fn texts_of(cells: &[Cell<'_>]) -> Column {
    let mut texts = TextsBuilder::default();
    for cell in cells {
        let code = cell.text().map_or(MISSING, |text| texts.code(&text));
        texts.push(code);
    }
    texts.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(fill: impl FnOnce(&mut ColumnBuilder)) -> Column {
        let mut column = ColumnBuilder::default();
        fill(&mut column);
        column.finish()
    }

    fn texts(texts: &[&str], codes: &[u32]) -> Column {
        Column::Texts {
            codes: codes.to_vec(),
            values: texts.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn rows_before_the_first_value_are_missing() {
        let truths = made(|column| {
            column.missing();
            column.number(f64::NAN);
            column.truth(true);
            column.missing();
        });
        assert_eq!(truths, Column::Truths(vec![None, None, Some(true), None]));
        let times = made(|column| {
            column.missing();
            column.time(7);
        });
        assert_eq!(times, Column::Times(vec![None, Some(7)]));
        let words = made(|column| {
            column.missing();
            for text in ["b", "a", "b"] {
                column.text(text);
            }
        });
        assert_eq!(words, texts(&["b", "a"], &[MISSING, 0, 1, 0]));
        assert_eq!(made(ColumnBuilder::missing), Column::Empty);
    }

    #[test]
    fn truths_among_numbers_are_numbers() {
        let column = made(|column| {
            column.truth(true);
            column.number(2.5);
            column.truth(false);
        });
        assert_eq!(column, Column::Numbers(vec![1.0, 2.5, 0.0]));
    }

    #[test]
    fn values_of_several_types_are_texts_in_any_order() {
        let column = made(|column| {
            column.truth(true);
            column.number(3.0);
            column.missing();
            column.text(" x");
            column.number(f64::NAN);
            column.time(0);
        });
        let values = ["true", "3", "x", "1970-01-01T00:00:00"];
        assert_eq!(column, texts(&values, &[0, 1, MISSING, 2, MISSING, 3]));
    }

    #[test]
    fn categories_are_texts_of_which_only_those_that_come_are_kept() {
        let mut column = TextsBuilder::default();
        let numbers = || Column::Numbers(vec![1.0, 2.0, 3.5]);
        column.extend([Some(2), None, Some(0), Some(9)].into_iter(), numbers());
        column.extend([Some(0)].into_iter(), Column::Truths(vec![Some(true)]));
        column.extend([Some(0)].into_iter(), Column::Empty);
        let codes = [0, MISSING, 1, MISSING, 2, MISSING];
        assert_eq!(column.finish(), texts(&["3.5", "1", "true"], &codes));
    }

    #[test]
    fn the_number_of_rows_is_known_at_any_time() {
        let mut column = ColumnBuilder::default();
        let fills: [fn(&mut ColumnBuilder); 5] = [
            ColumnBuilder::missing,
            |column| column.time(1),
            |column| column.missing(),
            |column| column.text("x"),
            |column| column.truth(true),
        ];
        for (n_rows, fill) in (1..).zip(fills) {
            fill(&mut column);
            assert_eq!(column.n_rows(), n_rows);
        }
    }
}
