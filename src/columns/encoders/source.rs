//! The values of a column of some rows, as its encoder takes them.

use std::borrow::Cow;
use std::collections::HashMap;

use super::category::{Category, Seat};
use crate::columns::cell::Cell;
use crate::columns::kind::Kind;
use crate::columns::reading::Reading;
use crate::columns::settings::Settings;
use crate::columns::table::{Column, MISSING};
use crate::columns::times::Moment;

/// The values of a column.
#[derive(Debug, Clone)]
pub(in crate::columns) enum Source<'t> {
    /// All are missing, or nobody looks at them.
    Nothing,
    /// Numbers; NaN is missing.
    Numbers(Cow<'t, [f64]>),
    Moments(Vec<Option<Moment>>),
    Texts(Texts<'t>),
}

/// Texts, each of which is looked up once.
#[derive(Debug, Clone)]
pub(in crate::columns) struct Texts<'t> {
    /// The text of each row; beyond the last for a missing one.
    codes: Cow<'t, [u32]>,
    values: Cow<'t, [String]>,
    /// What is known of where a category remembers each text.
    seats: Vec<Seat>,
}

impl<'t> Source<'t> {
    /// The values of a column that is read like this.
    pub(in crate::columns) fn of_column(
        column: &'t Column,
        reading: Option<Reading>,
        settings: &Settings,
    ) -> Self {
        match (reading.map(|reading| reading.kind), column) {
            (None | Some(Kind::Unused(_)), _) | (_, Column::Empty) => Self::Nothing,
            (Some(Kind::Number), Column::Numbers(numbers))
                if settings.missing_values.is_empty() =>
            {
                Self::Numbers(Cow::Borrowed(numbers))
            }
            (Some(Kind::Category | Kind::Text), Column::Texts { codes, values }) => {
                Self::Texts(Texts::of_codes(codes, values))
            }
            (Some(Kind::Time), Column::Texts { codes, values }) => {
                Self::Moments(moments(codes, values, reading))
            }
            _ => {
                let n_rows = column.len().unwrap_or_default();
                let cells: Vec<Cell<'_>> = column.cells(0..n_rows, settings).collect();
                Self::of_cells(cells.iter(), reading)
            }
        }
    }

    /// The values of cells that are read like this.
    pub(in crate::columns) fn of_cells<'a>(
        cells: impl Iterator<Item = &'a Cell<'a>>,
        reading: Option<Reading>,
    ) -> Self {
        let Some(reading) = reading else {
            return Self::Nothing;
        };
        match reading.kind {
            Kind::Number => {
                let numbers = cells.map(|cell| cell.number().unwrap_or(f64::NAN));
                Self::Numbers(Cow::Owned(numbers.collect()))
            }
            Kind::Time => Self::Moments(cells.map(|cell| reading.moment(cell)).collect()),
            Kind::Category | Kind::Text => Self::Texts(Texts::of_cells(cells)),
            Kind::Unused(_) => Self::Nothing,
        }
    }

    pub(super) fn number(&self, row: usize) -> Option<f64> {
        match self {
            Self::Numbers(numbers) => numbers.get(row).copied().filter(|number| !number.is_nan()),
            _ => None,
        }
    }

    pub(super) fn moment(&self, row: usize) -> Option<Moment> {
        match self {
            Self::Moments(moments) => moments.get(row).copied().flatten(),
            _ => None,
        }
    }

    pub(super) fn text(&self, row: usize) -> Option<&str> {
        match self {
            Self::Texts(texts) => texts.text(row),
            _ => None,
        }
    }

    /// The seat of a row's value, looked up only if nothing is known of it.
    pub(super) fn seat(&mut self, row: usize, category: &Category) -> Seat {
        match self {
            Self::Texts(texts) => texts.seat(row, category),
            _ => category.seat(Seat::default(), None),
        }
    }

    /// Notes the seat of a row's value.
    pub(super) fn set_seat(&mut self, row: usize, seat: Seat) {
        if let Self::Texts(texts) = self {
            texts.set_seat(row, seat);
        }
    }
}

impl<'t> Texts<'t> {
    fn of_codes(codes: &'t [u32], values: &'t [String]) -> Self {
        let is_empty: Vec<bool> = values.iter().map(|value| value.trim().is_empty()).collect();
        let codes = if is_empty.contains(&true) {
            let code = |code: &u32| match is_empty.get(*code as usize) {
                Some(false) => *code,
                _ => MISSING,
            };
            Cow::Owned(codes.iter().map(code).collect())
        } else {
            Cow::Borrowed(codes)
        };
        Self {
            codes,
            seats: vec![Seat::default(); values.len() + 1],
            values: Cow::Borrowed(values),
        }
    }

