//! What the values of a column have to be.

use std::ops::Range;

use super::cell::Cell;
use super::kind::Kind;
use super::reading::Reading;
use super::settings::Settings;
use super::table::Column;
use super::times::{Moment, Order, parse};
use crate::limits::LARGEST;

const LARGE: &str = "a number of magnitude at most 1e100";

/// The values that a column may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    /// All, for nobody looks at them.
    None,
    /// All but numbers that are too large.
    Any,
    /// Numbers and truths.
    Number,
    /// Times; texts that are times under this order of day and month, or under either; and numbers, maybe.
    Time {
        order: Option<Order>,
        takes_epochs: bool,
    },
}

impl Demand {
    /// What values have to be, once it is settled how the column is read.
    pub(super) fn of_reading(reading: Reading) -> Self {
        match reading.kind {
            Kind::Unused(_) => Self::None,
            Kind::Category | Kind::Text => Self::Any,
            Kind::Number => Self::Number,
            Kind::Time => Self::Time {
                order: Some(reading.order),
                takes_epochs: reading.takes_epochs,
            },
        }
    }

    /// What values have to be before that, after a first one: they may still become categories if that was a text.
    pub(super) fn unsettled(stated: Option<Kind>, first: Option<&Cell<'_>>) -> Self {
        let order = None;
        match (stated, first) {
            (Some(Kind::Time), _) => Self::Time {
                order,
                takes_epochs: true,
            },
            (Some(kind), _) => Self::of_reading(Reading::of(kind)),
            (None, Some(Cell::Number(_))) => Self::Number,
            (None, Some(Cell::Time(_))) => Self::Time {
                order,
                takes_epochs: false,
            },
            (None, _) => Self::Any,
        }
    }

