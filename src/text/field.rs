//! Columns that are read, value by value.

use super::batch::Problem;
use super::number::{is_missing, is_missing_number, number, truth};
use crate::columns::{Column, MISSING, TextsBuilder, text_of_number};
use crate::limits::LARGEST;

/// How the values of a column are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// As the first value says.
    Unsettled,
    /// As numbers, some of which may be missing.
    Number,
    /// As texts, some of which may be missing.
    Text,
    /// Not at all.
    Skipped,
    /// As numbers, none of which may be missing or too large.
    Strict,
    /// As labels: numbers or truths, some of which may be missing.
    Label,
}

/// A column that is read.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its place in the file.
    column: usize,
    kind: Type,
    values: Values,
    /// Numbers that stand for missing labels.
    missing: Vec<f64>,
}

#[derive(Debug, Clone)]
enum Values {
    /// So many rows without a value.
    Empty(usize),
    Numbers(Vec<f64>),
    Truths(Vec<Option<bool>>),
    Texts(TextsBuilder),
}

impl Field {
    /// The column at a place in the file.
    pub fn new(column: usize, kind: Type) -> Self {
        let missing = Vec::new();
        let values = Values::of(kind);
        Self {
            column,
            kind,
            values,
            missing,
        }
    }

    /// The same column, in which some numbers stand for missing labels.
    #[must_use]
    pub fn with_missing(mut self, missing: Vec<f64>) -> Self {
        self.missing = missing;
        self
    }

    /// Its place in the file.
    pub fn column(&self) -> usize {
        self.column
    }

    /// How its values are read.
    pub(super) fn kind(&self) -> Type {
        self.kind
    }

    /// Appends a cell of CSV.
    pub(super) fn push_cell(&mut self, cell: &str, decimal_comma: bool) -> Result<(), Problem> {
        // The usual case comes first.
        if let (Type::Number | Type::Strict, Values::Numbers(numbers)) =
            (self.kind, &mut self.values)
            && let Some(found) = number(cell, decimal_comma)
            && (self.kind == Type::Number || found.abs() <= LARGEST)
        {
            numbers.push(found);
            return Ok(());
        }
        let trimmed = cell.trim();
        match self.kind {
            Type::Skipped => self.push_missing(),
            Type::Strict => return Err(strict_problem(cell, decimal_comma)),
            Type::Label => return self.push_label(trimmed, decimal_comma),
            Type::Number if is_missing_number(trimmed) => self.push_missing(),
            Type::Text | Type::Unsettled if is_missing(trimmed) => self.push_missing(),
            Type::Number => return Err(Problem::NoNumber(cell.to_owned())),
            Type::Text => self.push_text(trimmed)?,
            Type::Unsettled => match number(trimmed, decimal_comma) {
                Some(found) => self.push_number(found),
                None => self.push_text(trimmed)?,
            },
        }
        Ok(())
    }

    fn push_label(&mut self, cell: &str, decimal_comma: bool) -> Result<(), Problem> {
        let found = match number(cell, decimal_comma) {
            None if is_missing_number(cell) => Some(f64::NAN),
            found => found.or_else(|| truth(cell)),
        };
        let label = found.ok_or_else(|| Problem::NoNumber(cell.to_owned()))?;
        self.push_label_number(label, || cell.to_owned())
    }

    /// Appends a label; `shown` writes it as the file does.
    pub(super) fn push_label_number(
        &mut self,
        label: f64,
        shown: impl Fn() -> String,
    ) -> Result<(), Problem> {
        let label = if self.missing.contains(&label) {
            f64::NAN
        } else {
            label
        };
        if label.abs() > LARGEST {
            return Err(Problem::TooLarge(shown()));
        }
        self.push_number(label);
        Ok(())
    }