    fn of_cells<'a>(cells: impl Iterator<Item = &'a Cell<'a>>) -> Self {
        let (mut codes, mut values) = (Vec::new(), Vec::new());
        let mut known: HashMap<Cow<'a, str>, u32> = HashMap::new();
        for cell in cells {
            let code = cell.text().map(|text| {
                *known.entry(text).or_insert_with_key(|text| {
                    values.push(text.to_string());
                    u32::try_from(values.len() - 1).unwrap_or(MISSING)
                })
            });
            codes.push(code.unwrap_or(MISSING));
        }
        Self {
            codes: Cow::Owned(codes),
            seats: vec![Seat::default(); values.len() + 1],
            values: Cow::Owned(values),
        }
    }

    /// The index of a row's value, and of what is known of it; beyond the values if it is missing.
    fn index(&self, row: usize) -> usize {
        let code = self.codes.get(row).copied().unwrap_or(MISSING);
        (code as usize).min(self.values.len())
    }

    fn text(&self, row: usize) -> Option<&str> {
        self.values.get(self.index(row)).map(|value| value.trim())
    }

    fn seat(&mut self, row: usize, category: &Category) -> Seat {
        let index = self.index(row);
        let text = self.values.get(index).map(|value| value.trim());
        let seat = category.seat(self.seats[index], text);
        self.seats[index] = seat;
        seat
    }

    fn set_seat(&mut self, row: usize, seat: Seat) {
        let index = self.index(row);
        self.seats[index] = seat;
    }
}

/// The moment of each row; a text is read once.
fn moments(codes: &[u32], values: &[String], reading: Option<Reading>) -> Vec<Option<Moment>> {
    let mut known: Vec<Option<Option<Moment>>> = vec![None; values.len()];
    let read = |value: &String| reading.and_then(|reading| reading.moment(&Cell::of_text(value)));
    let moment = |code: &u32| {
        let (known, value) = (known.get_mut(*code as usize)?, values.get(*code as usize)?);
        *known.get_or_insert_with(|| read(value))
    };
    codes.iter().map(moment).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::Why;
    use crate::columns::table::tests::texts;

    /// Everything that an encoder can ask of some rows.
    type Read = Vec<(Option<f64>, Option<Moment>, Option<String>)>;

    fn read(source: &Source<'_>) -> Read {
        let row = |row| {
            let text = source.text(row).map(str::to_owned);
            (source.number(row), source.moment(row), text)
        };
        (0..5).map(row).collect()
    }

    fn reading(kind: Kind, takes_epochs: bool) -> Reading {
        Reading {
            takes_epochs,
            ..Reading::of(kind)
        }
    }

    #[test]
    fn columns_and_their_cells_are_the_same_values() {
        let columns = [
            Column::Empty,
            Column::Numbers(vec![1.5, f64::NAN, -200.0, 1e9]),
            Column::Truths(vec![Some(true), None, Some(false), Some(true)]),
            Column::Times(vec![Some(0), None, Some(-1), Some(1)]),
            texts(["", " a", "12:30 ", "a"]),
        ];
        let kinds = [Kind::Number, Kind::Category, Kind::Time, Kind::Text];
        let stated = Settings {
            missing_values: vec![-200.0],
            ..Settings::default()
        };
        for settings in [Settings::default(), stated] {
            for (kind, column) in kinds
                .iter()
                .flat_map(|kind| columns.iter().map(move |c| (kind, c)))
            {
                for takes_epochs in [false, true] {
                    let reading = Some(reading(*kind, takes_epochs));
                    let cells: Vec<_> = column.cells(0..4, &settings).collect();
                    let expected = read(&Source::of_cells(cells.iter(), reading));
                    let found = read(&Source::of_column(column, reading, &settings));
                    assert_eq!(found, expected, "{kind:?} {column:?}");
                }
            }
        }
    }

    #[test]
    fn values_are_what_the_kind_makes_of_them() {
        let settings = Settings::default();
        let column = Column::Numbers(vec![60.0, f64::NAN]);
        let source =
            |kind, epochs| Source::of_column(&column, Some(reading(kind, epochs)), &settings);
        assert_eq!(source(Kind::Number, false).number(0), Some(60.0));
        assert_eq!(source(Kind::Category, false).text(0), Some("60"));
        assert_eq!(source(Kind::Category, false).text(1), None);
        let minute = Some(Moment::of_micros(60_000_000));
        assert_eq!(source(Kind::Time, true).moment(0), minute);
        assert_eq!(source(Kind::Time, false).moment(0), None);
        let unused = source(Kind::Unused(Why::Id), false);
        assert!(matches!(unused, Source::Nothing));
    }
}
