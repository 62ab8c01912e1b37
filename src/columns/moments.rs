//! The times that a column holds.

use super::table::{Column, MISSING};
use super::times::{Moment, Order, parse};

impl Column {
    /// The times of all rows, in microseconds since 1970 on their own wall clock: texts are read as dates, numbers as
    /// seconds since 1970 or, if they are large, as thousandths of them, and so on. The error is the first row that has
    /// no time with a date.
    ///
    /// ```
    /// use nystream::columns::Column;
    ///
    /// let texts = vec!["1970-01-01 00:00:01".to_owned(), "soon".to_owned()];
    /// let column = |codes| Column::Texts { codes, values: texts.clone() };
    /// assert_eq!(column(vec![0, 0]).moments(), Ok(vec![1_000_000, 1_000_000]));
    /// assert_eq!(column(vec![0, 1]).moments(), Err(1));
    /// assert_eq!(Column::Numbers(vec![1.0]).moments(), Ok(vec![1_000_000]));
    /// ```
    pub fn moments(&self) -> Result<Vec<i64>, usize> {
        match self {
            Self::Times(times) => collected(times.iter().copied()),
            Self::Numbers(numbers) => {
                let moment =
                    |number: &f64| Moment::of_number(*number).filter(|_| number.is_finite());
                collected(numbers.iter().map(|number| Some(moment(number)?.micros)))
            }
            Self::Texts { codes, values } => moments_of_texts(codes, values),
            Self::Empty | Self::Truths(_) => Err(0),
        }
    }
}

/// Reads texts with the month before the day, where that is not told, or else all of them with the day first.
fn moments_of_texts(codes: &[u32], values: &[String]) -> Result<Vec<i64>, usize> {
    let read = |order: Order| {
        let moment = |text: &String| parse(text, order).filter(|moment| moment.has_date);
        let moments: Vec<Option<i64>> = values
            .iter()
            .map(|text| Some(moment(text)?.micros))
            .collect();
        let of = |code: &u32| {
            if *code == MISSING {
                None
            } else {
                moments[*code as usize]
            }
        };
        collected(codes.iter().map(of))
    };
    read(Order::MonthFirst).or_else(|row| read(Order::DayFirst).map_err(|other| other.max(row)))
}

/// All values, or the first row without any.
fn collected(values: impl Iterator<Item = Option<i64>>) -> Result<Vec<i64>, usize> {
    values
        .enumerate()
        .map(|(row, value)| value.ok_or(row))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::DAY;

    fn texts(texts: &[&str]) -> Column {
        let values = texts.iter().map(|&text| text.to_owned()).collect();
        let codes = (0..).take(texts.len()).collect();
        Column::Texts { codes, values }
    }

    #[test]
    fn the_order_of_day_and_month_is_that_of_all_texts() {
        assert_eq!(texts(&["01/02/1970"]).moments(), Ok(vec![DAY]));
        let days = texts(&["01/02/1970", "13/02/1970"]).moments();
        assert_eq!(days, Ok(vec![31 * DAY, 43 * DAY]));
        assert_eq!(
            texts(&["31-01-1970 12:00"]).moments(),
            Ok(vec![30 * DAY + DAY / 2])
        );
    }

    #[test]
    fn rows_without_a_date_are_named() {
        assert_eq!(texts(&["1970-01-01", "12:00"]).moments(), Err(1));
        assert_eq!(Column::Times(vec![Some(3), None]).moments(), Err(1));
        assert_eq!(Column::Numbers(vec![f64::NAN]).moments(), Err(0));
        assert_eq!(Column::Empty.moments(), Err(0));
        let missing = Column::Texts {
            codes: vec![MISSING],
            values: vec![],
        };
        assert_eq!(missing.moments(), Err(0));
    }
}