    /// The first of some rows of a column whose value is another, and what it should be.
    pub(super) fn first_wrong(
        self,
        column: &Column,
        rows: Range<usize>,
        settings: &Settings,
    ) -> Option<(usize, &'static str)> {
        if self.takes_all_of(column) {
            return None;
        }
        if let (Self::Time { .. }, Column::Texts { codes, values }) = (self, column) {
            let row = self.first_that_is_no_time(codes, values, rows)?;
            return Some((row, self.expected()));
        }
        if let (Self::Any | Self::Number, Column::Numbers(numbers)) = (self, column) {
            // No early exit, so that the check of a whole column vectorises.
            let is_right = |number: &f64| number.is_nan() | (number.abs() <= LARGEST);
            if numbers
                .iter()
                .fold(true, |ok, number| ok & is_right(number))
            {
                return None;
            }
        }
        let cells = rows.clone().zip(column.cells(rows, settings));
        let wrong =
            |(row, cell): (usize, Cell<'_>)| Some((row, self.wrong(&cell)?, may_be_number(&cell)));
        let mut wrong = cells.filter_map(wrong);
        let mut first = wrong.next()?;
        if first.2 {
            // Numbers that stand among texts are texts: what has made them so tells more than they do.
            first = wrong.find(|(.., is_number)| !is_number).unwrap_or(first);
        }
        Some((first.0, first.1))
    }

    /// Returns true if no value of a column of this type is another.
    fn takes_all_of(self, column: &Column) -> bool {
        matches!(
            (self, column),
            (Self::None, _)
                | (_, Column::Empty)
                | (Self::Any | Self::Number, Column::Truths(_))
                | (Self::Any | Self::Time { .. }, Column::Times(_))
                | (Self::Any, Column::Texts { .. })
        )
    }

    /// What a value should be, if it is another.
    fn wrong(self, cell: &Cell<'_>) -> Option<&'static str> {
        let is_right = match (self, cell) {
            (_, Cell::Number(number)) if number.abs() > LARGEST => return Some(LARGE),
            (Self::Number, cell) => cell.is_missing() || cell.number().is_some(),
            (Self::Time { takes_epochs, .. }, Cell::Number(number)) => {
                takes_epochs && Moment::of_number(*number).is_some()
            }
            (Self::Time { .. }, Cell::Truth(_)) => false,
            (Self::Time { order, .. }, Cell::Text(text)) => is_time(text, order),
            (Self::Time { .. }, Cell::Missing | Cell::Time(_)) | (Self::None | Self::Any, _) => {
                true
            }
        };
        (!is_right).then(|| self.expected())
    }

    /// The first row whose text is no time; each text is read once.
    fn first_that_is_no_time(
        self,
        codes: &[u32],
        values: &[String],
        mut rows: Range<usize>,
    ) -> Option<usize> {
        let mut known = vec![None; values.len()];
        rows.find(|&row| {
            let code = codes.get(row).map_or(usize::MAX, |code| *code as usize);
            let (Some(known), Some(value)) = (known.get_mut(code), values.get(code)) else {
                return false;
            };
            let is_right = || self.wrong(&Cell::of_text(value)).is_none();
            !*known.get_or_insert_with(is_right)
        })
    }

    fn expected(self) -> &'static str {
        match self {
            Self::None | Self::Any => LARGE,
            Self::Number => "a number",
            Self::Time {
                order: Some(Order::DayFirst),
                ..
            } => "a time, with the day before the month",
            Self::Time { .. } => "a time",
        }
    }
}

/// Returns true for a text that a number or a truth may have become among texts.
fn may_be_number(cell: &Cell<'_>) -> bool {
    let is_one = |text: &str| matches!(text, "true" | "false") || text.parse::<f64>().is_ok();
    matches!(cell, Cell::Text(text) if is_one(text))
}

/// Returns true if a text is a time under this order of day and month, or under either if none is given.
fn is_time(text: &str, order: Option<Order>) -> bool {
    match order {
        Some(order) => parse(text, order).is_some(),
        None => [Order::MonthFirst, Order::DayFirst]
            .into_iter()
            .any(|order| is_time(text, Some(order))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Demand = Demand::Time {
        order: Some(Order::MonthFirst),
        takes_epochs: false,
    };

    fn texts(texts: &[&str]) -> Column {
        Column::Texts {
            codes: (0..).take(texts.len()).collect(),
            values: texts.iter().map(ToString::to_string).collect(),
        }
    }

    fn wrong(demand: Demand, column: &Column) -> Option<usize> {
        let found = demand.first_wrong(column, 0..column.len().unwrap_or(1), &Settings::default());
        found.map(|(row, _)| row)
    }

    #[test]
    fn a_column_may_have_values_of_some_types() {
        let columns = [
            Column::Empty,
            Column::Numbers(vec![f64::NAN, 1.0]),
            Column::Truths(vec![None, Some(true)]),
            Column::Times(vec![None, Some(0)]),
            texts(&[" ", "12:30"]),
            texts(&["", "x"]),
        ];
        let epochs = Demand::Time {
            order: None,
            takes_epochs: true,
        };
        let second = Some(1);
        let expected = [
            (Demand::None, [None; 6]),
            (Demand::Any, [None; 6]),
            (Demand::Number, [None, None, None, second, second, second]),
            (TIME, [None, second, second, None, None, second]),
            (epochs, [None, None, second, None, None, second]),
        ];
        for (demand, expected) in expected {
            let found = columns.each_ref().map(|column| wrong(demand, column));
            assert_eq!(found, expected, "{demand:?}");
        }
    }

    #[test]
    fn numbers_that_are_too_large_are_wrong_where_anyone_looks() {
        for number in [f64::INFINITY, -1e101] {
            let column = Column::Numbers(vec![1e100, number]);
            assert_eq!(wrong(Demand::None, &column), None);
            for demand in [Demand::Any, Demand::Number] {
                let found = demand.first_wrong(&column, 0..2, &Settings::default());
                assert_eq!(found, Some((1, LARGE)));
            }
        }
    }

    #[test]
    fn a_text_among_numbers_is_what_is_wrong() {
        assert_eq!(
            wrong(Demand::Number, &texts(&["4", "true", "four"])),
            Some(2)
        );
        assert_eq!(wrong(Demand::Number, &texts(&["", "4", "5"])), Some(1));
    }

    #[test]
    fn only_some_rows_are_looked_at() {
        let column = texts(&["x", "12:30", "y", "x"]);
        let found = |rows| TIME.first_wrong(&column, rows, &Settings::default());
        assert_eq!(found(1..4), Some((2, "a time")));
        assert_eq!(found(1..2), None);
    }

    #[test]
    fn before_all_is_settled_either_order_will_do() {
        let stated = Demand::unsettled(Some(Kind::Time), None);
        assert_eq!(
            wrong(stated, &texts(&["13/01/2013", "01/13/2013", "13/13/2013"])),
            Some(2)
        );
        assert_eq!(wrong(TIME, &texts(&["01/13/2013", "13/01/2013"])), Some(1));
        let after = |cell: Cell<'_>| Demand::unsettled(None, Some(&cell));
        assert_eq!(after(Cell::of_text("12:30")), Demand::Any);
        assert_eq!(after(Cell::Number(1.0)), Demand::Number);
        assert_eq!(Demand::unsettled(None, None), Demand::Any);
    }
}