    /// Appends a missing value.
    pub(super) fn push_missing(&mut self) {
        match &mut self.values {
            Values::Empty(n_rows) => *n_rows += 1,
            Values::Numbers(numbers) => numbers.push(f64::NAN),
            Values::Truths(truths) => truths.push(None),
            Values::Texts(texts) => texts.push(MISSING),
        }
    }

    /// Appends a number. Among texts and truths it is a text.
    pub(super) fn push_number(&mut self, number: f64) {
        if let Values::Empty(n_rows) = self.values {
            self.settle(Type::Number, Values::Numbers(vec![f64::NAN; n_rows]));
        }
        if let Values::Truths(_) = self.values {
            self.become_texts();
        }
        match &mut self.values {
            Values::Numbers(numbers) => numbers.push(number),
            Values::Texts(texts) => push_text(texts, &text_of_number(number)),
            Values::Empty(_) | Values::Truths(_) => {}
        }
    }

    /// Appends a truth. Among numbers it is 1 or 0, among texts a text.
    pub(super) fn push_truth(&mut self, truth: bool) {
        if let (Values::Empty(n_rows), false) = (&self.values, self.kind == Type::Number) {
            self.values = Values::Truths(vec![None; *n_rows]);
        }
        match &mut self.values {
            Values::Truths(truths) => truths.push(Some(truth)),
            Values::Texts(texts) => push_text(texts, &truth.to_string()),
            Values::Numbers(_) | Values::Empty(_) => self.push_number(f64::from(u8::from(truth))),
        }
    }

    /// Appends a text, which is refused among numbers.
    pub(super) fn push_text(&mut self, text: &str) -> Result<(), Problem> {
        match &self.values {
            Values::Numbers(_) => return Err(Problem::NoNumber(text.to_owned())),
            Values::Empty(n_rows) => {
                let texts = missing_texts(*n_rows);
                self.settle(Type::Text, Values::Texts(texts));
            }
            Values::Truths(_) => self.become_texts(),
            Values::Texts(_) => {}
        }
        if let Values::Texts(texts) = &mut self.values {
            push_text(texts, text);
        }
        Ok(())
    }

    /// Takes notice of the first value.
    fn settle(&mut self, kind: Type, values: Values) {
        if self.kind == Type::Unsettled {
            self.kind = kind;
        }
        self.values = values;
    }

    fn become_texts(&mut self) {
        let mut texts = TextsBuilder::default();
        if let Values::Truths(truths) = &self.values {
            for truth in truths {
                let code = truth.map_or(MISSING, |truth| texts.code(&truth.to_string()));
                texts.push(code);
            }
        }
        self.settle(Type::Text, Values::Texts(texts));
    }

    /// Lets go of rows after the first so many.
    pub(super) fn truncate(&mut self, n_rows: usize) {
        match &mut self.values {
            Values::Empty(n) => *n = n_rows.min(*n),
            Values::Numbers(numbers) => numbers.truncate(n_rows),
            Values::Truths(truths) => truths.truncate(n_rows),
            Values::Texts(texts) => texts.truncate(n_rows),
        }
    }

    /// The rows so far; the next are read in the same way.
    pub(super) fn take(&mut self) -> Column {
        match std::mem::replace(&mut self.values, Values::of(self.kind)) {
            Values::Empty(_) => Column::Empty,
            Values::Numbers(numbers) => Column::Numbers(numbers),
            Values::Truths(truths) => Column::Truths(truths),
            Values::Texts(texts) => texts.finish(),
        }
    }
}

impl Values {
    fn of(kind: Type) -> Self {
        match kind {
            Type::Unsettled | Type::Skipped => Self::Empty(0),
            Type::Number | Type::Strict | Type::Label => Self::Numbers(Vec::new()),
            Type::Text => Self::Texts(TextsBuilder::default()),
        }
    }
}

fn push_text(texts: &mut TextsBuilder, text: &str) {
    let code = texts.code(text);
    texts.push(code);
}

fn missing_texts(n_rows: usize) -> TextsBuilder {
    let mut texts = TextsBuilder::default();
    (0..n_rows).for_each(|_| texts.push(MISSING));
    texts
}

/// What is wrong with a cell that is not a number a learner takes.
fn strict_problem(cell: &str, decimal_comma: bool) -> Problem {
    match number(cell, decimal_comma) {
        Some(_) => Problem::TooLarge(cell.trim().to_owned()),
        None if cell.trim().is_empty() => Problem::NoValue,
        None => Problem::NoNumber(cell.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(kind: Type, cells: &[&str]) -> Column {
        let mut field = Field::new(0, kind);
        for (i, cell) in cells.iter().enumerate() {
            if field.push_cell(cell, false).is_err() {
                field.truncate(i);
                field.push_missing();
            }
        }
        field.take()
    }

    fn shown(column: Column) -> String {
        match column {
            Column::Texts { codes, values } => {
                let text = |code: &u32| values.get(*code as usize).map_or("-", |text| &**text);
                codes.iter().map(text).collect::<Vec<_>>().join(" ")
            }
            Column::Numbers(numbers) => format!("{numbers:?}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn the_first_value_settles_a_column() {
        let cells = ["", "NA", "1", " 2 ", "x", "?"];
        assert_eq!(
            shown(column(Type::Unsettled, &cells)),
            "[NaN, NaN, 1.0, 2.0, NaN, NaN]"
        );
        assert_eq!(
            shown(column(Type::Unsettled, &["", "x", "1", " x"])),
            "- x 1 x"
        );
        assert_eq!(shown(column(Type::Unsettled, &["", ""])), "Empty");
        assert_eq!(shown(column(Type::Text, &["01", "-"])), "01 -");
        assert_eq!(shown(column(Type::Number, &["-"])), "[NaN]");
        assert_eq!(shown(column(Type::Skipped, &["x"])), "Empty");
    }

    #[test]
    fn a_settled_column_stays_so_in_the_next_rows() {
        let mut field = Field::new(0, Type::Unsettled);
        field.push_cell("x", false).unwrap();
        field.take();
        field.push_cell("1", false).unwrap();
        assert_eq!(shown(field.take()), "1");
    }

    #[test]
    fn strict_columns_take_numbers_alone() {
        let problem = |cell| {
            Field::new(0, Type::Strict)
                .push_cell(cell, false)
                .unwrap_err()
        };
        assert_eq!(problem("x"), Problem::NoNumber("x".into()));
        assert_eq!(problem(" "), Problem::NoValue);
        assert_eq!(problem(" NaN"), Problem::TooLarge("NaN".into()));
        assert_eq!(problem("1e101"), Problem::TooLarge("1e101".into()));
    }

    #[test]
    fn labels_are_numbers_and_truths_or_missing() {
        let mut field = Field::new(0, Type::Label).with_missing(vec![-200.0]);
        for cell in ["1.5", "-200", "", "yes", "False", "-"] {
            field.push_cell(cell, false).unwrap();
        }
        assert_eq!(shown(field.take()), "[1.5, NaN, NaN, 1.0, 0.0, NaN]");
        assert_eq!(
            field.push_cell("x", false),
            Err(Problem::NoNumber("x".into()))
        );
        assert_eq!(
            field.push_cell("inf", false),
            Err(Problem::TooLarge("inf".into()))
        );
    }

    #[test]
    fn values_of_several_types_are_texts() {
        let mut field = Field::new(0, Type::Unsettled);
        field.push_missing();
        field.push_truth(true);
        field.push_number(2.0);
        field.push_text("x").unwrap();
        field.push_truth(false);
        assert_eq!(shown(field.take()), "- true 2 x false");
        let mut numbers = Field::new(0, Type::Unsettled);
        numbers.push_number(2.0);
        numbers.push_truth(true);
        assert!(numbers.push_text("x").is_err());
        assert_eq!(shown(numbers.take()), "[2.0, 1.0]");
    }
}
